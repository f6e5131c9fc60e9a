/* Queries from bytes to elements and back, with places derived by hand. test_placement_properties.c
 * checks the queries on random operations. */

#include "placement/locate.h"
#include "suite.h"
#include "tensormap/rules.h"

static struct tma_layout begin(const struct tma_tensor_map *map,
                               const struct tma_operation *operation) {
    struct tma_layout layout;
    struct tma_error error;
    ck_assert_msg(tma_layout_begin(&layout, map, operation, &error) == TMA_OK, "%s", error.text);
    return layout;
}

/* 2^32 x 2^32 bytes with rows 2^39 bytes apart: legal, and never accessed by queries. */
static const struct tma_tensor_map huge = {
    .kind = TMA_MAP_TILED,
    .data_type = TMA_UINT8,
    .rank = 2,
    .global_address = 4096,
    .global_dim = {UINT64_C(1) << 32, UINT64_C(1) << 32},
    .global_strides = {UINT64_C(1) << 39},
    .box_dim = {128, 256},
    .element_strides = {1, 1},
    .swizzle = TMA_SWIZZLE_128B,
};

/* Row 3 begins at 384, in line 3 of the pattern. Its byte 20 is in chunk 1, which lies at 1 XOR 3 =
 * 2: at 384 + 32 + 4 = 420. Its global address is 4096 + 2000020 + (5000000 + 3) * 2^39. */
TEST(huge_tensor_is_located) {
    struct tma_violation violation;
    ck_assert_uint_eq(tma_tensor_map_check(&huge, TMA_SM_90, &violation, 1), 0);
    struct tma_operation load = {.coordinates = {2000000, 5000000}};
    struct tma_layout layout = begin(&huge, &load);
    struct tma_byte_place place = tma_layout_byte(&layout, 420);
    ck_assert_int_eq(place.kind, TMA_BYTE_ELEMENT);
    ck_assert_int_eq(place.coordinates[0], 2000020);
    ck_assert_int_eq(place.coordinates[1], 5000003);
    ck_assert_uint_eq(place.global_address,
                      4096 + 2000020 + UINT64_C(5000003) * (UINT64_C(1) << 39));
    struct tma_element_place places[TMA_MAX_PLACES];
    ck_assert_uint_eq(tma_layout_element(&layout, place.coordinates, places), 1);
    ck_assert_uint_eq(places[0].shared_address, 420);
    ck_assert_uint_eq(places[0].row, 3);
}

/* float32, 8 x 8 x 8, boxes of 4 x 5 x 4 with element strides 1, 2 and 3: ceil(5 / 2) = 3 rows of
 * 16 bytes, ceil(4 / 3) = 2 times. */
static const struct tma_tensor_map strided = {
    .kind = TMA_MAP_TILED,
    .data_type = TMA_FLOAT32,
    .rank = 3,
    .global_dim = {8, 8, 8},
    .global_strides = {32, 256},
    .box_dim = {4, 5, 4},
    .element_strides = {1, 2, 3},
};

static const struct {
    int64_t element[3];
    unsigned places;
    uint32_t address, row;
} elements[] = {
    {{0, 1, 2}, 1, 128, 0},       {{3, 1, 2}, 1, 140, 0},       {{0, 3, 2}, 1, 144, 1},
    {{2, 5, 2}, 1, 168, 2},       {{0, 1, 5}, 1, 176, 3},       {{1, 5, 5}, 1, 212, 5},
    {{0, 2, 2}, 0, 0, 0},                               /* skipped by the stride */
    {{0, 1, 3}, 0, 0, 0},         {{4, 1, 2}, 0, 0, 0}, /* past the box */
    {{0, 7, 2}, 0, 0, 0},         {{0, 1, 8}, 0, 0, 0},         {{0, -1, 2}, 0, 0, 0},
    {{0, INT64_MAX, 2}, 0, 0, 0}, {{INT64_MIN, 1, 2}, 0, 0, 0},
};

