/* Composable Kernel's 2-D tile distribution patterns (static_encoding_pattern.hpp): which thread of
 * a block takes which elements of a tile of YPerTile x XPerTile elements. X is contiguous.
 *
 * A thread takes X0 elements at once and X1 threads share a row, so X0 * X1 == XPerTile. The rows
 * are divided among warps, the rows of a warp in one iteration, and iterations. The pattern's name
 * says in which order:
 *
 *                 Y0          Y1          Y2
 *   thread raked  warps       warp rows   iterations
 *   warp raked    warps       iterations  warp rows
 *   block raked   iterations  warps       warp rows
 *
 * with warps * WarpSize == BlockSize / wave groups, warp rows * X1 == WarpSize and
 * Y0 * Y1 * Y2 == YPerTile.
 *
 * This file departs from its sources in two places. The document says "Y0 * X1 == WarpSize" for
 * thread raked; it means Y1, the rows of a warp, as in the other two patterns. Composable Kernel's
 * code names the vector X1 and the threads X0; this file follows the document's order. */
#pragma once

#include "base/api.h"
#include "base/error.h"
#include "tensormap/types.h"

TMA_API_BEGIN

enum tma_raking { TMA_THREAD_RAKED, TMA_WARP_RAKED, TMA_BLOCK_RAKED };

/* thread_raked, warp_raked, block_raked */
extern const struct tma_names tma_raking_names;

/* The template parameters of a pattern. */
struct tma_tile_pattern {
    enum tma_raking raking;
    uint32_t block_size;  /* threads */
    uint32_t y_per_tile;  /* rows */
    uint32_t x_per_tile;  /* elements */
    uint32_t vec_size;    /* most elements that a thread takes at once */
    uint32_t warp_size;   /* threads: 32 or 64 */
    uint32_t wave_groups; /* groups of warps; each group takes the whole tile; at least 1 */
};

/* The tuples that a pattern gives. */
struct tma_tile_distribution {
    struct tma_tile_pattern pattern;
    uint32_t x[2];       /* <X0, X1>: elements of a thread, threads of a row */
    uint32_t y[3];       /* <Y0, Y1, Y2>: the next three, in the pattern's order */
    uint32_t warps;      /* warps of a wave group */
    uint32_t warp_rows;  /* rows that a warp takes in one iteration */
    uint32_t iterations; /* vectors that each thread takes */
};

/* Computes the tuples of a pattern. Fails with TMA_ERROR_ARGUMENT if they do not cover the tile;
 * the text says which equation fails, with its values. */
enum tma_error_code tma_tile_distribute(const struct tma_tile_pattern *pattern,
                                        struct tma_tile_distribution *distribution,
                                        struct tma_error *error);

/* The place of an element in the tile. */
struct tma_tile_element {
    uint32_t y; /* row */
    uint32_t x; /* element of the row */
};

/* The thread that takes an element. */
struct tma_tile_owner {
    uint32_t thread;  /* index in the first wave group */
    uint32_t element; /* index among the thread's iterations * X0 elements */
};

/* Returns the place of element `element` of thread `thread`. Elements count along the vector first,
 * then over the iterations. Threads of later wave groups take the same elements as those of the
 * first one. */
struct tma_tile_element tma_distribution_element(const struct tma_tile_distribution *distribution,
                                                 uint32_t thread, uint32_t element);

/* Returns the thread of the first wave group that takes the element at `at`. The inverse of
 * tma_distribution_element. */
struct tma_tile_owner tma_distribution_owner(const struct tma_tile_distribution *distribution,
                                             struct tma_tile_element at);

TMA_API_END
