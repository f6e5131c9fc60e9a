#include "memory/l2/replacement.h"

#include "memory/core/random.h"

/* LRU: the victim is the way whose last access is longest ago. The state is the order of
 * accesses. */

static uint64_t lru_initial_state(uint32_t seed, size_t set) {
    (void)seed;
    (void)set;
    return TMA_RECENCY_INITIAL;
}

static int lru_victim(uint64_t *state, uint32_t candidates) {
    uint64_t order = *state;
    for (int i = 0; i < TMA_L2_MAX_WAYS; i++, order <<= 4)
        if ((candidates >> (order >> 60) & 1u) != 0)
            return (int)(order >> 60);
    return -1;
}

const struct tma_replacement_policy tma_replacement_lru = {lru_initial_state, NULL, lru_victim};

/* Random replacement: the victim is any way, each as likely as the others. The state is that
 * of a random number generator (SplitMix64), which the seed and the number of the set start. */

static uint64_t random_initial_state(uint32_t seed, size_t set) {
    return tma_random(seed, set);
}

static void random_touch(uint64_t *state, int way) {
    (void)state;
    (void)way;
}

static int random_victim(uint64_t *state, uint32_t candidates) {
    if (candidates == 0)
        return -1;
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint32_t count = (uint32_t)__builtin_popcount(candidates);
    for (uint32_t skip = (uint32_t)((tma_mix64(*state) >> 32) * count >> 32); skip > 0; skip--)
        candidates &= candidates - 1;
    return __builtin_ctz(candidates);
}

const struct tma_replacement_policy tma_replacement_random = {random_initial_state, random_touch,
                                                              random_victim};

#define POLICY(name) &tma_replacement_##name,
static const struct tma_replacement_policy *const policies[] = {TMA_REPLACEMENT_POLICIES(POLICY)};

const struct tma_replacement_policy *tma_replacement_policy(enum tma_replacement replacement) {
    return policies[replacement];
}
