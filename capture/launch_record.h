/* A launch as it is recorded: what the program gave to the driver, the memory that its parameters
 * point to, and the launch file of it. */
#pragma once

#include "driver.h"

enum { MOST_PARAMETERS = 512, MOST_PARAMETER_BYTES = 32768, MOST_BUFFERS = 256 };

struct recorded_buffer {
    cu_pointer base;
    size_t bytes;
    char *contents; /* bytes before the launch; owned; NULL: not recorded */
};

/* What was measured; 0: not known. */
struct recorded_times {
    double cold_ns, warm_ns; /* with nothing and with the buffers in L2 */
    double empty_ns;         /* of a kernel that does nothing */
    double clock_mhz;        /* of SMs just before the launch */
    double launch_mhz;       /* of SMs during the launch, unless it is short */
    bool by_events;          /* between two events; else what CUPTI says of the kernel */
};

struct recorded_launch {
    cu_handle function;
    const char *kernel;
    uint32_t grid[3], block[3], cluster[3]; /* cluster: 0, 0, 0: not given at the launch */
    uint32_t dynamic_shared, registers, number;
    cu_handle stream;
    size_t parameter_count;
    size_t sizes[MOST_PARAMETERS];
    struct recorded_part *parts; /* of all parameters, in their order; owned */
    size_t part_count;
    size_t buffer_count;
    struct recorded_buffer buffers[MOST_BUFFERS];
    char gpu[128];
    unsigned capability; /* 90 */
    struct recorded_times times;
};

/* Reads the parameters and what memory they point to. `values` is what cuLaunchKernel calls
 * kernelParams, and `extra` the same. False where the driver does not tell the parameters' sizes.
 */
bool record_parameters(struct recorded_launch *launch, void **values, void **extra);

/* Copies the contents of buffers of up to wishes.contents_bytes. */
void record_contents(struct recorded_launch *launch);

/* Writes the launch file, or writes it again with what was measured. `ptx` is the name of its PTX,
 * `missing` says why there is none, or is "". `path` gets its name, and has it the second time. */
bool record_write(const struct recorded_launch *launch, const char *ptx, const char *missing,
                  char *path, size_t size);

/* Writes PTX to DIR/ptx, once for each text, and what it says of sources to DIR/sources if that is
 * wished. `name` gets its name. */
bool record_ptx(const char *kernel, const char *ptx, char *name, size_t size);

/* Takes out of PTX where it came from: folders of sources, and debug information. */
void remove_origins(char *ptx);

void record_free(struct recorded_launch *launch);
