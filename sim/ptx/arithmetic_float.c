/* Floating-point arithmetic (PTX ISA 9.7.3 to 9.7.5). */
#include <math.h>

#include "ptx/lane_arithmetic.h"
#include "ptx/softfloat.h"

/* The approximate functions of PTX, by additions, multiplications and divisions of doubles alone:
 * the same bits with every compiler and library. Closer to the exact value than hardware is. */

enum tma_approximation {
    TMA_APPROXIMATE_DIV,
    TMA_APPROXIMATE_DIV_FULL,
    TMA_APPROXIMATE_RCP,
    TMA_APPROXIMATE_SQRT,
    TMA_APPROXIMATE_RSQRT,
    TMA_APPROXIMATE_SIN,
    TMA_APPROXIMATE_COS,
    TMA_APPROXIMATE_LG2,
    TMA_APPROXIMATE_EX2,
    TMA_APPROXIMATE_TANH
};

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

/* The function of x (and of y, of a division). */
static double approximate_value(enum tma_approximation function, double x, double y) {
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

enum tma_float_format tma_format_of(enum tma_ptx_type type) {
    switch (type) {
    case TMA_PTX_F16:
    case TMA_PTX_F16X2:
        return TMA_FORMAT_F16;
    case TMA_PTX_BF16:
    case TMA_PTX_BF16X2:
        return TMA_FORMAT_BF16;
    case TMA_PTX_F64:
        return TMA_FORMAT_F64;
    case TMA_PTX_TF32:
        return TMA_FORMAT_TF32;
    case TMA_PTX_E4M3:
    case TMA_PTX_E4M3X2:
        return TMA_FORMAT_E4M3;
    case TMA_PTX_E5M2:
    case TMA_PTX_E5M2X2:
        return TMA_FORMAT_E5M2;
    default:
        return TMA_FORMAT_F32;
    }
}

struct float_layout {
    uint64_t sign, infinity, one, nan, least_normal;
};

static const struct float_layout layouts[] = {
    [TMA_FORMAT_F16] = {0x8000, 0x7c00, 0x3c00, 0x7fff, 0x400},
    [TMA_FORMAT_BF16] = {0x8000, 0x7f80, 0x3f80, 0x7fff, 0x80},
    [TMA_FORMAT_F32] = {0x80000000, 0x7f800000, 0x3f800000, 0x7fffffff, 0x800000},
    [TMA_FORMAT_F64] = {UINT64_C(1) << 63, UINT64_C(0x7ff) << 52, UINT64_C(0x3ff) << 52,
                        UINT64_C(0xfff8) << 48, UINT64_C(1) << 52},
};

static bool is_nan(const struct float_layout *layout, uint64_t bits) {
    return (bits & ~layout->sign) > layout->infinity;
}

/* An operand as the instruction sees it: .ftz flushes denormal numbers. */
static uint64_t flushed(const struct tma_op *op, uint64_t bits) {
    const struct float_layout *layout = &layouts[op->format];
    return op->flush && (bits & layout->infinity) == 0 ? bits & layout->sign : bits;
}

struct tma_ptx_number tma_float_operand(const struct tma_op *op, uint64_t bits) {
    return tma_number_of((enum tma_float_format)op->format, flushed(op, bits));
}

/* .sat: from 0 to 1, a NaN is 0. .relu: not negative, a NaN stays one. */
static uint64_t clamp(const struct tma_op *op, uint64_t bits) {
    const struct float_layout *layout = &layouts[op->format];
    if (op->saturate) {
        if (is_nan(layout, bits) || (bits & layout->sign) != 0)
            return 0;
        return bits > layout->one ? layout->one : bits;
    }
    if (op->relu && (bits & layout->sign) != 0 && !is_nan(layout, bits))
        return 0;
    return bits;
}

static uint64_t give(const struct tma_op *op, struct tma_ptx_number number) {
    return clamp(op, tma_number_bits(number, (enum tma_float_format)op->format,
                                     (enum tma_rounding)op->rounding, op->flush, false));
}

TMA_LANE(lane_add) {
    return give(op, tma_number_add(tma_float_operand(op, a), tma_float_operand(op, b),
                                   (enum tma_rounding)op->rounding));
}

TMA_LANE(lane_sub) {
    struct tma_ptx_number other = tma_float_operand(op, b);
    if (other.kind != TMA_NUMBER_NAN)
        other.negative = !other.negative;
    return give(op,
                tma_number_add(tma_float_operand(op, a), other, (enum tma_rounding)op->rounding));
}

TMA_LANE(lane_mul) {
    return give(op, tma_number_multiply(tma_float_operand(op, a), tma_float_operand(op, b)));
}

TMA_LANE(lane_fma) {
    struct tma_ptx_number x = tma_float_operand(op, a), y = tma_float_operand(op, b),
                          z = tma_float_operand(op, c);
    return give(op, tma_number_add(tma_number_multiply(x, y), z, (enum tma_rounding)op->rounding));
}

TMA_LANE(lane_div) {
    return give(op, tma_number_divide(tma_float_operand(op, a), tma_float_operand(op, b)));
}

TMA_LANE(lane_rcp) {
    return give(op, tma_number_divide(tma_number_of_integer(false, 1), tma_float_operand(op, a)));
}

TMA_LANE(lane_sqrt) {
    return give(op, tma_number_root(tma_float_operand(op, a)));
}

/* op->mode: 1 for the maximum; op->mode2: 1 for .NaN, 2 for .xorsign.abs. */
TMA_LANE(lane_extreme) {
    const struct float_layout *layout = &layouts[op->format];
    a = flushed(op, a);
    b = flushed(op, b);
    uint64_t sign = (a ^ b) & layout->sign;
    if (op->mode2 & 2) {
        a &= ~layout->sign;
        b &= ~layout->sign;
    }
    bool a_nan = is_nan(layout, a), b_nan = is_nan(layout, b);
    uint64_t result;
    if (a_nan || b_nan) {
        if ((op->mode2 & 1) || (a_nan && b_nan)) {
            if (op->format == TMA_FORMAT_F64) {
                result = (a_nan ? a : b) | UINT64_C(1) << 51;
                return result;
            }
            return layout->nan;
        }
        result = a_nan ? b : a;
    } else {
        /* In order of their bits, with the sign as in two's complement; -0 < +0. */
        int64_t x = a & layout->sign ? -(int64_t)(a & ~layout->sign) - 1 : (int64_t)a;
        int64_t y = b & layout->sign ? -(int64_t)(b & ~layout->sign) - 1 : (int64_t)b;
        result = (op->mode ? x > y : x < y) ? a : b;
    }
    if (op->mode2 & 2)
        result = (result & ~layout->sign) | sign;
    return clamp(op, result);
}

TMA_LANE(lane_abs) {
    const struct float_layout *layout = &layouts[op->format];
    a = flushed(op, a);
    return is_nan(layout, a) && op->format != TMA_FORMAT_F64 ? layout->nan : a & ~layout->sign;
}

TMA_LANE(lane_neg) {
    const struct float_layout *layout = &layouts[op->format];
    a = flushed(op, a);
    return is_nan(layout, a) && op->format != TMA_FORMAT_F64 ? layout->nan : a ^ layout->sign;
}

TMA_LANE(lane_copysign) {
    uint64_t sign = layouts[op->format].sign;
    return (b & ~sign) | (a & sign);
}

/* testp: op->mode is a bit for each class: 1 zero, 2 denormal, 4 normal, 8 infinite, 16 NaN. */
TMA_LANE(lane_testp) {
    const struct float_layout *layout = &layouts[op->format];
    uint64_t magnitude = a & ~layout->sign;
    uint32_t kind = magnitude == 0                     ? 1
                    : magnitude < layout->least_normal ? 2
                    : magnitude < layout->infinity     ? 4
                    : magnitude == layout->infinity    ? 8
                                                       : 16;
    return (op->mode & kind) != 0;
}

/* Approximate functions: of the double that the operand is, rounded to the format. */
TMA_LANE(lane_approximate) {
    uint64_t x = flushed(op, a), y = flushed(op, b);
    const struct float_layout *layout = &layouts[op->format];
    if (is_nan(layout, x) || (op->mode == TMA_APPROXIMATE_DIV && is_nan(layout, y)))
        return layout->nan;
    double value = approximate_value((enum tma_approximation)op->mode,
                                     tma_double_of((enum tma_float_format)op->format, x),
                                     tma_double_of((enum tma_float_format)op->format, y));
    return tma_number_bits(tma_number_of(TMA_FORMAT_F64, tma_double_bits(value)),
                           (enum tma_float_format)op->format, TMA_ROUND_EVEN, op->flush, false);
}

/* rcp.approx.ftz.f64, rsqrt.approx.f64: of the upper word alone. */
TMA_LANE(lane_approximate_double) {
    a = flushed(op, a) & ~UINT64_C(0xffffffff);
    if (is_nan(&layouts[TMA_FORMAT_F64], a))
        return UINT64_C(0x7fffffff00000000);
    double value =
        approximate_value((enum tma_approximation)op->mode, tma_double_of(TMA_FORMAT_F64, a), 0);
    return flushed(op, tma_double_bits(value) & ~UINT64_C(0xffffffff));
}

/* ---- f32 to nearest even, whole warps, by the host's arithmetic: IEEE 754 gives each bit ---- */

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : bits;
}

