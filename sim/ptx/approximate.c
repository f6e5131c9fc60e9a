#include "ptx/approximate.h"

#include <math.h>

/* 2^n for -1022 <= n <= 1023. */
static double power(int n) {
    return tma_double_of(TMA_FORMAT_F64, (uint64_t)(n + 1023) << 52);
}

static double exponential(double x) { /* 2^x */
    if (x >= 1024)
        return INFINITY;
    if (x <= -1000)
        return 0;
    int n = (int)(x < 0 ? x - 0.5 : x + 0.5);
    double t = (x - n) * 0.69314718055994530942, sum = 1;
    for (int i = 14; i >= 1; i--)
        sum = 1 + sum * t / i;
    return sum * power(n);
}

static double logarithm(double x) { /* log2 x */
    if (x == 0)
        return -INFINITY;
    if (x < 0)
        return NAN;
    if (x > 1.7e308)
        return INFINITY;
    uint64_t bits = tma_double_bits(x);
    int n = (int)(bits >> 52) - 1023;
    double m =
        tma_double_of(TMA_FORMAT_F64, (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        n += 1;
    }
    double t = (m - 1) / (m + 1), square = t * t, sum = 0;
    for (int i = 21; i >= 1; i -= 2)
        sum = sum * square + 1.0 / i;
    return n + 2 * t * sum * 1.44269504088896340736;
}

/* sin(2 pi t) or cos(2 pi t): hardware, too, multiplies by 1 / (2 pi) first and keeps the fraction.
 */
static double wave(double x, bool cosine) {
    if (x - x != 0)
        return NAN;
    /* The product is exact in double; hardware rounds it to float32, towards zero. */
    double t = tma_double_of(TMA_FORMAT_F64,
                             tma_double_bits(x * 0.15915493667125701904) & ~UINT64_C(0x1fffffff));
    if (t >= 4503599627370496.0 || t <= -4503599627370496.0)
        t = 0;
    else
        t -= (double)(int64_t)t;
    double angle = t * 6.28318530717958647692;
    double square = angle * angle, term = cosine ? 1 : angle, sum = term;
    for (int i = cosine ? 2 : 3; i < 44; i += 2) {
        term *= -square / ((double)i * (i - 1));
        sum += term;
    }
    return sum;
}

double tma_approximate(enum tma_approximation function, double x, double y) {
    switch (function) {
    case TMA_APPROXIMATE_DIV: {
        /* x times the reciprocal of y, which is 0 where y is very large (PTX ISA, div.approx). */
        double size = y < 0 ? -y : y;
        if (size > 0x1p126 && size < 0x1p128)
            return x - x != 0 ? NAN : (x < 0) != (y < 0) ? -0.0 : 0.0;
        return x / y;
    }
    case TMA_APPROXIMATE_DIV_FULL:
        return x / y;
    case TMA_APPROXIMATE_RCP:
        return 1 / x;
    case TMA_APPROXIMATE_SQRT:
        return x < 0 ? NAN : sqrt(x);
    case TMA_APPROXIMATE_RSQRT:
        return x < 0 ? NAN : 1 / sqrt(x);
    case TMA_APPROXIMATE_SIN:
        return x == 0 ? x : wave(x, false);
    case TMA_APPROXIMATE_COS:
        return wave(x, true);
    case TMA_APPROXIMATE_LG2:
        return logarithm(x);
    case TMA_APPROXIMATE_EX2:
        return exponential(x);
    case TMA_APPROXIMATE_TANH: {
        if (x > 20 || x < -20)
            return x < 0 ? -1 : 1;
        double size = x < 0 ? -x : x, square = x * x;
        if (size < 0.01)
            return x * (1 - square / 3 + square * square * 2 / 15);
        double e = exponential(2 * size * 1.44269504088896340736);
        double result = (e - 1) / (e + 1);
        return x < 0 ? -result : result;
    }
    }
    return 0;
}
