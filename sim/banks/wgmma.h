/* Operands that wgmma reads from shared memory through a matrix descriptor: a start address, two
 * byte offsets and a swizzle. Reads of a canonical layout never cause bank conflicts: an H200 takes
 * 16 wavefronts for an operand of 64 x 32 bytes, K- or MN-major, with swizzle none, 32B, 64B or
 * 128B. So this file checks that the tile has the layout that the descriptor describes. (PTX ISA,
 * asynchronous warpgroup level matrix instructions: shared memory layout, strides, matrix
 * descriptor.) */
#pragma once

#include "banks/tile.h"
#include "base/api.h"
#include "base/error.h"

TMA_API_BEGIN

enum {
    TMA_WGMMA_K_BYTES = 32, /* extent along K of one instruction: 16 elements of 2 bytes */
    TMA_WGMMA_MAX_MN = 256, /* largest N of one instruction; M is always 64 */
};

/* One operand. The tile is a stack of panels with `panel_rows` rows each. In a K-major operand, the
 * rows are indices along M or N, and each panel continues the previous one along K. In an MN-major
 * operand, the rows are indices along K, and each panel continues the previous one along M or N. */
struct tma_wgmma_operand {
    uint32_t mn;           /* elements along M or N of one instruction: 64 for A, N for B; 0: 64 */
    uint32_t panel_rows;   /* 0: all rows of the tile */
    bool mn_major;         /* only with elements of 2 bytes */
    bool descriptor_given; /* false: tma_wgmma_check derives the next three from the tile */
    enum tma_swizzle swizzle; /* swizzle in the descriptor: none, 32b, 64b or 128b */
    uint32_t leading_bytes;   /* leading dimension byte offset in the descriptor */
    uint32_t stride_bytes;    /* stride dimension byte offset in the descriptor */
};

/* How a sequence of wgmma instructions reads the operand. The extents count the operand as one
 * panel: the rows of a panel, and the bytes of a row in all panels together. */
struct tma_wgmma_walk {
    struct tma_wgmma_operand
        operand;            /* complete: mn, panel_rows and the descriptor are filled in */
    uint32_t rows;          /* rows of the operand */
    uint32_t row_bytes;     /* bytes of an operand's row, over all panels */
    uint32_t step_rows;     /* rows that one instruction reads */
    uint32_t step_bytes;    /* bytes of each of these rows that it reads */
    uint32_t step_accesses; /* warp accesses (TMA_WGMMA_SHARED) of one instruction; each reads four
                               core matrices of 8 rows of 16 bytes, the last one possibly fewer */
    uint32_t accesses;      /* warp accesses for the whole tile */
};

/* Checks the operand against the tile and computes *walk. Fails with TMA_ERROR_ARGUMENT if the
 * instructions do not divide the tile, if the descriptor cannot be encoded, or if the tile does not
 * have the layout that the descriptor describes. In the last case the text names the first
 * misplaced core-matrix row, its address, the address that the descriptor gives it, and the number
 * of misplaced rows. */
enum tma_error_code tma_wgmma_check(const struct tma_wgmma_operand *operand,
                                    const struct tma_tile *tile, struct tma_wgmma_walk *walk,
                                    struct tma_error *error);

/* Gives the tile's row, and the byte in that row, that lane `lane` of warp access `index` reads.
 * Returns false for an inactive lane. */
bool tma_wgmma_place(const struct tma_wgmma_walk *walk, const struct tma_tile *tile, uint32_t index,
                     uint32_t lane, uint32_t *row, uint32_t *byte);

TMA_API_END
