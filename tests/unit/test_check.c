/* The check of a whole map: its verdict by architecture, all rules that a map breaks, and the
 * texts.
 */
#include <stdio.h>
#include <string.h>

#include "legal_maps.h"
#include "suite.h"
#include "tensormap/rules.h"

static const struct tma_tensor_map *const tiled = &legal_maps[TMA_MAP_TILED];

/* Rules that hold on one architecture only: the other one accepts the same map. */
static const struct {
    const char *rule;
    enum tma_map_kind base;
    enum tma_architecture accepts;
    enum tma_field field;
    int64_t value;
} differences[] = {
    {"data_type_architecture", TMA_MAP_TILED, TMA_SM_100, TMA_FIELD_DATA_TYPE, TMA_16U4_ALIGN8B},
    {"swizzle_architecture", TMA_MAP_TILED, TMA_SM_100, TMA_FIELD_SWIZZLE,
     TMA_SWIZZLE_128B_ATOM_32B},
    {"swizzle_wide", TMA_MAP_IM2COL_W, TMA_SM_90, TMA_FIELD_SWIZZLE, TMA_SWIZZLE_NONE},
    {"interleave_wide", TMA_MAP_IM2COL_W, TMA_SM_90, TMA_FIELD_INTERLEAVE, TMA_INTERLEAVE_16B},
};

START_TEST(only_one_architecture_accepts) {
    struct tma_tensor_map map = legal_maps[differences[_i].base];
    tma_field_set(&map, differences[_i].field, 0, differences[_i].value);
    enum tma_architecture accepts = differences[_i].accepts;
    struct tma_violation violation;
    ck_assert_uint_eq(tma_tensor_map_check(&map, accepts, NULL, 0), 0);
    ck_assert_uint_eq(
        tma_tensor_map_check(&map, accepts == TMA_SM_90 ? TMA_SM_100 : TMA_SM_90, &violation, 1),
        1);
    ck_assert_str_eq(violation.rule->id, differences[_i].rule);
}
END_TEST

START_TEST(every_broken_rule_is_reported) {
    struct tma_tensor_map map = *tiled;
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
    ck_assert_uint_eq(count, TABLE_ROWS(expected));
    for (size_t i = 0; i < count; i++)
        ck_assert_str_eq(list[i].rule->id, expected[i]);
}
END_TEST

START_TEST(text_says_field_value_bound_and_nearest) {
    struct tma_tensor_map map = *tiled;
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
    ck_assert_str_eq(text, "swizzle is 96b and must be one of none, 32b, 64b, 128b, "
                           "128b_atom_32b, 128b_atom_32b_flip_8b, 128b_atom_64b (swizzle: the "
                           "swizzle is one that the driver enumerates); nearest legal value: 128b");
}
END_TEST

/* Extreme values of every field, one at a time and cumulated: each rule has to repair them. */
START_TEST(extreme_values_are_repaired) {
    static const int64_t extremes[] = {INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX, -1, 0};
    struct tma_tensor_map all = legal_maps[_i];
    for (int k = 0; k < TABLE_ROWS(extremes); k++)
        for (unsigned field = 1; field < TMA_FIELD_COUNT; field++) {
            struct tma_tensor_map one = legal_maps[_i];
            tma_field_set(&one, field, 0, extremes[k]);
            tma_field_set(&all, field, 0, extremes[k]);
            ck_assert_int_ge(tma_tensor_map_repair(&one, TMA_SM_90), 0);
            struct tma_tensor_map copy = all;
            ck_assert_int_ge(tma_tensor_map_repair(&copy, TMA_SM_100), 0);
        }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("check");
    TCase *tests = tcase_create("check");
    tcase_add_loop_test(tests, only_one_architecture_accepts, 0, TABLE_ROWS(differences));
    tcase_add_test(tests, every_broken_rule_is_reported);
    tcase_add_test(tests, text_says_field_value_bound_and_nearest);
    tcase_add_loop_test(tests, extreme_values_are_repaired, 0, TABLE_ROWS(legal_maps));
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
