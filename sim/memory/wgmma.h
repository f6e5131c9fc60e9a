/* wgmma reads its operands through a matrix descriptor: a start address, two byte offsets and a
 * swizzle. Reads never conflict in a canonical layout (measured: 16 wavefronts for each operand of
 * 64 x 32 bytes, K- or MN-major, none, 32B, 64B or 128B), so what matters is whether the tile lies
 * in memory as the descriptor claims. (PTX ISA, "Asynchronous warpgroup level matrix multiply":
 * shared memory matrix layout, strides, matrix descriptor.) */
#ifndef TMA_MEMORY_WGMMA_H
#define TMA_MEMORY_WGMMA_H

#include "base/error.h"
#include "memory/tile.h"

enum {
    TMA_WGMMA_K_BYTES = 32, /* depth of one instruction: 16 elements of 2 bytes */
    TMA_WGMMA_MAX_MN = 256, /* N of an instruction; M is 64 */
    TMA_CORE_MATRIX_ROWS = 8,
    TMA_CORE_MATRIX_ROW_BYTES = 16,
};

/* One operand. A tile holds panels of `panel_rows` rows. K-major: a row is an index along M or N,
 * and a panel goes on along K where the one before ended. MN-major: a row is an index along K, and
 * a panel goes on along M or N. */
struct tma_wgmma_operand {
    uint32_t mn;             /* rows of the operand in one instruction: 64 for A, N for B; 0: 64 */
    uint32_t panel_rows;     /* 0: all rows of the tile */
    bool mn_major;           /* 2-byte elements alone */
    bool descriptor_given;   /* else the descriptor that fits the tile, if there is one */
    enum tma_swizzle claims; /* none, 32b, 64b or 128b; with descriptor_given, as the next two */
    uint32_t leading_bytes;  /* leading dimension byte offset */
    uint32_t stride_bytes;   /* stride dimension byte offset */
};

/* A step is one instruction's reading of the operand. */
struct tma_wgmma_walk {
    struct tma_wgmma_operand operand; /* complete: mn, panel rows and descriptor are filled in */
    uint32_t mn_steps, k_steps;
};

/* Fills the walk. Fails with TMA_ERROR_ARGUMENT where the operand does not divide the tile, or the
 * tile does not lie as the descriptor claims: the text names the first core-matrix row that is
 * elsewhere, where it is, where the descriptor looks, and how many of all rows are wrong. */
enum tma_error_code tma_wgmma_check(const struct tma_wgmma_operand *operand,
                                    const struct tma_tile *tile, struct tma_wgmma_walk *walk,
                                    struct tma_error *error);

#endif
