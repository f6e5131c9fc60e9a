/* Decodes a descriptor, and finds its irregularities. */
#include <inttypes.h>
#include <stdio.h>

#include "tensormap/defaults.h"
#include "tensormap/descriptor_bits.h"

struct findings {
    struct tma_finding *items;
    size_t capacity, count;
};

static void find(struct findings *findings, enum tma_finding_kind kind, unsigned word,
                 uint32_t mask, uint32_t value, uint32_t expected) {
    if (findings->count < findings->capacity)
        findings->items[findings->count] = (struct tma_finding){
            .kind = kind, .word = word, .mask = mask, .value = value & mask, .expected = expected};
    findings->count++;
}

static void find_bits(struct findings *findings, enum tma_finding_kind kind, struct tma_bits bits,
                      const struct tma_descriptor *descriptor) {
    find(findings, kind, bits.word, tma_bits_mask(bits), descriptor->words[bits.word], 0);
}

/* The data type of a code. An unknown code gives a value that the rules reject. */
static enum tma_data_type type_of_code(uint32_t code, uint32_t tf32) {
    enum { UNKNOWN = TMA_16U6_ALIGN16B + 1 };
    static const uint8_t types[2][16] = {
        {TMA_UINT8, TMA_UINT16, TMA_UINT32, TMA_INT32, TMA_UINT64, TMA_INT64, TMA_FLOAT16,
         TMA_FLOAT32, TMA_FLOAT32_FTZ, TMA_FLOAT64, TMA_BFLOAT16, UNKNOWN + 11, UNKNOWN + 12,
         TMA_16U4_ALIGN8B, TMA_16U4_ALIGN16B, TMA_16U6_ALIGN16B},
        {UNKNOWN, UNKNOWN + 1, UNKNOWN + 2, UNKNOWN + 3, UNKNOWN + 4, UNKNOWN + 5, UNKNOWN + 6,
         TMA_TFLOAT32, TMA_TFLOAT32_FTZ, UNKNOWN + 9, UNKNOWN + 10, UNKNOWN + 11, UNKNOWN + 12,
         UNKNOWN + 13, UNKNOWN + 14, UNKNOWN + 15}};
    return (enum tma_data_type)types[tf32][code];
}

static void decode_types(const struct tma_descriptor *descriptor, struct tma_tensor_map *map,
                         struct findings *findings) {
    map->kind = tma_bits_get(descriptor, TMA_BITS_IM2COL) ? TMA_MAP_IM2COL : TMA_MAP_TILED;
    map->rank = tma_bits_get(descriptor, TMA_BITS_RANK) + 1;
    map->data_type = type_of_code(tma_bits_get(descriptor, TMA_BITS_TYPE),
                                  tma_bits_get(descriptor, TMA_BITS_TF32));
    map->interleave = (enum tma_interleave)tma_bits_get(descriptor, TMA_BITS_INTERLEAVE);
    map->swizzle = (enum tma_swizzle)tma_bits_get(descriptor, TMA_BITS_SWIZZLE);
    map->oob_fill = (enum tma_oob_fill)tma_bits_get(descriptor, TMA_BITS_FILL);
    map->l2_promotion = (enum tma_l2_promotion)tma_bits_get(descriptor, TMA_BITS_L2_PROMOTION);

    const struct tma_type_info *type = tma_type_info(map->data_type);
    if (map->rank > TMA_MAX_RANK)
        find_bits(findings, TMA_UNKNOWN_CODE, TMA_BITS_RANK, descriptor);
    if (type == NULL)
        find_bits(findings, TMA_UNKNOWN_CODE, TMA_BITS_TYPE, descriptor);
    else if (type->type_class == TMA_CLASS_SUB_BYTE)
        find_bits(findings, TMA_UNVERIFIED, TMA_BITS_TYPE, descriptor);
    if (map->interleave > TMA_INTERLEAVE_32B)
        find_bits(findings, TMA_UNKNOWN_CODE, TMA_BITS_INTERLEAVE, descriptor);
}

/* The driver writes 0 for dimensions past the rank. */
static void find_past_rank(const struct tma_descriptor *descriptor, struct tma_bits bits,
                           struct findings *findings) {
    if (tma_bits_get(descriptor, bits) != 0)
        find_bits(findings, TMA_PAST_RANK, bits, descriptor);
}

static uint64_t stride_bytes(const struct tma_descriptor *descriptor, size_t d) {
    uint64_t high = tma_bits_get(descriptor, TMA_BITS_STRIDE_HIGH(d));
    return (high << 32 | tma_bits_get(descriptor, TMA_BITS_STRIDE_LOW(d))) * TMA_STRIDE_UNIT_BYTES;
}

