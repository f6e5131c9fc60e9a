/* Replaces one field of a descriptor, as the driver and the tensormap.replace instruction do. */
#include <inttypes.h>

#include "tensormap/descriptor_bits.h"
#include "tensormap/rule_context.h"

enum tma_error_code tma_descriptor_check_address(uint64_t address, struct tma_error *error) {
    if (address % TMA_DESCRIPTOR_ALIGNMENT_BYTES == 0)
        return TMA_OK;
    return tma_fail(error, TMA_ERROR_ARGUMENT,
                    "the tensor map lies at 0x%" PRIx64 "; its address must be a multiple of %d "
                    "bytes (CUDA driver API, tensorMap)",
                    address, TMA_DESCRIPTOR_ALIGNMENT_BYTES);
}

enum tma_error_code tma_descriptor_replace_address(struct tma_descriptor *descriptor,
                                                   uint64_t address, struct tma_error *error) {
    struct tma_tensor_map map;
    tma_descriptor_decode(descriptor, &map, NULL, 0);
    uint64_t multiple = (uint64_t)tma_alignment_bytes(&map, TMA_SM_100);
    if (address % multiple != 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "address 0x%" PRIx64 " is not a multiple of %" PRIu64 " bytes", address,
                        multiple);
    descriptor->words[0] = (uint32_t)address;
    descriptor->words[1] = (uint32_t)(address >> 32);
    return TMA_OK;
}

const struct tma_names tma_replace_field_names = TMA_NAMES(
    "tensormap.replace field", {"global_address", TMA_REPLACE_GLOBAL_ADDRESS},
    {"rank", TMA_REPLACE_RANK}, {"box_dim", TMA_REPLACE_BOX_DIM},
    {"global_dim", TMA_REPLACE_GLOBAL_DIM}, {"global_stride", TMA_REPLACE_GLOBAL_STRIDE},
    {"element_stride", TMA_REPLACE_ELEMENT_STRIDE}, {"elemtype", TMA_REPLACE_ELEMTYPE},
    {"interleave_layout", TMA_REPLACE_INTERLEAVE_LAYOUT},
    {"swizzle_mode", TMA_REPLACE_SWIZZLE_MODE},
    {"swizzle_atomicity", TMA_REPLACE_SWIZZLE_ATOMICITY}, {"fill_mode", TMA_REPLACE_FILL_MODE});

static const struct tma_name elemtype_items[] = {
    {"u8", 0},         {"u16", 1},     {"u32", 2},       {"s32", 3},     {"u64", 4},
    {"s64", 5},        {"f16", 6},     {"f32", 7},       {"f32.ftz", 8}, {"f64", 9},
    {"bf16", 10},      {"tf32", 11},   {"tf32.ftz", 12}, {"b4x16", 13},  {"b4x16_p64", 14},
    {"b6x16_p32", 15}, {"b6p2x16", 15}};
static const struct tma_name mode_items[] = {
    {"none", 0}, {"32b", 1}, {"64b", 2}, {"128b", 3}, {"96b", 4}};
static const struct tma_name atomicity_items[] = {
    {"16b", 0}, {"32b", 1}, {"32b_flip_8b", 2}, {"64b", 3}};

#define NAMES(what, items)                                                                         \
    { what, items, sizeof items / sizeof items[0] }

const struct tma_names *tma_replace_value_names(enum tma_replace_field field) {
    static const struct tma_names elemtypes = NAMES("elemtype", elemtype_items);
    static const struct tma_names modes = NAMES("swizzle mode", mode_items);
    static const struct tma_names atomicities = NAMES("swizzle atomicity", atomicity_items);
    switch (field) {
    case TMA_REPLACE_ELEMTYPE:
        return &elemtypes;
    case TMA_REPLACE_INTERLEAVE_LAYOUT:
        return &tma_interleave_names;
    case TMA_REPLACE_SWIZZLE_MODE:
        return &modes;
    case TMA_REPLACE_SWIZZLE_ATOMICITY:
        return &atomicities;
    case TMA_REPLACE_FILL_MODE:
        return &tma_oob_fill_names;
    default:
        return NULL;
    }
}

