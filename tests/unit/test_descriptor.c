/* The 128 bytes: what decoding finds odd, what cannot be verified, and replacing fields. (That the
 * bytes are a driver's is for tests/hardware/test_encode.c.) */
#include <stdio.h>
#include <string.h>

#include "suite.h"
#include "tensormap/descriptor.h"
#include "tensormap/map_difference.h"
#include "tensormap/rules.h"

static const struct tma_tensor_map tiled = {.kind = TMA_MAP_TILED,
                                            .data_type = TMA_FLOAT16,
                                            .rank = 3,
                                            .global_address = 0x7f0000100000,
                                            .global_dim = {256, 64, 8},
                                            .global_strides = {512, INT64_C(0xabcdef0120)},
                                            .box_dim = {64, 8, 2},
                                            .element_strides = {1, 2, 3},
                                            .swizzle = TMA_SWIZZLE_128B,
                                            .l2_promotion = TMA_L2_128B};

static const struct tma_tensor_map im2col = {.kind = TMA_MAP_IM2COL,
                                             .data_type = TMA_TFLOAT32,
                                             .rank = 5,
                                             .global_address = 4096,
                                             .global_dim = {32, 9, 8, 7, 6},
                                             .global_strides = {128, 2048, 32768, 524288},
                                             .element_strides = {1, 1, 2, 3, 1},
                                             .lower_corner = {-16, 3, -1},
                                             .upper_corner = {15, -2, 1},
                                             .channels_per_pixel = 32,
                                             .pixels_per_column = 100,
                                             .oob_fill = TMA_OOB_NAN};

static struct tma_descriptor encoded(const struct tma_tensor_map *map) {
    struct tma_descriptor descriptor;
    tma_descriptor_encode(map, &descriptor);
    return descriptor;
}

/* Words changed by hand, and the one finding that this makes. */
static const struct odd {
    const struct tma_tensor_map *map;
    unsigned word;
    uint32_t mask, bits; /* replaced under the mask */
    enum tma_finding_kind kind;
    const char *text;
} odds[] = {
    {&tiled, 2, 0x2, 0x2, TMA_UNKNOWN_BITS, "word 2 has 0x00000002 in bits that no known map sets"},
    {&tiled, 31, 0x80, 0x80, TMA_UNKNOWN_BITS,
     "word 31 has 0x00000080 in bits that no known map sets"},
    {&tiled, 15, 0x3, 0x3, TMA_UNKNOWN_BITS,
     "word 15 has 0x00000003 in bits that no known map sets"},
    {&im2col, 14, 0x8000, 0x8000, TMA_UNKNOWN_BITS,
     "word 14 has 0x00008000 in bits that no known map sets"},
    {&tiled, 2, 0x780, 11 << 7, TMA_UNKNOWN_CODE,
     "word 2 has 0x00000580 under mask 0x00000780: a code that means nothing known"},
    {&tiled, 2, 0x1800, 0x1800, TMA_UNKNOWN_CODE,
     "word 2 has 0x00001800 under mask 0x00001800: a code that means nothing known"},
    {&tiled, 2, 0x780, 13 << 7, TMA_UNVERIFIED,
     "word 2 has 0x00000680 under mask 0x00000780: layout of these bits: unverified"},
    {&tiled, 5, 0xffff, 0x10, TMA_PAST_RANK,
     "word 5 has 0x00000010 under mask 0xffffffff: a value of a dimension past the rank"},
    {&tiled, 11, 0xffff, 0x7, TMA_PAST_RANK,
     "word 11 has 0x00000007 under mask 0xffffffff: a value of a dimension past the rank"},
    {&tiled, 13, 7 << 9, 1 << 9, TMA_PAST_RANK,
     "word 13 has 0x00000200 under mask 0x00000e00: a value of a dimension past the rank"},
    {&tiled, 14, 0xff0000, 0x10000, TMA_PAST_RANK,
     "word 14 has 0x00010000 under mask 0x00ff0000: a value of a dimension past the rank"},
    {&tiled, 16, UINT32_MAX, 77, TMA_WRONG_DERIVED,
     "word 16 says that the box takes 77 bytes; by the other fields it is 0"},
    {&im2col, 16, UINT32_MAX, 77, TMA_WRONG_DERIVED,
     "word 16 says that the box takes 77 bytes; by the other fields it is 12800"},
    {&tiled, 18, UINT32_MAX, 512, TMA_WRONG_DERIVED,
     "word 18 says that the swizzle's pattern repeats after 512 bytes; by the other fields it is "
     "1024"},
    {&tiled, 18, UINT32_MAX, 0, TMA_ABSENT_DERIVED,
     "words 16 and 18 (derived from the others) are 0: no driver wrote this map, tensormap.replace "
     "may have"},
};

