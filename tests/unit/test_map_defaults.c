/* Values of a tensor map that follow from others. */
#include "suite.h"
#include "tensormap/defaults.h"

static const struct {
    enum tma_data_type data_type;
    enum tma_interleave interleave;
    uint32_t rank;
    uint64_t global_dim[TMA_MAX_RANK];
    uint64_t row_bytes;
    uint64_t strides[TMA_MAX_RANK - 1];
} tensors[] = {
    {TMA_FLOAT32, TMA_INTERLEAVE_NONE, 1, {100}, 400, {0}},
    {TMA_FLOAT16, TMA_INTERLEAVE_NONE, 3, {64, 32, 8}, 128, {128, 4096}},
    {TMA_16U4_ALIGN8B, TMA_INTERLEAVE_NONE, 2, {256, 4}, 128, {128}},
    /* Dimension 0 counts slices of 16 or 32 bytes, whatever the type. */
    {TMA_UINT8, TMA_INTERLEAVE_16B, 3, {10, 7, 3}, 160, {160, 1120}},
    {TMA_FLOAT16, TMA_INTERLEAVE_32B, 3, {10, 7, 3}, 320, {320, 2240}},
    /* Products that do not fit are the largest value, which the rules reject. */
    {TMA_UINT8,
     TMA_INTERLEAVE_NONE,
     4,
     {UINT64_C(1) << 32, UINT64_C(1) << 31, 4, 2},
     UINT64_C(1) << 32,
     {UINT64_C(1) << 32, UINT64_C(1) << 63, UINT64_MAX}},
};

TEST_ROWS(strides_of_a_dense_tensor, TABLE_ROWS(tensors)) {
    struct tma_tensor_map map = {.data_type = tensors[_i].data_type,
                                 .interleave = tensors[_i].interleave,
                                 .rank = tensors[_i].rank};
    for (int d = 0; d < TMA_MAX_RANK; d++)
        map.global_dim[d] = tensors[_i].global_dim[d];
    tma_tensor_map_set_dense(&map);
    ck_assert_uint_eq(tma_map_row_bytes(&map), tensors[_i].row_bytes);
    for (int d = 0; d < TMA_MAX_RANK - 1; d++)
        ck_assert_uint_eq(map.global_strides[d], tensors[_i].strides[d]);
}

static const struct {
    enum tma_map_kind kind;
    enum tma_data_type data_type;
    uint32_t elements; /* of a row of the box */
    enum tma_swizzle swizzle;
} boxes[] = {
    {TMA_MAP_TILED, TMA_FLOAT16, 128, TMA_SWIZZLE_128B},
    {TMA_MAP_TILED, TMA_FLOAT16, 64, TMA_SWIZZLE_128B},
    {TMA_MAP_TILED, TMA_FLOAT16, 48, TMA_SWIZZLE_128B},
    {TMA_MAP_TILED, TMA_FLOAT16, 32, TMA_SWIZZLE_64B},
    {TMA_MAP_TILED, TMA_FLOAT16, 24, TMA_SWIZZLE_64B},
    {TMA_MAP_TILED, TMA_FLOAT16, 16, TMA_SWIZZLE_32B},
    {TMA_MAP_TILED, TMA_FLOAT16, 8, TMA_SWIZZLE_NONE},
    {TMA_MAP_TILED, TMA_FLOAT32, 32, TMA_SWIZZLE_128B},
    {TMA_MAP_IM2COL, TMA_UINT8, 64, TMA_SWIZZLE_64B},
    {TMA_MAP_IM2COL_W, TMA_UINT8, 32, TMA_SWIZZLE_32B},
};

TEST_ROWS(the_narrowest_swizzle_that_holds_a_row, TABLE_ROWS(boxes)) {
    struct tma_tensor_map map = {.kind = boxes[_i].kind, .data_type = boxes[_i].data_type};
    if (map.kind == TMA_MAP_TILED)
        map.box_dim[0] = boxes[_i].elements;
    else
        map.channels_per_pixel = boxes[_i].elements;
    ck_assert_int_eq(tma_fitting_swizzle(&map), boxes[_i].swizzle);
}

TEST_SUITE("defaults of tensor maps");
