/* What the warps of an SM share. */
#ifndef TMA_ENGINE_SM_H
#define TMA_ENGINE_SM_H

#include <stdint.h>

struct tma_sm {
    uint32_t number;      /* %smid */
    uint32_t cta_places;  /* CTAs that it runs at once in this run */
    uint64_t woken_cycle; /* when a warp went on last after waiting for a load */
};

#endif
