/* The rules of tensor maps: a function each, and their table in the order in which they are checked
 * and reported. */
#include <stdlib.h>

#include "tensormap/rule_context.h"

/* Bounds and nearest legal values that several rules use. */

/* Rounds `value` up to a multiple, and clamps it to the bounds, which are multiples. Rounding up
 * costs padding; rounding down would cut or overlap data. */
static int64_t nearest_multiple(int64_t value, int64_t multiple, int64_t least, int64_t most) {
    if (value < least)
        return least;
    if (value > most)
        return most;
    int64_t up = (value + multiple - 1) / multiple * multiple;
    return up < most ? up : most;
}

/* The number of elements in `bytes` bytes of shared memory. */
static int64_t elements_in(const struct tma_type_info *type, int64_t bytes) {
    return bytes * 8 / type->shared_bits;
}

/* The number of elements in a swizzle's span. TMA_MAX_BOX_DIM if no span limits the inner box: no
 * swizzle, an unknown swizzle or type, or an interleaved layout. */
static int64_t span_elements(const struct tma_rule_context *context, enum tma_swizzle swizzle) {
    const struct tma_swizzle_info *info = tma_swizzle_info(swizzle);
    if (info == NULL || info->span_bytes == 0 || context->type == NULL ||
        context->map->interleave != TMA_INTERLEAVE_NONE)
        return TMA_MAX_BOX_DIM;
    int64_t elements = elements_in(context->type, info->span_bytes);
    return elements < TMA_MAX_BOX_DIM ? elements : TMA_MAX_BOX_DIM;
}

/* Corners lie in [-half, half - 1]. One word of the descriptor holds both corners of all spatial
 * dimensions, so more dimensions leave fewer bits for each. The wide modes have W only. */
static int64_t corner_half(const struct tma_tensor_map *map) {
    static const int64_t by_rank[] = {[3] = 1 << 15, [4] = 1 << 7, [5] = 1 << 4};
    return tma_is_wide(map->kind) ? by_rank[3] : by_rank[map->rank];
}

/* Whether the map's rank is legal for an im2col map, so that its corners can be checked. */
static bool has_corners(const struct tma_tensor_map *map) {
    return map->rank >= 3 && map->rank <= TMA_MAX_RANK;
}

static int64_t clamp_corner(int64_t value, int64_t half) {
    return value < -half ? -half : value >= half ? half - 1 : value;
}

/* The largest legal size of dimension d; corners reduce it in spatial dimensions. */
static int64_t most_global_dim(const struct tma_tensor_map *map, size_t d) {
    if (has_corners(map))
        for (size_t i = 0; i < tma_field_count(map, TMA_FIELD_UPPER_CORNER); i++)
            if (tma_spatial_dimension(map, i) == d)
                return INT32_MAX - clamp_corner(map->upper_corner[i], corner_half(map));
    return TMA_MAX_GLOBAL_DIM;
}

/* The size of dimension d must be a multiple of this many elements. */
static int64_t dim_multiple(const struct tma_rule_context *context, size_t d) {
    enum tma_data_type type = context->map->data_type;
    if (d == 0 && tma_has_half_rows(type, context->architecture))
        return TMA_HALF_ROW_ELEMENTS;
    if (d == 0 && tma_is_padded_type(type))
        return TMA_PADDED_ELEMENTS;
    return d == 0 && type == TMA_16U4_ALIGN8B ? 2 : 1;
}

/* The legal size of dimension d that is nearest to `value`. */
static int64_t nearest_dim(const struct tma_rule_context *context, size_t d, int64_t value) {
    int64_t multiple = dim_multiple(context, d);
    int64_t most = most_global_dim(context->map, d) / multiple * multiple;
    return nearest_multiple(value, multiple, multiple, most);
}

/* How rules report violations. */

/* Adds a violation of the rule that is being checked. */
static void report(struct tma_rule_context *context, enum tma_field field, size_t index,
                   enum tma_relation relation, int64_t bound, int64_t nearest) {
    if (context->count < context->capacity)
        context->violations[context->count] =
            (struct tma_violation){.rule = context->rule,
                                   .field = field,
                                   .index = tma_field_info(field)->is_list ? (int)index : -1,
                                   .value = tma_field_value(context->map, field, index),
                                   .relation = relation,
                                   .bound = bound,
                                   .nearest = nearest};
    context->count++;
}

/* Reports each value of the field that is outside [least, most]. Only for fields without other
 * rules: the nearest legal value is the bound. */
static void report_range(struct tma_rule_context *context, enum tma_field field, int64_t least,
                         int64_t most) {
    for (size_t i = 0; i < tma_field_count(context->map, field); i++) {
        int64_t value = tma_field_value(context->map, field, i);
        if (value < least)
            report(context, field, i, TMA_AT_LEAST, least, least);
        else if (value > most)
            report(context, field, i, TMA_AT_MOST, most, most);
    }
}

/* Rules on enumerations: kinds, types, layouts, and which of them an architecture has. */

/* The member of a bit set that is nearest to `value`; the smaller one of two. The set must not be
 * empty. */
static int64_t nearest_member(int64_t set, int64_t value) {
    int64_t nearest = -1;
    for (int64_t member = 0; member < 63; member++) {
        if (!tma_is_member(set, member))
            continue;
        if (nearest >= 0 && llabs(member - value) >= llabs(nearest - value))
            continue;
        nearest = member;
    }
    return nearest;
}

