/* Values of a tensor map that follow from others, for fields that its author leaves out. */
#pragma once

#include "base/api.h"
#include "tensormap/tensormap.h"

TMA_API_BEGIN

/* The bytes of the tensor's dimension 0 in global memory: of its elements, or of the slices of 16
 * or 32 bytes of an interleaved map. The map has its data type, global_dim and interleave. */
uint64_t tma_map_row_bytes(const struct tma_tensor_map *map);

/* Sets global_strides to those of a dense tensor: each is the bytes of the dimensions below it,
 * UINT64_MAX at most. The map has what tma_map_row_bytes needs, and its rank. */
void tma_tensor_map_set_dense(struct tma_tensor_map *map);

/* The bytes from the tensor's first byte to the end of its last one, UINT64_MAX at most. The map
 * has its rank and global_strides, and what tma_map_row_bytes needs. */
uint64_t tma_tensor_extent_bytes(const struct tma_tensor_map *map);

/* Does the tensor take as many bytes as its elements: no gaps, and no elements that overlap? */
bool tma_tensor_is_dense(const struct tma_tensor_map *map);

/* The narrowest mode whose span holds a row of the box, 128b at most; none for rows of 16 bytes,
 * which have one chunk. The map has its kind, data type, and box_dim or channels_per_pixel. */
enum tma_swizzle tma_fitting_swizzle(const struct tma_tensor_map *map);

TMA_API_END
