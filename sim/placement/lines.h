/* Copies bytes between a row and its swizzled place in shared memory. Internal to this folder. */
#pragma once

#include "placement/execute.h"
#include "tensormap/types.h"

enum { TMA_CHUNK_BYTES = 16 };

/* Writes `count` bytes to shared memory. `address` is before swizzling, a multiple of 16. */
void tma_lines_put(const struct tma_swizzle_info *swizzle, const struct tma_shared_memory *shared,
                   uint32_t address, const uint8_t *from, uint32_t count);

/* Reads `count` bytes from shared memory, likewise. */
void tma_lines_get(const struct tma_swizzle_info *swizzle, const struct tma_shared_memory *shared,
                   uint32_t address, uint8_t *into, uint32_t count);
