/* What an SM does with a tile once it has arrived: a pattern of warp instructions that touches the
 * whole tile, and the wavefronts that it costs. */
#ifndef TMA_BANKS_CONSUMER_H
#define TMA_BANKS_CONSUMER_H

#include "banks/banks.h"
#include "banks/tile.h"
#include "banks/tile_distribution.h"
#include "banks/wgmma.h"
#include "base/api.h"
#include "base/error.h"

TMA_API_BEGIN

/* Which lane touches which bytes. A vector is what one lane moves with one instruction; a chunk is
 * 16 bytes, a row of an 8x8 matrix. */
enum tma_lane_map {
    TMA_LANES_ROW, /* consecutive lanes take consecutive vectors along a row, then the next row */
    TMA_LANES_COLUMN,     /* consecutive lanes take the same vector of consecutive rows */
    TMA_LANES_TRANSPOSED, /* 8 x 4 blocks: lane l takes row l mod 8, vector l / 8 */
    TMA_LANES_STRIDED, /* as row, but every stride-th vector first, then those that were left out */
    TMA_LANES_MATRIX,  /* 8x8 matrices side by side along the rows; transposed: one below another */
    TMA_LANES_FRAGMENT_A,   /* 16x16 A fragments of mma.m16n8k16; x2: 16x8, x1: 8x8 */
    TMA_LANES_FRAGMENT_B,   /* two 16x8 B fragments of mma.m16n8k16; x2: one, x1: 8x8 */
    TMA_LANES_DISTRIBUTION, /* a block's threads by a 2-D tile distribution pattern */
    TMA_LANES_DESCRIPTOR,   /* wgmma: a matrix descriptor says */
};

struct tma_consumer {
    enum tma_shared_instruction instruction;
    enum tma_lane_map lanes;
    uint32_t stride; /* vectors; TMA_LANES_STRIDED */
    /* .trans of ldmatrix/stmatrix. Fragments: the tile's rows run along K, not along M or N. */
    bool transposed;
    uint32_t operation; /* index of the stage's operation whose tile it reads */
    uint32_t repeat;    /* passes over the tile; at least 1 */
    /* TMA_LANES_DISTRIBUTION; y_per_tile, x_per_tile, vec_size, warp_size and wave_groups of 0 are
     * the tile's rows, its row's elements, the instruction's vector, 32 and 1. */
    struct tma_tile_pattern distribution;
    struct tma_wgmma_operand wgmma; /* TMA_LANES_DESCRIPTOR */
};

struct tma_consumer_report {
    uint64_t instructions;
    uint64_t wavefronts;
    uint64_t ideal_wavefronts;
    uint64_t bytes;                      /* touched, each lane's bytes counted */
    uint32_t banks_used;                 /* bit b: bank b was touched */
    uint64_t worst_index;                /* of the first access with the most ways */
    struct tma_warp_access worst_access; /* that access */
    struct tma_bank_report worst;
};

/* Called for each warp instruction in order; return false to stop. */
typedef bool (*tma_access_visitor)(void *context, uint64_t index,
                                   const struct tma_warp_access *access);

/* Fails with TMA_ERROR_ARGUMENT where the pattern does not fit the tile (a vector wider than a row,
 * a row that is no whole number of vectors, a lane map that leaves the tile, a distribution that
 * does not divide it, a descriptor that claims another layout), and with TMA_ERROR_FAULT where an
 * address would be misaligned: hardware stops the kernel. */
enum tma_error_code tma_consumer_check(const struct tma_consumer *consumer,
                                       const struct tma_tile *tile, struct tma_error *error);

/* Visits every warp instruction of one pass over a tile for which tma_consumer_check succeeded. */
void tma_consumer_visit(const struct tma_consumer *consumer, const struct tma_tile *tile,
                        tma_access_visitor visit, void *context);

/* Sums one pass over the tile. */
struct tma_consumer_report tma_consumer_measure(const struct tma_consumer *consumer,
                                                const struct tma_tile *tile);

extern const struct tma_names tma_lane_map_names; /* row, column, ..., descriptor */

TMA_API_END

#endif
