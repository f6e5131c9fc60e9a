/* Sizes and distances in bytes that follow from a tensor map. Internal to this folder. */
#pragma once

#include "placement/operation.h"

/* Bytes of one pixel of a channel slice: 16 or 32; 0 without interleave. */
uint32_t tma_pixel_bytes(const struct tma_tensor_map *map);

/* Bits of one element of dimension 0 in shared and in global memory; of a pixel with interleave. */
struct tma_row_unit {
    int64_t shared_bits, global_bits;
};

struct tma_row_unit tma_row_unit(const struct tma_tensor_map *map);

/* Bytes of global memory from one element of dimension d to the next. */
uint64_t tma_dimension_pitch(const struct tma_tensor_map *map, uint32_t d);

/* Bytes of shared memory from one row to the next, before swizzling. Swizzled rows lie at the pitch
 * of the swizzle's span, even if they are shorter; interleaved pixels and unswizzled rows lie end
 * to end. */
uint32_t tma_row_pitch(const struct tma_tensor_map *map, uint32_t row_bytes);

/* The end of dimension 0 for stores, in elements: stores clip at 16 bytes, not at an element. */
int64_t tma_store_end(const struct tma_tensor_map *map);

/* The dimension of W: 0 with interleave, else 1 (dimension 0 holds the channels). */
uint32_t tma_first_spatial(const struct tma_tensor_map *map);

/* The im2col offset in pixels along spatial dimension i; 0 for stores and reductions. */
int64_t tma_im2col_offset(const struct tma_operation *operation, uint32_t i);