static void decode_tensor(const struct tma_descriptor *descriptor, struct tma_tensor_map *map,
                          struct findings *findings) {
    for (size_t d = 0; d < TMA_MAX_RANK; d++) {
        if (d >= map->rank) {
            find_past_rank(descriptor, TMA_BITS_STRIDE_LOW(d), findings);
            find_past_rank(descriptor, TMA_BITS_STRIDE_HIGH(d), findings);
            find_past_rank(descriptor, TMA_BITS_DIM(d), findings);
            find_past_rank(descriptor, TMA_BITS_ELEMENT_STRIDE(d), findings);
            continue;
        }
        map->global_dim[d] = UINT64_C(1) + tma_bits_get(descriptor, TMA_BITS_DIM(d));
        map->element_strides[d] = 1 + tma_bits_get(descriptor, TMA_BITS_ELEMENT_STRIDE(d));
        if (d > 0)
            map->global_strides[d - 1] = stride_bytes(descriptor, d);
    }
}

static void decode_tiled(const struct tma_descriptor *descriptor, struct tma_tensor_map *map,
                         struct findings *findings) {
    map->box_dim[0] = 1 + tma_bits_get(descriptor, TMA_BITS_INNER);
    for (size_t d = 1; d < TMA_MAX_RANK; d++) {
        if (d < map->rank)
            map->box_dim[d] = 1 + tma_bits_get(descriptor, TMA_BITS_BOX_DIM(d));
        else
            find_past_rank(descriptor, TMA_BITS_BOX_DIM(d), findings);
    }
}

static int32_t signed_bits(const struct tma_descriptor *descriptor, struct tma_bits bits) {
    uint32_t sign = UINT32_C(1) << (bits.count - 1);
    return (int32_t)((tma_bits_get(descriptor, bits) ^ sign) - sign);
}

static void decode_im2col(const struct tma_descriptor *descriptor, struct tma_tensor_map *map) {
    map->channels_per_pixel = 1 + tma_bits_get(descriptor, TMA_BITS_INNER);
    map->pixels_per_column = 1 + tma_bits_get(descriptor, TMA_BITS_PIXELS);
    for (size_t i = 0; map->rank <= TMA_MAX_RANK && i + 2 < map->rank; i++) {
        map->lower_corner[i] = signed_bits(descriptor, tma_bits_corner(map->rank, i, false));
        map->upper_corner[i] = signed_bits(descriptor, tma_bits_corner(map->rank, i, true));
    }
}

/* The bits of a word that a map of this kind and rank can set. */
static uint32_t known_bits(const struct tma_tensor_map *map, unsigned word) {
    static const uint32_t known[TMA_DESCRIPTOR_WORDS] = {
        UINT32_MAX, UINT32_MAX, 0x0027fff1, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX,
        0x0000ffff, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, 0xff007fff,
        UINT32_MAX, 0x000003ff, UINT32_MAX, 0,          UINT32_MAX};
    bool tiled = map->kind == TMA_MAP_TILED;
    if (word == 14 && !tiled && map->rank == 5)
        return 0x7fff7fff;
    if (word == 14 && !tiled && map->rank < 3)
        return 0;
    return word == 15 && tiled ? 0 : known[word];
}

static void find_unknown_bits(const struct tma_descriptor *descriptor,
                              const struct tma_tensor_map *map, struct findings *findings) {
    for (unsigned word = 0; word < TMA_DESCRIPTOR_WORDS; word++) {
        uint32_t unknown = descriptor->words[word] & ~known_bits(map, word);
        if (unknown != 0)
            find(findings, TMA_UNKNOWN_BITS, word, unknown, unknown, 0);
    }
}

/* Looks at the tensor only where the fields that say its size are known. */
static void find_oob_base(const struct tma_descriptor *descriptor, const struct tma_tensor_map *map,
                          struct findings *findings) {
    if (!tma_descriptor_has_oob_base(descriptor))
        return;
    find_bits(findings, TMA_OOB_BASE, TMA_BITS_OOB_BASE, descriptor);
    if (tma_type_info(map->data_type) == NULL || map->rank > TMA_MAX_RANK ||
        findings->count > findings->capacity)
        return;
    struct tma_finding *found = &findings->items[findings->count - 1];
    uint64_t bytes = tma_tensor_extent_bytes(map);
    found->tensor_bytes = bytes < TMA_OOB_BASE_BYTES ? (uint32_t)bytes : 0;
    found->dense = tma_tensor_is_dense(map);
}

