/* Each rule on both sides of its bound: the legal value passes, and the check names the illegal
 * one.
 */
#include <stdio.h>
#include <string.h>

#include "legal_maps.h"
#include "suite.h"
#include "tensormap/rules.h"

/* A value to change in a legal map. */
struct setting {
    enum tma_field field;
    size_t index;
    int64_t value;
};

#define T TMA_MAP_TILED
#define I TMA_MAP_IM2COL
#define W TMA_MAP_IM2COL_W
#define TYPE(value)                                                                                \
    { TMA_FIELD_DATA_TYPE, 0, value }
#define INTERLEAVE(value)                                                                          \
    { TMA_FIELD_INTERLEAVE, 0, value }
#define SWIZZLE(value)                                                                             \
    { TMA_FIELD_SWIZZLE, 0, value }
#define RANK(value)                                                                                \
    { TMA_FIELD_RANK, 0, value }
#define BOX(index, value)                                                                          \
    { TMA_FIELD_BOX_DIM, index, value }
#define CHANNELS(value)                                                                            \
    { TMA_FIELD_CHANNELS_PER_PIXEL, 0, value }
#define SIZE(index, value)                                                                         \
    { TMA_FIELD_GLOBAL_DIM, index, value }
#define CORNER(which, index, value)                                                                \
    { TMA_FIELD_##which##_CORNER, index, value }
#define PADDED TYPE(TMA_16U6_ALIGN16B), BOX(0, 128), SWIZZLE(TMA_SWIZZLE_128B)

#define OF(field, index) TMA_FIELD_##field, index

/* A bound of a rule: a legal map in which one field has a legal or an illegal value. */
static const struct bound {
    const char *rule;
    enum tma_map_kind base;
    enum tma_architecture architecture;
    enum tma_field field;
    size_t index;
    int64_t legal;              /* passes the check */
    int64_t broken;             /* breaks the rule */
    int64_t nearest;            /* the legal value that the check suggests for `broken` */
    struct setting settings[4]; /* further changes to the map; zero entries change nothing */
} bounds[] = {
    {"kind", T, TMA_SM_90, OF(KIND, 0), T, 4, TMA_MAP_IM2COL_W128, {{0}}},
    {"data_type", T, TMA_SM_100, OF(DATA_TYPE, 0), TMA_BFLOAT16, 16, TMA_UINT8, {{0}}},
    {"data_type_architecture",
     T,
     TMA_SM_90,
     OF(DATA_TYPE, 0),
     TMA_UINT8,
     TMA_16U4_ALIGN8B,
     TMA_UINT8,
     {{0}}},
    {"interleave",
     T,
     TMA_SM_90,
     OF(INTERLEAVE, 0),
     TMA_INTERLEAVE_32B,
     3,
     TMA_INTERLEAVE_NONE,
     {{0}}},
    {"interleave_packed",
     T,
     TMA_SM_100,
     OF(INTERLEAVE, 0),
     TMA_INTERLEAVE_NONE,
     TMA_INTERLEAVE_32B,
     TMA_INTERLEAVE_NONE,
     {PADDED}},
    {"interleave_wide",
     W,
     TMA_SM_100,
     OF(INTERLEAVE, 0),
     TMA_INTERLEAVE_NONE,
     TMA_INTERLEAVE_16B,
     TMA_INTERLEAVE_NONE,
     {{0}}},
    {"swizzle",
     T,
     TMA_SM_100,
     OF(SWIZZLE, 0),
     TMA_SWIZZLE_128B_ATOM_64B,
     8,
     TMA_SWIZZLE_128B_ATOM_64B,
     {{0}}},
    {"swizzle_96b",
     T,
     TMA_SM_100,
     OF(SWIZZLE, 0),
     TMA_SWIZZLE_128B,
     TMA_SWIZZLE_96B,
     TMA_SWIZZLE_128B,
     {{0}}},
    {"swizzle_96b",
     I,
     TMA_SM_120,
     OF(SWIZZLE, 0),
     TMA_SWIZZLE_128B,
     TMA_SWIZZLE_96B,
     TMA_SWIZZLE_128B,
     {{0}}},
    {"inner_span",
     W,
     TMA_SM_100,
     OF(CHANNELS_PER_PIXEL, 0),
     48,
     56,
     48,
     {SWIZZLE(TMA_SWIZZLE_96B)}},
    {"inner_span", T, TMA_SM_103, OF(BOX_DIM, 0), 48, 56, 48, {SWIZZLE(TMA_SWIZZLE_96B)}},
    {"dim_packed", T, TMA_SM_103, OF(GLOBAL_DIM, 0), 192, 130, 192, {PADDED}},
    {"stride_alignment", T, TMA_SM_103, OF(GLOBAL_STRIDES, 0), 528, 520, 528, {PADDED}},
    {"address_alignment", T, TMA_SM_103, OF(GLOBAL_ADDRESS, 0), 4112, 4104, 4096, {PADDED}},
    {"inner_packed", T, TMA_SM_103, OF(BOX_DIM, 0), 64, 32, 64, {PADDED}},
    {"inner_packed", T, TMA_SM_103, OF(BOX_DIM, 0), 128, 192, 128, {PADDED}},
    {"swizzle_packed",
     T,
     TMA_SM_103,
     OF(SWIZZLE, 0),
     TMA_SWIZZLE_64B,
     TMA_SWIZZLE_32B,
     TMA_SWIZZLE_NONE,
     {TYPE(TMA_16U6_ALIGN16B), BOX(0, 64)}},
    {"oob_fill_type",
     T,
     TMA_SM_100,
     OF(OOB_FILL, 0),
     TMA_OOB_ZEROS,
     TMA_OOB_NAN,
     TMA_OOB_ZEROS,
     {PADDED}},
    {"swizzle_architecture",
     T,
     TMA_SM_90,
     OF(SWIZZLE, 0),
     TMA_SWIZZLE_128B,
     TMA_SWIZZLE_128B_ATOM_32B,
     TMA_SWIZZLE_128B,
     {{0}}},
    {"swizzle_packed",
     T,
     TMA_SM_100,
     OF(SWIZZLE, 0),
     TMA_SWIZZLE_128B_ATOM_64B,
     TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B,
     TMA_SWIZZLE_128B_ATOM_32B,
     {TYPE(TMA_16U6_ALIGN16B), BOX(0, 128)}},
    {"swizzle_packed",
     T,
     TMA_SM_100,
     OF(SWIZZLE, 0),
     TMA_SWIZZLE_128B_ATOM_32B,
     TMA_SWIZZLE_128B_ATOM_64B,
     TMA_SWIZZLE_128B_ATOM_32B,
     {TYPE(TMA_16U4_ALIGN16B), BOX(0, 128)}},
    {"swizzle_wide",
     W,
     TMA_SM_100,
     OF(SWIZZLE, 0),
     TMA_SWIZZLE_128B_ATOM_32B,
     TMA_SWIZZLE_NONE,
     TMA_SWIZZLE_64B,
     {{0}}},
    {"l2_promotion", T, TMA_SM_90, OF(L2_PROMOTION, 0), TMA_L2_256B, 4, TMA_L2_256B, {{0}}},
    {"oob_fill", T, TMA_SM_90, OF(OOB_FILL, 0), TMA_OOB_NAN, 2, TMA_OOB_NAN, {{0}}},
    {"oob_fill_type",
     T,
     TMA_SM_90,
     OF(OOB_FILL, 0),
     TMA_OOB_ZEROS,
     TMA_OOB_NAN,
     TMA_OOB_ZEROS,
     {TYPE(TMA_UINT16)}},
    {"rank", T, TMA_SM_90, OF(RANK, 0), 1, 0, 1, {{0}}},
    {"rank", T, TMA_SM_90, OF(RANK, 0), 5, 6, 5, {{0}}},
    {"rank", I, TMA_SM_90, OF(RANK, 0), 3, 2, 3, {{0}}},
    {"rank_interleave", T, TMA_SM_90, OF(RANK, 0), 3, 2, 3, {INTERLEAVE(TMA_INTERLEAVE_16B)}},
    {"address_alignment", T, TMA_SM_90, OF(GLOBAL_ADDRESS, 0), 4112, 4120, 4112, {{0}}},
    {"address_alignment",
     T,
     TMA_SM_90,
     OF(GLOBAL_ADDRESS, 0),
     4128,
     4112,
     4096,
     {INTERLEAVE(TMA_INTERLEAVE_32B)}},
    {"address_alignment", T, TMA_SM_100, OF(GLOBAL_ADDRESS, 0), 4128, 4112, 4096, {PADDED}},
    {"dim_range", T, TMA_SM_90, OF(GLOBAL_DIM, 1), 1, 0, 1, {{0}}},
    {"dim_range",
     T,
     TMA_SM_90,
     OF(GLOBAL_DIM, 0),
     INT64_C(1) << 32,
     (INT64_C(1) << 32) + 1,
     INT64_C(1) << 32,
     {{0}}},
    {"dim_packed", T, TMA_SM_100, OF(GLOBAL_DIM, 0), 128, 130, 256, {PADDED}},
    {"dim_packed", T, TMA_SM_100, OF(GLOBAL_DIM, 0), 130, 129, 130, {TYPE(TMA_16U4_ALIGN8B)}},
    {"stride_alignment", T, TMA_SM_90, OF(GLOBAL_STRIDES, 1), 32784, 32776, 32784, {{0}}},
    {"stride_alignment",
     T,
     TMA_SM_90,
     OF(GLOBAL_STRIDES, 1),
     32800,
     32784,
     32800,
     {INTERLEAVE(TMA_INTERLEAVE_32B)}},
    {"stride_alignment", T, TMA_SM_100, OF(GLOBAL_STRIDES, 0), 544, 528, 544, {PADDED}},
    {"stride_range",
     T,
     TMA_SM_90,
     OF(GLOBAL_STRIDES, 0),
     (INT64_C(1) << 40) - 16,
     INT64_C(1) << 40,
     (INT64_C(1) << 40) - 16,
     {{0}}},
    {"element_stride_range", T, TMA_SM_90, OF(ELEMENT_STRIDES, 0), 1, 0, 1, {{0}}},
    {"element_stride_range", T, TMA_SM_90, OF(ELEMENT_STRIDES, 2), 8, 9, 8, {{0}}},
    {"box_range", T, TMA_SM_90, OF(BOX_DIM, 1), 1, 0, 1, {{0}}},
    {"box_range", T, TMA_SM_90, OF(BOX_DIM, 1), 256, 257, 256, {{0}}},
    {"box_range", T, TMA_SM_90, OF(BOX_DIM, 0), 256, 264, 256, {{0}}},
    {"channels_range", I, TMA_SM_90, OF(CHANNELS_PER_PIXEL, 0), 8, 0, 8, {{0}}},
    {"channels_range", I, TMA_SM_90, OF(CHANNELS_PER_PIXEL, 0), 256, 264, 256, {{0}}},
    {"pixels_range", I, TMA_SM_90, OF(PIXELS_PER_COLUMN, 0), 1, 0, 1, {{0}}},
    {"pixels_range", I, TMA_SM_90, OF(PIXELS_PER_COLUMN, 0), 1024, 1025, 1024, {{0}}},
    {"inner_multiple", T, TMA_SM_90, OF(BOX_DIM, 0), 8, 12, 16, {{0}}},
    {"inner_multiple", T, TMA_SM_90, OF(BOX_DIM, 0), 8, 7, 8, {INTERLEAVE(TMA_INTERLEAVE_32B)}},
    {"inner_multiple", I, TMA_SM_90, OF(CHANNELS_PER_PIXEL, 0), 2, 3, 4, {TYPE(TMA_FLOAT64)}},
    {"inner_multiple", T, TMA_SM_100, OF(BOX_DIM, 0), 32, 16, 32, {TYPE(TMA_16U4_ALIGN8B)}},
    {"inner_packed", T, TMA_SM_100, OF(BOX_DIM, 0), 128, 64, 128, {PADDED}},
    {"inner_span", T, TMA_SM_90, OF(BOX_DIM, 0), 16, 24, 16, {SWIZZLE(TMA_SWIZZLE_32B)}},
    {"inner_span",
     I,
     TMA_SM_90,
     OF(CHANNELS_PER_PIXEL, 0),
     64,
     72,
     64,
     {SWIZZLE(TMA_SWIZZLE_128B)}},
    {"box_bytes", T, TMA_SM_90, OF(BOX_DIM, 2), 14, 15, 14, {BOX(0, 32), BOX(1, 256)}},
    {"column_bytes", I, TMA_SM_90, OF(PIXELS_PER_COLUMN, 0), 454, 455, 454, {CHANNELS(256)}},
    {"corner_range", I, TMA_SM_90, OF(LOWER_CORNER, 1), -128, -129, -128, {{0}}},
    {"corner_range", I, TMA_SM_90, OF(UPPER_CORNER, 1), 127, 128, 127, {{0}}},
    {"corner_range", I, TMA_SM_90, OF(LOWER_CORNER, 0), -32768, -32769, -32768, {RANK(3)}},
    {"corner_range", I, TMA_SM_90, OF(UPPER_CORNER, 2), 15, 16, 15, {RANK(5)}},
    {"corner_range", W, TMA_SM_100, OF(UPPER_CORNER, 0), 32767, 32768, 32767, {{0}}},
    {"corner_area", I, TMA_SM_90, OF(UPPER_CORNER, 0), -16, -17, -16, {{0}}},
    {"corner_area",
     I,
     TMA_SM_90,
     OF(UPPER_CORNER, 0),
     -256 + 1 - 1,
     -257,
     -256,
     {INTERLEAVE(TMA_INTERLEAVE_16B), RANK(3)}},
    {"corner_overflow",
     I,
     TMA_SM_90,
     OF(GLOBAL_DIM, 2),
     INT64_C(1) << 31,
     (INT64_C(1) << 31) + 1,
     INT64_C(1) << 31,
     {{0}}},
};

static struct tma_tensor_map map_of(const struct bound *bound, int64_t value) {
    struct tma_tensor_map map = legal_maps[bound->base];
    for (size_t i = 0; i < 4; i++)
        if (bound->settings[i].field != TMA_FIELD_KIND)
            tma_field_set(&map, bound->settings[i].field, bound->settings[i].index,
                          bound->settings[i].value);
    tma_field_set(&map, bound->field, bound->index, value);
    return map;
}

TEST_ROWS(maps_of_the_fixture_are_legal, TABLE_ROWS(legal_maps)) {
    ck_assert_uint_eq(tma_tensor_map_check(&legal_maps[_i], TMA_SM_90, NULL, 0), 0);
    ck_assert_uint_eq(tma_tensor_map_check(&legal_maps[_i], TMA_SM_100, NULL, 0), 0);
}

TEST_ROWS(legal_value_passes, TABLE_ROWS(bounds)) {
    const struct bound *bound = &bounds[_i];
    struct tma_tensor_map map = map_of(bound, bound->legal);
    struct tma_violation violation = {0};
    char text[600] = "";
    if (tma_tensor_map_check(&map, bound->architecture, &violation, 1) > 0)
        tma_violation_text(&violation, text, sizeof text);
    ck_assert_msg(text[0] == '\0', "%s (row %d): %s", bound->rule, _i, text);
}

static const struct tma_violation *violation_of(const char *rule, const struct tma_violation *list,
                                                size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].rule->id, rule) == 0)
            return &list[i];
    return NULL;
}