TEST_ROWS(odd_bytes_are_found, TABLE_ROWS(odds)) {
    const struct odd *odd = &odds[_i];
    struct tma_descriptor descriptor = encoded(odd->map);
    uint32_t *word = &descriptor.words[odd->word];
    *word = (*word & ~odd->mask) | odd->bits;
    struct tma_tensor_map map;
    struct tma_finding findings[TMA_MAX_FINDINGS];
    char text[300];
    ck_assert_uint_eq(tma_descriptor_decode(&descriptor, &map, findings, TMA_MAX_FINDINGS), 1);
    ck_assert_int_eq(findings[0].kind, odd->kind);
    tma_finding_text(&findings[0], text, sizeof text);
    ck_assert_str_eq(text, odd->text);
}

TEST_ROWS(unknown_codes_break_rules, 3) {
    static const struct {
        uint32_t mask, bits;
        const char *rule;
    } codes[] = {
        {0x780, 12 << 7, "data_type"}, {0x1800, 0x1800, "interleave"}, {0x70, 6 << 4, "rank"}};
    struct tma_descriptor descriptor = encoded(&tiled);
    struct tma_tensor_map map;
    struct tma_violation violation;
    descriptor.words[2] = (descriptor.words[2] & ~codes[_i].mask) | codes[_i].bits;
    tma_descriptor_decode(&descriptor, &map, NULL, 0);
    ck_assert_uint_ge(tma_tensor_map_check(&map, TMA_SM_100, &violation, 1), 1);
    ck_assert_str_eq(violation.rule->id, codes[_i].rule);
}

TEST_ROWS(both_maps_come_back, 2) {
    const struct tma_tensor_map *maps[] = {&tiled, &im2col};
    struct tma_descriptor descriptor = encoded(maps[_i]);
    struct tma_tensor_map decoded;
    ck_assert_uint_eq(tma_descriptor_decode(&descriptor, &decoded, NULL, 0), 0);
    ck_assert_uint_eq(tma_tensor_map_compare(maps[_i], &decoded, NULL, 0), 0);
}

static struct tma_descriptor random_descriptor(uint32_t *random) {
    struct tma_descriptor descriptor;
    for (size_t i = 0; i < TMA_DESCRIPTOR_WORDS; i++) {
        *random = *random * 1664525 + 1013904223;
        descriptor.words[i] = *random ^ *random >> 15;
    }
    return descriptor;
}

/* Any 128 bytes decode to something, with no more findings than there is room for; made legal, it
 * comes back from its bytes as it was. */
