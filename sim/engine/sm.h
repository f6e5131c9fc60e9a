/* What the warps of an SM share. */
#ifndef TMA_ENGINE_SM_H
#define TMA_ENGINE_SM_H

#include "memory/port.h"

struct tma_sm {
    uint32_t number;               /* %smid */
    struct tma_port shared_memory; /* serves the consumers' wavefronts, one at a time */
    uint64_t woken_cycle;          /* when a warp went on last after waiting for a load */
};

#endif