TEST_ROWS(broken_value_is_reported, TABLE_ROWS(bounds)) {
    const struct bound *bound = &bounds[_i];
    struct tma_tensor_map map = map_of(bound, bound->broken);
    struct tma_violation list[TMA_MAX_VIOLATIONS];
    size_t count = tma_tensor_map_check(&map, bound->architecture, list, TMA_MAX_VIOLATIONS);
    const struct tma_violation *violation = violation_of(bound->rule, list, count);
    ck_assert_msg(violation != NULL, "%s (row %d): not reported", bound->rule, _i);
    ck_assert_int_eq(violation->field, bound->field);
    ck_assert_int_eq(violation->index,
                     tma_field_info(bound->field)->is_list ? (int)bound->index : -1);
    ck_assert_int_eq(violation->value, bound->broken);
    ck_assert_msg(violation->nearest == bound->nearest, "%s (row %d): nearest is %lld, not %lld",
                  bound->rule, _i, (long long)violation->nearest, (long long)bound->nearest);
}

TEST_ROWS(broken_value_is_repaired, TABLE_ROWS(bounds)) {
    const struct bound *bound = &bounds[_i];
    struct tma_tensor_map map = map_of(bound, bound->broken);
    ck_assert_int_ge(tma_tensor_map_repair(&map, bound->architecture), 1);
    ck_assert_uint_eq(tma_tensor_map_check(&map, bound->architecture, NULL, 0), 0);
}

TEST(other_names_are_no_rules) {
    ck_assert_ptr_null(tma_rule_by_id("no_such_rule"));
    ck_assert_ptr_null(tma_rule_by_id(""));
}

TEST_ROWS(rule_is_tested_and_documented, (int)tma_rule_count) {
    const struct tma_rule *rule = &tma_rules[_i];
    bool found = false;
    for (int i = 0; i < TABLE_ROWS(bounds); i++)
        found |= strcmp(bounds[i].rule, rule->id) == 0;
    ck_assert_msg(found, "%s has no row", rule->id);
    ck_assert_ptr_eq(tma_rule_by_id(rule->id), rule);
    ck_assert(rule->condition[0] != '\0' && rule->why[0] != '\0' && rule->source[0] != '\0' &&
              rule->fix[0] != '\0');
}

TEST_SUITE("rules");
