/* The values of floating-point numbers in bits, for tests that compare with a tolerance. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline double value_of_f16(uint64_t bits) {
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 0x3ff);
    double magnitude = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    if (exponent == 31)
        magnitude = fraction > 0 ? NAN : INFINITY;
    return bits & 0x8000 ? -magnitude : magnitude;
}

static inline double value_of_f32(uint64_t bits) {
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return (double)value;
}