#define BIT(value)        (INT64_C(1) << (value))
#define BITS(first, last) (BIT((last) + 1) - BIT(first))
#define ALL_KINDS         BITS(TMA_MAP_TILED, TMA_MAP_IM2COL_W128)
#define ALL_PROMOTIONS    BITS(TMA_L2_NONE, TMA_L2_256B)
#define ALL_FILLS         BITS(TMA_OOB_ZEROS, TMA_OOB_NAN)
#define ALL_TYPES         BITS(TMA_UINT8, TMA_16U6_ALIGN16B)
#define WHOLE_BYTE_TYPES  BITS(TMA_UINT8, TMA_TFLOAT32_FTZ)
#define ALL_INTERLEAVES   BITS(TMA_INTERLEAVE_NONE, TMA_INTERLEAVE_32B)
#define ALL_SWIZZLES      BITS(TMA_SWIZZLE_NONE, TMA_SWIZZLE_96B)
#define ANYTHING          INT64_MAX

/* Reports a value outside the set that this rule allows. `legal` computes the set that all rules
 * together allow; it is called only if the value is not allowed. */
static void check_member(struct tma_rule_context *context, enum tma_field field, int64_t allowed,
                         int64_t (*legal)(const struct tma_rule_context *)) {
    int64_t value = tma_field_value(context->map, field, 0);
    if (allowed != ANYTHING && !tma_is_member(allowed, value))
        report(context, field, 0, TMA_ONE_OF, allowed, nearest_member(legal(context), value));
}

static int64_t legal_kinds(const struct tma_rule_context *context) {
    (void)context;
    return ALL_KINDS;
}

static void rule_kind(struct tma_rule_context *context) {
    check_member(context, TMA_FIELD_KIND, ALL_KINDS, legal_kinds);
}

/* Bytes can hold the data of any type. */
static int64_t legal_types(const struct tma_rule_context *context) {
    (void)context;
    return BIT(TMA_UINT8);
}

static void rule_data_type(struct tma_rule_context *context) {
    check_member(context, TMA_FIELD_DATA_TYPE, ALL_TYPES, legal_types);
}

static void rule_data_type_architecture(struct tma_rule_context *context) {
    if (context->type != NULL &&
        !tma_has_feature(context->architecture, TMA_FEATURE_SUB_BYTE_TYPES))
        check_member(context, TMA_FIELD_DATA_TYPE, WHOLE_BYTE_TYPES, legal_types);
}

/* The set that each rule on interleave and swizzle allows; ANYTHING: the rule does not apply. */
static int64_t packed_interleaves(const struct tma_rule_context *context) {
    return context->map->data_type == TMA_16U6_ALIGN16B ? BIT(TMA_INTERLEAVE_NONE) : ANYTHING;
}

static int64_t wide_interleaves(const struct tma_rule_context *context) {
    return tma_is_wide(context->map->kind) && context->architecture != TMA_SM_90
               ? BIT(TMA_INTERLEAVE_NONE)
               : ANYTHING;
}

/* "none" is always legal, and puts the fewest conditions on other fields. */
static int64_t legal_interleaves(const struct tma_rule_context *context) {
    (void)context;
    return BIT(TMA_INTERLEAVE_NONE);
}

static int64_t architecture_swizzles(const struct tma_rule_context *context) {
    int64_t swizzles = BITS(TMA_SWIZZLE_NONE, TMA_SWIZZLE_128B);
    if (tma_has_feature(context->architecture, TMA_FEATURE_SWIZZLE_ATOMS))
        swizzles |= BITS(TMA_SWIZZLE_128B_ATOM_32B, TMA_SWIZZLE_128B_ATOM_64B);
    if (tma_has_feature(context->architecture, TMA_FEATURE_SWIZZLE_96B_WIDE))
        swizzles |= BIT(TMA_SWIZZLE_96B);
    return swizzles;
}

static int64_t packed_swizzles(const struct tma_rule_context *context) {
    int64_t loads = BIT(TMA_SWIZZLE_NONE) | BIT(TMA_SWIZZLE_128B) | BIT(TMA_SWIZZLE_128B_ATOM_32B);
    if (context->architecture == TMA_SM_90 || !tma_is_padded_type(context->map->data_type))
        return ANYTHING;
    if (context->map->data_type != TMA_16U6_ALIGN16B)
        return loads;
    if (tma_has_half_rows(context->map->data_type, context->architecture))
        loads |= BIT(TMA_SWIZZLE_64B);
    return loads | BIT(TMA_SWIZZLE_128B_ATOM_64B);
}

static int64_t wide_swizzles(const struct tma_rule_context *context) {
    int64_t swizzles = BITS(TMA_SWIZZLE_64B, TMA_SWIZZLE_128B_ATOM_32B);
    if (!tma_is_wide(context->map->kind) || context->architecture == TMA_SM_90)
        return ANYTHING;
    return context->map->kind == TMA_MAP_IM2COL_W ? swizzles | BIT(TMA_SWIZZLE_96B) : swizzles;
}

