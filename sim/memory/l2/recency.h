/* The order in which the ways of a set were last accessed: four bits for each way, the most recent
 * one in the lowest bits. */
#ifndef TMA_MEMORY_L2_RECENCY_H
#define TMA_MEMORY_L2_RECENCY_H

#include <stdint.h>

/* As if the ways had been accessed in order. */
#define TMA_RECENCY_INITIAL UINT64_C(0x0123456789abcdef)

/* Moves a way to the front of the order. */
static inline uint64_t tma_recency_touch(uint64_t order, int way) {
    const uint64_t each = UINT64_C(0x1111111111111111);
    uint64_t differs = order ^ each * (uint64_t)way;
    int at = __builtin_ctzll((differs - each) & ~differs & each << 3) & ~3; /* of its four bits */
    uint64_t before = (UINT64_C(1) << at) - 1, behind = ~before << 3 << 1;
    return (order & behind) | (order & before) << 4 | (uint64_t)way;
}

#endif
