/* LRU: the victim is the way whose last access is longest ago. The state is the order of accesses.
 */
#include "memory/l2/recency.h"
#include "memory/l2/replacement.h"

static uint64_t initial_state(uint32_t seed, size_t set) {
    (void)seed;
    (void)set;
    return TMA_RECENCY_INITIAL;
}

static int victim(uint64_t *state, uint32_t candidates) {
    uint64_t order = *state;
    for (int i = 0; i < TMA_L2_MAX_WAYS; i++, order <<= 4)
        if ((candidates >> (order >> 60) & 1u) != 0)
            return (int)(order >> 60);
    return -1;
}

const struct tma_replacement_policy tma_replacement_lru = {initial_state, NULL, victim};