static void find_wrong_derived(const struct tma_descriptor *descriptor,
                               const struct tma_tensor_map *map, struct findings *findings) {
    uint32_t bytes = tma_bits_get(descriptor, TMA_BITS_BOX_BYTES);
    uint32_t pattern = tma_bits_get(descriptor, TMA_BITS_PATTERN);
    if (bytes == 0 && pattern == 0) {
        find_bits(findings, TMA_ABSENT_DERIVED, TMA_BITS_PATTERN, descriptor);
        return;
    }
    const struct tma_type_info *type = tma_type_info(map->data_type);
    bool computable =
        type != NULL && type->type_class != TMA_CLASS_SUB_BYTE && map->rank <= TMA_MAX_RANK;
    if (computable && bytes != tma_derived_box_bytes(map))
        find(findings, TMA_WRONG_DERIVED, 16, UINT32_MAX, bytes, tma_derived_box_bytes(map));
    if (pattern != tma_derived_pattern_bytes(map->swizzle))
        find(findings, TMA_WRONG_DERIVED, 18, UINT32_MAX, pattern,
             tma_derived_pattern_bytes(map->swizzle));
}

size_t tma_descriptor_decode(const struct tma_descriptor *descriptor, struct tma_tensor_map *map,
                             struct tma_finding *items, size_t capacity) {
    struct findings findings = {items, capacity, 0};
    *map = (struct tma_tensor_map){.global_dim = {1, 1, 1, 1, 1},
                                   .box_dim = {1, 1, 1, 1, 1},
                                   .element_strides = {1, 1, 1, 1, 1},
                                   .channels_per_pixel = 1,
                                   .pixels_per_column = 1};
    map->global_address = (uint64_t)descriptor->words[1] << 32 | descriptor->words[0];
    decode_types(descriptor, map, &findings);
    decode_tensor(descriptor, map, &findings);
    if (map->kind == TMA_MAP_TILED)
        decode_tiled(descriptor, map, &findings);
    else
        decode_im2col(descriptor, map);
    find_oob_base(descriptor, map, &findings);
    find_unknown_bits(descriptor, map, &findings);
    find_wrong_derived(descriptor, map, &findings);
    return findings.count;
}

bool tma_finding_is_note(const struct tma_finding *finding) {
    return finding->kind == TMA_OOB_BASE;
}

/* NVIDIA's release notes of driver 595.71.05 have the bug and the way around it. */
static void oob_base_text(const struct tma_finding *finding, char *text, size_t size) {
    static const char bit[] =
        "bit 85 (word 2, bit 21) is set: the mode of out-of-bounds bases, which drivers set from "
        "sm_100 on for tensors of 128 KiB and more";
    if (finding->tensor_bytes == 0)
        snprintf(text, size, "%s", bit);
    else
        snprintf(text, size,
                 "%s; this tensor has %" PRIu32 " bytes and is %s. Drivers up to 595 set it "
                 "wrongly for smaller tensors that are not dense, and accesses to them fault now "
                 "and then; to clear it: ((uint64_t *)&map)[1] &= ~(1ull << 21)",
                 bit, finding->tensor_bytes, finding->dense ? "dense" : "not dense");
}

void tma_finding_text(const struct tma_finding *finding, char *text, size_t size) {
    static const char *const derived[] = {
        [16] = "the box takes", [18] = "the swizzle's pattern repeats after"};
    switch (finding->kind) {
    case TMA_UNKNOWN_BITS:
        snprintf(text, size, "word %u has 0x%08" PRIx32 " in bits that no known map sets",
                 finding->word, finding->value);
        break;
    case TMA_UNKNOWN_CODE:
        snprintf(text, size,
                 "word %u has 0x%08" PRIx32 " under mask 0x%08" PRIx32
                 ": a code that means nothing known",
                 finding->word, finding->value, finding->mask);
        break;
    case TMA_PAST_RANK:
        snprintf(text, size,
                 "word %u has 0x%08" PRIx32 " under mask 0x%08" PRIx32
                 ": a value of a dimension past the rank",
                 finding->word, finding->value, finding->mask);
        break;
    case TMA_WRONG_DERIVED:
        snprintf(text, size,
                 "word %u says that %s %" PRIu32 " bytes; by the other fields it is "
                 "%" PRIu32,
                 finding->word, derived[finding->word], finding->value, finding->expected);
        break;
    case TMA_ABSENT_DERIVED:
        snprintf(text, size,
                 "words 16 and 18 (derived from the others) are 0: no driver wrote "
                 "this map, tensormap.replace may have");
        break;
    case TMA_OOB_BASE:
        oob_base_text(finding, text, size);
        break;
    case TMA_UNVERIFIED:
        snprintf(text, size,
                 "word %u has 0x%08" PRIx32 " under mask 0x%08" PRIx32
                 ": layout of these bits: unverified",
                 finding->word, finding->value, finding->mask);
        break;
    }
}
