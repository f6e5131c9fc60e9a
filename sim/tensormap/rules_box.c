/* Rules on the shared memory of one operation: the box, or the column of pixels. */
#include "tensormap/rule_context.h"

/* The largest inner box of a type with half rows: a swizzle of 64 bytes holds one. */
static int64_t most_half_rows(const struct tma_rule_context *context) {
    int64_t span = tma_span_elements(context, context->map->swizzle);
    return span < TMA_HALF_ROW_ELEMENTS || span > TMA_PADDED_ELEMENTS ? TMA_PADDED_ELEMENTS : span;
}

/* The legal inner size that is nearest to `value` by all rules on it that can be checked: range,
 * multiple of 16 bytes, swizzle span, padded types. */
static int64_t nearest_inner(const struct tma_rule_context *context, int64_t value) {
    if (context->type == NULL)
        return tma_nearest_multiple(value, 1, 1, TMA_MAX_BOX_DIM);
    if (tma_has_half_rows(context->map->data_type, context->architecture))
        return tma_nearest_multiple(value, TMA_HALF_ROW_ELEMENTS, TMA_HALF_ROW_ELEMENTS,
                                    most_half_rows(context));
    if (tma_is_padded_type(context->map->data_type))
        return TMA_PADDED_ELEMENTS;
    int64_t multiple = tma_elements_in(context->type, TMA_INNER_BYTES);
    return tma_nearest_multiple(value, multiple, multiple,
                                tma_span_elements(context, context->map->swizzle));
}

/* Checks the range of a field whose first value is the size of the inner box. */
static void check_box_field(struct tma_rule_context *context, enum tma_field field, int64_t most) {
    for (size_t i = 0; i < tma_field_count(context->map, field); i++) {
        int64_t value = tma_field_value(context->map, field, i);
        int64_t bound = value < 1 ? 1 : most;
        int64_t nearest = i == 0 ? nearest_inner(context, value) : bound;
        if (value < 1)
            tma_report(context, field, i, TMA_AT_LEAST, bound, nearest);
        else if (value > most)
            tma_report(context, field, i, TMA_AT_MOST, bound, nearest);
    }
}

void tma_rule_box_range(struct tma_rule_context *context) {
    check_box_field(context, TMA_FIELD_BOX_DIM, TMA_MAX_BOX_DIM);
}

void tma_rule_channels_range(struct tma_rule_context *context) {
    check_box_field(context, TMA_FIELD_CHANNELS_PER_PIXEL, TMA_MAX_CHANNELS);
}

void tma_rule_pixels_range(struct tma_rule_context *context) {
    tma_report_range(context, TMA_FIELD_PIXELS_PER_COLUMN, 1, TMA_MAX_PIXELS);
}

void tma_rule_inner_multiple(struct tma_rule_context *context) {
    if (context->type == NULL || tma_is_padded_type(context->map->data_type))
        return;
    enum tma_field field = tma_inner_field(context->map);
    int64_t value = tma_inner_size(context->map);
    int64_t multiple = tma_elements_in(context->type, TMA_INNER_BYTES);
    if (value % multiple != 0)
        tma_report(context, field, 0, TMA_MULTIPLE_OF, multiple, nearest_inner(context, value));
}

void tma_rule_inner_packed(struct tma_rule_context *context) {
    enum tma_field field = tma_inner_field(context->map);
    int64_t value = tma_inner_size(context->map);
    if (!tma_is_padded_type(context->map->data_type) || value == TMA_PADDED_ELEMENTS)
        return;
    if (!tma_has_half_rows(context->map->data_type, context->architecture))
        tma_report(context, field, 0, TMA_EXACTLY, TMA_PADDED_ELEMENTS, TMA_PADDED_ELEMENTS);
    else if (value < 1 || value % TMA_HALF_ROW_ELEMENTS != 0)
        tma_report(context, field, 0, TMA_MULTIPLE_OF, TMA_HALF_ROW_ELEMENTS,
                   nearest_inner(context, value));
    else if (value > TMA_PADDED_ELEMENTS)
        tma_report(context, field, 0, TMA_AT_MOST, TMA_PADDED_ELEMENTS,
                   nearest_inner(context, value));
}