/* The encoder of im2col_w takes 96b; for other maps, tensormap.replace writes it. */
static int64_t swizzles_but_96b(const struct tma_rule_context *context) {
    bool wide = tma_is_wide(context->map->kind);
    enum tma_feature feature =
        wide ? TMA_FEATURE_SWIZZLE_96B_WIDE : TMA_FEATURE_SWIZZLE_96B_REPLACED;
    bool legal = tma_has_feature(context->architecture, feature) &&
                 context->map->interleave == TMA_INTERLEAVE_NONE;
    return context->architecture == TMA_SM_90 || legal ? ANYTHING
                                                       : ALL_SWIZZLES & ~BIT(TMA_SWIZZLE_96B);
}

/* The set that all rules on swizzles allow. */
static int64_t allowed_swizzles(const struct tma_rule_context *context) {
    return ALL_SWIZZLES & architecture_swizzles(context) & packed_swizzles(context) &
           wide_swizzles(context) & swizzles_but_96b(context);
}

/* Do all rules on the map's swizzle accept it? */
static bool swizzle_is_legal(const struct tma_rule_context *context) {
    return tma_is_member(allowed_swizzles(context), (int64_t)context->map->swizzle);
}

/* The legal swizzles. If the map's own swizzle has no span, prefers swizzles whose span holds the
 * inner box. */
static int64_t legal_swizzles(const struct tma_rule_context *context) {
    int64_t legal = allowed_swizzles(context);
    const struct tma_swizzle_info *own = tma_swizzle_info(context->map->swizzle);
    int64_t fitting = 0;
    for (int swizzle = TMA_SWIZZLE_NONE; swizzle <= TMA_SWIZZLE_96B; swizzle++)
        if (tma_is_member(legal, swizzle) &&
            tma_inner_size(context->map) <= span_elements(context, (enum tma_swizzle)swizzle))
            fitting |= BIT(swizzle);
    /* Rows of 96 bytes fit 128b, which every architecture has. */
    if (context->map->swizzle == TMA_SWIZZLE_96B && tma_is_member(legal, TMA_SWIZZLE_128B))
        return BIT(TMA_SWIZZLE_128B);
    return fitting == 0 || (own != NULL && own->span_bytes > 0) ? legal : fitting;
}

static void rule_interleave(struct tma_rule_context *context) {
    check_member(context, TMA_FIELD_INTERLEAVE, ALL_INTERLEAVES, legal_interleaves);
}

static void rule_interleave_packed(struct tma_rule_context *context) {
    check_member(context, TMA_FIELD_INTERLEAVE, packed_interleaves(context), legal_interleaves);
}

static void rule_interleave_wide(struct tma_rule_context *context) {
    check_member(context, TMA_FIELD_INTERLEAVE, wide_interleaves(context), legal_interleaves);
}

static void rule_swizzle(struct tma_rule_context *context) {
    check_member(context, TMA_FIELD_SWIZZLE, ALL_SWIZZLES, legal_swizzles);
}

static void rule_swizzle_architecture(struct tma_rule_context *context) {
    if (tma_is_member(ALL_SWIZZLES, (int64_t)context->map->swizzle))
        check_member(context, TMA_FIELD_SWIZZLE, architecture_swizzles(context), legal_swizzles);
}

static void rule_swizzle_96b(struct tma_rule_context *context) {
    if (context->map->swizzle == TMA_SWIZZLE_96B)
        check_member(context, TMA_FIELD_SWIZZLE, swizzles_but_96b(context), legal_swizzles);
}

static void rule_swizzle_packed(struct tma_rule_context *context) {
    check_member(context, TMA_FIELD_SWIZZLE, packed_swizzles(context), legal_swizzles);
}

static void rule_swizzle_wide(struct tma_rule_context *context) {
    check_member(context, TMA_FIELD_SWIZZLE, wide_swizzles(context), legal_swizzles);
}

static int64_t legal_promotions(const struct tma_rule_context *context) {
    (void)context;
    return ALL_PROMOTIONS;
}

static void rule_l2_promotion(struct tma_rule_context *context) {
    check_member(context, TMA_FIELD_L2_PROMOTION, ALL_PROMOTIONS, legal_promotions);
}

/* The fills that the type allows; ANYTHING: the type is unknown. */
static int64_t type_fills(const struct tma_rule_context *context) {
    return context->type != NULL && context->type->type_class != TMA_CLASS_FLOAT
               ? BIT(TMA_OOB_ZEROS)
               : ANYTHING;
}

static int64_t legal_fills(const struct tma_rule_context *context) {
    return ALL_FILLS & type_fills(context);
}

static void rule_oob_fill(struct tma_rule_context *context) {
    check_member(context, TMA_FIELD_OOB_FILL, ALL_FILLS, legal_fills);
}

static void rule_oob_fill_type(struct tma_rule_context *context) {
    if (tma_is_member(ALL_FILLS, (int64_t)context->map->oob_fill))
        check_member(context, TMA_FIELD_OOB_FILL, type_fills(context), legal_fills);
}

/* Rules on the tensor in global memory: rank, address, sizes, strides, element strides. */

static void rule_rank(struct tma_rule_context *context) {
    report_range(context, TMA_FIELD_RANK, context->map->kind == TMA_MAP_TILED ? 1 : 3,
                 TMA_MAX_RANK);
}

static void rule_rank_interleave(struct tma_rule_context *context) {
    bool interleaved = context->map->interleave == TMA_INTERLEAVE_16B ||
                       context->map->interleave == TMA_INTERLEAVE_32B;
    if (interleaved && context->map->rank < 3)
        report(context, TMA_FIELD_RANK, 0, TMA_AT_LEAST, 3, 3);
}

