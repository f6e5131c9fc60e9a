/* Which architecture has which operation, type and swizzle: each combination against the documents'
 * lists of targets. */
#include "placement/operation_architecture.h"
#include "placement/operation_check.h"
#include "suite.h"

#define ALL        TMA_ALL_ARCHITECTURES
#define FROM_100   (TMA_SM_100 | TMA_SM_103 | TMA_SM_120)
#define FAMILY_100 (TMA_SM_100 | TMA_SM_103)

static const struct combination {
    enum tma_direction direction;
    enum tma_access_mode access;
    uint16_t cta_mask;
    enum tma_data_type data_type;
    enum tma_swizzle swizzle;
    int32_t column;
    unsigned architectures;
} combinations[] = {
    {TMA_LOAD, TMA_ACCESS_TILE, 0, TMA_FLOAT16, TMA_SWIZZLE_128B, 0, ALL},
    {TMA_LOAD, TMA_ACCESS_TILE, 3, TMA_FLOAT16, TMA_SWIZZLE_128B, 0, ALL},
    {TMA_STORE, TMA_ACCESS_TILE, 0, TMA_FLOAT16, TMA_SWIZZLE_128B, 0, ALL},
    {TMA_REDUCE, TMA_ACCESS_TILE, 0, TMA_FLOAT16, TMA_SWIZZLE_128B, 0, ALL},
    {TMA_PREFETCH, TMA_ACCESS_TILE, 0, TMA_FLOAT16, TMA_SWIZZLE_128B, 0, ALL},
    {TMA_LOAD, TMA_ACCESS_IM2COL, 0, TMA_FLOAT16, TMA_SWIZZLE_128B, 0, ALL},
    {TMA_STORE, TMA_ACCESS_IM2COL, 0, TMA_FLOAT16, TMA_SWIZZLE_128B, 0, ALL},
    {TMA_LOAD, TMA_ACCESS_GATHER4, 0, TMA_FLOAT16, TMA_SWIZZLE_128B, 0, FROM_100},
    {TMA_LOAD, TMA_ACCESS_GATHER4, 3, TMA_FLOAT16, TMA_SWIZZLE_128B, 0, FAMILY_100},
    {TMA_PREFETCH, TMA_ACCESS_GATHER4, 0, TMA_FLOAT16, TMA_SWIZZLE_128B, 0, FAMILY_100},
    {TMA_STORE, TMA_ACCESS_GATHER4, 0, TMA_FLOAT16, TMA_SWIZZLE_128B, 0, FAMILY_100},
    {TMA_LOAD, TMA_ACCESS_IM2COL_W, 0, TMA_FLOAT16, TMA_SWIZZLE_128B, 0, FROM_100},
    {TMA_LOAD, TMA_ACCESS_IM2COL_W, 3, TMA_FLOAT16, TMA_SWIZZLE_128B, 0, FAMILY_100},
    {TMA_PREFETCH, TMA_ACCESS_IM2COL_W, 0, TMA_FLOAT16, TMA_SWIZZLE_128B, 0, FAMILY_100},
    {TMA_LOAD, TMA_ACCESS_IM2COL_W128, 0, TMA_FLOAT16, TMA_SWIZZLE_128B, 0, FAMILY_100},
    {TMA_PREFETCH, TMA_ACCESS_IM2COL_W128, 0, TMA_FLOAT16, TMA_SWIZZLE_128B, 0, FAMILY_100},
    {TMA_LOAD, TMA_ACCESS_TILE, 0, TMA_16U4_ALIGN8B, TMA_SWIZZLE_128B, 0, FROM_100},
    {TMA_LOAD, TMA_ACCESS_TILE, 3, TMA_16U4_ALIGN8B, TMA_SWIZZLE_128B, 0, FAMILY_100},
    {TMA_LOAD, TMA_ACCESS_TILE, 0, TMA_16U6_ALIGN16B, TMA_SWIZZLE_128B, 128, FROM_100},
    {TMA_LOAD, TMA_ACCESS_TILE, 3, TMA_16U6_ALIGN16B, TMA_SWIZZLE_128B, 128, FAMILY_100},
    {TMA_STORE, TMA_ACCESS_TILE, 0, TMA_16U6_ALIGN16B, TMA_SWIZZLE_128B, 128, ALL},
    {TMA_STORE, TMA_ACCESS_TILE, 0, TMA_16U6_ALIGN16B, TMA_SWIZZLE_128B, 64, TMA_SM_103},
    {TMA_LOAD, TMA_ACCESS_TILE, 0, TMA_FLOAT16, TMA_SWIZZLE_128B_ATOM_32B, 0, FROM_100},
    {TMA_LOAD, TMA_ACCESS_TILE, 3, TMA_FLOAT16, TMA_SWIZZLE_128B_ATOM_32B, 0, FAMILY_100},
    {TMA_STORE, TMA_ACCESS_TILE, 0, TMA_FLOAT16, TMA_SWIZZLE_128B_ATOM_32B, 0, ALL},
};

enum { COMBINATIONS = sizeof combinations / sizeof combinations[0] };

TEST_ROWS(operations_of_architectures, COMBINATIONS) {
    static const enum tma_map_kind kinds[] = {TMA_MAP_TILED, TMA_MAP_TILED, TMA_MAP_IM2COL,
                                              TMA_MAP_IM2COL_W, TMA_MAP_IM2COL_W128};
    const struct combination *row = &combinations[_i];
    const struct tma_tensor_map map = {.kind = kinds[row->access],
                                       .data_type = row->data_type,
                                       .rank = row->access == TMA_ACCESS_GATHER4 ? 2 : 3,
                                       .global_dim = {256, 64, 8},
                                       .global_strides = {512, 32768},
                                       .box_dim = {row->column == 0 ? 64 : 128, 1, 1},
                                       .element_strides = {1, 1, 1},
                                       .channels_per_pixel = 64,
                                       .pixels_per_column = 8,
                                       .swizzle = row->swizzle};
    const struct tma_operation operation = {.direction = row->direction,
                                            .access = row->access,
                                            .cta_mask = row->cta_mask,
                                            .coordinates = {row->column}};
    struct tma_error error = {0};
    ck_assert_msg(tma_operation_check(&map, &operation, &error) == TMA_OK, "%s", error.text);
    for (size_t i = 0; i < tma_architecture_names.count; i++) {
        enum tma_architecture architecture =
            (enum tma_architecture)tma_architecture_names.items[i].value;
        bool has = (row->architectures & (unsigned)architecture) != 0;
        enum tma_error_code code =
            tma_operation_architecture_check(&map, &operation, architecture, &error);
        ck_assert_msg((code == TMA_OK) == has, "row %d, %s: %s", _i,
                      tma_architecture_names.items[i].name, error.text);
    }
}

TEST(refusal_has_its_source) {
    struct tma_error error;
    ck_assert_int_eq(tma_require_feature(TMA_SM_90, TMA_FEATURE_SCATTER4_STORE, &error),
                     TMA_ERROR_UNSUPPORTED);
    ck_assert_str_eq(error.text,
                     "sm_90 does not have tile::scatter4 stores; architectures that do: "
                     "sm_100, sm_103 (PTX ISA, cp.async.bulk.tensor, Target ISA Notes)");
}

TEST_ROWS(features_are_complete, TMA_FEATURE_COUNT) {
    const struct tma_feature_info *info = tma_feature_info((enum tma_feature)_i);
    ck_assert_ptr_nonnull(info->name);
    ck_assert_ptr_nonnull(info->source);
    ck_assert_uint_ne(info->architectures, 0);
}

TEST_SUITE("architectures");
