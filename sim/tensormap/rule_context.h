/* The state that the rules' functions share while they check one map. Internal to this folder. */
#ifndef TMA_TENSORMAP_RULE_CONTEXT_H
#define TMA_TENSORMAP_RULE_CONTEXT_H

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

/* Adds a violation of the rule that is being checked. */
void tma_report(struct tma_rule_context *context, enum tma_field field, size_t index,
                enum tma_relation relation, int64_t bound, int64_t nearest);

/* Reports each value of the field that is outside [least, most]. Only for fields without other
 * rules: the nearest legal value is the bound. */
void tma_report_range(struct tma_rule_context *context, enum tma_field field, int64_t least,
                      int64_t most);

/* Rounds `value` up to a multiple, and clamps it to the bounds, which are multiples. Rounding up
 * costs padding; rounding down would cut or overlap data. */
int64_t tma_nearest_multiple(int64_t value, int64_t multiple, int64_t least, int64_t most);

/* The member of a bit set that is nearest to `value`; the smaller one of two. The set must not be
 * empty. */
int64_t tma_nearest_member(int64_t set, int64_t value);

/* The number of elements in `bytes` bytes of shared memory. */
int64_t tma_elements_in(const struct tma_type_info *type, int64_t bytes);

/* Whether the map's rank is legal for an im2col map, so that its corners can be checked. */
bool tma_has_corners(const struct tma_tensor_map *map);

/* The corners of a map lie in [-half, half - 1]: this half, and the nearest legal corner. */
int64_t tma_corner_half(const struct tma_tensor_map *map);
int64_t tma_clamp_corner(int64_t value, int64_t half);

/* The size of dimension d must be a multiple of this many elements. */
int64_t tma_dim_multiple(const struct tma_rule_context *context, size_t d);

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

/* Do all rules on the map's swizzle accept it? */
bool tma_swizzle_is_legal(const struct tma_rule_context *context);

/* The field that holds the size of the inner box, in elements. */
static inline enum tma_field tma_inner_field(const struct tma_tensor_map *map) {
    return map->kind == TMA_MAP_TILED ? TMA_FIELD_BOX_DIM : TMA_FIELD_CHANNELS_PER_PIXEL;
}

static inline int64_t tma_inner_size(const struct tma_tensor_map *map) {
    return tma_field_value(map, tma_inner_field(map), 0);
}

/* The number of elements in a swizzle's span. TMA_MAX_BOX_DIM if no span limits the inner box: no
 * swizzle, an unknown swizzle or type, or an interleaved layout. */
int64_t tma_span_elements(const struct tma_rule_context *context, enum tma_swizzle swizzle);

/* The largest legal size of dimension d; corners reduce it in spatial dimensions. */
int64_t tma_most_global_dim(const struct tma_tensor_map *map, size_t d);

/* The legal size of dimension d that is nearest to `value`. */
int64_t tma_nearest_dim(const struct tma_rule_context *context, size_t d, int64_t value);

/* One function for each rule. */
#define TMA_RULE_FUNCTION(name) void tma_rule_##name(struct tma_rule_context *context)

/* rules_enumerations.c */
TMA_RULE_FUNCTION(kind);
TMA_RULE_FUNCTION(data_type);
TMA_RULE_FUNCTION(data_type_architecture);
TMA_RULE_FUNCTION(interleave);
TMA_RULE_FUNCTION(interleave_packed);
TMA_RULE_FUNCTION(interleave_wide);
TMA_RULE_FUNCTION(swizzle);
TMA_RULE_FUNCTION(swizzle_architecture);
TMA_RULE_FUNCTION(swizzle_96b);
TMA_RULE_FUNCTION(swizzle_packed);
TMA_RULE_FUNCTION(swizzle_wide);
TMA_RULE_FUNCTION(l2_promotion);
TMA_RULE_FUNCTION(oob_fill);
TMA_RULE_FUNCTION(oob_fill_type);

/* rules_tensor.c */
TMA_RULE_FUNCTION(rank);
TMA_RULE_FUNCTION(rank_interleave);
TMA_RULE_FUNCTION(address_alignment);
TMA_RULE_FUNCTION(dim_range);
TMA_RULE_FUNCTION(dim_packed);
TMA_RULE_FUNCTION(stride_alignment);
TMA_RULE_FUNCTION(stride_range);
TMA_RULE_FUNCTION(element_stride_range);

/* rules_box.c */
TMA_RULE_FUNCTION(box_range);
TMA_RULE_FUNCTION(channels_range);
TMA_RULE_FUNCTION(pixels_range);
TMA_RULE_FUNCTION(inner_multiple);
TMA_RULE_FUNCTION(inner_packed);
TMA_RULE_FUNCTION(inner_span);
TMA_RULE_FUNCTION(box_bytes);
TMA_RULE_FUNCTION(column_bytes);

/* rules_corners.c */
TMA_RULE_FUNCTION(corner_range);
TMA_RULE_FUNCTION(corner_area);
TMA_RULE_FUNCTION(corner_overflow);

#undef TMA_RULE_FUNCTION

#endif