int64_t tma_alignment_bytes(const struct tma_tensor_map *map, enum tma_architecture architecture) {
    bool padded =
        tma_is_padded_type(map->data_type) && !tma_has_half_rows(map->data_type, architecture);
    return map->interleave == TMA_INTERLEAVE_32B || padded ? 32 : 16;
}

static void rule_address_alignment(struct tma_rule_context *context) {
    int64_t multiple = tma_alignment_bytes(context->map, context->architecture);
    uint64_t past = context->map->global_address % (uint64_t)multiple;
    if (past != 0)
        report(context, TMA_FIELD_GLOBAL_ADDRESS, 0, TMA_MULTIPLE_OF, multiple,
               (int64_t)(context->map->global_address - past));
}

static void rule_dim_range(struct tma_rule_context *context) {
    for (size_t i = 0; i < tma_field_count(context->map, TMA_FIELD_GLOBAL_DIM); i++) {
        uint64_t value = context->map->global_dim[i];
        if (value == 0)
            report(context, TMA_FIELD_GLOBAL_DIM, i, TMA_AT_LEAST, 1, nearest_dim(context, i, 0));
        else if (value > (uint64_t)TMA_MAX_GLOBAL_DIM)
            report(context, TMA_FIELD_GLOBAL_DIM, i, TMA_AT_MOST, TMA_MAX_GLOBAL_DIM,
                   nearest_dim(context, i, TMA_MAX_GLOBAL_DIM));
    }
}

static void rule_dim_packed(struct tma_rule_context *context) {
    int64_t multiple = dim_multiple(context, 0);
    uint64_t value = context->map->global_dim[0];
    if (value % (uint64_t)multiple != 0 && value <= (uint64_t)TMA_MAX_GLOBAL_DIM)
        report(context, TMA_FIELD_GLOBAL_DIM, 0, TMA_MULTIPLE_OF, multiple,
               nearest_dim(context, 0, (int64_t)value));
}

/* The nearest legal stride. */
static int64_t nearest_stride(const struct tma_rule_context *context, uint64_t value) {
    int64_t multiple = tma_alignment_bytes(context->map, context->architecture);
    int64_t most = TMA_GLOBAL_STRIDE_END - multiple;
    return value > (uint64_t)most ? most : nearest_multiple((int64_t)value, multiple, 0, most);
}

static void rule_stride_alignment(struct tma_rule_context *context) {
    int64_t multiple = tma_alignment_bytes(context->map, context->architecture);
    for (size_t i = 0; i < tma_field_count(context->map, TMA_FIELD_GLOBAL_STRIDES); i++)
        if (context->map->global_strides[i] % (uint64_t)multiple != 0)
            report(context, TMA_FIELD_GLOBAL_STRIDES, i, TMA_MULTIPLE_OF, multiple,
                   nearest_stride(context, context->map->global_strides[i]));
}

static void rule_stride_range(struct tma_rule_context *context) {
    for (size_t i = 0; i < tma_field_count(context->map, TMA_FIELD_GLOBAL_STRIDES); i++)
        if (context->map->global_strides[i] >= (uint64_t)TMA_GLOBAL_STRIDE_END)
            report(context, TMA_FIELD_GLOBAL_STRIDES, i, TMA_AT_MOST, TMA_GLOBAL_STRIDE_END - 1,
                   nearest_stride(context, context->map->global_strides[i]));
}

static void rule_element_stride_range(struct tma_rule_context *context) {
    report_range(context, TMA_FIELD_ELEMENT_STRIDES, 1, TMA_MAX_ELEMENT_STRIDE);
}

/* Rules on the shared memory of one operation: the box, or the column of pixels. */

/* The largest inner box of a type with half rows: a swizzle of 64 bytes holds one. */
static int64_t most_half_rows(const struct tma_rule_context *context) {
    int64_t span = span_elements(context, context->map->swizzle);
    return span < TMA_HALF_ROW_ELEMENTS || span > TMA_PADDED_ELEMENTS ? TMA_PADDED_ELEMENTS : span;
}

/* The legal inner size that is nearest to `value` by all rules on it that can be checked: range,
 * multiple of 16 bytes, swizzle span, padded types. */
static int64_t nearest_inner(const struct tma_rule_context *context, int64_t value) {
    if (context->type == NULL)
        return nearest_multiple(value, 1, 1, TMA_MAX_BOX_DIM);
    if (tma_has_half_rows(context->map->data_type, context->architecture))
        return nearest_multiple(value, TMA_HALF_ROW_ELEMENTS, TMA_HALF_ROW_ELEMENTS,
                                most_half_rows(context));
    if (tma_is_padded_type(context->map->data_type))
        return TMA_PADDED_ELEMENTS;
    int64_t multiple = elements_in(context->type, TMA_INNER_BYTES);
    return nearest_multiple(value, multiple, multiple,
                            span_elements(context, context->map->swizzle));
}

/* Checks the range of a field whose first value is the size of the inner box. */
static void check_box_field(struct tma_rule_context *context, enum tma_field field, int64_t most) {
    for (size_t i = 0; i < tma_field_count(context->map, field); i++) {
        int64_t value = tma_field_value(context->map, field, i);
        int64_t bound = value < 1 ? 1 : most;
        int64_t nearest = i == 0 ? nearest_inner(context, value) : bound;
        if (value < 1)
            report(context, field, i, TMA_AT_LEAST, bound, nearest);
        else if (value > most)
            report(context, field, i, TMA_AT_MOST, bound, nearest);
    }
}

