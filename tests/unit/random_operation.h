/* Random tensor maps and operations that the rules accept and hardware does, of every mode. */
#pragma once

#include "placement/execute.h"
#include "placement/operation_check.h"
#include "tensormap/legal.h"
#include "tensormap/types.h"

/* xorshift64*: the same numbers everywhere. */
static inline uint64_t random_bits(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

/* From low to high, both included. */
static inline int64_t random_between(uint64_t *state, int64_t low, int64_t high) {
    return low + (int64_t)((random_bits(state) >> 11) % (uint64_t)(high - low + 1));
}

/* Elements that make a multiple of 16 bytes in global memory. */
static inline int64_t row_unit(const struct tma_tensor_map *map) {
    const struct tma_type_info *type = tma_type_info(map->data_type);
    return type->shared_bits != type->global_bits ? 128 : 128 / (int64_t)type->global_bits;
}

/* The swizzles of a mode; rows that are wider than the span are cut to it. */
static inline void random_swizzle(uint64_t *state, struct tma_tensor_map *map, uint32_t *row) {
    map->swizzle = (enum tma_swizzle)random_between(state, TMA_SWIZZLE_NONE, TMA_SWIZZLE_96B);
    if (map->kind == TMA_MAP_IM2COL_W || map->kind == TMA_MAP_IM2COL_W128)
        map->swizzle = (enum tma_swizzle)random_between(state, TMA_SWIZZLE_32B, TMA_SWIZZLE_128B);
    uint32_t span = tma_swizzle_info(map->swizzle)->span_bytes;
    uint32_t bits = tma_type_info(map->data_type)->shared_bits;
    if (map->interleave == TMA_INTERLEAVE_NONE && span > 0 && *row * bits > 8 * span)
        *row = 8 * span / bits;
}

static inline void random_tensor(uint64_t *state, struct tma_tensor_map *map) {
    uint64_t pitch = map->interleave == TMA_INTERLEAVE_NONE ? 0 : 16;
    map->global_address = 16 * (uint64_t)random_between(state, 0, 64) * 2;
    map->global_dim[0] = (uint64_t)(random_between(state, 1, 8) * row_unit(map));
    if (map->interleave != TMA_INTERLEAVE_NONE)
        map->global_dim[0] = (uint64_t)random_between(state, 1, 12);
    if (map->interleave == TMA_INTERLEAVE_32B)
        pitch = 32;
    uint64_t stride = pitch > 0 ? map->global_dim[0] * pitch
                                : tma_global_bytes(map->data_type, map->global_dim[0]);
    for (uint32_t d = 1; d < map->rank; d++) {
        stride = (stride + 31) / 32 * 32 + 32 * (uint64_t)random_between(state, 0, 2);
        map->global_strides[d - 1] = stride;
        map->global_dim[d] = (uint64_t)random_between(state, 1, 9);
        stride *= map->global_dim[d];
    }
}

static inline void random_box(uint64_t *state, struct tma_tensor_map *map) {
    uint32_t row = (uint32_t)(random_between(state, 1, 4) * row_unit(map));
    random_swizzle(state, map, &row);
    for (uint32_t d = 0; d < map->rank; d++) {
        map->element_strides[d] = (uint32_t)random_between(state, 1, 3);
        map->box_dim[d] = (uint32_t)random_between(state, 1, 6);
    }
    if (map->interleave == TMA_INTERLEAVE_NONE)
        map->box_dim[0] = row;
    map->channels_per_pixel = row;
    map->pixels_per_column = (uint32_t)random_between(state, 1, 60);
    for (int i = 0; i < 3; i++) {
        map->lower_corner[i] = (int32_t)random_between(state, -2, 1);
        map->upper_corner[i] = (int32_t)random_between(state, -2, 2);
    }
}

static inline void random_coordinates(uint64_t *state, const struct tma_tensor_map *map,
                                      struct tma_operation *operation) {
    for (uint32_t d = 0; d < TMA_MAX_RANK; d++)
        operation->coordinates[d] =
            (int32_t)random_between(state, -3, d < map->rank ? (int64_t)map->global_dim[d] + 1 : 9);
    if (map->interleave == TMA_INTERLEAVE_NONE)
        operation->coordinates[0] = (int32_t)(random_between(state, -2, 8) * row_unit(map));
    for (int i = 0; i < 3; i++)
        operation->im2col_offsets[i] = (uint16_t)random_between(state, 0, 3);
    if (operation->access == TMA_ACCESS_IM2COL_W || operation->access == TMA_ACCESS_IM2COL_W128) {
        operation->w_halo = (uint16_t)random_between(state, 0, 4);
        operation->w_offset = (int16_t)random_between(state, 0, 3);
    }
    operation->shared_address = 128 * (uint32_t)random_between(state, 0, 15);
}

/* Draws until the map is legal and hardware does the operation. */
static inline void random_operation(uint64_t *state, enum tma_access_mode access,
                                    enum tma_direction direction, struct tma_tensor_map *map,
                                    struct tma_operation *operation) {
    static const enum tma_map_kind kinds[] = {TMA_MAP_TILED, TMA_MAP_TILED, TMA_MAP_IM2COL,
                                              TMA_MAP_IM2COL_W, TMA_MAP_IM2COL_W128};
    do {
        *map = (struct tma_tensor_map){.kind = kinds[access]};
        *operation = (struct tma_operation){.access = access, .direction = direction};
        map->data_type = (enum tma_data_type)random_between(state, 0, TMA_16U6_ALIGN16B);
        map->rank = (uint32_t)random_between(state, access == TMA_ACCESS_TILE ? 1 : 3, 5);
        if (access == TMA_ACCESS_GATHER4)
            map->rank = 2;
        bool plain = tma_type_info(map->data_type)->type_class != TMA_CLASS_SUB_BYTE;
        if (plain && map->rank >= 3 && access != TMA_ACCESS_IM2COL_W &&
            access != TMA_ACCESS_IM2COL_W128)
            map->interleave = (enum tma_interleave)random_between(state, 0, 2);
        random_tensor(state, map);
        random_box(state, map);
        if (access == TMA_ACCESS_GATHER4)
            map->box_dim[1] = 1;
        random_coordinates(state, map, operation);
    } while (tma_operation_check(map, operation, NULL) != TMA_OK ||
             tma_tensor_map_require_legal(map, NULL) != TMA_OK);
}
