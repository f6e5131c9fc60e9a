#include "placement/float.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { HALF_NAN = 0x7fff };

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Drops the low `count` bits (1 to 31) and rounds to nearest even. */
static uint32_t round_off(uint32_t bits, unsigned count) {
    uint32_t half = (1u << (count - 1)) - 1;
    return (bits + half + (bits >> count & 1)) >> count;
}

uint32_t tma_tf32_of_float(uint32_t bits) {
    if ((bits & 0x7fffffff) > 0x7f800000)
        return 0x7fffe000;
    return round_off(bits, 13) << 13;
}

float tma_add_float(float old, float operand) {
    float sum = old + operand;
    return isnan(sum) ? float_of(0x7fffffff) : sum;
}

static float widen_bfloat(uint16_t bits) {
    return float_of((uint32_t)bits << 16);
}

static uint16_t narrow_bfloat(float value) {
    return isnan(value) ? HALF_NAN : (uint16_t)round_off(bits_of(value), 16);
}

static float widen_half(uint16_t bits) {
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
    uint32_t exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
    if (exponent == 0) { /* zero or denormal: mantissa times 2^-24 */
        float magnitude = (float)mantissa * 0x1p-24f;
        return sign != 0 ? -magnitude : magnitude;
    }
    if (exponent == 31)
        return float_of(sign | 0x7f800000 | mantissa << 13);
    return float_of(sign | (exponent + 112) << 23 | mantissa << 13);
}

static uint16_t narrow_half(float value) {
    if (isnan(value))
        return HALF_NAN;
    uint32_t bits = bits_of(value);
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude >= 0x47800000) /* 65536 and more */
        return (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x38800000) /* below 2^-14: a denormal, in units of 2^-24 */
        return (uint16_t)(sign | (uint32_t)rintf(float_of(magnitude) * 0x1p24f));
    return (uint16_t)(sign | round_off(magnitude - 0x38000000, 13));
}

/* Double rounding is harmless here: a float has 24 bits, which is at least 2 * 11 + 2, so rounding
 * the float sum gives the same result as rounding the exact sum. */
static uint16_t add_half(uint16_t old, uint16_t operand) {
    return narrow_half(widen_half(old) + widen_half(operand));
}

static uint16_t add_bfloat(uint16_t old, uint16_t operand) {
    return narrow_bfloat(widen_bfloat(old) + widen_bfloat(operand));
}

/* Maps sign and magnitude to integers in the same order, with -0 below +0. */
static int32_t rank_of(uint16_t bits) {
    return bits & 0x8000 ? -(int32_t)(bits & 0x7fff) - 1 : bits;
}

static bool is_nan(uint16_t bits, uint16_t infinity) {
    return (bits & 0x7fff) > infinity;
}

static uint16_t choose(uint16_t old, uint16_t operand, uint16_t infinity, bool smaller) {
    bool old_nan = is_nan(old, infinity), operand_nan = is_nan(operand, infinity);
    if (old_nan || operand_nan)
        return old_nan && operand_nan ? HALF_NAN : old_nan ? operand : old;
    return (rank_of(operand) < rank_of(old)) == smaller ? operand : old;
}

static uint16_t min_half(uint16_t old, uint16_t operand) {
    return choose(old, operand, 0x7c00, true);
}

static uint16_t max_half(uint16_t old, uint16_t operand) {
    return choose(old, operand, 0x7c00, false);
}

static uint16_t min_bfloat(uint16_t old, uint16_t operand) {
    return choose(old, operand, 0x7f80, true);
}

static uint16_t max_bfloat(uint16_t old, uint16_t operand) {
    return choose(old, operand, 0x7f80, false);
}

const struct tma_half_format tma_half = {add_half, min_half, max_half};
const struct tma_half_format tma_bfloat = {add_bfloat, min_bfloat, max_bfloat};
