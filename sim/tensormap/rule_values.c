/* Bounds and nearest legal values that several rules use. */
#include <stdlib.h>

#include "tensormap/rule_context.h"

int64_t tma_nearest_multiple(int64_t value, int64_t multiple, int64_t least, int64_t most) {
    if (value < least)
        return least;
    if (value > most)
        return most;
    int64_t up = (value + multiple - 1) / multiple * multiple;
    return up < most ? up : most;
}

int64_t tma_nearest_member(int64_t set, int64_t value) {
    int64_t nearest = -1;
    for (int64_t member = 0; member < 63; member++) {
        if (!tma_is_member(set, member))
            continue;
        if (nearest >= 0 && llabs(member - value) >= llabs(nearest - value))
            continue;
        nearest = member;
    }
    return nearest;
}

int64_t tma_elements_in(const struct tma_type_info *type, int64_t bytes) {
    return bytes * 8 / type->shared_bits;
}

int64_t tma_span_elements(const struct tma_rule_context *context, enum tma_swizzle swizzle) {
    const struct tma_swizzle_info *info = tma_swizzle_info(swizzle);
    if (info == NULL || info->span_bytes == 0 || context->type == NULL ||
        context->map->interleave != TMA_INTERLEAVE_NONE)
        return TMA_MAX_BOX_DIM;
    int64_t elements = tma_elements_in(context->type, info->span_bytes);
    return elements < TMA_MAX_BOX_DIM ? elements : TMA_MAX_BOX_DIM;
}

/* Corners lie in [-half, half - 1]. One word of the descriptor holds both corners of all spatial
 * dimensions, so more dimensions leave fewer bits for each. The wide modes have W only. */
int64_t tma_corner_half(const struct tma_tensor_map *map) {
    static const int64_t by_rank[] = {[3] = 1 << 15, [4] = 1 << 7, [5] = 1 << 4};
    return tma_is_wide(map->kind) ? by_rank[3] : by_rank[map->rank];
}

bool tma_has_corners(const struct tma_tensor_map *map) {
    return map->rank >= 3 && map->rank <= TMA_MAX_RANK;
}

int64_t tma_clamp_corner(int64_t value, int64_t half) {
    return value < -half ? -half : value >= half ? half - 1 : value;
}

int64_t tma_most_global_dim(const struct tma_tensor_map *map, size_t d) {
    if (tma_has_corners(map))
        for (size_t i = 0; i < tma_field_count(map, TMA_FIELD_UPPER_CORNER); i++)
            if (tma_spatial_dimension(map, i) == d)
                return INT32_MAX - tma_clamp_corner(map->upper_corner[i], tma_corner_half(map));
    return TMA_MAX_GLOBAL_DIM;
}

int64_t tma_dim_multiple(const struct tma_rule_context *context, size_t d) {
    enum tma_data_type type = context->map->data_type;
    if (d == 0 && tma_has_half_rows(type, context->architecture))
        return TMA_HALF_ROW_ELEMENTS;
    if (d == 0 && tma_is_padded_type(type))
        return TMA_PADDED_ELEMENTS;
    return d == 0 && type == TMA_16U4_ALIGN8B ? 2 : 1;
}

int64_t tma_nearest_dim(const struct tma_rule_context *context, size_t d, int64_t value) {
    int64_t multiple = tma_dim_multiple(context, d);
    int64_t most = tma_most_global_dim(context->map, d) / multiple * multiple;
    return tma_nearest_multiple(value, multiple, multiple, most);
}