static const struct tma_replace_limits limits[] = {
    [TMA_REPLACE_GLOBAL_ADDRESS] = {1, 0, UINT64_MAX, TMA_INNER_BYTES},
    [TMA_REPLACE_RANK] = {1, 0, TMA_MAX_RANK - 1, 1},
    [TMA_REPLACE_BOX_DIM] = {TMA_MAX_RANK, 1, TMA_MAX_BOX_DIM, 1},
    [TMA_REPLACE_GLOBAL_DIM] = {TMA_MAX_RANK, 1, UINT64_C(1) << 32, 1},
    [TMA_REPLACE_GLOBAL_STRIDE] = {TMA_MAX_RANK - 1, 0, (UINT64_C(1) << 40) - 1,
                                   TMA_STRIDE_UNIT_BYTES},
    [TMA_REPLACE_ELEMENT_STRIDE] = {TMA_MAX_RANK, 1, TMA_MAX_ELEMENT_STRIDE, 1},
    [TMA_REPLACE_ELEMTYPE] = {1, 0, 0xf, 1},
    [TMA_REPLACE_INTERLEAVE_LAYOUT] = {1, 0, TMA_INTERLEAVE_32B, 1},
    [TMA_REPLACE_SWIZZLE_MODE] = {1, 0, 4, 1},
    [TMA_REPLACE_SWIZZLE_ATOMICITY] = {1, 0, 3, 1},
    [TMA_REPLACE_FILL_MODE] = {1, 0, TMA_OOB_NAN, 1},
};

const struct tma_replace_limits *tma_replace_limits(enum tma_replace_field field) {
    return &limits[field];
}

enum tma_error_code tma_replace_check_architecture(enum tma_replace_field field, uint64_t value,
                                                   enum tma_architecture architecture,
                                                   struct tma_error *error) {
    enum { FIRST_SUB_BYTE = 13, MODE_96B = 4 };
    if (field == TMA_REPLACE_SWIZZLE_ATOMICITY)
        return tma_require_feature(architecture, TMA_FEATURE_REPLACE_ATOMICITY, error);
    if (field == TMA_REPLACE_ELEMTYPE && value >= FIRST_SUB_BYTE)
        return tma_require_feature(architecture, TMA_FEATURE_REPLACE_SUB_BYTE, error);
    if (field == TMA_REPLACE_SWIZZLE_MODE && value == MODE_96B)
        return tma_require_feature(architecture, TMA_FEATURE_SWIZZLE_96B_REPLACED, error);
    return tma_require_feature(architecture, TMA_FEATURE_REPLACE, error);
}

static enum tma_error_code check_limits(enum tma_replace_field field, unsigned ordinal,
                                        uint64_t value, struct tma_error *error) {
    const struct tma_replace_limits *limit = &limits[field];
    const char *name = tma_name_of(&tma_replace_field_names, (int)field);
    if (ordinal > 0 && limit->ordinals == 1)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "%s is a single value: it has no ordinal", name);
    if (ordinal >= limit->ordinals)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "%s has ordinals 0 to %u, not %u", name,
                        limit->ordinals - 1, ordinal);
    if (value < limit->least || value > limit->most)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "%s takes %" PRIu64 " to %" PRIu64 ", not %" PRIu64, name, limit->least,
                        limit->most, value);
    if (value % limit->multiple != 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "%s takes multiples of %" PRIu64 ", not %" PRIu64, name, limit->multiple,
                        value);
    return TMA_OK;
}

/* PTX's numbers are the descriptor's codes, except for the TF32 types. Their bit stays when another
 * type follows them (an H200). */
