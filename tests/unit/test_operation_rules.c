/* Each rule of docs/rules.md on operations: an operation that breaks it is refused as the table
 * says, and the same operation without the change is not. */
#include <string.h>

#include "placement/operation_architecture.h"
#include "placement/operation_check.h"
#include "placement/operation_rules.h"
#include "suite.h"

struct scene {
    struct tma_tensor_map map;
    struct tma_operation operation;
    enum tma_architecture architecture;
};

static struct scene scene_of(enum tma_access_mode access, enum tma_direction direction) {
    static const enum tma_map_kind kinds[] = {TMA_MAP_TILED, TMA_MAP_TILED, TMA_MAP_IM2COL,
                                              TMA_MAP_IM2COL_W, TMA_MAP_IM2COL_W128};
    return (struct scene){
        {.kind = kinds[access],
         .data_type = TMA_FLOAT16,
         .rank = access == TMA_ACCESS_GATHER4 ? 2 : 4,
         .global_dim = {256, 9, 14, 4},
         .global_strides = {512, 4608, 64512},
         .box_dim = {64, 1, 1, 1},
         .element_strides = {1, 1, 1, 1},
         .swizzle = TMA_SWIZZLE_128B,
         .channels_per_pixel = 64,
         .pixels_per_column = 32},
        {.access = access, .direction = direction},
        TMA_SM_100,
    };
}

static struct scene padded_scene(enum tma_data_type type, enum tma_direction direction) {
    struct scene scene = scene_of(TMA_ACCESS_TILE, direction);
    scene.map.data_type = type;
    scene.map.box_dim[0] = 128;
    return scene;
}

static enum tma_error_code check(const struct scene *scene) {
    enum tma_error_code code = tma_operation_check(&scene->map, &scene->operation, NULL);
    return code != TMA_OK ? code
                          : tma_operation_architecture_check(&scene->map, &scene->operation,
                                                             scene->architecture, NULL);
}

/* The id, a legal scene and the change that breaks the rule. */
#define RULES(X)                                                                                   \
    X(architecture, scene_of(TMA_ACCESS_GATHER4, TMA_LOAD), scene.architecture = TMA_SM_90)        \
    X(mode_kind, scene_of(TMA_ACCESS_TILE, TMA_LOAD), scene.map.kind = TMA_MAP_IM2COL)             \
    X(gather_rank, scene_of(TMA_ACCESS_GATHER4, TMA_LOAD), scene.map.rank = 3)                     \
    X(gather_box, scene_of(TMA_ACCESS_GATHER4, TMA_LOAD), scene.map.box_dim[1] = 4)                \
    X(gather_interleave, scene_of(TMA_ACCESS_GATHER4, TMA_STORE),                                  \
      scene.map.interleave = TMA_INTERLEAVE_16B)                                                   \
    X(wide_interleave, scene_of(TMA_ACCESS_IM2COL_W, TMA_LOAD),                                    \
      scene.map.interleave = TMA_INTERLEAVE_16B)                                                   \
    X(wide_swizzle, scene_of(TMA_ACCESS_IM2COL_W, TMA_LOAD), scene.map.swizzle = TMA_SWIZZLE_NONE) \
    X(wide_direction, scene_of(TMA_ACCESS_IM2COL_W128, TMA_LOAD),                                  \
      scene.operation.direction = TMA_STORE)                                                       \
    X(reduction_mode, scene_of(TMA_ACCESS_GATHER4, TMA_STORE),                                     \
      scene.operation.direction = TMA_REDUCE)                                                      \
    X(reduction_type, scene_of(TMA_ACCESS_TILE, TMA_REDUCE),                                       \
      (scene.map.data_type = TMA_FLOAT64, scene.map.box_dim[0] = 16))                              \
    X(multicast_direction, scene_of(TMA_ACCESS_TILE, TMA_STORE), scene.operation.cta_mask = 3)     \
    X(flip_direction, scene_of(TMA_ACCESS_TILE, TMA_STORE),                                        \
      scene.map.swizzle = TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B)                                       \
    X(four_bit_direction, padded_scene(TMA_16U4_ALIGN16B, TMA_LOAD),                               \
      scene.operation.direction = TMA_STORE)                                                       \
    X(six_bit_swizzle, padded_scene(TMA_16U6_ALIGN16B, TMA_LOAD),                                  \
      scene.map.swizzle = TMA_SWIZZLE_128B_ATOM_64B)                                               \
    X(six_bit_rows, padded_scene(TMA_16U6_ALIGN16B, TMA_LOAD), scene.map.box_dim[0] = 64)          \
    X(halo_range, scene_of(TMA_ACCESS_IM2COL_W, TMA_LOAD), scene.operation.w_halo = 512)           \
    X(w_offset_range, scene_of(TMA_ACCESS_IM2COL_W128, TMA_LOAD), scene.operation.w_offset = 32)   \
    X(shared_alignment, scene_of(TMA_ACCESS_TILE, TMA_LOAD), scene.operation.shared_address = 64)  \
    X(offset_range, scene_of(TMA_ACCESS_IM2COL, TMA_LOAD),                                         \
      scene.operation.im2col_offsets[1] = 256)                                                     \
    X(padded_column, padded_scene(TMA_16U6_ALIGN16B, TMA_STORE),                                   \
      scene.operation.coordinates[0] = 64)                                                         \
    X(column_alignment, scene_of(TMA_ACCESS_TILE, TMA_LOAD), scene.operation.coordinates[0] = 4)   \
    X(base_in_box, scene_of(TMA_ACCESS_IM2COL, TMA_LOAD), scene.operation.coordinates[1] = -1)     \
    X(store_coordinates, scene_of(TMA_ACCESS_TILE, TMA_STORE),                                     \
      scene.operation.coordinates[1] = -1)                                                         \
    X(store_corners, scene_of(TMA_ACCESS_IM2COL, TMA_STORE), scene.map.lower_corner[0] = -1)

#define BREAK(id, legal, change)                                                                   \
    static enum tma_error_code break_##id(void) {                                                  \
        struct scene scene = legal;                                                                \
        ck_assert_msg(check(&scene) == TMA_OK, #id ": the scene is not legal");                    \
        change;                                                                                    \
        return check(&scene);                                                                      \
    }
RULES(BREAK)

static const struct {
    const char *id;
    enum tma_error_code (*break_rule)(void);
} rows[] = {
#define ROW(id, legal, change) {#id, break_##id},
    RULES(ROW)};

TEST_ROWS(broken_rule_is_refused, (int)tma_operation_rule_count) {
    const struct tma_operation_rule *rule = &tma_operation_rules[_i];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].id, rule->id) == 0) {
            ck_assert_int_eq(rows[i].break_rule(), rule->code);
            return;
        }
    ck_abort_msg("%s has no row", rule->id);
}

TEST_SUITE("operation rules");
