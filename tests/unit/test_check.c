/* What the check says of a map as a whole: on which architecture, all that is broken, and as text.
 */
#include <stdio.h>
#include <string.h>

#include "suite.h"
#include "tensormap/rules.h"

static const struct tma_tensor_map tiled = {.kind = TMA_MAP_TILED,
                                            .data_type = TMA_FLOAT16,
                                            .rank = 3,
                                            .global_address = 4096,
                                            .global_dim = {256, 64, 8},
                                            .global_strides = {512, 32768},
                                            .box_dim = {32, 8, 2},
                                            .element_strides = {1, 1, 1}};

static const struct tma_tensor_map wide = {.kind = TMA_MAP_IM2COL_W,
                                           .data_type = TMA_FLOAT16,
                                           .rank = 4,
                                           .global_address = 4096,
                                           .global_dim = {256, 16, 16, 8},
                                           .global_strides = {512, 8192, 131072},
                                           .element_strides = {1, 1, 1, 1},
                                           .channels_per_pixel = 32,
                                           .pixels_per_column = 64,
                                           .swizzle = TMA_SWIZZLE_64B};

static const struct tma_tensor_map *const bases[] = {&tiled, &wide};

/* What holds on one architecture alone: the same map, both verdicts. */
static const struct {
    const char *rule;
    const struct tma_tensor_map *base;
    enum tma_architecture takes;
    enum tma_field field;
    int64_t value;
} differences[] = {
    {"data_type_architecture", &tiled, TMA_SM_100, TMA_FIELD_DATA_TYPE, TMA_16U4_ALIGN8B},
    {"swizzle_architecture", &tiled, TMA_SM_100, TMA_FIELD_SWIZZLE, TMA_SWIZZLE_128B_ATOM_32B},
    {"swizzle_architecture", &wide, TMA_SM_100, TMA_FIELD_SWIZZLE, TMA_SWIZZLE_96B},
    {"swizzle_wide", &wide, TMA_SM_90, TMA_FIELD_SWIZZLE, TMA_SWIZZLE_NONE},
    {"interleave_wide", &wide, TMA_SM_90, TMA_FIELD_INTERLEAVE, TMA_INTERLEAVE_16B},
    {"interleave_wide", &wide, TMA_SM_90, TMA_FIELD_INTERLEAVE, TMA_INTERLEAVE_32B},
};

TEST_ROWS(architectures_differ, TABLE_ROWS(differences)) {
    struct tma_tensor_map map = *differences[_i].base;
    tma_field_set(&map, differences[_i].field, 0, differences[_i].value);
    enum tma_architecture takes = differences[_i].takes;
    struct tma_violation violation;
    ck_assert_uint_eq(tma_tensor_map_check(&map, takes, NULL, 0), 0);
    ck_assert_uint_eq(
        tma_tensor_map_check(&map, takes == TMA_SM_90 ? TMA_SM_100 : TMA_SM_90, &violation, 1), 1);
    ck_assert_str_eq(violation.rule->id, differences[_i].rule);
}

/* One mistake is one violation: its consequences for other rules are not reported. */
static const struct {
    const char *name, *rule;
    enum tma_architecture architecture;
    enum tma_map_kind kind;
    enum tma_data_type data_type;
    uint32_t inner;
    enum tma_swizzle swizzle;
} mistakes[] = {
    {"packed type, 32b", "swizzle_packed", TMA_SM_100, TMA_MAP_TILED, TMA_16U4_ALIGN16B, 128,
     TMA_SWIZZLE_32B},
    {"packed type, 64b", "swizzle_packed", TMA_SM_100, TMA_MAP_TILED, TMA_16U6_ALIGN16B, 128,
     TMA_SWIZZLE_64B},
    {"96b, tiled", "swizzle_96b", TMA_SM_100, TMA_MAP_TILED, TMA_FLOAT16, 64, TMA_SWIZZLE_96B},
    {"96b on sm_90", "swizzle_architecture", TMA_SM_90, TMA_MAP_TILED, TMA_FLOAT16, 64,
     TMA_SWIZZLE_96B},
    {"96b of im2col_w128", "swizzle_wide", TMA_SM_103, TMA_MAP_IM2COL_W128, TMA_FLOAT16, 64,
     TMA_SWIZZLE_96B},
    {"96b of a packed type", "swizzle_packed", TMA_SM_103, TMA_MAP_TILED, TMA_16U6_ALIGN16B, 128,
     TMA_SWIZZLE_96B},
    {"96b of im2col_w", NULL, TMA_SM_100, TMA_MAP_IM2COL_W, TMA_FLOAT16, 48, TMA_SWIZZLE_96B},
    {"96b replaced", NULL, TMA_SM_103, TMA_MAP_TILED, TMA_FLOAT16, 48, TMA_SWIZZLE_96B},
    {"half rows", NULL, TMA_SM_103, TMA_MAP_TILED, TMA_16U6_ALIGN16B, 64, TMA_SWIZZLE_64B},
};

