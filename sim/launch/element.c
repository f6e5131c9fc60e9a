#include "launch/element.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct tma_name names[] = {
    {"uint8", TMA_ELEMENT_UINT8},        {"int8", TMA_ELEMENT_INT8},
    {"uint16", TMA_ELEMENT_UINT16},      {"int16", TMA_ELEMENT_INT16},
    {"uint32", TMA_ELEMENT_UINT32},      {"int32", TMA_ELEMENT_INT32},
    {"uint64", TMA_ELEMENT_UINT64},      {"int64", TMA_ELEMENT_INT64},
    {"float16", TMA_ELEMENT_FLOAT16},    {"bfloat16", TMA_ELEMENT_BFLOAT16},
    {"float32", TMA_ELEMENT_FLOAT32},    {"float64", TMA_ELEMENT_FLOAT64},
    {"e4m3", TMA_ELEMENT_E4M3},          {"e5m2", TMA_ELEMENT_E5M2},
    {"float8_e4m3fn", TMA_ELEMENT_E4M3}, {"float8_e5m2", TMA_ELEMENT_E5M2},
    {"bool", TMA_ELEMENT_UINT8}};
const struct tma_names tma_element_names = {"element type", names, sizeof names / sizeof names[0]};

/* Floating-point types have exponent bits. */
static const struct format {
    uint8_t bytes, exponent_bits, fraction_bits;
    bool is_signed, finite; /* finite: all ones is NaN, and there is no infinity */
} formats[] = {
    [TMA_ELEMENT_UINT8] = {1, 0, 0, false, false},
    [TMA_ELEMENT_INT8] = {1, 0, 0, true, false},
    [TMA_ELEMENT_UINT16] = {2, 0, 0, false, false},
    [TMA_ELEMENT_INT16] = {2, 0, 0, true, false},
    [TMA_ELEMENT_UINT32] = {4, 0, 0, false, false},
    [TMA_ELEMENT_INT32] = {4, 0, 0, true, false},
    [TMA_ELEMENT_UINT64] = {8, 0, 0, false, false},
    [TMA_ELEMENT_INT64] = {8, 0, 0, true, false},
    [TMA_ELEMENT_FLOAT16] = {2, 5, 10, true, false},
    [TMA_ELEMENT_BFLOAT16] = {2, 8, 7, true, false},
    [TMA_ELEMENT_FLOAT32] = {4, 8, 23, true, false},
    [TMA_ELEMENT_FLOAT64] = {8, 11, 52, true, false},
    [TMA_ELEMENT_E4M3] = {1, 4, 3, true, true},
    [TMA_ELEMENT_E5M2] = {1, 5, 2, true, false},
};

uint32_t tma_element_bytes(enum tma_element type) {
    return formats[type].bytes;
}

bool tma_element_is_float(enum tma_element type) {
    return formats[type].exponent_bits > 0;
}

static void put(uint64_t bits, uint32_t count, uint8_t *bytes) {
    for (uint32_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)(bits >> 8 * i);
}

static uint64_t get(uint32_t count, const uint8_t *bytes) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; i++)
        bits |= (uint64_t)bytes[i] << 8 * i;
    return bits;
}

/* The bits of the format's number that is closest to `value`; of two, the even one. */
static uint64_t encode(const struct format *format, double value) {
    uint32_t fraction_bits = format->fraction_bits, exponent_bits = format->exponent_bits;
    int bias = (1 << (exponent_bits - 1)) - 1;
    uint64_t sign = (uint64_t)(signbit(value) != 0) << (fraction_bits + exponent_bits);
    uint64_t most = ((uint64_t)1 << (fraction_bits + exponent_bits)) - 1; /* all ones */
    uint64_t infinity = format->finite ? most : most >> fraction_bits << fraction_bits;
    if (isnan(value))
        return sign | most;
    if (value == 0)
        return sign;
    int exponent = 0;
    double fraction = isinf(value) ? 0 : frexp(fabs(value), &exponent); /* 0.5 to 1 */
    int lowest = 1 - bias; /* exponent of the least normal number */
    int unit = (exponent - 1 < lowest ? lowest : exponent - 1) - (int)fraction_bits;
    double steps = nearbyint(ldexp(fraction, exponent - unit));
    double ones = ldexp(2, (int)fraction_bits); /* steps of the next power of two */
    if (isinf(value) || unit + (int)fraction_bits > bias + format->finite)
        return sign | infinity;
    int stored = unit + (int)fraction_bits + bias - 1; /* + 1 comes from the leading bit */
    if (steps >= ones)
        steps /= 2, stored++;
    uint64_t bits = ((uint64_t)stored << fraction_bits) + (uint64_t)steps;
    return sign | (bits > infinity ? infinity : bits);
}

