/* The example of docs/architecture.md, "A policy": tree pseudo-LRU. A set of 16 ways has a tree of
 * 15 bits, in bits 1 to 15 of the state. A bit says on which side of its node the last access was
 * not. */
#include "memory/l2/replacement.h"

enum { WAYS = 16 };

static uint64_t initial_state(uint32_t seed, size_t set) {
    (void)seed;
    (void)set;
    return 0;
}

static void touch(uint64_t *state, int way) {
    uint32_t node = 1;
    for (uint32_t half = WAYS / 2; half > 0; half /= 2) {
        uint32_t right = ((uint32_t)way & half) != 0;
        *state = right ? *state & ~(UINT64_C(1) << node) : *state | UINT64_C(1) << node;
        node = 2 * node + right;
    }
}

/* Goes the way of the bits, except where no candidate lies there. */
static int victim(uint64_t *state, uint32_t candidates) {
    uint32_t node = 1, first = 0;
    if (candidates == 0)
        return -1;
    for (uint32_t half = WAYS / 2; half > 0; half /= 2) {
        uint32_t mask = (1u << half) - 1, right = (*state >> node & 1) != 0;
        if ((candidates >> (first + right * half) & mask) == 0)
            right = !right;
        first += right * half;
        node = 2 * node + right;
    }
    return (int)first;
}

const struct tma_replacement_policy tma_replacement_plru = {initial_state, touch, victim};
