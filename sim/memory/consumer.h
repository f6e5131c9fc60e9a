/* What an SM does with a tile once it has arrived: a pattern of warp instructions that touches the
 * whole tile, and the wavefronts that it costs. */
#ifndef TMA_MEMORY_CONSUMER_H
#define TMA_MEMORY_CONSUMER_H

#include "base/error.h"
#include "memory/banks.h"
#include "placement/rows.h"

/* A tile as it lies in shared memory: `rows` rows of `row_bytes`, `pitch_bytes` apart before the
 * swizzle. */
struct tma_tile {
    enum tma_swizzle swizzle;
    uint32_t shared_address; /* byte address of the tile's first byte, before the swizzle */
    uint32_t rows;
    uint32_t row_bytes;
    uint32_t pitch_bytes;
    uint32_t element_bytes;
};

/* Which lane touches which bytes. A vector is what one lane moves with one instruction. */
enum tma_lane_map {
    TMA_LANES_ROW, /* consecutive lanes take consecutive vectors along a row, then the next row */
    TMA_LANES_COLUMN,     /* consecutive lanes take the same vector of consecutive rows */
    TMA_LANES_TRANSPOSED, /* 8 x 4 blocks: lane l takes row l mod 8, vector l / 8 */
    TMA_LANES_STRIDED, /* as row, but every stride-th vector first, then those that were left out */
    TMA_LANES_MATRIX,  /* ldmatrix/stmatrix: lane l gives the address of a row of an 8x8 matrix */
};

struct tma_consumer {
    enum tma_shared_instruction instruction;
    enum tma_lane_map lanes;
    uint32_t stride; /* vectors; TMA_LANES_STRIDED */
    bool transposed; /* .trans of ldmatrix/stmatrix: the matrices are taken along columns first */
    uint32_t operation; /* index of the stage's operation whose tile it reads */
    uint32_t repeat;    /* passes over the tile; at least 1 */
};

struct tma_consumer_report {
    uint64_t instructions;
    uint64_t wavefronts;
    uint64_t ideal_wavefronts;
    uint64_t bytes;                      /* touched, each lane's bytes counted */
    uint32_t banks_used;                 /* bit b: bank b was touched */
    struct tma_warp_access worst_access; /* the first access with the most ways */
    struct tma_bank_report worst;
};

/* Called for each warp instruction in order; return false to stop. */
typedef bool (*tma_access_visitor)(void *context, uint64_t index,
                                   const struct tma_warp_access *access);

/* Fails with TMA_ERROR_ARGUMENT where the pattern does not fit the tile: a vector wider than a row,
 * a row that is no whole number of vectors, a matrix that leaves the tile, a misaligned vector. */
enum tma_error_code tma_consumer_check(const struct tma_consumer *consumer,
                                       const struct tma_tile *tile, struct tma_error *error);

/* Visits every warp instruction of one pass over a tile for which tma_consumer_check succeeded. */
void tma_consumer_visit(const struct tma_consumer *consumer, const struct tma_tile *tile,
                        tma_access_visitor visit, void *context);

/* Sums one pass over the tile. */
struct tma_consumer_report tma_consumer_measure(const struct tma_consumer *consumer,
                                                const struct tma_tile *tile);

extern const struct tma_names
    tma_shared_instruction_names; /* "ld.shared.b32", "ldmatrix.x4", ... */
extern const struct tma_names tma_lane_map_names;

#endif
