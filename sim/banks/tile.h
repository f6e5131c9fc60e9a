/* A tile in shared memory. */
#pragma once

#include "base/api.h"
#include "placement/swizzle.h"

TMA_API_BEGIN

/* A tile as an operation left it in shared memory: rows that lie `pitch_bytes` apart, then
 * swizzled.
 */
struct tma_tile {
    enum tma_swizzle swizzle;
    uint32_t shared_address; /* byte address of the tile's first byte, before the swizzle */
    uint32_t rows;
    uint32_t row_bytes;
    uint32_t pitch_bytes;   /* from one row's start to the next, before the swizzle; >= row_bytes */
    uint32_t element_bytes; /* 0 for elements that are smaller than a byte */
};

/* Returns the shared-memory byte address, after the swizzle, of byte `byte` of row `row`. */
static inline uint32_t tma_tile_address(const struct tma_tile *tile, uint32_t row, uint32_t byte) {
    return tma_swizzle_address(tile->swizzle,
                               tile->shared_address + row * tile->pitch_bytes + byte);
}

TMA_API_END
