#include "placement/map_geometry.h"

#include "tensormap/types.h"

uint32_t tma_pixel_bytes(const struct tma_tensor_map *map) {
    switch (map->interleave) {
    case TMA_INTERLEAVE_NONE:
        break;
    case TMA_INTERLEAVE_16B:
        return 16;
    case TMA_INTERLEAVE_32B:
        return 32;
    }
    return 0;
}

struct tma_row_unit tma_row_unit(const struct tma_tensor_map *map) {
    uint32_t pixel = tma_pixel_bytes(map);
    if (pixel != 0)
        return (struct tma_row_unit){8 * pixel, 8 * pixel};
    const struct tma_type_info *type = tma_type_info(map->data_type);
    return (struct tma_row_unit){type->shared_bits, type->global_bits};
}

uint64_t tma_dimension_pitch(const struct tma_tensor_map *map, uint32_t d) {
    return d == 0 ? tma_pixel_bytes(map) : map->global_strides[d - 1];
}

uint32_t tma_row_pitch(const struct tma_tensor_map *map, uint32_t bytes) {
    const struct tma_swizzle_info *swizzle = tma_swizzle_info(map->swizzle);
    bool end_to_end = map->interleave != TMA_INTERLEAVE_NONE || map->swizzle == TMA_SWIZZLE_NONE;
    return end_to_end ? bytes : swizzle->span_bytes;
}

int64_t tma_store_end(const struct tma_tensor_map *map) {
    const struct tma_type_info *type = tma_type_info(map->data_type);
    int64_t end = (int64_t)map->global_dim[0];
    if (map->interleave != TMA_INTERLEAVE_NONE || type->type_class == TMA_CLASS_SUB_BYTE)
        return end;
    int64_t step = 128 / (int64_t)type->global_bits;
    return (end + step - 1) / step * step;
}

uint32_t tma_first_spatial(const struct tma_tensor_map *map) {
    return map->interleave == TMA_INTERLEAVE_NONE ? 1 : 0;
}

int64_t tma_im2col_offset(const struct tma_operation *operation, uint32_t i) {
    return operation->direction == TMA_LOAD || operation->direction == TMA_PREFETCH
               ? operation->im2col_offsets[i]
               : 0;
}