static void rule_box_range(struct tma_rule_context *context) {
    check_box_field(context, TMA_FIELD_BOX_DIM, TMA_MAX_BOX_DIM);
}

static void rule_channels_range(struct tma_rule_context *context) {
    check_box_field(context, TMA_FIELD_CHANNELS_PER_PIXEL, TMA_MAX_CHANNELS);
}

static void rule_pixels_range(struct tma_rule_context *context) {
    report_range(context, TMA_FIELD_PIXELS_PER_COLUMN, 1, TMA_MAX_PIXELS);
}

static void rule_inner_multiple(struct tma_rule_context *context) {
    if (context->type == NULL || tma_is_padded_type(context->map->data_type))
        return;
    enum tma_field field = tma_inner_field(context->map);
    int64_t value = tma_inner_size(context->map);
    int64_t multiple = elements_in(context->type, TMA_INNER_BYTES);
    if (value % multiple != 0)
        report(context, field, 0, TMA_MULTIPLE_OF, multiple, nearest_inner(context, value));
}

static void rule_inner_packed(struct tma_rule_context *context) {
    enum tma_field field = tma_inner_field(context->map);
    int64_t value = tma_inner_size(context->map);
    if (!tma_is_padded_type(context->map->data_type) || value == TMA_PADDED_ELEMENTS)
        return;
    if (!tma_has_half_rows(context->map->data_type, context->architecture))
        report(context, field, 0, TMA_EXACTLY, TMA_PADDED_ELEMENTS, TMA_PADDED_ELEMENTS);
    else if (value < 1 || value % TMA_HALF_ROW_ELEMENTS != 0)
        report(context, field, 0, TMA_MULTIPLE_OF, TMA_HALF_ROW_ELEMENTS,
               nearest_inner(context, value));
    else if (value > TMA_PADDED_ELEMENTS)
        report(context, field, 0, TMA_AT_MOST, TMA_PADDED_ELEMENTS, nearest_inner(context, value));
}

static void rule_inner_span(struct tma_rule_context *context) {
    enum tma_field field = tma_inner_field(context->map);
    int64_t value = tma_inner_size(context->map);
    int64_t most = span_elements(context, context->map->swizzle);
    /* An illegal swizzle has no span to obey: its own rule says what to change. */
    if (most < TMA_MAX_BOX_DIM && value > most && swizzle_is_legal(context))
        report(context, field, 0, TMA_AT_MOST, most, nearest_inner(context, value));
}

/* Are all values of this field inside [1, most]? */
static bool in_range(const struct tma_tensor_map *map, enum tma_field field, int64_t most) {
    for (size_t i = 0; i < tma_field_count(map, field); i++)
        if (tma_field_value(map, field, i) < 1 || tma_field_value(map, field, i) > most)
            return false;
    return true;
}

/* The elements along dimension d as the driver computes the box's size: box_dim / element_strides
 * rounded down, although hardware loads that many rounded up. */
static int64_t steps(const struct tma_tensor_map *map, size_t d) {
    return map->box_dim[d] / map->element_strides[d];
}

static void rule_box_bytes(struct tma_rule_context *context) {
    const struct tma_tensor_map *map = context->map;
    if (context->type == NULL || !in_range(map, TMA_FIELD_BOX_DIM, TMA_MAX_BOX_DIM) ||
        !in_range(map, TMA_FIELD_ELEMENT_STRIDES, TMA_MAX_ELEMENT_STRIDE))
        return;
    int64_t most = elements_in(context->type, TMA_MAX_BOX_BYTES);
    int64_t product = 1;
    for (size_t i = 0; i < tma_field_count(map, TMA_FIELD_BOX_DIM); i++)
        product *= steps(map, i);
    /* Shrinks dimensions from the outermost one on until the box fits. */
    for (size_t i = tma_field_count(map, TMA_FIELD_BOX_DIM); i-- > 1 && product > most;) {
        int64_t others = product / steps(map, i);
        int64_t fitting = most / others > 1 ? most / others : 1;
        if (fitting == steps(map, i))
            continue;
        int64_t nearest = fitting * map->element_strides[i];
        report(context, TMA_FIELD_BOX_DIM, i, TMA_AT_MOST, nearest, nearest);
        product = others * fitting;
    }
}

/* The column has 128 pixels, whatever pixels_per_column says. */
static void check_w128_bytes(struct tma_rule_context *context) {
    int64_t most = elements_in(context->type, TMA_MAX_BOX_BYTES) / TMA_W128_PIXELS;
    int64_t multiple = elements_in(context->type, TMA_INNER_BYTES);
    most -= most % multiple;
    if (context->map->channels_per_pixel > most)
        report(context, TMA_FIELD_CHANNELS_PER_PIXEL, 0, TMA_AT_MOST, most,
               nearest_inner(context, most));
}

