/* A consumer: what an SM does with a tile in shared memory after it has arrived. A consumer is a
 * sequence of warp instructions that together access the whole tile; its cost is the wavefronts of
 * these instructions. */
#pragma once

#include "banks/banks.h"
#include "banks/tile.h"
#include "banks/tile_distribution.h"
#include "banks/wgmma.h"
#include "base/api.h"
#include "base/error.h"

TMA_API_BEGIN

/* Which lane accesses which bytes of the tile. A vector is what one lane moves with one
 * instruction. A chunk is 16 bytes, a row of an 8x8 matrix. */
enum tma_lane_map {
    TMA_LANES_ROW, /* consecutive lanes take consecutive vectors along a row, then the next row */
    TMA_LANES_COLUMN,     /* consecutive lanes take the same vector of consecutive rows */
    TMA_LANES_TRANSPOSED, /* blocks of 8 rows x 4 vectors: lane l takes row l % 8, vector l / 8 */
    TMA_LANES_STRIDED, /* as ROW, but vectors 0, stride, 2 * stride, ..., then 1, 1 + stride, ... */
    TMA_LANES_MATRIX,  /* 8x8 matrices side by side in 8 rows; transposed: one below another */
    TMA_LANES_FRAGMENT_A, /* 16x16 A fragments of mma.m16n8k16; with x2 16x8, with x1 8x8 */
    TMA_LANES_FRAGMENT_B, /* pairs of 16x8 B fragments of mma.m16n8k16; with x2 one, with x1 8x8 */
    TMA_LANES_DISTRIBUTION, /* the threads of a block take elements by a 2-D tile distribution */
    TMA_LANES_DESCRIPTOR,   /* wgmma reads core matrices through a matrix descriptor */
};

struct tma_consumer {
    enum tma_shared_instruction instruction;
    enum tma_lane_map lanes;
    uint32_t stride;    /* in vectors; only for TMA_LANES_STRIDED */
    bool transposed;    /* .trans of ldmatrix and stmatrix; for fragments: the tile is stored K x M
                           or K x N instead of M x K or N x K */
    uint32_t operation; /* index of the stage's operation that loads the tile */
    uint32_t repeat;    /* passes over the tile; at least 1 */
    struct tma_tile_pattern distribution; /* only for TMA_LANES_DISTRIBUTION. Zeros have defaults:
                                             y_per_tile: the tile's rows; x_per_tile: the elements
                                             of a row; vec_size: the elements of a vector;
                                             warp_size: 32; wave_groups: 1 */
    struct tma_wgmma_operand wgmma;       /* only for TMA_LANES_DESCRIPTOR */
};

/* Accumulates the figures of one pass over a tile. */
struct tma_consumer_report {
    uint64_t instructions;
    uint64_t wavefronts;
    uint64_t ideal_wavefronts;
    uint64_t bytes;                      /* bytes accessed, summed over the lanes */
    uint32_t banks_used;                 /* bit b: the pass accesses bank b */
    uint64_t worst_index;                /* index of the first instruction with the most ways */
    struct tma_warp_access worst_access; /* that instruction */
    struct tma_bank_report worst;        /* its bank conflicts */
};

/* Receives each warp instruction in order, with its index in the pass. Returns false to stop. */
typedef bool (*tma_access_visitor)(void *context, uint64_t index,
                                   const struct tma_warp_access *access);

/* Checks that the consumer can access the tile. Fails with TMA_ERROR_ARGUMENT if the pattern does
 * not fit the tile: a vector is wider than a row, a row is not a whole number of vectors, the lane
 * map leaves the tile, a distribution does not divide it, or a descriptor describes another layout.
 * Fails with TMA_ERROR_FAULT if an address would be misaligned, where hardware stops the kernel. */
enum tma_error_code tma_consumer_check(const struct tma_consumer *consumer,
                                       const struct tma_tile *tile, struct tma_error *error);

/* Calls `visit` for each warp instruction of one pass over the tile. Requires a consumer and a tile
 * that tma_consumer_check accepts. */
void tma_consumer_visit(const struct tma_consumer *consumer, const struct tma_tile *tile,
                        tma_access_visitor visit, void *context);

/* Returns the figures of one pass over the tile. Requires a consumer and a tile that
 * tma_consumer_check accepts. */
struct tma_consumer_report tma_consumer_measure(const struct tma_consumer *consumer,
                                                const struct tma_tile *tile);

/* row, column, ..., descriptor */
extern const struct tma_names tma_lane_map_names;

TMA_API_END
