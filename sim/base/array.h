/* Arrays that grow by doubling. */
#ifndef TMA_BASE_ARRAY_H
#define TMA_BASE_ARRAY_H

#include <stddef.h>

/* Gives the array, moved where it had to be, with room for one more than `count` elements of `size`
 * bytes, and raises *capacity to what it has. NULL when out of memory: `items` is as it was then.
 */
void *tma_array_grow(void *items, size_t count, size_t *capacity, size_t size);

/* The host's cache works in lines of so many bytes. */
enum { TMA_HOST_LINE_BYTES = 64 };

/* Gives a block of `bytes`, a multiple of the host's lines at whose beginning it begins, with the
 * first `used_bytes` of another that such a call gave (or NULL), and frees that one. NULL when out
 * of memory: `block` is as it was then. */
void *tma_resize_aligned(void *block, size_t used_bytes, size_t bytes);

#endif