/* a * b + c, rounded once: the product is exact in double, the sum is rounded to odd. */
static float fused(float a, float b, float c) {
    double product = (double)a * b, sum = product + c;
    double from_c = sum - product, error = (product - (sum - from_c)) + (c - from_c);
    uint64_t bits;
    memcpy(&bits, &sum, 8);
    uint64_t error_bits;
    memcpy(&error_bits, &error, 8);
    /* An infinity or a NaN makes the error a NaN, which is no error. */
    if (error != 0 && (error < 0 || error > 0) && (bits & 1) == 0)
        bits += (error_bits ^ bits) >> 63 ? ~UINT64_C(0) : 1;
    memcpy(&sum, &bits, 8);
    return (float)sum;
}

static uint32_t flush_bits(uint32_t bits) {
    return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
}

#define FLOATS(name, expression) TMA_LOOP(name, uint32_t, uint32_t, uint32_t, uint32_t, expression)

FLOATS(add_floats, bits_of(float_of(a[i]) + float_of(b[i])))
FLOATS(sub_floats, bits_of(float_of(a[i]) - float_of(b[i])))
FLOATS(mul_floats, bits_of(float_of(a[i]) * float_of(b[i])))
FLOATS(div_floats, bits_of(float_of(a[i]) / float_of(b[i])))
FLOATS(fma_floats, bits_of(fused(float_of(a[i]), float_of(b[i]), float_of(c[i]))))
FLOATS(add_floats_flush,
       flush_bits(bits_of(float_of(flush_bits(a[i])) + float_of(flush_bits(b[i])))))
