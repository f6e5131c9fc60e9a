/* L2 cache policies: the upper 12 bits of what createpolicy makes on an H100, where all others are
 * 0. The lowest 4 of them are the part of the lines to which the first priority applies, in
 * sixteenths, less 1. CUTLASS gives the same bits as constants. */
#pragma once

#include <stdint.h>

enum {
    TMA_L2_POLICY_NONE = 0,
    TMA_L2_POLICY_BASE = 0x100,
    TMA_L2_POLICY_PRIMARY = 0x60, /* the bits of the first priority; 0: evict_unchanged */
    TMA_L2_POLICY_FIRST = 0x20,
    TMA_L2_POLICY_LAST = 0x40,
    TMA_L2_POLICY_NORMAL = 0x60,
    TMA_L2_POLICY_OTHERS_FIRST = 0x10, /* evict_first for the other lines; else evict_unchanged */
    TMA_L2_POLICY_PART = 0xf,
    TMA_L2_POLICY_SHIFT = 52
};

/* The bits of a part from 0 to 1, which createpolicy rounds up. */
static inline uint32_t tma_l2_policy_part(double part) {
    for (uint32_t i = 0; i < TMA_L2_POLICY_PART; i++)
        if (part * 16 <= i + 1)
            return i;
    return TMA_L2_POLICY_PART;
}
