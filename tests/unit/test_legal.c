/* The fast check of legality against the rules, and what refuses illegal maps. */
#include "placement/execute.h"
#include "random_operation.h"
#include "suite.h"
#include "tensormap/legal.h"

static const struct tma_tensor_map tiled = {.data_type = TMA_FLOAT16,
                                            .rank = 3,
                                            .global_address = 4096,
                                            .global_dim = {256, 64, 8},
                                            .global_strides = {512, 32768},
                                            .box_dim = {32, 8, 2},
                                            .element_strides = {1, 1, 1}};

static bool is_legal_everywhere(const struct tma_tensor_map *map) {
    for (size_t i = 0; i < tma_architecture_names.count; i++)
        if (tma_tensor_map_check(map, (enum tma_architecture)tma_architecture_names.items[i].value,
                                 NULL, 0) > 0)
            return false;
    return true;
}

/* Sets a few values of a random map to random or extreme ones. */
static void disturb(uint64_t *state, struct tma_tensor_map *map) {
    static const int64_t values[] = {
        0,    1,  2,   3,   8,    9,  15, 16, 17, 32,  64,    128,   256,       257,      1024,
        1025, -1, -16, -17, -128, 31, 30, 40, 33, 511, 32767, 65536, INT32_MAX, 1LL << 40};
    enum { VALUES = sizeof values / sizeof values[0] };
    for (int64_t i = random_between(state, 0, 2); i > 0; i--) {
        enum tma_field field = (enum tma_field)random_between(state, 0, TMA_FIELD_COUNT - 1);
        size_t index = 0;
        if (tma_field_info(field)->is_list)
            index = (size_t)random_between(state, 0, 2);
        tma_field_set(map, field, index, values[random_between(state, 0, VALUES - 1)]);
    }
}

TEST(plain_maps_are_legal_everywhere) {
    uint64_t state = 24;
    unsigned plain = 0, legal = 0;
    for (int i = 0; i < 40000; i++) {
        struct tma_tensor_map map;
        struct tma_operation operation;
        random_operation(&state, (enum tma_access_mode)(i % 5), TMA_LOAD, &map, &operation);
        disturb(&state, &map);
        bool is_plain = tma_tensor_map_is_plain(&map);
        ck_assert_msg(!is_plain || is_legal_everywhere(&map), "map %d", i);
        plain += is_plain;
        legal += is_legal_everywhere(&map);
    }
    ck_assert_uint_gt(plain, 1000); /* else the test says little */
    ck_assert_uint_gt(legal, plain);
}

/* The nearest legal values of all violations together make a map legal, on every architecture. */
TEST(disturbed_maps_are_repaired) {
    uint64_t state = 42;
    for (int i = 0; i < 40000; i++) {
        struct tma_tensor_map map;
        struct tma_operation operation;
        random_operation(&state, (enum tma_access_mode)(i % 5), TMA_LOAD, &map, &operation);
        disturb(&state, &map);
        enum tma_architecture architecture =
            (enum tma_architecture)tma_architecture_names
                .items[(size_t)random_between(&state, 0, (int64_t)tma_architecture_names.count - 1)]
                .value;
        ck_assert_msg(tma_tensor_map_repair(&map, architecture) >= 0, "map %d", i);
        ck_assert_uint_eq(tma_tensor_map_check(&map, architecture, NULL, 0), 0);
    }
}

/* What the command refuses, tma_execute refuses. */
static const struct illegal {
    const char *name;
    enum tma_field field;
    size_t index;
    int64_t value;
} illegal[] = {
    {"stride", TMA_FIELD_GLOBAL_STRIDES, 0, 520},
    {"address", TMA_FIELD_GLOBAL_ADDRESS, 0, 4104},
    {"inner box", TMA_FIELD_BOX_DIM, 0, 12},
    {"rank", TMA_FIELD_RANK, 0, 6},
    {"swizzle 96b with rows of 128 bytes", TMA_FIELD_SWIZZLE, 0, TMA_SWIZZLE_96B},
    {"kind", TMA_FIELD_KIND, 0, 7},
};

TEST_ROWS(execute_refuses_illegal_maps, TABLE_ROWS(illegal)) {
    static uint8_t bytes[1 << 20], shared_bytes[1 << 16];
    struct tma_tensor_map map = tiled;
    map.box_dim[0] = 64;
    tma_field_set(&map, illegal[_i].field, illegal[_i].index, illegal[_i].value);
    const struct tma_operation load = {.direction = TMA_LOAD};
    const struct tma_global_memory global = {.bytes = bytes, .size = sizeof bytes};
    const struct tma_shared_memory shared = {.bytes = shared_bytes, .size = sizeof shared_bytes};
    struct tma_error error;
    ck_assert_msg(tma_execute(&map, &load, &global, &shared, 1, NULL, &error) ==
                      TMA_ERROR_TENSOR_MAP,
                  "%s", illegal[_i].name);
}

TEST(first_violation_is_the_text) {
    struct tma_tensor_map map = tiled;
    struct tma_error error;
    map.box_dim[0] = 12;
    ck_assert_int_eq(tma_tensor_map_require_legal(&map, &error), TMA_ERROR_TENSOR_MAP);
    ck_assert_str_eq(error.text, "box_dim[0] is 12 elements and must be a multiple of 8 "
                                 "(inner_multiple: the inner box is a multiple of 16 bytes); "
                                 "nearest legal value: 16");
    map.box_dim[0] = 48;
    map.swizzle = TMA_SWIZZLE_96B; /* legal on sm_103 */
    ck_assert_int_eq(tma_tensor_map_require_legal(&map, &error), TMA_OK);
}

TEST_SUITE("legal");
