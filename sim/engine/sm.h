/* What the warps of an SM share. */
#pragma once

#include <stdint.h>

struct tma_sm {
    uint32_t number;      /* %smid */
    uint32_t cta_places;  /* CTAs that it runs at once in this run */
    uint64_t woken_cycle; /* when a warp went on last after waiting for a load */
};
