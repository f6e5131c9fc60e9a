/* Rules on the bounding box of an im2col map. */
#include "tensormap/rule_context.h"

/* One spatial dimension. The bounding box is [lower, size - 1 + upper]. */
struct corner_extent {
    int64_t size; /* 0: not legal */
    int64_t lower, upper;
    int64_t half; /* corners lie in [-half, half - 1] */
};

static struct corner_extent extent_of(const struct tma_tensor_map *map, size_t i) {
    uint64_t size = map->global_dim[tma_spatial_dimension(map, i)];
    return (struct corner_extent){size > (uint64_t)TMA_MAX_GLOBAL_DIM ? 0 : (int64_t)size,
                                  map->lower_corner[i], map->upper_corner[i], tma_corner_half(map)};
}

static bool corners_are_legal(const struct corner_extent *x) {
    return tma_clamp_corner(x->lower, x->half) == x->lower &&
           tma_clamp_corner(x->upper, x->half) == x->upper;
}

/* The nearest legal corners: in range, and leaving the box at least one pixel. */
static int64_t nearest_lower(const struct corner_extent *x) {
    int64_t last = x->size - 1 + tma_clamp_corner(x->upper, x->half),
            lower = tma_clamp_corner(x->lower, x->half);
    return x->size > 0 && last < lower ? last : lower;
}

static int64_t nearest_upper(const struct corner_extent *x) {
    int64_t least = tma_clamp_corner(x->lower, x->half) - x->size + 1,
            upper = tma_clamp_corner(x->upper, x->half);
    return x->size > 0 && least > upper ? least : upper;
}

static void check_corner(struct tma_rule_context *context, enum tma_field field, size_t i,
                         const struct corner_extent *x, int64_t nearest) {
    int64_t value = tma_field_value(context->map, field, i);
    if (value < -x->half)
        tma_report(context, field, i, TMA_AT_LEAST, -x->half, nearest);
    else if (value >= x->half)
        tma_report(context, field, i, TMA_AT_MOST, x->half - 1, nearest);
}

void tma_rule_corner_range(struct tma_rule_context *context) {
    if (!tma_has_corners(context->map))
        return;
    for (size_t i = 0; i < tma_field_count(context->map, TMA_FIELD_LOWER_CORNER); i++) {
        struct corner_extent x = extent_of(context->map, i);
        check_corner(context, TMA_FIELD_LOWER_CORNER, i, &x, nearest_lower(&x));
        check_corner(context, TMA_FIELD_UPPER_CORNER, i, &x, nearest_upper(&x));
    }
}

void tma_rule_corner_area(struct tma_rule_context *context) {
    if (!tma_has_corners(context->map))
        return;
    for (size_t i = 0; i < tma_field_count(context->map, TMA_FIELD_UPPER_CORNER); i++) {
        struct corner_extent x = extent_of(context->map, i);
        if (x.size > 0 && corners_are_legal(&x) && x.size - 1 + x.upper < x.lower)
            tma_report(context, TMA_FIELD_UPPER_CORNER, i, TMA_AT_LEAST, nearest_upper(&x),
                       nearest_upper(&x));
    }
}

/* The driver computes size + upper in 32 signed bits: sizes from 2^31 on turn negative. */
void tma_rule_corner_overflow(struct tma_rule_context *context) {
    if (!tma_has_corners(context->map))
        return;
    for (size_t i = 0; i < tma_field_count(context->map, TMA_FIELD_UPPER_CORNER); i++) {
        struct corner_extent x = extent_of(context->map, i);
        int64_t end = (int32_t)(uint32_t)(x.size + x.upper);
        size_t d = tma_spatial_dimension(context->map, i);
        int64_t most = tma_most_global_dim(context->map, d);
        if (x.size > 0 && corners_are_legal(&x) && x.size > most && end <= x.lower)
            tma_report(context, TMA_FIELD_GLOBAL_DIM, d, TMA_AT_MOST, most,
                       tma_nearest_dim(context, d, x.size));
    }
}
