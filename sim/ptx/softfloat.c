#include "ptx/softfloat.h"

#include <math.h>
#include <string.h>

struct format {
    int fraction_bits, exponent_bits;
};

static const struct format formats[] = {
    [TMA_FORMAT_F16] = {10, 5},  [TMA_FORMAT_BF16] = {7, 8},  [TMA_FORMAT_F32] = {23, 8},
    [TMA_FORMAT_F64] = {52, 11}, [TMA_FORMAT_TF32] = {10, 8}, [TMA_FORMAT_E4M3] = {3, 4},
    [TMA_FORMAT_E5M2] = {2, 5},
};

static int highest_bit(tma_wide value) {
    uint64_t high = (uint64_t)(value >> 64);
    return high != 0 ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((uint64_t)value);
}

/* Shifts right; what falls out is left in the lowest bit. */
static tma_wide shift_sticky(tma_wide value, int distance) {
    if (distance <= 0)
        return value;
    if (distance > 127)
        return value != 0;
    tma_wide lost = value & (((tma_wide)1 << distance) - 1);
    return value >> distance | (lost != 0);
}

struct tma_ptx_number tma_number_of(enum tma_float_format format, uint64_t bits) {
    int fraction_bits = formats[format].fraction_bits,
        exponent_bits = formats[format].exponent_bits;
    if (format == TMA_FORMAT_TF32)
        bits = (bits & UINT64_C(0xffffffff)) >> 13;
    uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1);
    int exponent = (int)(bits >> fraction_bits & ((UINT64_C(1) << exponent_bits) - 1));
    int top = (1 << exponent_bits) - 1, bias = top >> 1;
    struct tma_ptx_number number = {.negative = bits >> (fraction_bits + exponent_bits) & 1};
    if (format == TMA_FORMAT_E4M3 ? exponent == top && fraction == 7 : exponent == top) {
        number.kind =
            format == TMA_FORMAT_E4M3 || fraction != 0 ? TMA_NUMBER_NAN : TMA_NUMBER_INFINITE;
        number.payload = fraction << (52 - fraction_bits);
    } else if (exponent == 0 && fraction == 0) {
        number.kind = TMA_NUMBER_ZERO;
    } else {
        number.kind = TMA_NUMBER_FINITE;
        number.mantissa = exponent == 0 ? fraction : fraction | UINT64_C(1) << fraction_bits;
        number.exponent = (exponent == 0 ? 1 : exponent) - bias - fraction_bits;
    }
    return number;
}

struct tma_ptx_number tma_number_of_integer(bool negative, uint64_t magnitude) {
    return (struct tma_ptx_number){.kind = magnitude == 0 ? TMA_NUMBER_ZERO : TMA_NUMBER_FINITE,
                                   .negative = magnitude != 0 && negative,
                                   .mantissa = magnitude};
}

/* Drops `distance` bits (at least 1) and rounds. */
static tma_wide round_off(tma_wide value, int distance, bool negative, enum tma_rounding rounding) {
    if (distance > 126) { /* less than a quarter of a unit: only its sign counts */
        value = value != 0;
        distance = 2;
    }
    tma_wide half = (tma_wide)1 << (distance - 1);
    tma_wide rest = value & ((half << 1) - 1), kept = value >> distance;
    bool up = false;
    switch (rounding) {
    case TMA_ROUND_EVEN:
        up = rest > half || (rest == half && (kept & 1));
        break;
    case TMA_ROUND_AWAY:
        up = rest >= half;
        break;
    case TMA_ROUND_ZERO:
        break;
    case TMA_ROUND_DOWN:
        up = negative && rest != 0;
        break;
    case TMA_ROUND_UP:
        up = !negative && rest != 0;
        break;
    }
    return kept + up;
}

uint64_t tma_number_bits(struct tma_ptx_number number, enum tma_float_format format,
                         enum tma_rounding rounding, bool flush, bool finite) {
    int fraction_bits = formats[format].fraction_bits,
        exponent_bits = formats[format].exponent_bits;
    int bias = (1 << (exponent_bits - 1)) - 1, unit = format == TMA_FORMAT_TF32 ? 13 : 0;
    uint64_t sign = (uint64_t)number.negative << (fraction_bits + exponent_bits);
    uint64_t infinity = ((UINT64_C(1) << exponent_bits) - 1) << fraction_bits;
    uint64_t largest = format == TMA_FORMAT_E4M3 ? 0x7e : infinity - 1;
    if (format == TMA_FORMAT_E4M3)
        infinity = 0x7f; /* it has none: what is too large is a NaN */
    uint64_t bits = 0;
    switch (number.kind) {
    case TMA_NUMBER_NAN:
        if (format == TMA_FORMAT_F64)
            return sign | infinity | UINT64_C(1) << 51 | number.payload;
        if (format == TMA_FORMAT_TF32)
            return 0x7fffffff;
        return (UINT64_C(1) << (fraction_bits + exponent_bits)) - 1;
    case TMA_NUMBER_INFINITE:
        bits = finite ? largest : infinity;
        return (sign | bits) << unit;
    case TMA_NUMBER_ZERO:
        return sign << unit;
    case TMA_NUMBER_FINITE:
        break;
    }
    int least = 1 - bias - fraction_bits; /* exponent of the lowest bit of denormal numbers */
    int lowest = number.exponent + highest_bit(number.mantissa) - fraction_bits;
    if (lowest < least)
        lowest = least;
    int distance = lowest - number.exponent;
    tma_wide kept = distance > 0 ? round_off(number.mantissa, distance, number.negative, rounding)
                                 : number.mantissa << -distance;
    if (lowest - least > 1 << exponent_bits) {
        bits = infinity + 1;
    } else {
        bits = ((uint64_t)(lowest - least) << fraction_bits) + (uint64_t)kept;
    }
    if (bits > largest) {
        bool away = rounding == TMA_ROUND_EVEN || rounding == TMA_ROUND_AWAY ||
                    rounding == (number.negative ? TMA_ROUND_DOWN : TMA_ROUND_UP);
        bits = away && !finite ? infinity : largest;
    }
    if (flush && bits < UINT64_C(1) << fraction_bits)
        bits = 0;
    return (sign | bits) << unit;
}

