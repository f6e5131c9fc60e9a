#include "tensormap/descriptor.h"

#include <assert.h>

#include "tensormap/defaults.h"
#include "tensormap/descriptor_bits.h"

void tma_descriptor_to_bytes(const struct tma_descriptor *descriptor,
                             uint8_t bytes[TMA_DESCRIPTOR_BYTES]) {
    for (size_t i = 0; i < TMA_DESCRIPTOR_BYTES; i++)
        bytes[i] = (uint8_t)(descriptor->words[i / 4] >> i % 4 * 8);
}

void tma_descriptor_from_bytes(struct tma_descriptor *descriptor,
                               const uint8_t bytes[TMA_DESCRIPTOR_BYTES]) {
    *descriptor = (struct tma_descriptor){0};
    for (size_t i = 0; i < TMA_DESCRIPTOR_BYTES; i++)
        descriptor->words[i / 4] |= (uint32_t)bytes[i] << i % 4 * 8;
}

/* The codes differ from cuda.h's values. A TF32 type is the float32 type with a rounding bit. */
struct tma_type_code tma_type_code(enum tma_data_type type) {
    static const struct tma_type_code codes[] = {
        [TMA_UINT8] = {0, 0},          [TMA_UINT16] = {1, 0},        [TMA_UINT32] = {2, 0},
        [TMA_INT32] = {3, 0},          [TMA_UINT64] = {4, 0},        [TMA_INT64] = {5, 0},
        [TMA_FLOAT16] = {6, 0},        [TMA_FLOAT32] = {7, 0},       [TMA_FLOAT32_FTZ] = {8, 0},
        [TMA_FLOAT64] = {9, 0},        [TMA_BFLOAT16] = {10, 0},     [TMA_TFLOAT32] = {7, 1},
        [TMA_TFLOAT32_FTZ] = {8, 1},   [TMA_16U4_ALIGN8B] = {13, 0}, [TMA_16U4_ALIGN16B] = {14, 0},
        [TMA_16U6_ALIGN16B] = {15, 0},
    };
    return codes[type];
}

uint32_t tma_derived_box_bytes(const struct tma_tensor_map *map) {
    uint64_t elements = (uint64_t)map->channels_per_pixel * map->pixels_per_column;
    if (map->kind == TMA_MAP_TILED) {
        elements = 1;
        for (size_t d = 0; d < map->rank; d++) /* no rule accepts a stride of 0 */
            elements *=
                map->element_strides[d] == 0 ? 0 : map->box_dim[d] / map->element_strides[d];
    }
    return (uint32_t)tma_shared_bytes(map->data_type, elements);
}

uint32_t tma_derived_pattern_bytes(enum tma_swizzle swizzle) {
    if (swizzle == TMA_SWIZZLE_NONE)
        return TMA_NO_PATTERN_BYTES;
    return tma_swizzle_info(swizzle)->lines * TMA_PATTERN_LINE_BYTES;
}

static void encode_types(const struct tma_tensor_map *map, struct tma_descriptor *descriptor) {
    struct tma_type_code type = tma_type_code(map->data_type);
    tma_bits_put(descriptor, TMA_BITS_IM2COL, map->kind != TMA_MAP_TILED);
    tma_bits_put(descriptor, TMA_BITS_RANK, map->rank - 1);
    tma_bits_put(descriptor, TMA_BITS_TYPE, type.code);
    tma_bits_put(descriptor, TMA_BITS_TF32, type.tf32);
    tma_bits_put(descriptor, TMA_BITS_INTERLEAVE, map->interleave);
    tma_bits_put(descriptor, TMA_BITS_SWIZZLE,
                 map->swizzle > TMA_SWIZZLE_128B ? TMA_SWIZZLE_128B : map->swizzle);
    tma_bits_put(descriptor, TMA_BITS_FILL, map->oob_fill);
    tma_bits_put(descriptor, TMA_BITS_L2_PROMOTION, map->l2_promotion);
}