TEST(random_bytes_decode) {
    uint32_t random = 1;
    for (int round = 0; round < 20000; round++) {
        enum tma_architecture architecture = round % 2 == 0 ? TMA_SM_90 : TMA_SM_100;
        struct tma_descriptor descriptor = random_descriptor(&random);
        struct tma_tensor_map map, again;
        struct tma_finding findings[TMA_MAX_FINDINGS];
        size_t count = tma_descriptor_decode(&descriptor, &map, findings, TMA_MAX_FINDINGS);
        ck_assert_uint_gt(count, 0);
        ck_assert_uint_le(count, TMA_MAX_FINDINGS);
        ck_assert_int_ge(tma_tensor_map_repair(&map, architecture), 0);
        unsigned unverified = tma_descriptor_encode(&map, &descriptor);
        count = tma_descriptor_decode(&descriptor, &again, findings, TMA_MAX_FINDINGS);
        ck_assert_uint_eq(count, unverified == 0 ? 0 : 1);
        ck_assert_uint_eq(tma_tensor_map_compare(&map, &again, NULL, 0), 0);
    }
}

/* What an H200's driver never wrote is named, and nothing else is. */
TEST(unverified_fields_are_named) {
    static const struct {
        enum tma_field field;
        int64_t value;
        unsigned unverified;
    } rows[] = {
        {TMA_FIELD_DATA_TYPE, TMA_TFLOAT32_FTZ, 0},
        {TMA_FIELD_DATA_TYPE, TMA_16U4_ALIGN8B, 1u << TMA_FIELD_DATA_TYPE},
        {TMA_FIELD_DATA_TYPE, TMA_16U6_ALIGN16B, 1u << TMA_FIELD_DATA_TYPE},
        {TMA_FIELD_SWIZZLE, TMA_SWIZZLE_64B, 0},
        {TMA_FIELD_SWIZZLE, TMA_SWIZZLE_128B_ATOM_32B, 1u << TMA_FIELD_SWIZZLE},
        {TMA_FIELD_KIND, TMA_MAP_IM2COL, 0},
        {TMA_FIELD_KIND, TMA_MAP_IM2COL_W, 1u << TMA_FIELD_KIND},
        {TMA_FIELD_KIND, TMA_MAP_IM2COL_W128, 1u << TMA_FIELD_KIND},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tma_tensor_map map = im2col;
        struct tma_descriptor descriptor;
        tma_field_set(&map, rows[i].field, 0, rows[i].value);
        ck_assert_uint_eq(tma_descriptor_encode(&map, &descriptor), rows[i].unverified);
    }
}

TEST(address_is_replaced) {
    struct tma_descriptor descriptor = encoded(&tiled);
    struct tma_tensor_map map, expected = tiled;
    struct tma_error error;
    expected.global_address = UINT64_C(0x123456789abcdef0);
    ck_assert_int_eq(tma_descriptor_replace_address(&descriptor, expected.global_address, &error),
                     TMA_OK);
    tma_descriptor_decode(&descriptor, &map, NULL, 0);
    ck_assert_uint_eq(tma_tensor_map_compare(&map, &expected, NULL, 0), 0);
    ck_assert_int_eq(tma_descriptor_replace_address(&descriptor, 4104, &error), TMA_ERROR_ARGUMENT);
    ck_assert_str_eq(error.text, "address 0x1008 is not a multiple of 16 bytes");
}