void tma_rule_inner_span(struct tma_rule_context *context) {
    enum tma_field field = tma_inner_field(context->map);
    int64_t value = tma_inner_size(context->map);
    int64_t most = tma_span_elements(context, context->map->swizzle);
    /* An illegal swizzle has no span to obey: its own rule says what to change. */
    if (most < TMA_MAX_BOX_DIM && value > most && tma_swizzle_is_legal(context))
        tma_report(context, field, 0, TMA_AT_MOST, most, nearest_inner(context, value));
}

/* Are all values of this field inside [1, most]? */
static bool in_range(const struct tma_tensor_map *map, enum tma_field field, int64_t most) {
    for (size_t i = 0; i < tma_field_count(map, field); i++)
        if (tma_field_value(map, field, i) < 1 || tma_field_value(map, field, i) > most)
            return false;
    return true;
}

/* The elements along dimension d as the driver computes the box's size: box_dim / element_strides
 * rounded down, although hardware loads that many rounded up. */
static int64_t steps(const struct tma_tensor_map *map, size_t d) {
    return map->box_dim[d] / map->element_strides[d];
}

void tma_rule_box_bytes(struct tma_rule_context *context) {
    const struct tma_tensor_map *map = context->map;
    if (context->type == NULL || !in_range(map, TMA_FIELD_BOX_DIM, TMA_MAX_BOX_DIM) ||
        !in_range(map, TMA_FIELD_ELEMENT_STRIDES, TMA_MAX_ELEMENT_STRIDE))
        return;
    int64_t most = tma_elements_in(context->type, TMA_MAX_BOX_BYTES);
    int64_t product = 1;
    for (size_t i = 0; i < tma_field_count(map, TMA_FIELD_BOX_DIM); i++)
        product *= steps(map, i);
    /* Shrinks dimensions from the outermost one on until the box fits. */
    for (size_t i = tma_field_count(map, TMA_FIELD_BOX_DIM); i-- > 1 && product > most;) {
        int64_t others = product / steps(map, i);
        int64_t fitting = most / others > 1 ? most / others : 1;
        if (fitting == steps(map, i))
            continue;
        int64_t nearest = fitting * map->element_strides[i];
        tma_report(context, TMA_FIELD_BOX_DIM, i, TMA_AT_MOST, nearest, nearest);
        product = others * fitting;
    }
}

/* The column has 128 pixels, whatever pixels_per_column says. */
static void check_w128_bytes(struct tma_rule_context *context) {
    int64_t most = tma_elements_in(context->type, TMA_MAX_BOX_BYTES) / TMA_W128_PIXELS;
    int64_t multiple = tma_elements_in(context->type, TMA_INNER_BYTES);
    most -= most % multiple;
    if (context->map->channels_per_pixel > most)
        tma_report(context, TMA_FIELD_CHANNELS_PER_PIXEL, 0, TMA_AT_MOST, most,
                   nearest_inner(context, most));
}

void tma_rule_column_bytes(struct tma_rule_context *context) {
    if (context->type == NULL ||
        !in_range(context->map, TMA_FIELD_CHANNELS_PER_PIXEL, TMA_MAX_CHANNELS))
        return;
    if (context->map->kind == TMA_MAP_IM2COL_W128 && context->architecture != TMA_SM_90) {
        check_w128_bytes(context);
        return;
    }
    int64_t most =
        tma_elements_in(context->type, TMA_MAX_BOX_BYTES) / context->map->channels_per_pixel;
    if (context->map->pixels_per_column > most && context->map->pixels_per_column <= TMA_MAX_PIXELS)
        tma_report(context, TMA_FIELD_PIXELS_PER_COLUMN, 0, TMA_AT_MOST, most, most);
}