static void encode_tensor(const struct tma_tensor_map *map, struct tma_descriptor *descriptor) {
    for (size_t d = 0; d < map->rank; d++) {
        tma_bits_put(descriptor, TMA_BITS_DIM(d), (uint32_t)(map->global_dim[d] - 1));
        tma_bits_put(descriptor, TMA_BITS_ELEMENT_STRIDE(d), map->element_strides[d] - 1);
    }
    for (size_t d = 1; d < map->rank; d++) {
        uint64_t units = map->global_strides[d - 1] / TMA_STRIDE_UNIT_BYTES;
        tma_bits_put(descriptor, TMA_BITS_STRIDE_LOW(d), (uint32_t)units);
        tma_bits_put(descriptor, TMA_BITS_STRIDE_HIGH(d), (uint32_t)(units >> 32));
    }
}

static void encode_tiled(const struct tma_tensor_map *map, struct tma_descriptor *descriptor) {
    tma_bits_put(descriptor, TMA_BITS_INNER, map->box_dim[0] - 1);
    for (size_t d = 1; d < map->rank; d++)
        tma_bits_put(descriptor, TMA_BITS_BOX_DIM(d), map->box_dim[d] - 1);
}

static void encode_im2col(const struct tma_tensor_map *map, struct tma_descriptor *descriptor) {
    tma_bits_put(descriptor, TMA_BITS_INNER, map->channels_per_pixel - 1);
    tma_bits_put(descriptor, TMA_BITS_PIXELS, map->pixels_per_column - 1);
    for (size_t i = 0; i < tma_field_count(map, TMA_FIELD_LOWER_CORNER); i++) {
        tma_bits_put(descriptor, tma_bits_corner(map->rank, i, false),
                     (uint32_t)map->lower_corner[i]);
        tma_bits_put(descriptor, tma_bits_corner(map->rank, i, true),
                     (uint32_t)map->upper_corner[i]);
    }
}

static unsigned unverified_fields(const struct tma_tensor_map *map) {
    unsigned fields = 0;
    if (tma_type_info(map->data_type)->type_class == TMA_CLASS_SUB_BYTE)
        fields |= 1u << TMA_FIELD_DATA_TYPE;
    if (map->swizzle > TMA_SWIZZLE_128B)
        fields |= 1u << TMA_FIELD_SWIZZLE;
    if (map->kind == TMA_MAP_IM2COL_W || map->kind == TMA_MAP_IM2COL_W128)
        fields |= 1u << TMA_FIELD_KIND;
    return fields;
}

unsigned tma_descriptor_encode(const struct tma_tensor_map *map,
                               struct tma_descriptor *descriptor) {
    assert(map->rank >= 1 && map->rank <= TMA_MAX_RANK && tma_type_info(map->data_type) != NULL);
    *descriptor = (struct tma_descriptor){0};
    descriptor->words[0] = (uint32_t)map->global_address;
    descriptor->words[1] = (uint32_t)(map->global_address >> 32);
    encode_types(map, descriptor);
    encode_tensor(map, descriptor);
    if (map->kind == TMA_MAP_TILED)
        encode_tiled(map, descriptor);
    else
        encode_im2col(map, descriptor);
    tma_bits_put(descriptor, TMA_BITS_BOX_BYTES, tma_derived_box_bytes(map));
    tma_bits_put(descriptor, TMA_BITS_PATTERN, tma_derived_pattern_bytes(map->swizzle));
    return unverified_fields(map);
}

bool tma_descriptor_encode_oob_base(const struct tma_tensor_map *map,
                                    enum tma_architecture architecture,
                                    struct tma_descriptor *descriptor) {
    if (!tma_has_feature(architecture, TMA_FEATURE_OOB_BASE))
        return false;
    tma_bits_put(descriptor, TMA_BITS_OOB_BASE, tma_tensor_extent_bytes(map) >= TMA_OOB_BASE_BYTES);
    return true;
}

bool tma_descriptor_has_oob_base(const struct tma_descriptor *descriptor) {
    return tma_bits_get(descriptor, TMA_BITS_OOB_BASE) != 0;
}
