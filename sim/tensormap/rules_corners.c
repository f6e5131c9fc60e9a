/* Rules on the bounding box of an im2col map. */
#include "tensormap/examination.h"

/* Corners lie in [-half, half - 1]: 32 bits of the descriptor hold all corners of one kind, so the
 * more of them, the shorter. The wide modes have one, whatever the rank. */
static int64_t corner_half(const struct tma_tensor_map *map) {
    static const int64_t by_rank[] = {[3] = 1 << 15, [4] = 1 << 7, [5] = 1 << 4};
    return tma_is_wide(map->kind) ? by_rank[3] : by_rank[map->rank];
}

/* False while the rank is none that an im2col map can have. */
static bool has_corners(const struct tma_tensor_map *map) {
    return map->rank >= 3 && map->rank <= TMA_MAX_RANK;
}

void tma_rule_corner_range(struct tma_examination *e) {
    if (!has_corners(e->map))
        return;
    int64_t half = corner_half(e->map);
    tma_report_range(e, TMA_FIELD_LOWER_CORNER, -half, half - 1);
    tma_report_range(e, TMA_FIELD_UPPER_CORNER, -half, half - 1);
}

/* The corners of one spatial dimension, ready to be judged; false where they can't be. */
struct extent {
    int64_t size, lower, upper;
};

static bool extent_of(const struct tma_tensor_map *map, size_t i, struct extent *extent) {
    int64_t half = corner_half(map);
    *extent = (struct extent){(int64_t)map->global_dim[tma_spatial_dimension(map, i)],
                              map->lower_corner[i], map->upper_corner[i]};
    return extent->size >= 1 && extent->size <= TMA_MAX_GLOBAL_DIM && extent->lower >= -half &&
           extent->lower < half && extent->upper >= -half && extent->upper < half;
}

/* The box spans [lower, size - 1 + upper]. */
void tma_rule_corner_area(struct tma_examination *e) {
    if (!has_corners(e->map))
        return;
    for (size_t i = 0; i < tma_field_count(e->map, TMA_FIELD_UPPER_CORNER); i++) {
        struct extent x;
        if (extent_of(e->map, i, &x) && x.size - 1 + x.upper < x.lower)
            tma_report(e, TMA_FIELD_UPPER_CORNER, i, TMA_AT_LEAST, x.lower - x.size + 1,
                       x.lower - x.size + 1);
    }
}

/* The driver computes size + upper in 32 signed bits: sizes from 2^31 on turn negative. */
void tma_rule_corner_overflow(struct tma_examination *e) {
    if (!has_corners(e->map))
        return;
    for (size_t i = 0; i < tma_field_count(e->map, TMA_FIELD_UPPER_CORNER); i++) {
        struct extent x;
        if (!extent_of(e->map, i, &x))
            continue;
        int64_t end = (int32_t)(uint32_t)(x.size + x.upper);
        if (x.size + x.upper > INT32_MAX && end <= x.lower) {
            int64_t most = INT32_MAX - x.upper;
            tma_report(e, TMA_FIELD_GLOBAL_DIM, tma_spatial_dimension(e->map, i), TMA_AT_MOST, most,
                       most);
        }
    }
}
