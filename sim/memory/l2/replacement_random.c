/* Random replacement: the victim is any way, each as likely as the others. The state is that of a
 * random number generator (SplitMix64), which the seed and the number of the set start. */
#include "memory/core/random.h"
#include "memory/l2/replacement.h"

static uint64_t initial_state(uint32_t seed, size_t set) {
    return tma_random(seed, set);
}

static void touch(uint64_t *state, int way) {
    (void)state;
    (void)way;
}

static int victim(uint64_t *state, uint32_t candidates) {
    if (candidates == 0)
        return -1;
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint32_t count = (uint32_t)__builtin_popcount(candidates);
    for (uint32_t skip = (uint32_t)((tma_mix64(*state) >> 32) * count >> 32); skip > 0; skip--)
        candidates &= candidates - 1;
    return __builtin_ctz(candidates);
}

const struct tma_replacement_policy tma_replacement_random = {initial_state, touch, victim};
