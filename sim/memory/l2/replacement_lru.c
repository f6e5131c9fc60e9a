/* LRU: the victim is the way whose last access is longest ago. The state lists the ways in order of
 * their last access, four bits each, the most recent one in the lowest bits. */
#include "memory/l2/replacement.h"

/* As if the ways had been accessed in order. */
static uint64_t initial_state(uint32_t seed, size_t set) {
    (void)seed;
    (void)set;
    return UINT64_C(0x0123456789abcdef);
}

/* Moves the way to the front of the list. */
static void touch(uint64_t *state, int way) {
    const uint64_t each = UINT64_C(0x1111111111111111);
    uint64_t order = *state, differs = order ^ each * (uint64_t)way;
    int at = __builtin_ctzll((differs - each) & ~differs & each << 3) & ~3; /* of its four bits */
    uint64_t before = (UINT64_C(1) << at) - 1, behind = ~before << 3 << 1;
    *state = (order & behind) | (order & before) << 4 | (uint64_t)way;
}

static int victim(uint64_t *state, uint32_t candidates) {
    for (int i = TMA_L2_MAX_WAYS - 1; i >= 0; i--) {
        int way = (int)(*state >> (4 * i) & 15u);
        if ((candidates & 1u << way) != 0)
            return way;
    }
    return -1;
}

const struct tma_replacement_policy tma_replacement_lru = {initial_state, touch, victim};
