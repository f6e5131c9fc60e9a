/* A launch of a compiled kernel: a PTX file, the grid, the buffers and the parameters. It comes
 * from a launch file (YAML or JSON), or from a line of a file of records (JSON lines). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diagnostics.h"
#include "launch/element.h"
#include "memory/power.h"
#include "tensormap/tensormap.h"

struct tma_yaml_node;

enum tma_contents {
    TMA_CONTENTS_OPAQUE, /* unknown: what is computed from it is unknown, too */
    TMA_CONTENTS_ZERO,
    TMA_CONTENTS_VALUES, /* a list of elements; those behind it are zero */
    TMA_CONTENTS_FILE,   /* the bytes of a file; those behind it are zero */
    TMA_CONTENTS_FILL    /* element i is (random(i, seed) mod count + low) * scale */
};

struct tma_fill {
    uint64_t seed;
    int64_t low;
    uint64_t count;
    double scale;
};

struct tma_launch_buffer {
    const char *name; /* borrowed from the document, as all texts here */
    struct tma_location at;
    uint64_t bytes, address; /* address 0: the launch gives it one */
    enum tma_element type;   /* of one element, for values, fills and comparisons */
    enum tma_contents contents;
    struct tma_fill fill;
    const char *file;                   /* FILE */
    const struct tma_yaml_node *values; /* VALUES: a list of numbers */
    const char *expect;                 /* file of the bytes after the launch; NULL: not compared */
    double tolerance_ulp; /* of `expect`, in units of the last place; negative: the least that the
                             kernel's approximate instructions allow */
    enum tma_element compared; /* type of the compared elements; they lie `compared_pitch` apart */
    uint32_t compared_pitch;   /* bytes */
    struct tma_location expect_at;
};

enum tma_launch_part_kind {
    TMA_PART_MAP,       /* a tensor map by its fields */
    TMA_PART_MAP_BYTES, /* a tensor map in its 128-byte form */
    TMA_PART_POINTER,   /* into a buffer, or null */
    TMA_PART_NUMBER
};

/* Bytes of a parameter: the whole of it, or those from `at` of a parameter of bytes. */
struct tma_launch_part {
    enum tma_launch_part_kind kind;
    struct tma_location place;
    uint64_t at; /* bytes from the start of the parameter */
    uint64_t bytes;
    int32_t buffer;            /* MAP, MAP_BYTES, POINTER: index; -1: none */
    uint64_t offset;           /* in the buffer, bytes */
    uint64_t bits;             /* NUMBER */
    const char *hex;           /* MAP_BYTES: 256 digits */
    struct tma_tensor_map map; /* MAP; its address is that of the buffer plus offset */
};

struct tma_launch_parameter {
    const char *name; /* NULL: not named */
    struct tma_location at;
    uint64_t bytes;
    uint32_t first_part, part_count; /* of launch->parts; the first ones first */
};

enum { TMA_LAUNCH_DIMENSIONS = 3 };

struct tma_launch {
    const char *name, *family; /* family: ""; of records only */
    const char *kernel;        /* NULL: the only entry of the PTX */
    const char *ptx, *sass;    /* as written: tma_launch_find; sass: NULL: none */
    const char *gpu;           /* name of a machine, or its file beside gpu_at.file; NULL: none */
    struct tma_location at;    /* of the launch; its file is the path of the file that has it */
    struct tma_location ptx_at, sass_at, kernel_at, gpu_at;
    char **gpu_settings; /* owned: "KEY=VALUE" of the machine */
    size_t gpu_setting_count;
    uint32_t grid[TMA_LAUNCH_DIMENSIONS], block[TMA_LAUNCH_DIMENSIONS],
        cluster[TMA_LAUNCH_DIMENSIONS]; /* block: 0, 0, 0: what the kernel requires */
    bool cluster_given;
    uint32_t dynamic_shared, registers; /* registers: 0: not given */
    uint32_t ctas_per_sm;               /* 0: as many as have room */
    struct tma_location ctas_per_sm_at;
    uint32_t sm_clock_mhz;      /* as tma_kernel.sm_clock_mhz */
    enum tma_operand_data data; /* of its matrix products; of records, what their buffers hold */
    struct tma_launch_buffer *buffers;
    struct tma_launch_parameter *parameters;
    struct tma_launch_part *parts;
    size_t buffer_count, parameter_count, part_count;
    size_t buffer_capacity, parameter_capacity, part_capacity;
    const struct tma_yaml_node *measured; /* what GPUs did, by GPU; NULL: nothing */
    struct tma_yaml_node *document;       /* owned: what the texts are borrowed from */
};

/* What a GPU did in one launch; 0: not in the record. Without cycles, the time alone was measured.
 */
struct tma_launch_measured {
    const char *gpu;                          /* its key in the record; borrowed */
    uint64_t instructions, alu, fma, xu, lsu; /* of warps, in SASS: in all, and by pipe */
    /* Of shared memory; conflicts are a part of wavefronts. */
    uint64_t shared_load_wavefronts, shared_load_conflicts;
    uint64_t shared_store_wavefronts, shared_store_conflicts;
    uint64_t cycles, ns, dram_read_sectors, dram_write_sectors, l2_sectors;
    uint64_t warm_ns;    /* with the buffers in L2 */
    uint64_t empty_ns;   /* what a kernel that does nothing took, measured alike */
    uint64_t launch_mhz; /* where there are no cycles: the clock of the SMs during the launch */
};

/* Reads a launch file from its text. `name` is the file's path: locations borrow it, and files are
 * looked for beside it. Each setting ("grid=[8,1,1]", "parameters.0.map.swizzle=64b") is applied as
 * if it were in the file; those that begin with "gpu." are kept for the machine.
 *
 * Returns false, with every error and its place in the list, if anything is wrong. Call
 * tma_launch_free in either case, after the last use of the list. */
bool tma_launch_read(const char *text, size_t length, const char *name, const char *const *settings,
                     size_t setting_count, struct tma_launch *launch, struct tma_diagnostics *list);

/* Applies settings to a record, which takes those of its machine alone ("gpu=MACHINE",
 * "gpu.KEY=VALUE"). The launch borrows them. */
bool tma_launch_choose_machine(struct tma_launch *launch, const char *const *settings,
                               size_t setting_count, struct tma_diagnostics *list);

/* Reads a record: one line of a file of JSON lines, which is line `line` of the file `name`. Where
 * the record has no outputs, buffers of floating-point numbers are opaque. */
bool tma_launch_read_record(const char *text, size_t length, const char *name, unsigned line,
                            struct tma_launch *launch, struct tma_diagnostics *list);

void tma_launch_free(struct tma_launch *launch);

/* Finds what was measured on the GPU of a machine: the first member of the record's `measured`
 * whose key is a word of the machine's name ("h200" of "NVIDIA H200"). Cycles count where SMs
 * counted them: not those of records `by` cupti or events, which older versions of tmasim-capture
 * made of the time and the clock before the launch. Returns false if there is none with
 * nanoseconds.
 */
bool tma_launch_measurement(const struct tma_launch *launch, const char *machine,
                            struct tma_launch_measured *measured);

/* True if the text is a launch file: a mapping with the key `ptx`. */
bool tma_launch_recognize(const char *text, size_t length);

/* Finds a file that the launch names: beside the launch file, or in its folder `subfolder`. Returns
 * its path, which the caller frees; NULL when out of memory. The file need not exist. */
char *tma_launch_find(const struct tma_launch *launch, const char *name, const char *subfolder);
