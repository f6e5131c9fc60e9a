#include "tensormap/defaults.h"

#include "tensormap/types.h"

static uint64_t saturating_product(uint64_t a, uint64_t b) {
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint64_t tma_map_row_bytes(const struct tma_tensor_map *map) {
    if (map->interleave != TMA_INTERLEAVE_NONE)
        return map->global_dim[0] * (map->interleave == TMA_INTERLEAVE_16B ? 16 : 32);
    return tma_global_bytes(map->data_type, map->global_dim[0]);
}

void tma_tensor_map_set_dense(struct tma_tensor_map *map) {
    uint64_t bytes = tma_map_row_bytes(map);
    for (uint32_t d = 0; d + 1 < map->rank && d + 1 < TMA_MAX_RANK; d++) {
        map->global_strides[d] = bytes;
        bytes = saturating_product(bytes, map->global_dim[d + 1]);
    }
}

uint64_t tma_tensor_extent_bytes(const struct tma_tensor_map *map) {
    uint64_t bytes = tma_map_row_bytes(map);
    for (uint32_t d = 1; d < map->rank && d < TMA_MAX_RANK; d++) {
        uint64_t way = saturating_product(map->global_dim[d] - 1, map->global_strides[d - 1]);
        bytes = __builtin_add_overflow(bytes, way, &bytes) ? UINT64_MAX : bytes;
    }
    return bytes;
}

bool tma_tensor_is_dense(const struct tma_tensor_map *map) {
    uint64_t bytes = tma_map_row_bytes(map);
    for (uint32_t d = 1; d < map->rank && d < TMA_MAX_RANK; d++)
        bytes = saturating_product(bytes, map->global_dim[d]);
    return bytes == tma_tensor_extent_bytes(map);
}

enum tma_swizzle tma_fitting_swizzle(const struct tma_tensor_map *map) {
    uint64_t elements = map->kind == TMA_MAP_TILED ? map->box_dim[0] : map->channels_per_pixel;
    uint64_t bytes = tma_shared_bytes(map->data_type, elements);
    return bytes > 64   ? TMA_SWIZZLE_128B
           : bytes > 32 ? TMA_SWIZZLE_64B
           : bytes > 16 ? TMA_SWIZZLE_32B
                        : TMA_SWIZZLE_NONE;
}