static double decode(const struct format *format, uint64_t bits) {
    uint32_t fraction_bits = format->fraction_bits, exponent_bits = format->exponent_bits;
    int bias = (1 << (exponent_bits - 1)) - 1;
    uint64_t most = ((uint64_t)1 << (fraction_bits + exponent_bits)) - 1;
    uint64_t fraction = bits & (((uint64_t)1 << fraction_bits) - 1);
    int stored = (int)((bits & most) >> fraction_bits);
    bool negative = (bits >> (fraction_bits + exponent_bits) & 1) != 0;
    bool special = stored == (1 << exponent_bits) - 1;
    double value;
    if (format->finite ? (bits & most) == most : special && fraction != 0)
        return NAN;
    if (special && !format->finite)
        value = INFINITY;
    else if (stored == 0)
        value = ldexp((double)fraction, 1 - bias - (int)fraction_bits);
    else
        value = ldexp((double)(fraction + ((uint64_t)1 << fraction_bits)),
                      stored - bias - (int)fraction_bits);
    return negative ? -value : value;
}

void tma_element_from_integer(enum tma_element type, int64_t value, uint8_t *bytes) {
    const struct format *format = &formats[type];
    if (tma_element_is_float(type))
        tma_element_from_number(type, (double)value, bytes);
    else
        put((uint64_t)value, format->bytes, bytes);
}

void tma_element_from_number(enum tma_element type, double value, uint8_t *bytes) {
    const struct format *format = &formats[type];
    if (tma_element_is_float(type))
        put(encode(format, value), format->bytes, bytes);
    else
        put(value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value, format->bytes, bytes);
}

double tma_element_number(enum tma_element type, const uint8_t *bytes) {
    const struct format *format = &formats[type];
    uint64_t bits = get(format->bytes, bytes);
    if (tma_element_is_float(type))
        return decode(format, bits);
    uint32_t unused = 64 - 8 * (uint32_t)format->bytes;
    return format->is_signed ? (double)((int64_t)(bits << unused) >> unused) : (double)bits;
}

double tma_element_distance(enum tma_element type, const uint8_t *a, const uint8_t *b) {
    const struct format *format = &formats[type];
    uint64_t left = get(format->bytes, a), right = get(format->bytes, b);
    if (left == right)
        return 0;
    if (!tma_element_is_float(type))
        return fabs(tma_element_number(type, a) - tma_element_number(type, b));
    bool left_nan = isnan(decode(format, left)), right_nan = isnan(decode(format, right));
    if (left_nan || right_nan)
        return left_nan && right_nan ? 0 : INFINITY;
    /* Bits of one sign are in the order of the numbers. */
    uint64_t sign = (uint64_t)1 << (format->fraction_bits + format->exponent_bits);
    double steps_left = (double)(left & (sign - 1)), steps_right = (double)(right & (sign - 1));
    return fabs(((left & sign) != 0 ? -steps_left : steps_left) -
                ((right & sign) != 0 ? -steps_right : steps_right));
}

void tma_element_text(enum tma_element type, const uint8_t *bytes,
                      char text[TMA_ELEMENT_TEXT_BYTES]) {
    uint32_t count = tma_element_bytes(type);
    snprintf(text, TMA_ELEMENT_TEXT_BYTES, "0x%0*llx (%.9g)", (int)(2 * count),
             (unsigned long long)get(count, bytes), tma_element_number(type, bytes));
}
