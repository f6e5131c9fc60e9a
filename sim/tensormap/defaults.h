/* Values of a tensor map that follow from others, for fields that its author leaves out. */
#ifndef TMA_TENSORMAP_DEFAULTS_H
#define TMA_TENSORMAP_DEFAULTS_H

#include "base/api.h"
#include "tensormap/tensormap.h"

TMA_API_BEGIN

/* The bytes of the tensor's dimension 0 in global memory: of its elements, or of the slices of 16
 * or 32 bytes of an interleaved map. The map has its data type, global_dim and interleave. */
uint64_t tma_map_row_bytes(const struct tma_tensor_map *map);

/* Sets global_strides to those of a dense tensor: each is the bytes of the dimensions below it,
 * UINT64_MAX at most. The map has what tma_map_row_bytes needs, and its rank. */
void tma_tensor_map_set_dense(struct tma_tensor_map *map);

/* The mode that compilers choose: the widest one, up to 128 bytes, whose span is not longer than a
 * row of the box. The map has its kind, data type, and box_dim or channels_per_pixel. */
enum tma_swizzle tma_fitting_swizzle(const struct tma_tensor_map *map);

TMA_API_END

#endif