/* tensormap.replace: the field and value of PTX, and the field of the map that it becomes. */
static const struct replacement {
    enum tma_replace_field replaced;
    unsigned ordinal;
    uint64_t value;
    enum tma_field field;
    size_t index;
    int64_t expected;
} replacements[] = {
    {TMA_REPLACE_GLOBAL_ADDRESS, 0, 4112, TMA_FIELD_GLOBAL_ADDRESS, 0, 4112},
    {TMA_REPLACE_BOX_DIM, 0, 256, TMA_FIELD_BOX_DIM, 0, 256},
    {TMA_REPLACE_BOX_DIM, 2, 7, TMA_FIELD_BOX_DIM, 2, 7},
    {TMA_REPLACE_GLOBAL_DIM, 1, UINT64_C(1) << 32, TMA_FIELD_GLOBAL_DIM, 1, INT64_C(1) << 32},
    {TMA_REPLACE_GLOBAL_STRIDE, 0, (UINT64_C(1) << 40) - 16, TMA_FIELD_GLOBAL_STRIDES, 0,
     (INT64_C(1) << 40) - 16},
    {TMA_REPLACE_ELEMENT_STRIDE, 1, 8, TMA_FIELD_ELEMENT_STRIDES, 1, 8},
    {TMA_REPLACE_ELEMTYPE, 0, 0x8, TMA_FIELD_DATA_TYPE, 0, TMA_FLOAT32_FTZ},
    {TMA_REPLACE_ELEMTYPE, 0, 0x9, TMA_FIELD_DATA_TYPE, 0, TMA_FLOAT64},
    {TMA_REPLACE_ELEMTYPE, 0, 0xa, TMA_FIELD_DATA_TYPE, 0, TMA_BFLOAT16},
    {TMA_REPLACE_ELEMTYPE, 0, 0xb, TMA_FIELD_DATA_TYPE, 0, TMA_TFLOAT32},
    {TMA_REPLACE_ELEMTYPE, 0, 0xc, TMA_FIELD_DATA_TYPE, 0, TMA_TFLOAT32_FTZ},
    {TMA_REPLACE_ELEMTYPE, 0, 0xf, TMA_FIELD_DATA_TYPE, 0, TMA_16U6_ALIGN16B},
    {TMA_REPLACE_INTERLEAVE_LAYOUT, 0, 2, TMA_FIELD_INTERLEAVE, 0, TMA_INTERLEAVE_32B},
    {TMA_REPLACE_SWIZZLE_MODE, 0, 1, TMA_FIELD_SWIZZLE, 0, TMA_SWIZZLE_32B},
    {TMA_REPLACE_SWIZZLE_ATOMICITY, 0, 0, TMA_FIELD_SWIZZLE, 0, TMA_SWIZZLE_128B},
    {TMA_REPLACE_FILL_MODE, 0, 1, TMA_FIELD_OOB_FILL, 0, TMA_OOB_NAN},
};

TEST_ROWS(field_is_replaced_and_no_other, TABLE_ROWS(replacements)) {
    const struct replacement *row = &replacements[_i];
    struct tma_descriptor descriptor = encoded(&tiled);
    struct tma_tensor_map map, expected = tiled;
    ck_assert_int_eq(
        tma_descriptor_replace(&descriptor, row->replaced, row->ordinal, row->value, NULL), TMA_OK);
    tma_field_set(&expected, row->field, row->index, row->expected);
    tma_descriptor_decode(&descriptor, &map, NULL, 0);
    ck_assert_uint_eq(tma_tensor_map_compare(&map, &expected, NULL, 0), 0);
}

TEST(descriptors_are_aligned) {
    struct tma_error error;
    struct tma_descriptor pair[2] = {{{0}}};
    ck_assert_uint_eq(sizeof pair, 2 * TMA_DESCRIPTOR_BYTES);
    ck_assert_uint_eq((uintptr_t)&pair[1] % TMA_DESCRIPTOR_ALIGNMENT_BYTES, 0);
    ck_assert_int_eq(tma_descriptor_check_address(0x7f0000000040, &error), TMA_OK);
    ck_assert_int_eq(tma_descriptor_check_address(0x7f0000000020, &error), TMA_ERROR_ARGUMENT);
    ck_assert_str_eq(error.text, "the tensor map lies at 0x7f0000000020; its address must be a "
                                 "multiple of 64 bytes (CUDA driver API, tensorMap)");
}

/* PTX ISA, tensormap.replace, Target ISA Notes. */
static const struct {
    enum tma_replace_field field;
    uint64_t value;
    unsigned architectures;
} supported[] = {
    {TMA_REPLACE_GLOBAL_ADDRESS, 0, TMA_ALL_ARCHITECTURES},
    {TMA_REPLACE_ELEMTYPE, 12, TMA_ALL_ARCHITECTURES},
    {TMA_REPLACE_ELEMTYPE, 13, TMA_SM_100 | TMA_SM_103 | TMA_SM_120},
    {TMA_REPLACE_SWIZZLE_MODE, 3, TMA_ALL_ARCHITECTURES},
    {TMA_REPLACE_SWIZZLE_MODE, 4, TMA_SM_103},
    {TMA_REPLACE_SWIZZLE_ATOMICITY, 0, TMA_SM_100 | TMA_SM_103 | TMA_SM_120},
};