static void rule_column_bytes(struct tma_rule_context *context) {
    if (context->type == NULL ||
        !in_range(context->map, TMA_FIELD_CHANNELS_PER_PIXEL, TMA_MAX_CHANNELS))
        return;
    if (context->map->kind == TMA_MAP_IM2COL_W128 && context->architecture != TMA_SM_90) {
        check_w128_bytes(context);
        return;
    }
    int64_t most = elements_in(context->type, TMA_MAX_BOX_BYTES) / context->map->channels_per_pixel;
    if (context->map->pixels_per_column > most && context->map->pixels_per_column <= TMA_MAX_PIXELS)
        report(context, TMA_FIELD_PIXELS_PER_COLUMN, 0, TMA_AT_MOST, most, most);
}

/* Rules on the bounding box of an im2col map. */

/* One spatial dimension. The bounding box is [lower, size - 1 + upper]. */
struct corner_extent {
    int64_t size; /* 0: not legal */
    int64_t lower, upper;
    int64_t half; /* corners lie in [-half, half - 1] */
};

static struct corner_extent extent_of(const struct tma_tensor_map *map, size_t i) {
    uint64_t size = map->global_dim[tma_spatial_dimension(map, i)];
    return (struct corner_extent){size > (uint64_t)TMA_MAX_GLOBAL_DIM ? 0 : (int64_t)size,
                                  map->lower_corner[i], map->upper_corner[i], corner_half(map)};
}

static bool corners_are_legal(const struct corner_extent *x) {
    return clamp_corner(x->lower, x->half) == x->lower &&
           clamp_corner(x->upper, x->half) == x->upper;
}

/* The nearest legal corners: in range, and leaving the box at least one pixel. */
static int64_t nearest_lower(const struct corner_extent *x) {
    int64_t last = x->size - 1 + clamp_corner(x->upper, x->half),
            lower = clamp_corner(x->lower, x->half);
    return x->size > 0 && last < lower ? last : lower;
}

static int64_t nearest_upper(const struct corner_extent *x) {
    int64_t least = clamp_corner(x->lower, x->half) - x->size + 1,
            upper = clamp_corner(x->upper, x->half);
    return x->size > 0 && least > upper ? least : upper;
}

static void check_corner(struct tma_rule_context *context, enum tma_field field, size_t i,
                         const struct corner_extent *x, int64_t nearest) {
    int64_t value = tma_field_value(context->map, field, i);
    if (value < -x->half)
        report(context, field, i, TMA_AT_LEAST, -x->half, nearest);
    else if (value >= x->half)
        report(context, field, i, TMA_AT_MOST, x->half - 1, nearest);
}

static void rule_corner_range(struct tma_rule_context *context) {
    if (!has_corners(context->map))
        return;
    for (size_t i = 0; i < tma_field_count(context->map, TMA_FIELD_LOWER_CORNER); i++) {
        struct corner_extent x = extent_of(context->map, i);
        check_corner(context, TMA_FIELD_LOWER_CORNER, i, &x, nearest_lower(&x));
        check_corner(context, TMA_FIELD_UPPER_CORNER, i, &x, nearest_upper(&x));
    }
}

static void rule_corner_area(struct tma_rule_context *context) {
    if (!has_corners(context->map))
        return;
    for (size_t i = 0; i < tma_field_count(context->map, TMA_FIELD_UPPER_CORNER); i++) {
        struct corner_extent x = extent_of(context->map, i);
        if (x.size > 0 && corners_are_legal(&x) && x.size - 1 + x.upper < x.lower)
            report(context, TMA_FIELD_UPPER_CORNER, i, TMA_AT_LEAST, nearest_upper(&x),
                   nearest_upper(&x));
    }
}

/* The driver computes size + upper in 32 signed bits: sizes from 2^31 on turn negative. */
static void rule_corner_overflow(struct tma_rule_context *context) {
    if (!has_corners(context->map))
        return;
    for (size_t i = 0; i < tma_field_count(context->map, TMA_FIELD_UPPER_CORNER); i++) {
        struct corner_extent x = extent_of(context->map, i);
        int64_t end = (int32_t)(uint32_t)(x.size + x.upper);
        size_t d = tma_spatial_dimension(context->map, i);
        int64_t most = most_global_dim(context->map, d);
        if (x.size > 0 && corners_are_legal(&x) && x.size > most && end <= x.lower)
            report(context, TMA_FIELD_GLOBAL_DIM, d, TMA_AT_MOST, most,
                   nearest_dim(context, d, x.size));
    }
}

/* One entry each. */

#define TILED     (1u << TMA_MAP_TILED)
#define IM2COL    (1u << TMA_MAP_IM2COL)
#define W         (1u << TMA_MAP_IM2COL_W)
#define WIDE      (W | 1u << TMA_MAP_IM2COL_W128)
#define PIXELS    (IM2COL | WIDE)
#define ALL       (TILED | PIXELS)
#define ANY       TMA_ALL_ARCHITECTURES
#define FROM_100  (ANY & ~TMA_SM_90)
#define API       "CUDA driver API, Tensor Map Object Management: "
#define COPY      "PTX ISA, Restriction on Tensor Copy instructions"
#define RECORDS   "records of an H200 (encode.tsv)"
#define CONFIRMED TMA_BASIS_RECORDS
#define DOCUMENTS TMA_BASIS_DOCUMENTS
#define MEASURED  TMA_BASIS_MEASURED
#define READING   TMA_BASIS_READING

