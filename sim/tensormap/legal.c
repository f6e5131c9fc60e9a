#include "tensormap/legal.h"

#include "tensormap/rule_context.h"

enum { MAX_TEXT = 600, LEAST_CORNER = -16, MOST_CORNER = 15 };

static bool is_between(uint64_t value, uint64_t least, uint64_t most) {
    return value >= least && value <= most;
}

static bool has_plain_modes(const struct tma_tensor_map *map) {
    return (unsigned)map->kind <= TMA_MAP_IM2COL && (unsigned)map->data_type <= TMA_TFLOAT32_FTZ &&
           map->interleave == TMA_INTERLEAVE_NONE && (unsigned)map->swizzle <= TMA_SWIZZLE_128B &&
           (unsigned)map->l2_promotion <= TMA_L2_256B && map->oob_fill == TMA_OOB_ZEROS &&
           is_between(map->rank, map->kind == TMA_MAP_TILED ? 1 : 3, TMA_MAX_RANK);
}

static bool has_plain_tensor(const struct tma_tensor_map *map) {
    if (map->global_address % TMA_INNER_BYTES != 0)
        return false;
    for (uint32_t d = 0; d < map->rank; d++)
        if (!is_between(map->global_dim[d], 1, INT32_MAX / 2) ||
            !is_between(map->element_strides[d], 1, TMA_MAX_ELEMENT_STRIDE))
            return false;
    for (uint32_t d = 1; d < map->rank; d++)
        if (map->global_strides[d - 1] % TMA_INNER_BYTES != 0 ||
            map->global_strides[d - 1] >= (uint64_t)TMA_GLOBAL_STRIDE_END)
            return false;
    return true;
}

static bool has_plain_row(const struct tma_tensor_map *map, uint32_t elements) {
    uint64_t bytes = elements * (tma_type_info(map->data_type)->shared_bits / 8);
    uint32_t span = tma_swizzle_info(map->swizzle)->span_bytes;
    return elements >= 1 && elements <= TMA_MAX_BOX_DIM && bytes % TMA_INNER_BYTES == 0 &&
           (span == 0 || bytes <= span);
}

static bool has_plain_box(const struct tma_tensor_map *map) {
    uint64_t bytes = tma_type_info(map->data_type)->shared_bits / 8;
    for (uint32_t d = 0; d < map->rank; d++) {
        if (!is_between(map->box_dim[d], 1, TMA_MAX_BOX_DIM))
            return false;
        bytes *= map->box_dim[d]; /* at most 2^43 */
    }
    return bytes <= TMA_MAX_BOX_BYTES && has_plain_row(map, map->box_dim[0]);
}

static bool has_plain_column(const struct tma_tensor_map *map) {
    uint64_t row =
        (uint64_t)map->channels_per_pixel * (tma_type_info(map->data_type)->shared_bits / 8);
    for (uint32_t i = 0; i + 2 < map->rank; i++) {
        int32_t lower = map->lower_corner[i], upper = map->upper_corner[i];
        if (lower < LEAST_CORNER || lower > MOST_CORNER || upper < LEAST_CORNER ||
            upper > MOST_CORNER || (int64_t)map->global_dim[i + 1] - 1 + upper < lower)
            return false;
    }
    return is_between(map->pixels_per_column, 1, TMA_MAX_PIXELS) &&
           has_plain_row(map, map->channels_per_pixel) &&
           row * map->pixels_per_column <= TMA_MAX_BOX_BYTES;
}

bool tma_tensor_map_is_plain(const struct tma_tensor_map *map) {
    return has_plain_modes(map) && has_plain_tensor(map) &&
           (map->kind == TMA_MAP_TILED ? has_plain_box(map) : has_plain_column(map));
}

enum tma_error_code tma_tensor_map_require_legal(const struct tma_tensor_map *map,
                                                 struct tma_error *error) {
    if (tma_tensor_map_is_plain(map))
        return TMA_OK;
    size_t fewest = SIZE_MAX;
    struct tma_violation first = {0};
    for (size_t i = 0; i < tma_architecture_names.count; i++) {
        struct tma_violation violation;
        size_t count = tma_tensor_map_check(
            map, (enum tma_architecture)tma_architecture_names.items[i].value, &violation, 1);
        if (count == 0)
            return TMA_OK;
        if (count < fewest) {
            fewest = count;
            first = violation;
        }
    }
    char text[MAX_TEXT];
    tma_violation_text(&first, text, sizeof text);
    return tma_fail(error, TMA_ERROR_TENSOR_MAP, "%s", text);
}