/* The numbers of up to 16 bits that are no leading bits of a float. */
static double small_double(enum tma_float_format format, uint32_t bits) {
    int fraction_bits = formats[format].fraction_bits,
        exponent_bits = formats[format].exponent_bits;
    int limit = (1 << exponent_bits) - 1, bias = limit >> 1;
    int exponent = (int)(bits >> fraction_bits) & limit;
    uint32_t fraction = bits & ((1u << fraction_bits) - 1);
    double sign = bits >> (exponent_bits + fraction_bits) & 1 ? -1.0 : 1.0;
    if (exponent == limit && format != TMA_FORMAT_E4M3)
        return fraction != 0 ? (double)NAN : sign * (double)INFINITY;
    if (exponent == limit && fraction == 7)
        return (double)NAN;
    if (exponent == 0)
        return sign * ldexp((double)fraction, 1 - bias - fraction_bits);
    uint64_t wide = (uint64_t)(exponent - bias + 1023) << 52 | (uint64_t)fraction
                                                                   << (52 - fraction_bits);
    double magnitude;
    memcpy(&magnitude, &wide, sizeof magnitude);
    return sign * magnitude;
}

double tma_double_of(enum tma_float_format format, uint64_t bits) {
    uint32_t word = (uint32_t)bits;
    double value = 0;
    float narrow;
    switch (format) {
    case TMA_FORMAT_F16:
    case TMA_FORMAT_E4M3:
    case TMA_FORMAT_E5M2:
        return small_double(format, word);
    case TMA_FORMAT_F64:
        memcpy(&value, &bits, sizeof value);
        return value;
    case TMA_FORMAT_BF16:
        word <<= 16;
        break;
    case TMA_FORMAT_TF32:
        word &= 0xffffe000;
        break;
    case TMA_FORMAT_F32:
        break;
    }
    memcpy(&narrow, &word, sizeof narrow);
    return (double)narrow;
}

uint64_t tma_double_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

uint64_t tma_double_rounded(enum tma_float_format format, double value) {
    return tma_number_bits(tma_number_of(TMA_FORMAT_F64, tma_double_bits(value)), format,
                           TMA_ROUND_EVEN, false, false);
}

struct tma_ptx_number tma_number_round(struct tma_ptx_number number, enum tma_rounding rounding) {
    if (number.kind != TMA_NUMBER_FINITE || number.exponent >= 0)
        return number;
    number.mantissa = round_off(number.mantissa, -number.exponent, number.negative, rounding);
    number.exponent = 0;
    if (number.mantissa == 0)
        number.kind = TMA_NUMBER_ZERO;
    return number;
}

static struct tma_ptx_number not_a_number(void) {
    return (struct tma_ptx_number){.kind = TMA_NUMBER_NAN, .negative = true};
}

/* The second operand, if it is a NaN, or the first one, or a new one. */
static struct tma_ptx_number propagate(struct tma_ptx_number a, struct tma_ptx_number b) {
    return b.kind == TMA_NUMBER_NAN ? b : a.kind == TMA_NUMBER_NAN ? a : not_a_number();
}

/* Moves the highest bit of the mantissa to bit 125: sums then need one bit more. */
static void normalise(struct tma_ptx_number *number) {
    int distance = 125 - highest_bit(number->mantissa);
    if (distance >= 0)
        number->mantissa <<= distance;
    else
        number->mantissa = shift_sticky(number->mantissa, -distance);
    number->exponent -= distance;
}

