/* Advice on legal but costly maps: each rule's advice with its cost estimate, and maps without. */
#include <stdio.h>
#include <string.h>

#include "suite.h"
#include "tensormap/advice.h"

/* A map that gets no advice: its rows are aligned lines of 128 bytes, and the tensor consists of
 * whole boxes. */
static const struct tma_tensor_map tiled = {.kind = TMA_MAP_TILED,
                                            .data_type = TMA_FLOAT16,
                                            .rank = 3,
                                            .global_address = 4096,
                                            .global_dim = {256, 64, 8},
                                            .global_strides = {512, 32768},
                                            .box_dim = {64, 8, 2},
                                            .element_strides = {1, 1, 1},
                                            .swizzle = TMA_SWIZZLE_128B,
                                            .l2_promotion = TMA_L2_128B};

/* An im2col map that gets no advice. */
static const struct tma_tensor_map im2col = {.kind = TMA_MAP_IM2COL,
                                             .data_type = TMA_FLOAT16,
                                             .rank = 4,
                                             .global_address = 4096,
                                             .global_dim = {64, 16, 16, 8},
                                             .global_strides = {128, 2048, 32768},
                                             .element_strides = {1, 1, 1, 1},
                                             .channels_per_pixel = 64,
                                             .pixels_per_column = 64,
                                             .swizzle = TMA_SWIZZLE_128B};

