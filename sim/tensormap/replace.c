/* Replaces one field of a descriptor, as the driver and the tensormap.replace instruction do. */
#include <inttypes.h>

#include "tensormap/descriptor_bits.h"
#include "tensormap/rule_context.h"

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

static const struct tma_name replace_items[] = {
    {"global_address", TMA_REPLACE_GLOBAL_ADDRESS},
    {"rank", TMA_REPLACE_RANK},
    {"box_dim", TMA_REPLACE_BOX_DIM},
    {"global_dim", TMA_REPLACE_GLOBAL_DIM},
    {"global_stride", TMA_REPLACE_GLOBAL_STRIDE},
    {"element_stride", TMA_REPLACE_ELEMENT_STRIDE},
    {"elemtype", TMA_REPLACE_ELEMTYPE},
    {"interleave_layout", TMA_REPLACE_INTERLEAVE_LAYOUT},
    {"swizzle_mode", TMA_REPLACE_SWIZZLE_MODE},
    {"swizzle_atomicity", TMA_REPLACE_SWIZZLE_ATOMICITY},
    {"fill_mode", TMA_REPLACE_FILL_MODE},
};
const struct tma_names tma_replace_field_names = {"tensormap.replace field", replace_items,
                                                  sizeof replace_items / sizeof replace_items[0]};

/* The ordinals and values that a field takes. */
struct limits {
    unsigned ordinals;
    uint64_t least, most;
    uint64_t multiple;
};

static const struct limits limits[] = {
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

static enum tma_error_code check_limits(enum tma_replace_field field, unsigned ordinal,
                                        uint64_t value, struct tma_error *error) {
    const struct limits *limit = &limits[field];
    const char *name = tma_name_of(&tma_replace_field_names, (int)field);
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

/* PTX's numbers are the descriptor's codes, except for the TF32 types. */
static void replace_elemtype(struct tma_descriptor *descriptor, uint32_t value) {
    enum { PTX_TF32 = 0xb, PTX_TF32_FTZ = 0xc };
    struct tma_type_code code = {(uint8_t)value, 0};
    if (value == PTX_TF32)
        code = tma_type_code(TMA_TFLOAT32);
    else if (value == PTX_TF32_FTZ)
        code = tma_type_code(TMA_TFLOAT32_FTZ);
    tma_bits_put(descriptor, TMA_BITS_TYPE, code.code);
    tma_bits_put(descriptor, TMA_BITS_TF32, code.tf32);
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
    return TMA_OK;
}

enum tma_error_code tma_descriptor_replace(struct tma_descriptor *descriptor,
                                           enum tma_replace_field field, unsigned ordinal,
                                           uint64_t value, struct tma_error *error) {
    enum tma_error_code code = check_limits(field, ordinal, value, error);
    if (code != TMA_OK)
        return code;
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