TEST_ROWS(replacements_of_architectures, TABLE_ROWS(supported)) {
    for (size_t i = 0; i < tma_architecture_names.count; i++) {
        enum tma_architecture architecture =
            (enum tma_architecture)tma_architecture_names.items[i].value;
        enum tma_error_code code = tma_replace_check_architecture(
            supported[_i].field, supported[_i].value, architecture, NULL);
        ck_assert_int_eq(code == TMA_OK,
                         (supported[_i].architectures & (unsigned)architecture) != 0);
    }
}

TEST(im2col_maps_have_no_replacement) {
    struct tma_descriptor descriptor = encoded(&im2col);
    struct tma_error error;
    ck_assert_int_eq(tma_descriptor_replace(&descriptor, TMA_REPLACE_RANK, 0, 3, &error),
                     TMA_ERROR_ARGUMENT);
    ck_assert_str_eq(error.text, "the map is im2col; tensormap.replace has mode .tile only");
    ck_assert_int_eq(tma_descriptor_replace_address(&descriptor, 4096, &error), TMA_OK);
}

/* As on an H200: the bit of the TF32 types stays, and the bit above the swizzle goes. */
TEST(replacement_keeps_and_clears_as_hardware) {
    struct tma_descriptor descriptor = encoded(&tiled);
    uint32_t tf32 = UINT32_C(1) << 16, high = UINT32_C(1) << 22;
    ck_assert_uint_eq(descriptor.words[2] & (tf32 | high), 0);
    tma_descriptor_replace(&descriptor, TMA_REPLACE_ELEMTYPE, 0, 0xb, NULL);
    ck_assert_uint_eq(descriptor.words[2] & tf32, tf32);
    tma_descriptor_replace(&descriptor, TMA_REPLACE_ELEMTYPE, 0, 0x7, NULL);
    ck_assert_uint_eq(descriptor.words[2] & tf32, tf32);
    descriptor.words[2] |= high;
    tma_descriptor_replace(&descriptor, TMA_REPLACE_FILL_MODE, 0, 0, NULL);
    ck_assert_uint_eq(descriptor.words[2] & high, high);
    tma_descriptor_replace(&descriptor, TMA_REPLACE_SWIZZLE_MODE, 0, 1, NULL);
    ck_assert_uint_eq(descriptor.words[2] & high, 0);
}

TEST(rank_is_replaced) {
    struct tma_descriptor descriptor = encoded(&tiled);
    struct tma_tensor_map map;
    ck_assert_int_eq(tma_descriptor_replace(&descriptor, TMA_REPLACE_RANK, 0, 3, NULL), TMA_OK);
    tma_descriptor_decode(&descriptor, &map, NULL, 0);
    ck_assert_uint_eq(map.rank, 4);
}

