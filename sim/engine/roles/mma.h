/* Matrix products of warp groups: the shapes of wgmma.mma_async (PTX ISA, asynchronous warpgroup
 * level matrix instructions: m64nNk16 and its kin), and what the machine computes of each type. */
#pragma once

#include "engine/roles/kernel.h"

/* A wgmma multiplies 64 rows of A, a multiple of 8 and at most 256 columns of B, and 32 bytes of K.
 */
enum {
    TMA_MMA_ROWS = 64,
    TMA_MMA_COLUMNS = 256,
    TMA_MMA_COLUMN_STEP = 8,
    TMA_MMA_K_BYTES = 32,
    TMA_WARP_GROUP_WARPS = 4
};

/* Bits of an element of A and B. */
static inline uint32_t tma_mma_element_bits(enum tma_mma_type type) {
    static const uint32_t bits[TMA_MMA_TYPE_COUNT] = {[TMA_MMA_HALF] = 16,
                                                      [TMA_MMA_TF32] = 32,
                                                      [TMA_MMA_BYTE] = 8,
                                                      [TMA_MMA_NIBBLE] = 4,
                                                      [TMA_MMA_FP64] = 64};
    return bits[type];
}
