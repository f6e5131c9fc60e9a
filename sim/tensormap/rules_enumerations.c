/* Rules on enumerations: kinds, types, layouts, and which of them an architecture has. */

#include "tensormap/rule_context.h"

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
        tma_report(context, field, 0, TMA_ONE_OF, allowed,
                   tma_nearest_member(legal(context), value));
}

static int64_t legal_kinds(const struct tma_rule_context *context) {
    (void)context;
    return ALL_KINDS;
}

void tma_rule_kind(struct tma_rule_context *context) {
    check_member(context, TMA_FIELD_KIND, ALL_KINDS, legal_kinds);
}

/* Bytes can hold the data of any type. */
static int64_t legal_types(const struct tma_rule_context *context) {
    (void)context;
    return BIT(TMA_UINT8);
}

void tma_rule_data_type(struct tma_rule_context *context) {
    check_member(context, TMA_FIELD_DATA_TYPE, ALL_TYPES, legal_types);
}

void tma_rule_data_type_architecture(struct tma_rule_context *context) {
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

bool tma_swizzle_is_legal(const struct tma_rule_context *context) {
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
            tma_inner_size(context->map) <= tma_span_elements(context, (enum tma_swizzle)swizzle))
            fitting |= BIT(swizzle);
    /* Rows of 96 bytes fit 128b, which every architecture has. */
    if (context->map->swizzle == TMA_SWIZZLE_96B && tma_is_member(legal, TMA_SWIZZLE_128B))
        return BIT(TMA_SWIZZLE_128B);
    return fitting == 0 || (own != NULL && own->span_bytes > 0) ? legal : fitting;
}

void tma_rule_interleave(struct tma_rule_context *context) {
    check_member(context, TMA_FIELD_INTERLEAVE, ALL_INTERLEAVES, legal_interleaves);
}

void tma_rule_interleave_packed(struct tma_rule_context *context) {
    check_member(context, TMA_FIELD_INTERLEAVE, packed_interleaves(context), legal_interleaves);
}

void tma_rule_interleave_wide(struct tma_rule_context *context) {
    check_member(context, TMA_FIELD_INTERLEAVE, wide_interleaves(context), legal_interleaves);
}

void tma_rule_swizzle(struct tma_rule_context *context) {
    check_member(context, TMA_FIELD_SWIZZLE, ALL_SWIZZLES, legal_swizzles);
}

void tma_rule_swizzle_architecture(struct tma_rule_context *context) {
    if (tma_is_member(ALL_SWIZZLES, (int64_t)context->map->swizzle))
        check_member(context, TMA_FIELD_SWIZZLE, architecture_swizzles(context), legal_swizzles);
}

void tma_rule_swizzle_96b(struct tma_rule_context *context) {
    if (context->map->swizzle == TMA_SWIZZLE_96B)
        check_member(context, TMA_FIELD_SWIZZLE, swizzles_but_96b(context), legal_swizzles);
}

void tma_rule_swizzle_packed(struct tma_rule_context *context) {
    check_member(context, TMA_FIELD_SWIZZLE, packed_swizzles(context), legal_swizzles);
}

void tma_rule_swizzle_wide(struct tma_rule_context *context) {
    check_member(context, TMA_FIELD_SWIZZLE, wide_swizzles(context), legal_swizzles);
}

static int64_t legal_promotions(const struct tma_rule_context *context) {
    (void)context;
    return ALL_PROMOTIONS;
}

void tma_rule_l2_promotion(struct tma_rule_context *context) {
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

void tma_rule_oob_fill(struct tma_rule_context *context) {
    check_member(context, TMA_FIELD_OOB_FILL, ALL_FILLS, legal_fills);
}

void tma_rule_oob_fill_type(struct tma_rule_context *context) {
    if (tma_is_member(ALL_FILLS, (int64_t)context->map->oob_fill))
        check_member(context, TMA_FIELD_OOB_FILL, type_fills(context), legal_fills);
}
