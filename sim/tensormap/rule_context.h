/* The state that the rules' functions share while they check one map. Internal to this folder. */
#pragma once

#include "tensormap/rules.h"

enum {
    TMA_MAX_BOX_DIM = 256,
    TMA_MAX_CHANNELS = 256,
    TMA_MAX_PIXELS = 1024,
    TMA_MAX_ELEMENT_STRIDE = 8,
    TMA_INNER_BYTES = 16,           /* the inner box is a multiple of this */
    TMA_PADDED_ELEMENTS = 128,      /* the inner box of padded types */
    TMA_HALF_ROW_ELEMENTS = 64,     /* see tma_has_half_rows */
    TMA_W128_PIXELS = 128,          /* the column of im2col_w128 maps */
    TMA_MAX_BOX_BYTES = 227 * 1024, /* the shared memory of one CTA */
};

#define TMA_MAX_GLOBAL_DIM    (INT64_C(1) << 32)
#define TMA_GLOBAL_STRIDE_END (INT64_C(1) << 40) /* the first stride that is too large */

struct tma_rule_context {
    const struct tma_tensor_map *map;
    enum tma_architecture architecture;
    const struct tma_type_info *type; /* NULL: the data type is unknown */
    const struct tma_rule *rule;      /* the rule that is being checked */
    struct tma_violation *violations;
    size_t capacity;
    size_t count;
};

static inline bool tma_is_member(int64_t set, int64_t value) {
    return value >= 0 && value < 63 && (set >> value & 1) != 0;
}

/* Is this a type of which 16 elements take 16 bytes of shared memory, and fewer of global memory?
 */
static inline bool tma_is_padded_type(enum tma_data_type type) {
    return type == TMA_16U4_ALIGN16B || type == TMA_16U6_ALIGN16B;
}

static inline bool tma_is_wide(enum tma_map_kind kind) {
    return kind == TMA_MAP_IM2COL_W || kind == TMA_MAP_IM2COL_W128;
}

/* The alignment of addresses and strides in bytes. */
int64_t tma_alignment_bytes(const struct tma_tensor_map *map, enum tma_architecture architecture);

/* sm_103 stores 6-bit types in half rows too: of 64 elements, which are 48 packed bytes. Then sizes
 * are multiples of 64 elements, and addresses and strides of 16 bytes. */
static inline bool tma_has_half_rows(enum tma_data_type type, enum tma_architecture architecture) {
    return type == TMA_16U6_ALIGN16B &&
           tma_has_feature(architecture, TMA_FEATURE_SIX_BIT_HALF_ROWS);
}

/* The field that holds the size of the inner box, in elements. */
static inline enum tma_field tma_inner_field(const struct tma_tensor_map *map) {
    return map->kind == TMA_MAP_TILED ? TMA_FIELD_BOX_DIM : TMA_FIELD_CHANNELS_PER_PIXEL;
}

static inline int64_t tma_inner_size(const struct tma_tensor_map *map) {
    return tma_field_value(map, tma_inner_field(map), 0);
}
