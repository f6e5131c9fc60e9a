/* Replacement policies of L2 sets (memory/policies.h lists them). A policy keeps 64 bits of state
 * for each set. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "memory/machine.h"

/* The order in which the ways of a set were last accessed: four bits for each way, the most recent
 * one in the lowest bits. */

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

struct tma_replacement_policy {
    /* The state of an empty set. `seed` is the machine's. */
    uint64_t (*initial_state)(uint32_t seed, size_t set);

    /* Notes an access to a way: a hit, or the first access to a line that was just allocated. NULL:
     * the state is the order of accesses. tags.c keeps that order itself, because a
     * call would take longer than the rest of an access. */
    void (*touch)(uint64_t *state, int way);

    /* Chooses a way among `candidates`, a bit mask of ways; -1 if the mask is empty. tags.c calls
     * it for the victim of an allocation, and also for the dirty line of a set to write back: a
     * call does not mean that the way gets another line. */
    int (*victim)(uint64_t *state, uint32_t candidates);
};

#define TMA_DECLARE_REPLACEMENT(name)                                                              \
    extern const struct tma_replacement_policy tma_replacement_##name;
TMA_REPLACEMENT_POLICIES(TMA_DECLARE_REPLACEMENT)
#undef TMA_DECLARE_REPLACEMENT

/* The functions of a policy. */
const struct tma_replacement_policy *tma_replacement_policy(enum tma_replacement replacement);
