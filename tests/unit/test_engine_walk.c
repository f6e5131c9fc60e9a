/* Which tile each iteration of each CTA touches, and where it lies in shared memory. */
#include <string.h>

#include "engine/workload.h"
#include "kernel.h"
#include "suite.h"

/* Tiles of 4 CTAs that do 8 iterations each. */
static const struct {
    enum tma_walk_order order;
    uint32_t cta, iteration;
    uint32_t tile;
    uint16_t cta_mask; /* multicast, in clusters of 2 */
} tiles[] = {
    {TMA_WALK_GRID_STRIDED, 0, 0, 0, 0},  {TMA_WALK_GRID_STRIDED, 3, 0, 3, 0},
    {TMA_WALK_GRID_STRIDED, 0, 1, 4, 0},  {TMA_WALK_GRID_STRIDED, 3, 7, 31, 0},
    {TMA_WALK_BLOCKED, 0, 0, 0, 0},       {TMA_WALK_BLOCKED, 0, 7, 7, 0},
    {TMA_WALK_BLOCKED, 1, 0, 8, 0},       {TMA_WALK_BLOCKED, 3, 7, 31, 0},
    {TMA_WALK_SAME, 0, 5, 5, 0},          {TMA_WALK_SAME, 3, 5, 5, 0},
    {TMA_WALK_FIXED, 0, 5, 0, 0},         {TMA_WALK_FIXED, 3, 5, 3, 0},
    {TMA_WALK_GRID_STRIDED, 0, 1, 2, 3},  {TMA_WALK_GRID_STRIDED, 1, 1, 2, 3},
    {TMA_WALK_GRID_STRIDED, 2, 7, 15, 3}, {TMA_WALK_BLOCKED, 1, 7, 7, 3},
    {TMA_WALK_BLOCKED, 3, 0, 8, 2},       {TMA_WALK_SAME, 3, 5, 5, 3},
    {TMA_WALK_FIXED, 3, 5, 1, 3},
};

TEST_ROWS(test_order, TABLE_ROWS(tiles)) {
    struct tma_workload workload = {.cta_count = 4, .cluster_ctas = 2, .iterations = 8};
    struct tma_stage_operation stage = {
        .operation = {.cta_mask = tiles[_i].cta_mask},
        .walk = {.order = tiles[_i].order, .tiles = {100, 1, 1, 1, 1}, .step = {1}}};
    int32_t coordinates[TMA_MAX_RANK];
    tma_walk_coordinates(&stage, &workload, tiles[_i].cta, tiles[_i].iteration, coordinates);
    ck_assert_int_eq(coordinates[0], (int32_t)tiles[_i].tile);
    ck_assert_uint_eq(tma_walk_tile(&stage, &workload, tiles[_i].cta, tiles[_i].iteration),
                      tiles[_i].tile);
}

/* The coordinates of tiles. */
static const struct {
    struct tma_walk walk;
    uint32_t tile;
    int32_t coordinates[TMA_MAX_RANK];
} walks[] = {
    {{.tiles = {1, 1, 1, 1, 1}, .step = {9, 9, 9, 9, 9}}, 7, {0, 0, 0, 0, 0}},
    {{.tiles = {4, 2, 1, 1, 1}, .step = {64, 8}}, 3, {192, 0, 0, 0, 0}},
    {{.tiles = {4, 2, 1, 1, 1}, .step = {64, 8}}, 4, {0, 8, 0, 0, 0}},
    {{.tiles = {4, 2, 1, 1, 1}, .step = {64, 8}}, 8, {0, 0, 0, 0, 0}}, /* all tiles: again */
    {{.tiles = {2, 3, 2, 2, 5}, .step = {1, 10, 100, 1000, 10000}}, 119, {1, 20, 100, 1000, 40000}},
    {{.start = {-8, 5}, .tiles = {4, 4, 1, 1, 1}, .step = {8, -2}}, 6, {8, 3, 0, 0, 0}},
    {{.start = {INT32_MAX}, .tiles = {2, 1, 1, 1, 1}, .step = {1}}, 1, {INT32_MIN, 0, 0, 0, 0}},
};

TEST_ROWS(test_coordinates, TABLE_ROWS(walks)) {
    struct tma_workload workload = {.cta_count = 1, .iterations = 1000};
    struct tma_stage_operation stage = {.walk = walks[_i].walk};
    int32_t coordinates[TMA_MAX_RANK];
    tma_walk_coordinates(&stage, &workload, 0, walks[_i].tile, coordinates);
    ck_assert_int_eq(memcmp(coordinates, walks[_i].coordinates, sizeof coordinates), 0);
}

