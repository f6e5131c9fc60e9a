/* One bulk tensor operation: cp.async.bulk.tensor, cp.reduce.async.bulk.tensor or
 * cp.async.bulk.prefetch.tensor. PTX ISA 5.5 describes which elements they access. */
#pragma once

#include "base/api.h"
#include "tensormap/tensormap.h"
#include "tensormap/types.h"

TMA_API_BEGIN

enum tma_direction {
    TMA_LOAD,     /* global to shared */
    TMA_STORE,    /* shared to global */
    TMA_REDUCE,   /* shared to global, combined with the element in global memory */
    TMA_PREFETCH, /* global to L2: moves no bytes to shared memory */
};

/* Does this direction write the tensor? */
static inline bool tma_writes_tensor(enum tma_direction direction) {
    return direction == TMA_STORE || direction == TMA_REDUCE;
}

enum tma_access_mode {
    TMA_ACCESS_TILE,
    TMA_ACCESS_GATHER4,  /* tile::gather4 (load, prefetch) and tile::scatter4 (store, reduce) */
    TMA_ACCESS_IM2COL,   /* loads: im2col; stores and reductions: im2col_no_offs */
    TMA_ACCESS_IM2COL_W, /* im2col::w */
    TMA_ACCESS_IM2COL_W128,
};

enum tma_reduction {
    TMA_REDUCE_ADD,
    TMA_REDUCE_MIN,
    TMA_REDUCE_MAX,
    TMA_REDUCE_INC,
    TMA_REDUCE_DEC,
    TMA_REDUCE_AND,
    TMA_REDUCE_OR,
    TMA_REDUCE_XOR,
};

struct tma_operation {
    enum tma_direction direction;
    enum tma_access_mode access;
    enum tma_reduction reduction; /* used by TMA_REDUCE only */
    /* Elements, in the instruction's order, dimension 0 first. Gather4: [0] is the column, [1] to
     * [4] are the rows. */
    int32_t coordinates[TMA_MAX_RANK];
    uint16_t im2col_offsets[3]; /* pixels: W, H, D; loads of TMA_ACCESS_IM2COL */
    uint16_t w_halo;            /* pixels; im2col::w modes */
    int16_t w_offset;           /* pixels; im2col::w modes */
    uint32_t shared_address;    /* byte address in shared memory, a multiple of 128 */
    uint16_t cta_mask;          /* multicast: one bit for each CTA of the cluster; 0: unicast */
};

TMA_API_END
