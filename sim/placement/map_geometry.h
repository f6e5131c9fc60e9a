/* What the fields of a tensor map mean in bytes: shared by the files of this folder. */
#ifndef TMA_PLACEMENT_MAP_GEOMETRY_H
#define TMA_PLACEMENT_MAP_GEOMETRY_H

#include "placement/operation.h"

/* Bytes of a channel slice's pixel: 16 or 32; 0 without interleave. */
uint32_t tma_pixel_bytes(const struct tma_tensor_map *map);

/* Bits of one element of dimension 0 in shared and in global memory. With interleave it is a pixel.
 */
struct tma_row_unit {
    int64_t shared_bits, global_bits;
};

struct tma_row_unit tma_row_unit(const struct tma_tensor_map *map);

/* Global bytes from one element of dimension d to the next. */
uint64_t tma_dimension_pitch(const struct tma_tensor_map *map, uint32_t d);

/* Shared bytes from one row to the next, before the swizzle: the swizzle's span, even where the
 * row is shorter; interleaved pixels and unswizzled rows lie end to end. */
uint32_t tma_row_pitch(const struct tma_tensor_map *map, uint32_t row_bytes);

/* Where a store's rows end in dimension 0, in elements: it clips at 16 bytes, not at an element. */
int64_t tma_store_end(const struct tma_tensor_map *map);

/* The dimension of W: 0 where channels are interleaved, else 1 (behind the channels). */
uint32_t tma_first_spatial(const struct tma_tensor_map *map);

/* The im2col offset along spatial dimension i; stores have none. */
int64_t tma_im2col_offset(const struct tma_operation *operation, uint32_t i);

#endif
