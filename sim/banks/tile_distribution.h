/* Composable Kernel's 2-D tile distribution patterns: which thread of a block takes which elements
 * of a tile of YPerTile x XPerTile, X contiguous (static_encoding_pattern.hpp).
 *
 * A thread takes X0 elements at once and X1 threads share a row, so X0 * X1 == XPerTile. The rows
 * are split into warps, rows of a warp in one iteration, and iterations; where the iteration stands
 * among them names the pattern:
 *
 *                 Y0          Y1          Y2
 *   thread raked  warps       warp rows   iterations
 *   warp raked    warps       iterations  warp rows
 *   block raked   iterations  warps       warp rows
 *
 * with warps * WarpSize == BlockSize / wave groups, warp rows * X1 == WarpSize and
 * Y0 * Y1 * Y2 == YPerTile. (The document has "Y0 * X1 == WarpSize" for thread raked, a slip: it
 * means Y1, the rows of a warp, as in the other two patterns. The code calls X1 the vector and X0
 * the threads; here the document's order counts.) */
#ifndef TMA_BANKS_TILE_DISTRIBUTION_H
#define TMA_BANKS_TILE_DISTRIBUTION_H

#include "base/api.h"
#include "base/error.h"
#include "tensormap/types.h"

TMA_API_BEGIN

enum tma_raking { TMA_THREAD_RAKED, TMA_WARP_RAKED, TMA_BLOCK_RAKED };

extern const struct tma_names tma_raking_names; /* thread_raked, warp_raked, block_raked */

/* The template parameters. */
struct tma_tile_pattern {
    enum tma_raking raking;
    uint32_t block_size;  /* threads */
    uint32_t y_per_tile;  /* rows */
    uint32_t x_per_tile;  /* elements */
    uint32_t vec_size;    /* elements that a thread would like to take at once */
    uint32_t warp_size;   /* 32 or 64 threads */
    uint32_t wave_groups; /* each takes the whole tile with its share of the warps; at least 1 */
};

struct tma_tile_distribution {
    struct tma_tile_pattern pattern;
    uint32_t x[2];                         /* <X0, X1> */
    uint32_t y[3];                         /* <Y0, Y1, Y2> */
    uint32_t warps, warp_rows, iterations; /* the same as Y0, Y1, Y2, by what they mean */
};

/* Computes the tuples. Fails with TMA_ERROR_ARGUMENT where they do not cover the tile: the text
 * has the equation that fails, with its values. */
enum tma_error_code tma_tile_distribute(const struct tma_tile_pattern *pattern,
                                        struct tma_tile_distribution *distribution,
                                        struct tma_error *error);

struct tma_tile_element {
    uint32_t y, x;
};

struct tma_tile_owner {
    uint32_t thread;  /* of the first wave group */
    uint32_t element; /* of the thread's iterations * X0 */
};

/* Where element `element` of thread `thread` lies: elements count along the vector first, then over
 * the iterations. Threads of later wave groups take the same elements as those of the first. */
struct tma_tile_element tma_distribution_element(const struct tma_tile_distribution *distribution,
                                                 uint32_t thread, uint32_t element);

/* The inverse, for threads of the first wave group. */
struct tma_tile_owner tma_distribution_owner(const struct tma_tile_distribution *distribution,
                                             struct tma_tile_element at);

TMA_API_END

#endif
