/* The machine: every property of a GPU that the timing model uses, each with its unit in its name.
 * Values come from configs/gpus/NAME.yaml, with their origin beside them. */
#ifndef TMA_MEMORY_MACHINE_H
#define TMA_MEMORY_MACHINE_H

#include "tensormap/tensormap.h"

enum { TMA_MAX_SMS = 256, TMA_MAX_GPCS = 16, TMA_MAX_NAME = 64 };

struct tma_machine {
    char name[TMA_MAX_NAME];
    bool validated; /* its timing was compared with records of a real one */

    uint32_t sm_count;
    uint32_t sm_clock_mhz;
    uint32_t shared_memory_bytes;     /* of one SM */
    uint32_t shared_memory_cta_bytes; /* that one CTA can have */

    /* Values below are in SM cycles, bytes and counts; see the YAML file for each one's origin. */
    struct {
        uint32_t issue_cycles; /* from the instruction to the TMA unit */
    } tma;
};

#endif
