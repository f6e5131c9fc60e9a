#include "launch/element.h"

#include <math.h>
#include <stdio.h>

#include "ptx/softfloat.h"

const struct tma_names tma_element_names = TMA_NAMES(
    "element type", {"uint8", TMA_ELEMENT_UINT8}, {"int8", TMA_ELEMENT_INT8},
    {"uint16", TMA_ELEMENT_UINT16}, {"int16", TMA_ELEMENT_INT16}, {"uint32", TMA_ELEMENT_UINT32},
    {"int32", TMA_ELEMENT_INT32}, {"uint64", TMA_ELEMENT_UINT64}, {"int64", TMA_ELEMENT_INT64},
    {"float16", TMA_ELEMENT_FLOAT16}, {"bfloat16", TMA_ELEMENT_BFLOAT16},
    {"float32", TMA_ELEMENT_FLOAT32}, {"float64", TMA_ELEMENT_FLOAT64}, {"e4m3", TMA_ELEMENT_E4M3},
    {"e5m2", TMA_ELEMENT_E5M2}, {"float8_e4m3fn", TMA_ELEMENT_E4M3},
    {"float8_e5m2", TMA_ELEMENT_E5M2}, {"bool", TMA_ELEMENT_UINT8});

static const struct format {
    uint8_t bytes;
    bool is_signed, is_float;
    enum tma_float_format number; /* of floating-point types */
} formats[] = {
    [TMA_ELEMENT_UINT8] = {1, false, false, 0},
    [TMA_ELEMENT_INT8] = {1, true, false, 0},
    [TMA_ELEMENT_UINT16] = {2, false, false, 0},
    [TMA_ELEMENT_INT16] = {2, true, false, 0},
    [TMA_ELEMENT_UINT32] = {4, false, false, 0},
    [TMA_ELEMENT_INT32] = {4, true, false, 0},
    [TMA_ELEMENT_UINT64] = {8, false, false, 0},
    [TMA_ELEMENT_INT64] = {8, true, false, 0},
    [TMA_ELEMENT_FLOAT16] = {2, true, true, TMA_FORMAT_F16},
    [TMA_ELEMENT_BFLOAT16] = {2, true, true, TMA_FORMAT_BF16},
    [TMA_ELEMENT_FLOAT32] = {4, true, true, TMA_FORMAT_F32},
    [TMA_ELEMENT_FLOAT64] = {8, true, true, TMA_FORMAT_F64},
    [TMA_ELEMENT_E4M3] = {1, true, true, TMA_FORMAT_E4M3},
    [TMA_ELEMENT_E5M2] = {1, true, true, TMA_FORMAT_E5M2},
};

uint32_t tma_element_bytes(enum tma_element type) {
    return formats[type].bytes;
}

bool tma_element_is_float(enum tma_element type) {
    return formats[type].is_float;
}

bool tma_element_is_signed(enum tma_element type) {
    return formats[type].is_signed;
}

void tma_element_put_bits(enum tma_element type, uint64_t bits, uint8_t *bytes) {
    for (uint32_t i = 0; i < formats[type].bytes; i++)
        bytes[i] = (uint8_t)(bits >> 8 * i);
}

uint64_t tma_element_bits(enum tma_element type, const uint8_t *bytes) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < formats[type].bytes; i++)
        bits |= (uint64_t)bytes[i] << 8 * i;
    return bits;
}

/* The bits of the format's number that is closest to `value`; of two, the even one. A NaN has all
 * ones behind its sign. */
static uint64_t encode(const struct format *format, double value) {
    if (isnan(value))
        return UINT64_MAX >> (64 - 8 * format->bytes + (signbit(value) == 0));
    return tma_double_rounded(format->number, value);
}

void tma_element_from_integer(enum tma_element type, int64_t value, uint8_t *bytes) {
    if (tma_element_is_float(type))
        tma_element_from_number(type, (double)value, bytes);
    else
        tma_element_put_bits(type, (uint64_t)value, bytes);
}

void tma_element_from_number(enum tma_element type, double value, uint8_t *bytes) {
    if (tma_element_is_float(type))
        tma_element_put_bits(type, encode(&formats[type], value), bytes);
    else
        tma_element_put_bits(type, value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value, bytes);
}

double tma_element_number(enum tma_element type, const uint8_t *bytes) {
    const struct format *format = &formats[type];
    uint64_t bits = tma_element_bits(type, bytes);
    if (tma_element_is_float(type)) {
        double value = tma_double_of(format->number, bits);
        return isnan(value) ? (double)NAN : value; /* without a sign */
    }
    uint32_t unused = 64 - 8 * (uint32_t)format->bytes;
    return format->is_signed ? (double)((int64_t)(bits << unused) >> unused) : (double)bits;
}

double tma_element_distance(enum tma_element type, const uint8_t *a, const uint8_t *b) {
    const struct format *format = &formats[type];
    uint64_t left = tma_element_bits(type, a), right = tma_element_bits(type, b);
    if (left == right)
        return 0;
    if (!tma_element_is_float(type))
        return fabs(tma_element_number(type, a) - tma_element_number(type, b));
    bool left_nan = isnan(tma_double_of(format->number, left)),
         right_nan = isnan(tma_double_of(format->number, right));
    if (left_nan || right_nan)
        return left_nan && right_nan ? 0 : INFINITY;
    /* Bits of one sign are in the order of the numbers. */
    uint64_t sign = (uint64_t)1 << (8 * format->bytes - 1);
    double steps_left = (double)(left & (sign - 1)), steps_right = (double)(right & (sign - 1));
    return fabs(((left & sign) != 0 ? -steps_left : steps_left) -
                ((right & sign) != 0 ? -steps_right : steps_right));
}

void tma_element_text(enum tma_element type, const uint8_t *bytes,
                      char text[TMA_ELEMENT_TEXT_BYTES]) {
    uint32_t count = tma_element_bytes(type);
    snprintf(text, TMA_ELEMENT_TEXT_BYTES, "0x%0*llx (%.9g)", (int)(2 * count),
             (unsigned long long)tma_element_bits(type, bytes), tma_element_number(type, bytes));
}
