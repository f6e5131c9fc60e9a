/* Moves bytes between a plain row and its swizzled place in shared memory. */
#ifndef TMA_PLACEMENT_LINES_H
#define TMA_PLACEMENT_LINES_H

#include "placement/execute.h"
#include "tensormap/types.h"

enum { TMA_CHUNK_BYTES = 16 };

/* Puts `count` bytes into shared memory. `address` is that before the swizzle, a multiple of 16. */
void tma_lines_put(const struct tma_swizzle_info *swizzle, const struct tma_shared_memory *shared,
                   uint32_t address, const uint8_t *from, uint32_t count);

/* The way back. */
void tma_lines_get(const struct tma_swizzle_info *swizzle, const struct tma_shared_memory *shared,
                   uint32_t address, uint8_t *into, uint32_t count);

#endif