TEST_ROWS(one_mistake_is_one_violation, TABLE_ROWS(mistakes)) {
    struct tma_tensor_map map = mistakes[_i].kind == TMA_MAP_TILED ? tiled : wide;
    map.kind = mistakes[_i].kind;
    map.data_type = mistakes[_i].data_type;
    map.box_dim[0] = map.channels_per_pixel = mistakes[_i].inner;
    map.swizzle = mistakes[_i].swizzle;
    struct tma_violation violation = {0};
    size_t count = tma_tensor_map_check(&map, mistakes[_i].architecture, &violation, 1);
    ck_assert_msg(count == (mistakes[_i].rule != NULL), "%s: %zu", mistakes[_i].name, count);
    if (mistakes[_i].rule != NULL)
        ck_assert_str_eq(violation.rule->id, mistakes[_i].rule);
}

/* The driver's page: "This field is ignored when mode is CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128". */
TEST(w128_ignores_pixels_per_column) {
    static const uint32_t pixels[] = {0, 1, 1024, 1025, UINT32_MAX};
    struct tma_tensor_map map = wide;
    for (size_t i = 0; i < sizeof pixels / sizeof pixels[0]; i++) {
        map.pixels_per_column = pixels[i];
        map.kind = TMA_MAP_IM2COL_W128;
        ck_assert_uint_eq(tma_tensor_map_check(&map, TMA_SM_90, NULL, 0), 0);
        ck_assert_uint_eq(tma_tensor_map_check(&map, TMA_SM_100, NULL, 0), 0);
        map.kind = TMA_MAP_IM2COL_W;
        ck_assert_uint_eq(tma_tensor_map_check(&map, TMA_SM_100, NULL, 0),
                          pixels[i] < 1 || pixels[i] > 1024);
    }
}

TEST(every_broken_rule_is_named) {
    struct tma_tensor_map map = tiled;
    map.global_address += 8;
    map.global_strides[0] = 1000;
    map.global_strides[1] = INT64_C(1) << 41;
    map.box_dim[0] = 300;
    map.element_strides[2] = 0;
    map.oob_fill = (enum tma_oob_fill)7;
    struct tma_violation list[TMA_MAX_VIOLATIONS];
    static const char *const expected[] = {
        "oob_fill",      "address_alignment",    "stride_alignment",
        "stride_range",  "element_stride_range", "box_range",
        "inner_multiple"};
    size_t count = tma_tensor_map_check(&map, TMA_SM_90, list, TMA_MAX_VIOLATIONS);
    ck_assert_uint_eq(count, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < count; i++)
        ck_assert_str_eq(list[i].rule->id, expected[i]);
}

TEST(text_says_field_value_bound_and_nearest) {
    struct tma_tensor_map map = tiled;
    map.global_strides[1] = 1000;
    map.swizzle = TMA_SWIZZLE_96B;
    struct tma_violation list[2];
    char text[600];
    ck_assert_uint_eq(tma_tensor_map_check(&map, TMA_SM_90, list, 2), 2);
    tma_violation_text(&list[1], text, sizeof text);
    ck_assert_str_eq(text, "global_strides[1] is 1000 bytes and must be a multiple of 16 "
                           "(stride_alignment: strides are a multiple of 16 bytes; of 32 with "
                           "interleave 32b and types padded to 16 bytes); nearest legal value: "
                           "1008");
    tma_violation_text(&list[0], text, sizeof text);
    ck_assert_str_eq(text,
                     "swizzle is 96b and must be one of none, 32b, 64b, 128b "
                     "(swizzle_architecture: swizzle 96b and swizzle atoms of 32 and 64 bytes "
                     "need sm_100 or later); nearest legal value: 128b");
}

/* Extreme values of every field, one at a time and all at once: no rule may stumble over them. */
TEST_ROWS(extreme_values_are_repaired, TABLE_ROWS(bases)) {
    static const int64_t extremes[] = {INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX, -1, 0};
    struct tma_tensor_map all = *bases[_i];
    for (size_t k = 0; k < sizeof extremes / sizeof extremes[0]; k++)
        for (unsigned field = 1; field < TMA_FIELD_COUNT; field++) {
            struct tma_tensor_map one = *bases[_i];
            tma_field_set(&one, field, 0, extremes[k]);
            tma_field_set(&all, field, 0, extremes[k]);
            for (size_t i = 0; i < tma_architecture_names.count; i++) {
                enum tma_architecture architecture =
                    (enum tma_architecture)tma_architecture_names.items[i].value;
                struct tma_tensor_map copy = one, all_copy = all;
                ck_assert_int_ge(tma_tensor_map_repair(&copy, architecture), 0);
                ck_assert_int_ge(tma_tensor_map_repair(&all_copy, architecture), 0);
            }
        }
}

TEST_SUITE("check");
