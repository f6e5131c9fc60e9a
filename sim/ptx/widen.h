/* The bits of a float32 as a float64, and back, NaNs included. */
#pragma once

#include <stdint.h>
#include <string.h>

/* A NaN keeps its bits: a conversion in C could make it quiet. */
static inline uint64_t tma_ptx_widen(uint32_t bits) {
    if ((bits & 0x7f800000) == 0x7f800000 && (bits & 0x7fffff) != 0)
        return (uint64_t)(bits & 0x80000000) << 32 | 0x7ff0000000000000u |
               (uint64_t)(bits & 0x7fffff) << 29;
    float narrow;
    memcpy(&narrow, &bits, sizeof narrow);
    double wide = (double)narrow;
    uint64_t result;
    memcpy(&result, &wide, sizeof result);
    return result;
}

static inline uint32_t tma_ptx_narrow(uint64_t bits) {
    if ((bits & 0x7ff0000000000000u) == 0x7ff0000000000000u && (bits & 0xfffffffffffffu) != 0) {
        uint32_t payload = (uint32_t)(bits >> 29 & 0x7fffff);
        return (uint32_t)(bits >> 32 & 0x80000000) | 0x7f800000 | (payload == 0 ? 1 : payload);
    }
    double wide;
    memcpy(&wide, &bits, sizeof wide);
    float narrow = (float)wide;
    uint32_t result;
    memcpy(&result, &narrow, sizeof result);
    return result;
}
