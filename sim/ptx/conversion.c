/* cvt and cvt.pack (PTX ISA 9.7.9.21). */
#include "ptx/lane_arithmetic.h"

static bool is_float(uint8_t type) {
    return tma_ptx_types[type].kind == TMA_PTX_FLOAT;
}

static bool is_signed(uint8_t type) {
    return tma_ptx_types[type].kind == TMA_PTX_SIGNED;
}

/* The value of an operand as a number. */
static struct tma_ptx_number source(const struct tma_op *op, uint64_t a) {
    if (!is_float(op->type2)) {
        uint64_t x = tma_extended(a, (enum tma_ptx_type)op->type2);
        bool negative = is_signed(op->type2) && (int64_t)x < 0;
        return tma_number_of_integer(negative, negative ? 0 - x : x);
    }
    struct tma_ptx_number number = tma_number_of((enum tma_float_format)op->format2, a);
    if (op->flush && op->format2 == TMA_FORMAT_F32 && (a & 0x7f800000) == 0)
        number.kind = TMA_NUMBER_ZERO;
    return number;
}

/* Clamps to the type of the result. */
static uint64_t integer_bits(const struct tma_op *op, struct tma_ptx_number number) {
    uint32_t bits = tma_ptx_types[op->type].bits;
    bool to_signed = is_signed(op->type);
    uint64_t most = to_signed ? (UINT64_C(1) << (bits - 1)) - 1 : tma_low_bits(~UINT64_C(0), bits);
    uint64_t least = to_signed ? UINT64_C(1) << (bits - 1) : 0; /* the magnitude */
    if (number.kind == TMA_NUMBER_NAN) {
        /* As an H100 does: 0 from f16 and f32, unless the result is a doubleword; else the sign
         * bit. */
        if (op->format2 == TMA_FORMAT_F64 || bits == 64)
            return UINT64_C(1) << (bits - 1);
        return 0;
    }
    number = tma_number_round(number, (enum tma_rounding)op->rounding);
    uint64_t limit = number.negative ? least : most, magnitude;
    if (number.kind == TMA_NUMBER_INFINITE) {
        magnitude = limit;
    } else if (number.kind == TMA_NUMBER_ZERO) {
        magnitude = 0;
    } else {
        magnitude = number.exponent > 64 || number.mantissa >> 64 != 0 ||
                            (number.mantissa << number.exponent) >> 64 != 0
                        ? UINT64_MAX
                        : (uint64_t)(number.mantissa << number.exponent);
        if (magnitude > limit)
            magnitude = limit;
    }
    return tma_low_bits(number.negative ? 0 - magnitude : magnitude, bits);
}

static uint64_t clamped(const struct tma_op *op, uint64_t bits, enum tma_float_format format) {
    uint64_t sign = format == TMA_FORMAT_F64                                 ? UINT64_C(1) << 63
                    : format == TMA_FORMAT_F32 || format == TMA_FORMAT_TF32  ? 0x80000000
                    : format == TMA_FORMAT_E4M3 || format == TMA_FORMAT_E5M2 ? 0x80
                                                                             : 0x8000;
    if (op->relu && (bits & sign) != 0 && tma_number_of(format, bits).kind != TMA_NUMBER_NAN)
        return 0;
    if (op->saturate) {
        struct tma_ptx_number number = tma_number_of(format, bits);
        if (number.kind == TMA_NUMBER_NAN || number.negative)
            return 0;
        struct tma_ptx_number one = tma_number_of_integer(false, 1);
        if (tma_number_compare(number, one) > 0)
            return tma_number_bits(one, format, TMA_ROUND_EVEN, false, false);
    }
    return bits;
}

/* op->mode: the result is rounded to an integer and stays a number; op->mode2: .satfinite. */
static uint64_t float_bits(const struct tma_op *op, uint64_t a) {
    enum tma_float_format to = (enum tma_float_format)op->format,
                          from = (enum tma_float_format)op->format2;
    struct tma_ptx_number number = source(op, a);
    if (number.kind == TMA_NUMBER_NAN && is_float(op->type2)) {
        uint64_t fraction = number.payload | UINT64_C(1) << 51, sign = number.negative;
        if (op->saturate)
            return 0;
        if (from == TMA_FORMAT_BF16 && to == TMA_FORMAT_F32)
            return a << 16;
        if (to == TMA_FORMAT_TF32) /* .rna rounds the bits, whatever they are */
            return op->rounding == TMA_ROUND_AWAY ? (uint32_t)(a + 0x1000) & 0xffffe000
                                                  : 0x7fffe000;
        /* Doublewords keep what they can of a NaN's payload, the others don't. */
        if (to == TMA_FORMAT_F64)
            return sign << 63 | UINT64_C(0x7ff) << 52 | fraction;
        if (from == TMA_FORMAT_F64 && to == TMA_FORMAT_F32)
            return sign << 31 | 0x7f800000 | fraction >> 29;
        if (from == TMA_FORMAT_F64 && to == TMA_FORMAT_F16)
            return sign << 15 | 0x7c00 | fraction >> 42;
    }
    if (op->mode)
        number = tma_number_round(number, (enum tma_rounding)op->rounding);
    return clamped(op,
                   tma_number_bits(number, to, (enum tma_rounding)op->rounding,
                                   op->flush && to == TMA_FORMAT_F32, op->mode2 != 0),
                   to);
}