#define SET(field, index, value)                                                                   \
    { TMA_FIELD_##field, index, value }
#define INNER(value)   SET(BOX_DIM, 0, value)
#define SWIZZLE(value) SET(SWIZZLE, 0, TMA_SWIZZLE_##value)

/* Advice that a changed map gets. */
static const struct row {
    const char *id;
    const struct tma_tensor_map *base;
    enum tma_field field;
    int index;
    double cost;  /* estimate for the map */
    double ideal; /* estimate for a map that follows the advice */
    struct {
        enum tma_field field;
        size_t index;
        int64_t value;
    } settings[4]; /* changes to the base map; zero entries change nothing */
} rows[] = {
    /* 16 rows of 16 bytes take a cycle each; their 256 bytes could arrive in 2.4 cycles. */
    {"short_rows", &tiled, TMA_FIELD_BOX_DIM, 0, 16, 256 / 106.0, {INNER(8), SWIZZLE(NONE)}},
    {"short_rows",
     &im2col,
     TMA_FIELD_CHANNELS_PER_PIXEL,
     -1,
     64,
     64 * 32 / 106.0,
     {SET(CHANNELS_PER_PIXEL, 0, 16), SWIZZLE(32B)}},
    /* A row that starts at any multiple of 16 bytes touches (128 - 16) / 128 + 1 lines on average.
     */
    {"split_rows",
     &tiled,
     TMA_FIELD_GLOBAL_ADDRESS,
     -1,
     16 * 1.875,
     16,
     {SET(GLOBAL_ADDRESS, 0, 4112)}},
    {"split_rows",
     &tiled,
     TMA_FIELD_GLOBAL_STRIDES,
     1,
     16 * 1.875,
     16,
     {SET(GLOBAL_STRIDES, 1, 32784)}},
    {"split_rows", &tiled, TMA_FIELD_BOX_DIM, 0, 16 * 1.5, 16, {INNER(48)}},
    {"over_fetch",
     &tiled,
     TMA_FIELD_L2_PROMOTION,
     -1,
     16 * 256,
     16 * 128,
     {SET(L2_PROMOTION, 0, TMA_L2_256B)}},
    {"partial_fill", &tiled, TMA_FIELD_BOX_DIM, 0, 16 * 64, 16 * 32, {INNER(16), SWIZZLE(32B)}},
    /* Rows of 128 bytes lie end to end. Every second one is loaded, but a fill brings 256 bytes. */
    {"skipped_elements",
     &im2col,
     TMA_FIELD_ELEMENT_STRIDES,
     1,
     64 * 256,
     64 * 128,
     {SET(ELEMENT_STRIDES, 1, 2), SET(L2_PROMOTION, 0, TMA_L2_256B)}},
    /* 8 pixels of 16 bytes, of which every second is loaded. */
    {"skipped_elements",
     &tiled,
     TMA_FIELD_ELEMENT_STRIDES,
     0,
     2 * 128,
     2 * 64,
     {SET(INTERLEAVE, 0, TMA_INTERLEAVE_16B), SET(ELEMENT_STRIDES, 0, 2), INNER(8)}},
    {"ignored_stride", &tiled, TMA_FIELD_ELEMENT_STRIDES, 0, 0, 0, {SET(ELEMENT_STRIDES, 0, 3)}},
    {"unfilled_span", &tiled, TMA_FIELD_BOX_DIM, 0, 16 * 128, 16 * 64, {INNER(32)}},
    {"beyond_tensor",
     &tiled,
     TMA_FIELD_BOX_DIM,
     2,
     8 * 16 * 128,
     8 * 8 * 128,
     {SET(BOX_DIM, 2, 16)}},
    {"counts_nothing", &tiled, TMA_FIELD_BOX_DIM, 2, 0, 0, {SET(ELEMENT_STRIDES, 2, 3)}},
    {"interleave_swizzle",
     &tiled,
     TMA_FIELD_SWIZZLE,
     -1,
     0,
     0,
     {SET(INTERLEAVE, 0, TMA_INTERLEAVE_32B)}},
    {"wide_kind", &im2col, TMA_FIELD_KIND, -1, 0, 0, {SET(KIND, 0, TMA_MAP_IM2COL_W)}},
    {"overlapping_rows", &tiled, TMA_FIELD_GLOBAL_STRIDES, 0, 0, 0, {SET(GLOBAL_STRIDES, 0, 496)}},
    {"overlapping_rows",
     &tiled,
     TMA_FIELD_GLOBAL_STRIDES,
     1,
     0,
     0,
     {SET(GLOBAL_STRIDES, 1, 32752)}},
    /* The rows of the inner dimensions reach beyond the last address, so that any stride is too
       small. */
    {"overlapping_rows",
     &tiled,
     TMA_FIELD_GLOBAL_STRIDES,
     1,
     0,
     0,
     {SET(GLOBAL_DIM, 1, INT64_C(1) << 32), SET(GLOBAL_STRIDES, 0, (INT64_C(1) << 40) - 512),
      SET(GLOBAL_STRIDES, 1, (INT64_C(1) << 40) - 512)}},
    {"broadcast_stride", &tiled, TMA_FIELD_GLOBAL_STRIDES, 1, 0, 0, {SET(GLOBAL_STRIDES, 1, 0)}},
    {"store_past_row", &tiled, TMA_FIELD_GLOBAL_DIM, 0, 0, 0, {SET(GLOBAL_DIM, 0, 250)}},
    {"null_address", &tiled, TMA_FIELD_GLOBAL_ADDRESS, -1, 0, 0, {SET(GLOBAL_ADDRESS, 0, 0)}},
};

static struct tma_tensor_map map_of(const struct row *row) {
    struct tma_tensor_map map = *row->base;
    for (size_t i = 0; i < 4; i++)
        if (row->settings[i].field != TMA_FIELD_KIND || row->settings[i].value != 0)
            tma_field_set(&map, row->settings[i].field, row->settings[i].index,
                          row->settings[i].value);
    return map;
}

TEST_ROWS(advice_has_field_and_estimate, TABLE_ROWS(rows)) {
    const struct row *row = &rows[_i];
    struct tma_tensor_map map = map_of(row);
    struct tma_advice list[TMA_MAX_ADVICE];
    ck_assert_uint_eq(tma_tensor_map_check(&map, TMA_SM_90, NULL, 0), 0);
    size_t count = tma_tensor_map_advise(&map, TMA_SM_90, NULL, list, TMA_MAX_ADVICE);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].rule->id, row->id) != 0)
            continue;
        ck_assert_int_eq(list[i].field, row->field);
        ck_assert_int_eq(list[i].index, row->index);
        ck_assert_double_eq_tol(list[i].cost, row->cost, 1e-9);
        ck_assert_double_eq_tol(list[i].ideal, row->ideal, 1e-9);
        return;
    }
    ck_abort_msg("%s (row %d): not given", row->id, _i);
}

