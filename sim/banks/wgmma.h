/* wgmma reads its operands through a matrix descriptor: a start address, two byte offsets and a
 * swizzle. Reads never conflict in a canonical layout (measured: 16 wavefronts for each operand of
 * 64 x 32 bytes, K- or MN-major, none, 32B, 64B or 128B), so what matters is whether the tile lies
 * in memory as the descriptor claims. (PTX ISA, asynchronous warpgroup level matrix instructions:
 * shared memory layout, strides, matrix descriptor.) */
#ifndef TMA_BANKS_WGMMA_H
#define TMA_BANKS_WGMMA_H

#include "banks/tile.h"
#include "base/api.h"
#include "base/error.h"

TMA_API_BEGIN

enum {
    TMA_WGMMA_K_BYTES = 32, /* depth of one instruction: 16 elements of 2 bytes */
    TMA_WGMMA_MAX_MN = 256, /* N of an instruction; M is 64 */
};

/* One operand. A tile holds panels of `panel_rows` rows. K-major: a row is an index along M or N,
 * and a panel goes on along K where the one before ended. MN-major: a row is an index along K, and
 * a panel goes on along M or N. */
struct tma_wgmma_operand {
    uint32_t mn;             /* extent along M or N of one instruction: 64 for A, N for B; 0: 64 */
    uint32_t panel_rows;     /* 0: all rows of the tile */
    bool mn_major;           /* 2-byte elements alone */
    bool descriptor_given;   /* else the descriptor that fits the tile, if there is one */
    enum tma_swizzle claims; /* none, 32b, 64b or 128b; with descriptor_given, as the next two */
    uint32_t leading_bytes;  /* leading dimension byte offset */
    uint32_t stride_bytes;   /* stride dimension byte offset */
};

/* How the operand is walked, a step for each wgmma. In a panel, `across` counts rows; `along`
 * counts bytes along a row and on through the panels. */
struct tma_wgmma_walk {
    struct tma_wgmma_operand operand; /* complete: mn, panel rows and descriptor are filled in */
    uint32_t across, along;           /* of the tile */
    uint32_t step_across, step_along; /* of one instruction */
    uint32_t step_accesses; /* warp accesses (TMA_WGMMA_SHARED) of one instruction: four core
                               matrices of 8 rows of 16 bytes each, the last maybe fewer */
    uint32_t accesses;      /* over the tile */
};

/* Fills the walk. Fails with TMA_ERROR_ARGUMENT where the operand does not divide the tile, the
 * descriptor cannot be encoded, or the tile does not lie as it claims: the text names the first
 * core-matrix row that is elsewhere, where it is, where the descriptor looks, and how many of all
 * rows are wrong. */
enum tma_error_code tma_wgmma_check(const struct tma_wgmma_operand *operand,
                                    const struct tma_tile *tile, struct tma_wgmma_walk *walk,
                                    struct tma_error *error);

/* The row and byte of the tile that lane `lane` of access `index` reads; false where it is
 * inactive.
 */
bool tma_wgmma_place(const struct tma_wgmma_walk *walk, const struct tma_tile *tile, uint32_t index,
                     uint32_t lane, uint32_t *row, uint32_t *byte);

TMA_API_END

#endif