TMA_LANE(lane_cvt) {
    uint64_t result;
    if (is_float(op->type))
        return float_bits(op, a);
    if (is_float(op->type2) || op->saturate)
        result = integer_bits(op, source(op, a));
    else
        result = tma_low_bits(tma_extended(a, (enum tma_ptx_type)op->type2),
                              tma_ptx_types[op->type].bits);
    /* What is narrower than the register fills it. */
    result = tma_extended(result, (enum tma_ptx_type)op->type);
    return tma_low_bits(result, op->element_bytes * 8u);
}

/* Two values into one register: the first is the upper half. */
TMA_LANE(lane_cvt_two) {
    uint32_t half = tma_ptx_types[op->type].bits / 2;
    return float_bits(op, a) << half | float_bits(op, b);
}

/* A packed type into another. */
TMA_LANE(lane_cvt_halves) {
    uint32_t from = tma_ptx_types[op->type2].bits / 2, to = tma_ptx_types[op->type].bits / 2;
    return float_bits(op, a >> from) << to | float_bits(op, tma_low_bits(a, from));
}

/* cvt.pack.sat: a and b, clamped, above (or instead of the upper part of) c. */
TMA_LANE(lane_cvt_pack) {
    uint32_t bits = tma_ptx_types[op->type].bits;
    uint64_t high = integer_bits(op, source(op, a)), low = integer_bits(op, source(op, b));
    uint64_t result = high << bits | low;
    return (uint32_t)(bits == 16 ? result : c << 2 * bits | result);
}

static uint32_t float_of_half(uint32_t half) {
    uint32_t magnitude = half & 0x7fff, sign = (half & 0x8000) << 16;
    /* The exponent's bias grows by 112; denormal numbers are multiplied by 2^112. */
    uint32_t bits = magnitude << 13;
    float scaled;
    memcpy(&scaled, &bits, 4);
    scaled *= 0x1p112f;
    memcpy(&bits, &scaled, 4);
    return magnitude > 0x7c00 ? 0x7fffffff : sign | (magnitude == 0x7c00 ? 0x7f800000 : bits);
}

TMA_LOOP(floats_of_halves, uint32_t, uint32_t, uint32_t, uint32_t, float_of_half(a[i]))
TMA_LOOP(widen, uint32_t, uint32_t, uint32_t, uint64_t, a[i])
TMA_LOOP(widen_signed, int32_t, int32_t, int32_t, int64_t, a[i])
TMA_LOOP(narrow, uint64_t, uint64_t, uint64_t, uint32_t, a[i])

/* A loop over the warp for the registers that the operands have; NULL: none. */
static tma_handler *find_loop(const struct tma_op *op) {
    bool from_word = op->a.width == TMA_PTX_WORD, to_word = op->d.width == TMA_PTX_WORD;
    uint32_t to = tma_ptx_types[op->type].bits, from = tma_ptx_types[op->type2].bits;
    if (op->saturate)
        return NULL;
    if (op->type == TMA_PTX_F32 && op->type2 == TMA_PTX_F16 && from_word && to_word)
        return floats_of_halves;
    if (is_float(op->type) || is_float(op->type2))
        return NULL;
    if (to == 64 && from == 32 && from_word && op->d.width == TMA_PTX_DOUBLE)
        return is_signed(op->type2) ? widen_signed : widen;
    return to == 32 && from == 64 && op->a.width == TMA_PTX_DOUBLE && to_word ? narrow : NULL;
}

bool tma_select_conversion(struct tma_op *op, const struct tma_ptx_instruction *instruction) {
    if (instruction->opcode == TMA_PTX_OP_CVT_PACK) {
        op->lane = lane_cvt_pack;
        op->run = tma_each_lane;
        return true;
    }
    if (instruction->opcode != TMA_PTX_OP_CVT)
        return false;
    op->format2 = (uint8_t)tma_format_of((enum tma_ptx_type)op->type2);
    op->run = find_loop(op);
    if (op->run == NULL)
        op->run = tma_each_lane;
    uint32_t to = tma_ptx_types[op->type].elements, from = tma_ptx_types[op->type2].elements;
    if (to == 2 && from == 2)
        op->lane = lane_cvt_halves;
    else if (to == 2)
        op->lane = lane_cvt_two;
    else
        op->lane = lane_cvt;
    return true;
}
