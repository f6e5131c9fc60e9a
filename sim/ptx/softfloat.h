/* Floating-point numbers by integer arithmetic: every format and rounding of PTX, with the bits
 * that an H100 gives (tests/hardware/ptx/ops). No result depends on the host's rounding. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 tma_wide;

enum tma_float_format {
    TMA_FORMAT_F16,
    TMA_FORMAT_BF16,
    TMA_FORMAT_F32,
    TMA_FORMAT_F64,
    TMA_FORMAT_TF32, /* in the 32 bits of an f32, of which the low 13 are zero */
    TMA_FORMAT_E4M3,
    TMA_FORMAT_E5M2
};

enum tma_rounding {
    TMA_ROUND_EVEN,
    TMA_ROUND_ZERO,
    TMA_ROUND_DOWN,
    TMA_ROUND_UP,
    TMA_ROUND_AWAY /* to nearest, ties away from zero */
};

enum tma_number_kind { TMA_NUMBER_ZERO, TMA_NUMBER_FINITE, TMA_NUMBER_INFINITE, TMA_NUMBER_NAN };

/* A number: `mantissa` times 2^`exponent`. The lowest bit of the mantissa may stand for all that
 * lies below it (a sticky bit). */
struct tma_ptx_number {
    enum tma_number_kind kind;
    bool negative;
    int exponent;
    tma_wide mantissa;
    uint64_t payload; /* NAN: the fraction, at the top of 52 bits */
};

/* Takes the bits of a format apart. */
struct tma_ptx_number tma_number_of(enum tma_float_format format, uint64_t bits);
struct tma_ptx_number tma_number_of_integer(bool negative, uint64_t magnitude);

/* Rounds to a format. A NaN becomes the format's canonical one (0x7fff, 0x7fffffff, 0x7f; of f64:
 * the quiet NaN with the payload). `flush`: denormal results become zero. `finite`: what is too
 * large becomes the largest number. */
uint64_t tma_number_bits(struct tma_ptx_number number, enum tma_float_format format,
                         enum tma_rounding rounding, bool flush, bool finite);

/* A format's number as a double, which holds every number of every format; the bits of a double;
 * and a double, rounded to a format to nearest even (NaNs as tma_number_bits). */
double tma_double_of(enum tma_float_format format, uint64_t bits);
uint64_t tma_double_bits(double value);
uint64_t tma_double_rounded(enum tma_float_format format, double value);

/* Rounds to an integer, which stays a number. */
struct tma_ptx_number tma_number_round(struct tma_ptx_number number, enum tma_rounding rounding);

/* Sums, products, quotients and roots, exact or with a sticky bit that rounds as the exact result
 * does in formats of up to 53 bits. `rounding` tells the sign of a sum that is zero. */
struct tma_ptx_number tma_number_add(struct tma_ptx_number a, struct tma_ptx_number b,
                                     enum tma_rounding rounding);
struct tma_ptx_number tma_number_multiply(struct tma_ptx_number a, struct tma_ptx_number b);
struct tma_ptx_number tma_number_divide(struct tma_ptx_number a, struct tma_ptx_number b);
struct tma_ptx_number tma_number_root(struct tma_ptx_number a);

/* -1, 0, 1; 2 if one of them is a NaN. */
int tma_number_compare(struct tma_ptx_number a, struct tma_ptx_number b);