static void replace_elemtype(struct tma_descriptor *descriptor, uint32_t value) {
    enum { PTX_TF32 = 0xb, PTX_TF32_FTZ = 0xc };
    struct tma_type_code code = {(uint8_t)value, 0};
    if (value == PTX_TF32)
        code = tma_type_code(TMA_TFLOAT32);
    else if (value == PTX_TF32_FTZ)
        code = tma_type_code(TMA_TFLOAT32_FTZ);
    tma_bits_put(descriptor, TMA_BITS_TYPE, code.code);
    if (code.tf32)
        tma_bits_put(descriptor, TMA_BITS_TF32, 1);
}

static void replace_stride(struct tma_descriptor *descriptor, unsigned d, uint64_t bytes) {
    uint64_t units = bytes / TMA_STRIDE_UNIT_BYTES;
    tma_bits_put(descriptor, TMA_BITS_STRIDE_LOW(d), (uint32_t)units);
    tma_bits_put(descriptor, TMA_BITS_STRIDE_HIGH(d), (uint32_t)(units >> 32));
}

static enum tma_error_code replace_swizzle(struct tma_descriptor *descriptor, uint32_t value,
                                           struct tma_error *error) {
    if (value > TMA_SWIZZLE_128B)
        return tma_fail(error, TMA_ERROR_UNSUPPORTED,
                        "swizzle_mode %" PRIu32 " (96b): layout of these bits: unverified", value);
    tma_bits_put(descriptor, TMA_BITS_SWIZZLE, value);
    tma_bits_put(descriptor, TMA_BITS_SWIZZLE_HIGH, 0);
    return TMA_OK;
}

enum tma_error_code tma_descriptor_replace(struct tma_descriptor *descriptor,
                                           enum tma_replace_field field, unsigned ordinal,
                                           uint64_t value, struct tma_error *error) {
    enum tma_error_code code = check_limits(field, ordinal, value, error);
    if (code != TMA_OK)
        return code;
    if (tma_bits_get(descriptor, TMA_BITS_IM2COL) != 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "the map is im2col; tensormap.replace has mode .tile only");
    uint32_t low = (uint32_t)value;
    switch (field) {
    case TMA_REPLACE_GLOBAL_ADDRESS:
        descriptor->words[0] = low;
        descriptor->words[1] = (uint32_t)(value >> 32);
        break;
    case TMA_REPLACE_RANK:
        tma_bits_put(descriptor, TMA_BITS_RANK, low);
        break;
    case TMA_REPLACE_BOX_DIM:
        tma_bits_put(descriptor, ordinal == 0 ? TMA_BITS_INNER : TMA_BITS_BOX_DIM(ordinal),
                     low - 1);
        break;
    case TMA_REPLACE_GLOBAL_DIM:
        tma_bits_put(descriptor, TMA_BITS_DIM(ordinal), (uint32_t)(value - 1));
        break;
    case TMA_REPLACE_GLOBAL_STRIDE:
        replace_stride(descriptor, ordinal + 1, value);
        break;
    case TMA_REPLACE_ELEMENT_STRIDE:
        tma_bits_put(descriptor, TMA_BITS_ELEMENT_STRIDE(ordinal), low - 1);
        break;
    case TMA_REPLACE_ELEMTYPE:
        replace_elemtype(descriptor, low);
        break;
    case TMA_REPLACE_INTERLEAVE_LAYOUT:
        tma_bits_put(descriptor, TMA_BITS_INTERLEAVE, low);
        break;
    case TMA_REPLACE_SWIZZLE_MODE:
        return replace_swizzle(descriptor, low, error);
    case TMA_REPLACE_SWIZZLE_ATOMICITY:
        if (low != 0)
            return tma_fail(error, TMA_ERROR_UNSUPPORTED,
                            "swizzle_atomicity %" PRIu32 ": layout of these bits: unverified", low);
        break;
    case TMA_REPLACE_FILL_MODE:
        tma_bits_put(descriptor, TMA_BITS_FILL, low);
        break;
    }
    return TMA_OK;
}
