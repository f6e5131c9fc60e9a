/* Growth of dynamic arrays, and blocks aligned to the host's cache lines. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Ensures capacity for one more element than `count`, of `size` bytes each, by doubling. `items` is
 * the address of the pointer to the array: the array may move. *capacity is in elements. False when
 * out of memory; the array is then unchanged. */
bool tma_array_grow(void *items, size_t count, size_t *capacity, size_t size);

/* The same of an array that has a variable or member each for its items, their number and its
 * capacity. */
#define TMA_GROW(items, count, capacity)                                                           \
    tma_array_grow(&(items), count, &(capacity), sizeof *(items))

/* Size of a cache line of the host, in bytes. */
enum { TMA_HOST_LINE_BYTES = 64 };

/* Moves a block to a new one of `bytes` bytes, aligned to TMA_HOST_LINE_BYTES. `bytes` is a
 * multiple of TMA_HOST_LINE_BYTES. `block` is NULL or comes from an earlier call; its first
 * `used_bytes` bytes are copied, and it is freed. Returns NULL when out of memory; `block` is then
 * unchanged. The caller frees the result with tma_release. */
void *tma_resize_aligned(void *block, size_t used_bytes, size_t bytes);

/* Returns a block of `count` times `size` zero bytes, aligned in the same way; the product is a
 * multiple of TMA_HOST_LINE_BYTES. NULL when out of memory. */
void *tma_allocate_lines(size_t count, size_t size);