const struct tma_rule tma_rules[] = {
    {"kind", ~0u, ANY, "a map is tiled, im2col, im2col_w or im2col_w128",
     "the driver has one encoder for tiled maps, one for im2col maps, and one with two modes for "
     "im2col along W only",
     API "functions", DOCUMENTS, "name one of the four kinds", rule_kind},
    {"data_type", ALL, ANY, "the data type is one of the driver's enumeration",
     "the descriptor holds the type as a number of 4 bits", API "tensorDataType", CONFIRMED,
     "use a type of the same size, or uint8", rule_data_type},
    {"data_type_architecture", ALL, TMA_SM_90, "sub-byte types need sm_100 or later",
     "the TMA unit of sm_90 moves whole bytes: it can neither unpack 4-bit and 6-bit elements nor "
     "address half a byte",
     API "tensorDataType; " RECORDS, CONFIRMED,
     "move the packed bytes as uint8, and unpack them in the kernel", rule_data_type_architecture},
    {"interleave", ALL, ANY, "the interleave is none, 16b or 32b",
     "channels are interleaved in slices of 16 or 32 bytes, or not at all", API "interleave",
     CONFIRMED, "use none for NHWC tensors", rule_interleave},
    {"interleave_packed", ALL, FROM_100, "16u6_align16b is not interleaved",
     "16 elements are 12 bytes, which do not fill a slice of 16 or 32", API "interleave", DOCUMENTS,
     "use interleave none", rule_interleave_packed},
    {"interleave_wide", WIDE, FROM_100, "im2col_w and im2col_w128 maps are not interleaved",
     "the documents disagree: PTX ISA excludes interleave in these modes, while the driver's page "
     "has alignment rules for interleave 32b in cuTensorMapEncodeIm2colWide; an H200's driver "
     "accepts 16b",
     "PTX ISA 5.5.6, Interleave layout (against " API "cuTensorMapEncodeIm2colWide, globalAddress, "
     "interleave)",
     READING, "use interleave none", rule_interleave_wide},
    {"swizzle", ALL, ANY, "the swizzle is one that the documents define",
     "the descriptor has no code for others", API "swizzle; PTX ISA 5.5.7", CONFIRMED, "use 128b",
     rule_swizzle},
    {"swizzle_architecture", ALL, TMA_SM_90,
     "swizzle 96b and swizzle atoms of 32 and 64 bytes need sm_100 or later",
     "sm_90 permutes chunks of 16 bytes within 32, 64 or 128 bytes", API "swizzle; " RECORDS,
     CONFIRMED, "use 128b", rule_swizzle_architecture},
    {"swizzle_96b", ALL, FROM_100,
     "swizzle 96b needs an im2col_w map; on sm_103 tiled and im2col maps have it too, without "
     "interleave",
     "cuTensorMapEncodeIm2colWide takes it in mode W; no other encoder does, and tensormap.replace "
     "(.swizzle_mode 4) writes it on sm_103a only",
     API "cuTensorMapEncodeIm2colWide, swizzle; PTX ISA, tensormap.replace; " COPY, DOCUMENTS,
     "use 128b", rule_swizzle_96b},
    {"swizzle_packed", ALL, FROM_100,
     "types padded to 16 bytes take swizzle none, 128b or 128b_atom_32b (16u6_align16b stores: "
     "128b_atom_64b too, and on sm_103 64b)",
     "a row of 128 elements is exactly 128 bytes of shared memory: shorter spans would cut it",
     API "swizzle; " COPY " (which allows 128b_atom_64b for 16u4_align16b, too)", DOCUMENTS,
     "use 128b, or none", rule_swizzle_packed},
    {"swizzle_wide", WIDE, FROM_100,
     "im2col_w and im2col_w128 take swizzle 64b, 128b or 128b_atom_32b; im2col_w 96b too",
     "PTX ISA requires a swizzle in these modes, and the driver's page lists these; an H200's "
     "driver accepts any",
     API "cuTensorMapEncodeIm2colWide, swizzle; PTX ISA 5.5.5", DOCUMENTS, "use 128b",
     rule_swizzle_wide},
    {"l2_promotion", ALL, ANY, "the L2 promotion is none, 64b, 128b or 256b",
     "L2 fills from DRAM by two sectors, a line or two lines", API "l2Promotion", CONFIRMED,
     "use 128b: the size of a line", rule_l2_promotion},
    {"oob_fill", ALL, ANY, "the fill is zeros or nan",
     "elements outside the tensor become one of two constants", API "oobFill", CONFIRMED,
     "use zeros", rule_oob_fill},
    {"oob_fill_type", ALL, ANY, "only floating-point types are filled with nan",
     "the fill is a NaN, which other types do not have", API "oobFill; " COPY, CONFIRMED,
     "use zeros", rule_oob_fill_type},
    {"rank", ALL, ANY, "the rank is 1 to 5; of an im2col map 3 to 5",
     "im2col needs channels, at least one spatial dimension, and images", API "tensorRank",
     CONFIRMED, "add dimensions of size 1", rule_rank},
    {"rank_interleave", TILED, ANY, "an interleaved tensor has at least 3 dimensions",
     "pixels, slices of channels and images are a dimension each",
     API "tensorRank; PTX ISA 5.5.6, Interleave layout", CONFIRMED,
     "add dimensions of size 1, or use interleave none", rule_rank_interleave},
    {"address_alignment", ALL, ANY,
     "the address is a multiple of 16 bytes; of 32 with interleave 32b and types padded to 16 "
     "bytes",
     "the TMA unit moves chunks of that size; on sm_103, 16 bytes suffice for 16u6_align16b",
     API "globalAddress; " COPY, CONFIRMED,
     "start the tensor at an aligned address, and move the coordinates instead",
     rule_address_alignment},
    {"dim_range", ALL, ANY, "a dimension has 1 to 2^32 elements",
     "the descriptor holds the size less one in 32 bits", API "globalDim", CONFIRMED,
     "split the tensor, or fold a dimension into the next", rule_dim_range},
    {"dim_packed", ALL, FROM_100,
     "dimension 0 is a multiple of 128 elements (types padded to 16 bytes; 16u6_align16b on "
     "sm_103: 64) or 2 (16u4_align8b)",
     "rows are whole groups of 128 elements, or at least whole bytes", API "globalDim; " COPY,
     DOCUMENTS, "pad the rows", rule_dim_packed},
    {"stride_alignment", ALL, ANY,
     "strides are a multiple of 16 bytes; of 32 with interleave 32b and types padded to 16 bytes",
     "the descriptor holds strides in units of 16 bytes; on sm_103, that suffices for "
     "16u6_align16b",
     API "globalStrides; " COPY, CONFIRMED, "pad the rows of the tensor to the next multiple",
     rule_stride_alignment},
    {"stride_range", ALL, ANY, "strides are below 2^40 bytes",
     "the descriptor holds 36 bits of units of 16 bytes", API "globalStrides", CONFIRMED,
     "split the tensor, or reorder its dimensions", rule_stride_range},
    {"element_stride_range", ALL, ANY, "element strides are 1 to 8, in every dimension",
     "the descriptor holds the stride less one in 3 bits, for dimension 0 too, although only "
     "interleaved layouts use that one",
     API "elementStrides; " RECORDS ": dimension 0 without interleave is checked, not ignored",
     CONFIRMED, "use 1 where every element is wanted", rule_element_stride_range},
    {"box_range", TILED, ANY, "a box has 1 to 256 elements along each dimension",
     "the descriptor holds the size less one in 8 bits", API "boxDim", CONFIRMED,
     "load in several operations, or make several elements one of a wider type", rule_box_range},
    {"channels_range", PIXELS, ANY, "there are 1 to 256 channels per pixel",
     "the descriptor holds the number less one in 8 bits", API "channelsPerPixel", CONFIRMED,
     "load the channels in several operations", rule_channels_range},
    {"pixels_range", IM2COL | W, ANY, "there are 1 to 1024 pixels per column",
     "the descriptor holds the number less one in 10 bits; im2col_w128 ignores it",
     API "pixelsPerColumn", CONFIRMED, "load the column in several operations", rule_pixels_range},
    {"inner_multiple", ALL, ANY, "the inner box is a multiple of 16 bytes",
     "shared memory is written in chunks of 16 bytes, with interleave too",
     API "boxDim; " RECORDS ": with interleave, and for channels_per_pixel, too", CONFIRMED,
     "take more elements, and let those past the tensor's end be filled", rule_inner_multiple},
    {"inner_packed", ALL, FROM_100,
     "the inner box of types padded to 16 bytes is 128 elements (16u6_align16b on sm_103: 64 or "
     "128)",
     "padded, 128 elements are one row of 128 bytes of shared memory",
     API "boxDim, channelsPerPixel; " COPY, DOCUMENTS, "use 128", rule_inner_packed},
    {"inner_span", ALL, ANY, "without interleave, the inner box fits the swizzle's span",
     "a row longer than the span (32, 64, 96 or 128 bytes) would overlap itself",
     API "interleave; " COPY, CONFIRMED, "split the box along dimension 0, or use a wider swizzle",
     rule_inner_span},
    {"box_bytes", TILED, ANY,
     "a box is at most 227 KiB, counting box_dim / element_strides elements, rounded down",
     "a CTA cannot have more shared memory", RECORDS ": 225792 bytes are taken, 262144 are not",
     MEASURED, "load in several operations", rule_box_bytes},
    {"column_bytes", PIXELS, ANY,
     "channels_per_pixel * pixels_per_column is at most 227 KiB (im2col_w128 from sm_100 on: "
     "channels_per_pixel * 128)",
     "a CTA cannot have more shared memory", RECORDS ": 220672 bytes are taken, 245520 are not",
     MEASURED, "load the column in several operations", rule_column_bytes},
    {"corner_range", PIXELS, ANY,
     "corners lie in [-32768, 32767] (rank 3 and the wide modes), [-128, 127] (4) or [-16, 15] (5)",
     "one word of the descriptor holds all corners, so more dimensions leave fewer bits for each",
     API "pixelBoxLowerCorner, pixelBoxUpperCorner", CONFIRMED,
     "pad the tensor by a smaller filter's reach", rule_corner_range},
    {"corner_area", PIXELS, ANY, "the bounding box is not empty: lower <= size - 1 + upper",
     "there would be no position for the filter", API "pixelBoxUpperCorner", CONFIRMED,
     "check the signs: an upper corner of -1 takes one pixel off the far end", rule_corner_area},
    {"corner_overflow", PIXELS, ANY,
     "size + upper does not wrap, as a signed 32-bit number, to the lower corner or below it",
     "the driver computes the end of the bounding box in 32 signed bits", RECORDS, MEASURED,
     "split the tensor along this dimension", rule_corner_overflow},
};

const size_t tma_rule_count = sizeof tma_rules / sizeof tma_rules[0];
