/* The worked examples of PTX ISA 5.5 with numbers, row by row or byte by byte; each names its
 * figure:
 *
 *   figures 5 to 7  sub-byte types
 *   figures 8, 9    tiled mode: traversal stride, out-of-boundary access
 *   figure 10       tile::gather4 and tile::scatter4
 *
 * Other tests have figures 13 to 24 (im2col, im2col::w, im2col::w::128), and the tables and figures
 * of 5.5.7 (swizzling modes). */
#include <string.h>

#include "placement/execute.h"
#include "suite.h"
#include "tensormap/types.h"

/* Rows of a tiled operation: coordinates of the first element, and how many elements are data. */
struct tiled_row {
    int64_t coordinates[2];
    uint32_t data;
};

/* clang-format off */
static const struct tiled_example {
    const char *name;
    enum tma_access_mode access;
    enum tma_direction direction;
    uint64_t sizes[2];
    uint32_t box[2], strides[2];
    int32_t coordinates[TMA_MAX_RANK];
    uint32_t rows;
    struct tiled_row expected[6];
} tiled_examples[] = {
    /* "The traversal stride specifies the exact number of elements to be skipped", and the driver's
     * page: ceil(boxDim / elementStride) elements. A box of 8 x 5 with stride 2: rows 1, 3 and 5. */
    {"figure 8", TMA_ACCESS_TILE, TMA_LOAD, {16, 12}, {8, 5}, {1, 2}, {8, 1}, 3,
     {{{8, 1}, 8}, {{8, 3}, 8}, {{8, 5}, 8}}},

    /* "Elements in the Bounding Box which fall outside of the tensor boundary are set to 0": past the
     * end of dimension 0, before the beginning and past the end of dimension 1. */
    {"figure 9, right", TMA_ACCESS_TILE, TMA_LOAD, {20, 12}, {8, 2}, {1, 1}, {16, 0}, 2,
     {{{16, 0}, 4}, {{16, 1}, 4}}},
    {"figure 9, top", TMA_ACCESS_TILE, TMA_LOAD, {16, 12}, {8, 3}, {1, 1}, {0, -2}, 3,
     {{{0, -2}, 0}, {{0, -1}, 0}, {{0, 0}, 8}}},
    {"figure 9, bottom", TMA_ACCESS_TILE, TMA_LOAD, {16, 12}, {8, 3}, {1, 1}, {8, 11}, 3,
     {{{8, 11}, 8}, {{8, 12}, 0}, {{8, 13}, 0}}},

    /* "An example with start coordinates (1, 2), (1, 5), (1, 0) and (1, 9)": one column and four
     * rows. The column is 8 here, because rows start at multiples of 16 bytes. */
    {"figure 10, gather4", TMA_ACCESS_GATHER4, TMA_LOAD, {16, 12}, {8, 1}, {1, 1}, {8, 2, 5, 0, 9}, 4,
     {{{8, 2}, 8}, {{8, 5}, 8}, {{8, 0}, 8}, {{8, 9}, 8}}},
    {"figure 10, scatter4", TMA_ACCESS_GATHER4, TMA_STORE, {16, 12}, {8, 1}, {1, 1}, {8, 2, 5, 0, 9},
     4, {{{8, 2}, 8}, {{8, 5}, 8}, {{8, 0}, 8}, {{8, 9}, 8}}},
};
/* clang-format on */

