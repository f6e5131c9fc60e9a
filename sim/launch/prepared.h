/* Makes a launch ready to run: its module, its buffers in memory, and its parameters as bytes; and
 * compares the buffers with what was expected. */
#pragma once

#include "launch/launch.h"
#include "memory/machine.h"
#include "ptx/execution.h"

/* A launch with its module and its memory. */
struct tma_prepared {
    const struct tma_launch *launch; /* borrowed */
    struct tma_ptx_module *module;   /* owned */
    struct tma_sass *sass;           /* owned; NULL: the launch names none */
    char *ptx_path;                  /* owned: what places of the PTX borrow */
    struct tma_ptx_launch execution;
    uint8_t *parameters; /* owned */
    bool approximate;    /* the kernel has instructions whose last bits are not those of a GPU */
};

/* Reads the PTX, and checks that the launch fits the kernel and the machine: the parameters its
 * signature, maps the rules, threads, clusters and shared memory the machine. Appends every error
 * to the list, and returns false if there is one. With `memory`, allocates and fills the buffers.
 * Call tma_prepared_free in either case, after the last use of the list. */
bool tma_launch_prepare(const struct tma_launch *launch, const struct tma_machine *machine,
                        bool memory, struct tma_prepared *prepared, struct tma_diagnostics *list);

/* The machine as it was measured: at the clock of the measurement, if it has cycles, while L2 and
 * DRAM keep theirs, and with what an empty kernel took, if the measurement says so. */
struct tma_machine tma_launch_measured_machine(const struct tma_machine *machine,
                                               const struct tma_launch_measured *measured);

void tma_prepared_free(struct tma_prepared *prepared);

/* What differs in the outputs. */
struct tma_output_difference {
    uint32_t buffers;   /* that were compared */
    uint32_t different; /* of them */
    uint64_t elements;  /* that differ by more than the tolerance, in all */
    char first[400];    /* the first element that differs by more: buffer, element, both values */
};

/* Compares the buffers that have an `expect`. Returns false, with the error in the list, if a file
 * cannot be read or has another size. */
bool tma_compare_outputs(const struct tma_prepared *prepared,
                         struct tma_output_difference *difference, struct tma_diagnostics *list);