static const struct refusal {
    enum tma_replace_field field;
    unsigned ordinal;
    uint64_t value;
    enum tma_error_code code;
    const char *text;
} refusals[] = {
    {TMA_REPLACE_RANK, 1, 3, TMA_ERROR_ARGUMENT, "rank is a single value: it has no ordinal"},
    {TMA_REPLACE_RANK, 0, 5, TMA_ERROR_ARGUMENT, "rank takes 0 to 4, not 5"},
    {TMA_REPLACE_BOX_DIM, 5, 1, TMA_ERROR_ARGUMENT, "box_dim has ordinals 0 to 4, not 5"},
    {TMA_REPLACE_BOX_DIM, 0, 257, TMA_ERROR_ARGUMENT, "box_dim takes 1 to 256, not 257"},
    {TMA_REPLACE_GLOBAL_STRIDE, 4, 16, TMA_ERROR_ARGUMENT,
     "global_stride has ordinals 0 to 3, not 4"},
    {TMA_REPLACE_GLOBAL_STRIDE, 0, 24, TMA_ERROR_ARGUMENT,
     "global_stride takes multiples of 16, not 24"},
    {TMA_REPLACE_ELEMENT_STRIDE, 0, 9, TMA_ERROR_ARGUMENT, "element_stride takes 1 to 8, not 9"},
    {TMA_REPLACE_SWIZZLE_MODE, 0, 4, TMA_ERROR_UNSUPPORTED,
     "swizzle_mode 4 (96b): layout of these bits: unverified"},
    {TMA_REPLACE_SWIZZLE_ATOMICITY, 0, 1, TMA_ERROR_UNSUPPORTED,
     "swizzle_atomicity 1: layout of these bits: unverified"},
};

TEST_ROWS(bad_replacements_change_nothing, TABLE_ROWS(refusals)) {
    const struct refusal *row = &refusals[_i];
    struct tma_descriptor before = encoded(&tiled), descriptor = before;
    struct tma_error error;
    ck_assert_int_eq(
        tma_descriptor_replace(&descriptor, row->field, row->ordinal, row->value, &error),
        row->code);
    ck_assert_str_eq(error.text, row->text);
    ck_assert_mem_eq(&descriptor, &before, sizeof before);
}

/* What tma_replace_limits and tma_replace_value_names say of a field is what a replacement takes.
 */
TEST_ROWS(limits_are_those_of_replacements, (int)tma_replace_field_names.count) {
    enum tma_replace_field field = (enum tma_replace_field)_i;
    const struct tma_replace_limits *limits = tma_replace_limits(field);
    const struct tma_names *names = tma_replace_value_names(field);
    struct tma_descriptor descriptor = encoded(&tiled);
    unsigned last = limits->ordinals - 1;
    ck_assert_int_eq(tma_descriptor_replace(&descriptor, field, last, limits->least, NULL), TMA_OK);
    ck_assert_int_eq(tma_descriptor_replace(&descriptor, field, last + 1, limits->least, NULL),
                     TMA_ERROR_ARGUMENT);
    if (limits->most < UINT64_MAX)
        ck_assert_int_eq(
            tma_descriptor_replace(&descriptor, field, 0, limits->most + limits->multiple, NULL),
            TMA_ERROR_ARGUMENT);
    for (size_t i = 0; names != NULL && i < names->count; i++)
        ck_assert(names->items[i].value >= (int)limits->least &&
                  names->items[i].value <= (int)limits->most);
}

TEST_ROWS(fields_have_names_of_values, (int)tma_replace_field_names.count) {
    bool named = _i == TMA_REPLACE_ELEMTYPE || _i == TMA_REPLACE_INTERLEAVE_LAYOUT ||
                 _i == TMA_REPLACE_SWIZZLE_MODE || _i == TMA_REPLACE_SWIZZLE_ATOMICITY ||
                 _i == TMA_REPLACE_FILL_MODE;
    ck_assert_int_eq(tma_replace_value_names((enum tma_replace_field)_i) != NULL, named);
}

TEST(values_have_texts) {
    static const struct {
        enum tma_field field;
        int64_t value;
        const char *text;
    } rows[] = {
        {TMA_FIELD_SWIZZLE, TMA_SWIZZLE_128B_ATOM_32B, "128b_atom_32b"},
        {TMA_FIELD_GLOBAL_ADDRESS, 4096, "0x1000"},
        {TMA_FIELD_BOX_DIM, 64, "64"},
        {TMA_FIELD_LOWER_CORNER, -3, "-3"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[32];
        tma_field_text(rows[i].field, rows[i].value, text, sizeof text);
        ck_assert_str_eq(text, rows[i].text);
    }
}

TEST_SUITE("descriptor");