TEST_ROWS(rows_are_those_of_the_document, TABLE_ROWS(tiled_examples)) {
    const struct tiled_example *example = &tiled_examples[_i];
    struct tma_tensor_map map = {.data_type = TMA_FLOAT16,
                                 .rank = 2,
                                 .global_dim = {example->sizes[0], example->sizes[1]},
                                 .global_strides = {64},
                                 .box_dim = {example->box[0], example->box[1]},
                                 .element_strides = {example->strides[0], example->strides[1]}};
    struct tma_operation operation = {.access = example->access, .direction = example->direction};
    struct tma_row_stream rows;
    struct tma_row row;
    memcpy(operation.coordinates, example->coordinates, sizeof operation.coordinates);
    ck_assert(tma_rows_begin(&rows, &map, &operation, NULL, NULL) == TMA_OK);
    for (uint32_t i = 0; i < example->rows; i++) {
        ck_assert_msg(tma_rows_next(&rows, &row), "%s: ends at row %u", example->name, i);
        const struct tiled_row *expected = &example->expected[i];
        ck_assert_int_eq(row.coordinates[0], expected->coordinates[0]);
        ck_assert_int_eq(row.coordinates[1], expected->coordinates[1]);
        ck_assert_uint_eq(row.data_bytes, 2 * expected->data);
        ck_assert_uint_eq(row.shared_address, 2 * example->box[0] * i);
    }
    ck_assert(!tma_rows_next(&rows, &row));
}

/* 16 elements in global memory and in shared memory; 0xee marks bytes that nothing writes. */
static const struct packed_example {
    const char *name;
    enum tma_data_type type;
    enum tma_direction direction;
    uint8_t global[16], shared[16];
} packed_examples[] = {
    {"5.5.1.1.1, .b4x16: no padding",
     TMA_16U4_ALIGN8B,
     TMA_LOAD,
     {0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe},
     {0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe}},
    {"figure 5, .b4x16_p64: 64 bits of padding",
     TMA_16U4_ALIGN16B,
     TMA_LOAD,
     {0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe},
     {0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee,
      0xee}},
    {"figure 6, .b6x16_p32: 32 bits of padding",
     TMA_16U6_ALIGN16B,
     TMA_LOAD,
     {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
     {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0xee, 0xee, 0xee, 0xee}},
    /* Elements 0 to 15 in the low bits of bytes whose high bits are set: 6 bits each, end to end.
     */
    {"figure 7, .b6p2x16: 2 bits of padding",
     TMA_16U6_ALIGN16B,
     TMA_STORE,
     {0x40, 0x20, 0x0c, 0x44, 0x61, 0x1c, 0x48, 0xa2, 0x2c, 0x4c, 0xe3, 0x3c},
     {0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0xce,
      0xcf}},
};

TEST_ROWS(bytes_are_those_of_the_document, TABLE_ROWS(packed_examples)) {
    const struct packed_example *example = &packed_examples[_i];
    const struct tma_type_info *type = tma_type_info(example->type);
    bool padded = type->shared_bits != type->global_bits;
    uint32_t global_bytes = 16 * type->global_bits / 8, shared_bytes = padded ? 16 : 8;
    struct tma_tensor_map map = {.data_type = example->type,
                                 .rank = 1,
                                 .global_dim = {128},
                                 .box_dim = {128},
                                 .element_strides = {1}};
    struct tma_operation operation = {.direction = example->direction};
    uint8_t global[128], shared[128], expected[128];
    bool load = example->direction == TMA_LOAD;
    memset(global, 0xee, sizeof global);
    memset(shared, 0xee, sizeof shared);
    memset(expected, 0xee, sizeof expected);
    for (uint32_t group = 0; group < 8; group++) {
        memcpy((load ? global : expected) + group * global_bytes, example->global, global_bytes);
        memcpy((load ? expected : shared) + group * shared_bytes, example->shared, shared_bytes);
    }
    const struct tma_global_memory tensor = {.bytes = global, .size = sizeof global};
    const struct tma_shared_memory window = {.bytes = shared, .size = sizeof shared};
    struct tma_error error = {0};
    ck_assert_msg(tma_execute(&map, &operation, &tensor, &window, 1, NULL, &error) == TMA_OK,
                  "%s: %s", example->name, error.text);
    ck_assert_mem_eq(load ? shared : global, expected, sizeof expected);
}

TEST_SUITE("examples of PTX ISA 5.5");