/* The number of tiles of an array of maps, and the map and tile of an iteration. */
static const struct {
    struct tma_walk walk;
    uint32_t maps;
    uint64_t count;
    uint32_t iteration;
    uint64_t tile;
    uint32_t map;
} numbers[] = {
    {{.tiles = {1, 1, 1, 1, 1}}, 0, 1, 7, 0, 0},
    {{.tiles = {4, 2, 1, 1, 1}}, 1, 8, 7, 7, 0},
    {{.tiles = {4, 2, 1, 1, 1}}, 1, 8, 8, 0, 0},
    {{.tiles = {2, 3, 2, 2, 5}}, 1, 120, 250, 10, 0},
    {{.tiles = {1u << 31, 1u << 31, 2, 2, 1}}, 1, UINT64_MAX, 7, 7, 0}, /* 2^64 */
    {{.tiles = {1, 1, 1, 1, 1}}, 3, 3, 7, 1, 1},
    {{.tiles = {4, 2, 1, 1, 1}}, 3, 24, 7, 7, 0},
    {{.tiles = {4, 2, 1, 1, 1}}, 3, 24, 8, 8, 1},
    {{.tiles = {4, 2, 1, 1, 1}}, 3, 24, 23, 23, 2},
    {{.tiles = {4, 2, 1, 1, 1}}, 3, 24, 24, 0, 0},
    {{.tiles = {1u << 31, 1u << 31, 1, 1, 1}}, 8, UINT64_MAX, 7, 7, 0}, /* 2^65 */
};

TEST_ROWS(test_numbers, TABLE_ROWS(numbers)) {
    struct tma_workload workload = {
        .cta_count = 1, .iterations = 1000, .map_count = 2, .map_places = {0, 1}};
    struct tma_stage_operation stage = {.map = 1, .walk = numbers[_i].walk};
    workload.maps[1].global_address = 1000;
    workload.arrays[0].count = 5;
    workload.arrays[1] = (struct tma_map_array){.count = numbers[_i].maps, .pitch_bytes = 10};
    ck_assert_uint_eq(tma_walk_tiles(&stage, &workload), numbers[_i].count);
    ck_assert_uint_eq(tma_walk_tile(&stage, &workload, 0, numbers[_i].iteration), numbers[_i].tile);
    uint32_t index = tma_walk_map_index(&stage, &workload, 0, numbers[_i].iteration);
    ck_assert_uint_eq(index, numbers[_i].map);
    ck_assert_uint_eq(tma_workload_descriptor(&workload, 1, index), 1 + 5 + index);
    ck_assert_uint_eq(tma_walk_map(&stage, &workload, 0, numbers[_i].iteration).global_address,
                      1000 + 10 * index);
}

/* Tensor maps lie below the lowest of two tensors, if there is room for all three. */
static const struct {
    uint64_t tensors[2], maps;
} places[] = {
    {{0x10000, 0x20000}, 0x10000 - 3 * 128},
    {{0x20000, 0x10000}, 0x10000 - 3 * 128},
    {{0x10010, 0x20000}, 0x10000 - 3 * 128},
    {{4 * 128, 0x20000}, 128},
    {{4 * 128 - 16, 0x20000}, (UINT64_C(1) << 52) - (64 + (1 << 20)) * 128},
};

TEST_ROWS(test_descriptor_address, TABLE_ROWS(places)) {
    struct tma_workload workload = {.map_count = 2, .arrays = {{.count = 2}}};
    for (int i = 0; i < 2; i++)
        workload.maps[i].global_address = places[_i].tensors[i];
    ck_assert_uint_eq(tma_descriptor_address(workload.maps, 2, 3), places[_i].maps);
}

TEST(test_tile) {
    struct tma_workload workload = make_workload(&(struct kernel){"", 1, 1, 8, 4, 16, true, 0});
    struct tma_tile tile;
    workload.maps[0].swizzle = TMA_SWIZZLE_128B;
    workload.shared_base_bytes = 0x400;
    workload.operations[0].operation.shared_address = 0x80;
    ck_assert_int_eq(tma_workload_tile(&workload, 3, 0, &tile, NULL), TMA_OK);
    ck_assert_uint_eq(tile.shared_address, 0x400 + 3 * 16 * TMA_LINE_BYTES + 0x80);
    ck_assert_int_eq(tile.swizzle, TMA_SWIZZLE_128B);
    ck_assert_uint_eq(tile.rows, 16);
    ck_assert_uint_eq(tile.row_bytes, TMA_LINE_BYTES);
    ck_assert_uint_eq(tile.pitch_bytes, TMA_LINE_BYTES);
    ck_assert_uint_eq(tile.element_bytes, 2);
}

TEST_SUITE("walks");
