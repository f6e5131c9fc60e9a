/* L2 cache hints: what an access makes of its lines in L2. */
#ifndef TMA_MEMORY_CORE_L2_HINT_H
#define TMA_MEMORY_CORE_L2_HINT_H

#include <stdbool.h>

#include "memory/core/random.h"
#include "tensormap/l2_policy.h"

enum tma_l2_hint {
    TMA_L2_HINT_NONE,  /* also evict_unchanged */
    TMA_L2_HINT_FIRST, /* evict_first: the set's next victim */
    TMA_L2_HINT_LAST,  /* evict_last: other lines go first */
    TMA_L2_HINT_NORMAL /* evict_normal: as without a hint, also a line that was to stay */
};

/* Lines of one unit have the same priority. */
enum { TMA_L2_POLICY_UNIT_LINES = 4 };

/* The hint that a policy gives a line. */
static inline enum tma_l2_hint tma_l2_policy_hint(uint32_t policy, uint64_t line) {
    uint32_t part = policy & TMA_L2_POLICY_PART;
    if ((policy & TMA_L2_POLICY_BASE) == 0)
        return TMA_L2_HINT_NONE;
    if (part < TMA_L2_POLICY_PART && tma_mix64(line / TMA_L2_POLICY_UNIT_LINES) >> 60 > part)
        return (policy & TMA_L2_POLICY_OTHERS_FIRST) != 0 ? TMA_L2_HINT_FIRST : TMA_L2_HINT_NONE;
    switch (policy & TMA_L2_POLICY_PRIMARY) {
    case TMA_L2_POLICY_FIRST:
        return TMA_L2_HINT_FIRST;
    case TMA_L2_POLICY_LAST:
        return TMA_L2_HINT_LAST;
    case TMA_L2_POLICY_NORMAL:
        return TMA_L2_HINT_NORMAL;
    }
    return TMA_L2_HINT_NONE;
}

#endif