TEST_ROWS(element_strides_skip_elements, TABLE_ROWS(elements)) {
    struct tma_operation load = {.coordinates = {0, 1, 2}, .shared_address = 128};
    struct tma_layout layout = begin(&strided, &load);
    struct tma_element_place places[TMA_MAX_PLACES];
    int64_t coordinates[TMA_MAX_RANK] = {elements[_i].element[0], elements[_i].element[1],
                                         elements[_i].element[2]};
    ck_assert_uint_eq(tma_layout_element(&layout, coordinates, places), elements[_i].places);
    if (elements[_i].places == 0)
        return;
    ck_assert_uint_eq(places[0].shared_address, elements[_i].address);
    ck_assert_uint_eq(places[0].row, elements[_i].row);
    struct tma_byte_place place = tma_layout_byte(&layout, elements[_i].address);
    ck_assert_mem_eq(place.coordinates, coordinates, sizeof coordinates);
}

/* Bytes next to the box on both sides, and far away from it. */
TEST(bytes_beside_the_box_are_outside) {
    struct tma_operation load = {.coordinates = {0, 1, 2}, .shared_address = 128};
    struct tma_layout layout = begin(&strided, &load);
    ck_assert_int_eq(tma_layout_byte(&layout, 128 + 6 * 16 - 1).kind, TMA_BYTE_ELEMENT);
    ck_assert_int_eq(tma_layout_byte(&layout, 128 + 6 * 16).kind, TMA_BYTE_OUTSIDE);
    ck_assert_int_eq(tma_layout_byte(&layout, 127).kind, TMA_BYTE_OUTSIDE);
    ck_assert_int_eq(tma_layout_byte(&layout, 0).kind, TMA_BYTE_OUTSIDE);
    ck_assert_int_eq(tma_layout_byte(&layout, UINT32_MAX).kind, TMA_BYTE_OUTSIDE);
}

/* If gather4 lists a row three times, its elements have three places. */
TEST(repeated_gather_row_has_several_places) {
    struct tma_tensor_map map = strided;
    map.rank = 2;
    map.box_dim[1] = 1;
    struct tma_operation load = {.access = TMA_ACCESS_GATHER4, .coordinates = {4, 3, 6, 3, 3}};
    struct tma_layout layout = begin(&map, &load);
    struct tma_element_place places[TMA_MAX_PLACES];
    int64_t element[TMA_MAX_RANK] = {5, 3};
    ck_assert_uint_eq(tma_layout_element(&layout, element, places), 3);
    ck_assert_uint_eq(places[0].shared_address, 4);
    ck_assert_uint_eq(places[1].shared_address, 2 * 16 + 4);
    ck_assert_uint_eq(places[2].shared_address, 3 * 16 + 4);
}

/* Figure 19: pixel W = 8 of image 10 is the first halo pixel after 32 others, and the first of the
 * next 32: rows 32 and 34. W = 9 is only in a halo: row 33. */
TEST(halo_pixel_has_two_places) {
    struct tma_tensor_map map = {.kind = TMA_MAP_IM2COL_W128,
                                 .data_type = TMA_FLOAT16,
                                 .rank = 4,
                                 .global_dim = {128, 9, 7, 64},
                                 .global_strides = {256, 2304, 16128},
                                 .element_strides = {1, 1, 1, 1},
                                 .channels_per_pixel = 64,
                                 .pixels_per_column = 128,
                                 .swizzle = TMA_SWIZZLE_128B};
    struct tma_operation load = {
        .access = TMA_ACCESS_IM2COL_W128, .coordinates = {0, 3, 2, 7}, .w_halo = 2};
    struct tma_layout layout = begin(&map, &load);
    struct tma_element_place places[TMA_MAX_PLACES];
    int64_t element[TMA_MAX_RANK] = {0, 8, 2, 10};
    ck_assert_uint_eq(tma_layout_element(&layout, element, places), 2);
    ck_assert_uint_eq(places[0].row, 32);
    ck_assert_uint_eq(places[1].row, 34);
    element[1] = 9;
    ck_assert_uint_eq(tma_layout_element(&layout, element, places), 1);
    ck_assert_uint_eq(places[0].row, 33);
    element[2] = 3; /* another row of the image */
    ck_assert_uint_eq(tma_layout_element(&layout, element, places), 0);
}

TEST_SUITE("locate");
