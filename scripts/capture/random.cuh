/* The same numbers in each run. */
#pragma once

#include <cstdint>

static uint32_t random_below(uint32_t limit) {
    static uint64_t state = 88172645463325252ull;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return uint32_t(state % limit);
}

/* For a thread, which has a state of its own. */
static __device__ uint32_t random_below(uint32_t *state, uint32_t limit) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % limit;
}