/* Boxes of 128 bytes beside each other share fills of 256 bytes; others do not. */
static const struct {
    struct tma_map_use use;
    const char *over_fetch; /* NULL: no advice of over-fetch */
} uses[] = {
    {{true, 128, false, false},
     "about 4096 bytes of DRAM traffic for a box instead of 2048: 2.0 times, an "
     "over-fetch of 50.0 %; use a promotion no longer than a row"},
    {{true, 384, false, false},
     "about 2731 bytes of DRAM traffic for a box instead of 2048: 1.3 times, an "
     "over-fetch of 25.0 %; use a promotion no longer than a row"},
    {{true, 256, false, false}, NULL},
    {{true, 512, false, false}, NULL},
    {{false, 0, true, false}, NULL}, /* it stores */
    {{true, 0, false, false},
     "about 4096 bytes of DRAM traffic for a box alone instead of 2048: 2.0 times, an "
     "over-fetch of 50.0 %; use a promotion no longer than a row, unless the next boxes "
     "use the rest soon"},
};

TEST_ROWS(traffic_is_that_of_all_boxes, TABLE_ROWS(uses)) {
    struct tma_tensor_map map = tiled;
    struct tma_advice list[TMA_MAX_ADVICE];
    char text[400];
    map.l2_promotion = TMA_L2_256B;
    size_t count = tma_tensor_map_advise(&map, TMA_SM_90, &uses[_i].use, list, TMA_MAX_ADVICE);
    ck_assert_uint_eq(count, uses[_i].over_fetch != NULL);
    if (count == 0)
        return;
    tma_advice_text(&list[0], text, sizeof text);
    ck_assert_msg(strstr(text, uses[_i].over_fetch) != NULL, "%s", text);
}

TEST_ROWS(every_rule_is_tested, (int)tma_advice_rule_count) {
    for (int i = 0; i < TABLE_ROWS(rows); i++)
        if (strcmp(rows[i].id, tma_advice_rules[_i].id) == 0)
            return;
    ck_abort_msg("%s has no row", tma_advice_rules[_i].id);
}

TEST(good_maps_get_no_advice) {
    ck_assert_uint_eq(tma_tensor_map_advise(&tiled, TMA_SM_90, NULL, NULL, 0), 0);
    ck_assert_uint_eq(tma_tensor_map_advise(&im2col, TMA_SM_90, NULL, NULL, 0), 0);
    /* Dimensions of a transposed tensor need not be in the order of their strides. */
    struct tma_tensor_map transposed = tiled;
    transposed.global_strides[0] = 512 * 8;
    transposed.global_strides[1] = 512;
    ck_assert_uint_eq(tma_tensor_map_advise(&transposed, TMA_SM_90, NULL, NULL, 0), 0);
}

TEST(illegal_maps_get_no_advice) {
    struct tma_tensor_map map = tiled;
    map.box_dim[0] = 7;
    map.element_strides[1] = 0;
    ck_assert_uint_eq(tma_tensor_map_advise(&map, TMA_SM_90, NULL, NULL, 0), 0);
}

TEST(text_gives_field_estimate_and_fix) {
    struct tma_tensor_map map = tiled;
    struct tma_advice advice;
    char text[400];
    map.box_dim[0] = 32;
    map.swizzle = TMA_SWIZZLE_128B;
    ck_assert_uint_eq(tma_tensor_map_advise(&map, TMA_SM_90, NULL, &advice, 1), 3);
    tma_advice_text(&advice, text, sizeof text);
    ck_assert_str_eq(text, "box_dim[0]: rows are shorter than a line of 128 bytes, and each row "
                           "takes a cycle (short_rows); about 16 cycles instead of 10: 1.7 times; "
                           "make the inner box 128 bytes, or fold a dimension into the innermost "
                           "one");
}

TEST_SUITE("advice");