struct tma_ptx_number tma_number_add(struct tma_ptx_number a, struct tma_ptx_number b,
                                     enum tma_rounding rounding) {
    if (a.kind == TMA_NUMBER_NAN || b.kind == TMA_NUMBER_NAN)
        return propagate(a, b);
    if (a.kind == TMA_NUMBER_INFINITE)
        return b.kind == TMA_NUMBER_INFINITE && a.negative != b.negative ? not_a_number() : a;
    if (b.kind == TMA_NUMBER_INFINITE)
        return b;
    if (a.kind == TMA_NUMBER_ZERO || b.kind == TMA_NUMBER_ZERO) {
        if (a.kind == TMA_NUMBER_ZERO && b.kind == TMA_NUMBER_ZERO && a.negative != b.negative)
            a.negative = rounding == TMA_ROUND_DOWN;
        return a.kind == TMA_NUMBER_ZERO && b.kind != TMA_NUMBER_ZERO ? b : a;
    }
    normalise(&a);
    normalise(&b);
    if (a.exponent < b.exponent || (a.exponent == b.exponent && a.mantissa < b.mantissa)) {
        struct tma_ptx_number other = a;
        a = b;
        b = other;
    }
    b.mantissa = shift_sticky(b.mantissa, a.exponent - b.exponent);
    if (a.negative == b.negative) {
        a.mantissa += b.mantissa;
    } else {
        a.mantissa -= b.mantissa;
        if (a.mantissa == 0) {
            a.kind = TMA_NUMBER_ZERO;
            a.negative = rounding == TMA_ROUND_DOWN;
        }
    }
    return a;
}

struct tma_ptx_number tma_number_multiply(struct tma_ptx_number a, struct tma_ptx_number b) {
    bool negative = a.negative != b.negative;
    if (a.kind == TMA_NUMBER_NAN || b.kind == TMA_NUMBER_NAN)
        return propagate(a, b);
    if (a.kind == TMA_NUMBER_INFINITE || b.kind == TMA_NUMBER_INFINITE) {
        if (a.kind == TMA_NUMBER_ZERO || b.kind == TMA_NUMBER_ZERO)
            return not_a_number();
        return (struct tma_ptx_number){.kind = TMA_NUMBER_INFINITE, .negative = negative};
    }
    if (a.kind == TMA_NUMBER_ZERO || b.kind == TMA_NUMBER_ZERO)
        return (struct tma_ptx_number){.kind = TMA_NUMBER_ZERO, .negative = negative};
    a.negative = negative;
    a.exponent += b.exponent;
    a.mantissa *= b.mantissa;
    return a;
}

/* The mantissa of a format's number with its highest bit at bit 63. */
static uint64_t top_mantissa(struct tma_ptx_number *number) {
    uint64_t mantissa = (uint64_t)number->mantissa;
    int distance = __builtin_clzll(mantissa);
    number->exponent -= distance;
    return mantissa << distance;
}

struct tma_ptx_number tma_number_divide(struct tma_ptx_number a, struct tma_ptx_number b) {
    bool negative = a.negative != b.negative;
    if (a.kind == TMA_NUMBER_NAN || b.kind == TMA_NUMBER_NAN)
        return propagate(b, a);
    if (a.kind == b.kind && a.kind != TMA_NUMBER_FINITE)
        return not_a_number();
    if (a.kind == TMA_NUMBER_INFINITE || b.kind == TMA_NUMBER_ZERO)
        return (struct tma_ptx_number){.kind = TMA_NUMBER_INFINITE, .negative = negative};
    if (a.kind == TMA_NUMBER_ZERO || b.kind == TMA_NUMBER_INFINITE)
        return (struct tma_ptx_number){.kind = TMA_NUMBER_ZERO, .negative = negative};
    tma_wide dividend = (tma_wide)top_mantissa(&a) << 63;
    uint64_t divisor = top_mantissa(&b);
    a.mantissa = dividend / divisor << 1 | (dividend % divisor != 0);
    a.exponent += -63 - b.exponent - 1;
    a.negative = negative;
    return a;
}

struct tma_ptx_number tma_number_root(struct tma_ptx_number a) {
    if (a.kind == TMA_NUMBER_NAN || a.kind == TMA_NUMBER_ZERO)
        return a;
    if (a.negative)
        return not_a_number();
    if (a.kind == TMA_NUMBER_INFINITE)
        return a;
    tma_wide radicand = (tma_wide)top_mantissa(&a) << 62;
    a.exponent -= 62;
    if (a.exponent & 1) {
        radicand <<= 1;
        a.exponent -= 1;
    }
    uint64_t root = 0;
    for (int bit = 63; bit >= 0; bit--) {
        uint64_t candidate = root | UINT64_C(1) << bit;
        if ((tma_wide)candidate * candidate <= radicand)
            root = candidate;
    }
    a.mantissa = (tma_wide)root << 1 | ((tma_wide)root * root != radicand);
    a.exponent = a.exponent / 2 - 1;
    return a;
}

int tma_number_compare(struct tma_ptx_number a, struct tma_ptx_number b) {
    if (a.kind == TMA_NUMBER_NAN || b.kind == TMA_NUMBER_NAN)
        return 2;
    if (a.kind == TMA_NUMBER_ZERO && b.kind == TMA_NUMBER_ZERO)
        return 0;
    if (a.kind == TMA_NUMBER_INFINITE && b.kind == TMA_NUMBER_INFINITE)
        return (int)b.negative - (int)a.negative;
    b.negative = !b.negative;
    struct tma_ptx_number difference = tma_number_add(a, b, TMA_ROUND_EVEN);
    if (difference.kind == TMA_NUMBER_ZERO)
        return 0;
    return difference.negative ? -1 : 1;
}
