/* A tile in shared memory. */
#ifndef TMA_BANKS_TILE_H
#define TMA_BANKS_TILE_H

#include "base/api.h"
#include "placement/rows.h"

TMA_API_BEGIN

/* A tile as it lies in shared memory: `rows` rows of `row_bytes`, `pitch_bytes` apart before the
 * swizzle. */
struct tma_tile {
    enum tma_swizzle swizzle;
    uint32_t shared_address; /* byte address of the tile's first byte, before the swizzle */
    uint32_t rows;
    uint32_t row_bytes;
    uint32_t pitch_bytes;   /* at least row_bytes */
    uint32_t element_bytes; /* 0: less than a byte */
};

/* The address at which a byte of the tile lies: row `row`, byte `byte` of it. */
static inline uint32_t tma_tile_address(const struct tma_tile *tile, uint32_t row, uint32_t byte) {
    return tma_swizzle_address(tile->swizzle,
                               tile->shared_address + row * tile->pitch_bytes + byte);
}

TMA_API_END

#endif