FLOATS(sub_floats_flush,
       flush_bits(bits_of(float_of(flush_bits(a[i])) - float_of(flush_bits(b[i])))))
FLOATS(neg_floats, (a[i] & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : a[i] ^ 0x80000000)
FLOATS(abs_floats, (a[i] & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : a[i] & 0x7fffffff)

static uint32_t extreme(uint32_t a, uint32_t b, bool maximum) {
    bool a_nan = (a & 0x7fffffff) > 0x7f800000, b_nan = (b & 0x7fffffff) > 0x7f800000;
    int32_t x = (int32_t)(a ^ (0u - (a >> 31)) >> 1), y = (int32_t)(b ^ (0u - (b >> 31)) >> 1);
    uint32_t result = (maximum ? x > y : x < y) ? a : b;
    result = a_nan ? b : b_nan ? a : result;
    return a_nan && b_nan ? 0x7fffffff : result;
}

FLOATS(min_floats, extreme(a[i], b[i], false))
FLOATS(max_floats, extreme(a[i], b[i], true))

uint64_t tma_float_sum(enum tma_ptx_type type, uint64_t a, uint64_t b, bool flush) {
    struct tma_op op = {.format = (uint8_t)tma_format_of(type), .flush = flush};
    return lane_add(&op, a, b, 0);
}

uint64_t tma_float_extreme(enum tma_ptx_type type, uint64_t a, uint64_t b, bool maximum) {
    struct tma_op op = {.format = (uint8_t)tma_format_of(type), .mode = maximum};
    return lane_extreme(&op, a, b, 0);
}

/* ---- selection ---- */

struct float_loop {
    uint16_t opcode;
    bool flush;
    tma_handler *run;
};

static const struct float_loop loops[] = {
    {TMA_PTX_OP_ADD, false, add_floats},      {TMA_PTX_OP_SUB, false, sub_floats},
    {TMA_PTX_OP_MUL, false, mul_floats},      {TMA_PTX_OP_FMA, false, fma_floats},
    {TMA_PTX_OP_MAD, false, fma_floats},      {TMA_PTX_OP_DIV, false, div_floats},
    {TMA_PTX_OP_NEG, false, neg_floats},      {TMA_PTX_OP_ABS, false, abs_floats},
    {TMA_PTX_OP_MIN, false, min_floats},      {TMA_PTX_OP_MAX, false, max_floats},
    {TMA_PTX_OP_ADD, true, add_floats_flush}, {TMA_PTX_OP_SUB, true, sub_floats_flush},
};

struct float_row {
    uint16_t opcode;
    tma_lane_function *lane;
};

static const struct float_row lane_rows[] = {
    {TMA_PTX_OP_ADD, lane_add},           {TMA_PTX_OP_SUB, lane_sub},
    {TMA_PTX_OP_MUL, lane_mul},           {TMA_PTX_OP_FMA, lane_fma},
    {TMA_PTX_OP_MAD, lane_fma},           {TMA_PTX_OP_DIV, lane_div},
    {TMA_PTX_OP_RCP, lane_rcp},           {TMA_PTX_OP_SQRT, lane_sqrt},
    {TMA_PTX_OP_MIN, lane_extreme},       {TMA_PTX_OP_MAX, lane_extreme},
    {TMA_PTX_OP_ABS, lane_abs},           {TMA_PTX_OP_NEG, lane_neg},
    {TMA_PTX_OP_COPYSIGN, lane_copysign}, {TMA_PTX_OP_TESTP, lane_testp},
};

struct approximation {
    uint16_t opcode;
    enum tma_approximation function;
    bool always; /* has no exact form */
};

static const struct approximation approximations[] = {
    {TMA_PTX_OP_DIV, TMA_APPROXIMATE_DIV, false},   {TMA_PTX_OP_RCP, TMA_APPROXIMATE_RCP, false},
    {TMA_PTX_OP_SQRT, TMA_APPROXIMATE_SQRT, false}, {TMA_PTX_OP_RSQRT, TMA_APPROXIMATE_RSQRT, true},
    {TMA_PTX_OP_SIN, TMA_APPROXIMATE_SIN, true},    {TMA_PTX_OP_COS, TMA_APPROXIMATE_COS, true},
    {TMA_PTX_OP_LG2, TMA_APPROXIMATE_LG2, true},    {TMA_PTX_OP_EX2, TMA_APPROXIMATE_EX2, true},
    {TMA_PTX_OP_TANH, TMA_APPROXIMATE_TANH, true},
};

bool tma_select_float(struct tma_op *op, const struct tma_ptx_instruction *instruction) {
    uint16_t opcode = instruction->opcode;
    const struct tma_ptx_type_facts *type = &tma_ptx_types[op->type];
    bool packed = type->elements == 2;
    if (type->kind != TMA_PTX_FLOAT)
        return false;
    bool full = tma_ptx_has(instruction, TMA_PTX_DOT_FULL);
    bool approximate = full || tma_ptx_has(instruction, TMA_PTX_DOT_APPROX);
    for (size_t i = 0; i < sizeof approximations / sizeof approximations[0]; ++i) {
        const struct approximation *row = &approximations[i];
        if (row->opcode != opcode || !(approximate || row->always))
            continue;
        op->mode = (uint8_t)row->function;
        if (full)
            op->mode = TMA_APPROXIMATE_DIV_FULL;
        op->lane = op->type == TMA_PTX_F64 ? lane_approximate_double : lane_approximate;
        op->run = packed ? tma_each_half : tma_each_lane;
        return true;
    }
    if (opcode == TMA_PTX_OP_MIN || opcode == TMA_PTX_OP_MAX)
        op->mode = opcode == TMA_PTX_OP_MAX;
    bool words = op->type == TMA_PTX_F32 && op->d.width == TMA_PTX_WORD && op->mode2 == 0 &&
                 !op->saturate && op->rounding == TMA_ROUND_EVEN && op->c.width == TMA_PTX_WORD &&
                 op->a.width == TMA_PTX_WORD && op->b.width == TMA_PTX_WORD;
    for (size_t i = 0; words && i < sizeof loops / sizeof loops[0]; ++i)
        if (loops[i].opcode == opcode && loops[i].flush == op->flush) {
            op->run = loops[i].run;
            return true;
        }
    for (size_t i = 0; i < sizeof lane_rows / sizeof lane_rows[0]; ++i)
        if (lane_rows[i].opcode == opcode)
            op->lane = lane_rows[i].lane;
    if (op->lane == NULL)
        return false;
    op->run = packed ? tma_each_half : tma_each_lane;
    return true;
}
