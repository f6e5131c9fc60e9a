/* Integers, bits, comparisons, selections and moves (PTX ISA 9.7.1, 9.7.2, 9.7.6, 9.7.8, 9.7.9). */
#include "ptx/lane_arithmetic.h"

static uint32_t type_bits(const struct tma_op *op) {
    return tma_ptx_types[op->type].bits;
}

static uint64_t fit(const struct tma_op *op, uint64_t value) {
    return tma_low_bits(value, type_bits(op));
}

static uint64_t extend(const struct tma_op *op, uint64_t value) {
    return tma_extended(value, (enum tma_ptx_type)op->type);
}

static bool less(const struct tma_op *op, uint64_t a, uint64_t b) {
    return op->signed_value ? (int64_t)extend(op, a) < (int64_t)extend(op, b)
                            : extend(op, a) < extend(op, b);
}

/* ---- whole warps ---- */

#define WORDS(name, type, expression)         TMA_LOOP(name, type, type, type, type, expression)
#define DOUBLES(name, from, type, expression) TMA_LOOP(name, from, from, type, type, expression)
/* A shift's distance is a word. */
#define SHIFT_DOUBLES(name, expression)                                                            \
    TMA_LOOP(name, uint64_t, uint32_t, uint64_t, uint64_t, expression)

WORDS(add_words, uint32_t, a[i] + b[i])
WORDS(sub_words, uint32_t, a[i] - b[i])
WORDS(mul_words, uint32_t, a[i] * b[i])
WORDS(mad_words, uint32_t, a[i] * b[i] + c[i])
WORDS(and_words, uint32_t, a[i] & b[i])
WORDS(or_words, uint32_t, a[i] | b[i])
WORDS(xor_words, uint32_t, a[i] ^ b[i])
WORDS(not_words, uint32_t, ~a[i])
WORDS(neg_words, uint32_t, 0 - a[i])
WORDS(shl_words, uint32_t, b[i] > 31 ? 0 : a[i] << (b[i] & 31))
WORDS(shr_words, uint32_t, b[i] > 31 ? 0 : a[i] >> (b[i] & 31))
WORDS(sar_words, int32_t, a[i] >> ((uint32_t)b[i] > 31 ? 31 : b[i]))
WORDS(min_words, uint32_t, a[i] < b[i] ? a[i] : b[i])
WORDS(max_words, uint32_t, a[i] > b[i] ? a[i] : b[i])
WORDS(min_integers, int32_t, a[i] < b[i] ? a[i] : b[i])
WORDS(max_integers, int32_t, a[i] > b[i] ? a[i] : b[i])
WORDS(mov_words, uint32_t, a[i])
WORDS(bfe_words, uint32_t,
      (b[i] & 255) > 31 ? 0
                        : a[i] >> (b[i] & 31) &
                              ((c[i] & 255) > 31 ? UINT32_MAX : (UINT32_C(1) << (c[i] & 31)) - 1))
WORDS(div_words, uint32_t, b[i] == 0 ? UINT32_MAX : a[i] / b[i])
WORDS(div_integers, int32_t,
      b[i] == 0    ? -1
      : b[i] == -1 ? (int32_t)(0 - (uint32_t)a[i])
                   : a[i] / b[i])
DOUBLES(add_doubles, uint64_t, uint64_t, a[i] + b[i])
DOUBLES(sub_doubles, uint64_t, uint64_t, a[i] - b[i])
DOUBLES(mul_doubles, uint64_t, uint64_t, a[i] * b[i])
DOUBLES(mad_doubles, uint64_t, uint64_t, a[i] * b[i] + c[i])
DOUBLES(and_doubles, uint64_t, uint64_t, a[i] & b[i])
DOUBLES(or_doubles, uint64_t, uint64_t, a[i] | b[i])
DOUBLES(xor_doubles, uint64_t, uint64_t, a[i] ^ b[i])
DOUBLES(not_doubles, uint64_t, uint64_t, ~a[i])
DOUBLES(mov_doubles, uint64_t, uint64_t, a[i])
DOUBLES(mul_wide, uint32_t, uint64_t, (uint64_t)a[i] * b[i])
DOUBLES(mul_wide_signed, int32_t, int64_t, (int64_t)a[i] * b[i])
DOUBLES(mad_wide, uint32_t, uint64_t, (uint64_t)a[i] * b[i] + c[i])
DOUBLES(mad_wide_signed, int32_t, uint64_t, (uint64_t)((int64_t)a[i] * b[i]) + c[i])
SHIFT_DOUBLES(shl_doubles, b[i] > 63 ? 0 : a[i] << (b[i] & 63))
SHIFT_DOUBLES(shr_doubles, b[i] > 63 ? 0 : a[i] >> (b[i] & 63))
SHIFT_DOUBLES(sar_doubles, (int64_t)a[i] >> (b[i] > 63 ? 63 : b[i]))

/* Selects by a predicate: what is opaque in the operand that is not taken does not count. */
static enum tma_step select_by_predicate(struct tma_warp *warp, const struct tma_op *op,
                                         uint32_t lanes) {
    uint32_t mask = tma_predicate(warp, &op->c), opaque_mask = tma_opaque(warp, &op->c);
    uint32_t a_opaque = tma_opaque(warp, &op->a), b_opaque = tma_opaque(warp, &op->b);
    uint32_t opaque = opaque_mask | (mask & a_opaque) | (~mask & b_opaque);
    if (opaque | tma_opaque(warp, &op->d))
        tma_mark(warp, &op->d, lanes, opaque,
                 warp->origin[opaque_mask & lanes       ? op->c.number
                              : mask & a_opaque & lanes ? op->a.number
                                                        : op->b.number]);
    const struct tma_place *taken = mask == TMA_ALL_LANES ? &op->a : mask == 0 ? &op->b : NULL;
    if (taken != NULL && lanes == TMA_ALL_LANES && tma_is_uniform(warp, taken)) {
        tma_set_uniform(warp, &op->d, tma_uniform_value(warp, taken));
    } else if (op->d.width == TMA_PTX_DOUBLE && op->a.width == TMA_PTX_DOUBLE &&
               op->b.width == TMA_PTX_DOUBLE) {
        const uint64_t *a = tma_read(warp, &op->a), *b = tma_read(warp, &op->b);
        uint64_t result[32];
        TMA_EACH_LANE(i)
        result[i] = mask >> i & 1 ? a[i] : b[i];
        tma_merge_doubles(tma_write(warp, &op->d), result, lanes);
    } else if (op->d.width == TMA_PTX_WORD) {
        const uint32_t *a = tma_read(warp, &op->a), *b = tma_read(warp, &op->b);
        uint32_t result[32];
        TMA_EACH_LANE(i)
        result[i] = mask >> i & 1 ? a[i] : b[i];
        tma_merge_words(tma_write(warp, &op->d), result, lanes);
    }
    return TMA_STEP_NEXT;
}

/* ---- predicates ---- */

/* and, or, xor, not and mov of predicates: op->boolean, NONE for the last two. */
enum tma_step tma_run_predicate(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    uint32_t a = tma_predicate(warp, &op->a), b = op->b.absent ? 0 : tma_predicate(warp, &op->b);
    uint32_t result = a;
    /* False and anything is false, also if it is opaque. */
    uint32_t a_opaque = tma_opaque(warp, &op->a), b_opaque = tma_opaque(warp, &op->b);
    uint32_t opaque = a_opaque | b_opaque;
    switch ((enum tma_boolean)op->boolean) {
    case TMA_BOOLEAN_NONE:
        result = op->mode ? ~a : a;
        break;
    case TMA_BOOLEAN_AND:
        result = a & b;
        opaque &= ~((~a & ~a_opaque) | (~b & ~b_opaque));
        break;
    case TMA_BOOLEAN_OR:
        result = a | b;
        opaque &= ~((a & ~a_opaque) | (b & ~b_opaque));
        break;
    case TMA_BOOLEAN_XOR:
        result = a ^ b;
        break;
    }
    if (opaque | tma_opaque(warp, &op->d))
        tma_mark(warp, &op->d, lanes, opaque,
                 warp->origin[a_opaque & opaque & lanes ? op->a.number : op->b.number]);
    tma_set_predicate(warp, &op->d, lanes, result);
    return TMA_STEP_NEXT;
}

static bool compare_lane(const struct tma_op *op, uint64_t a, uint64_t b) {
    if (op->mode == 32) { /* signed numbers with the sign flipped are in the order of others */
        uint32_t flip = op->signed_value ? UINT32_C(1) << 31 : 0, x = (uint32_t)a ^ flip,
                 y = (uint32_t)b ^ flip;
        return op->compare >> (x == y ? 1 : x > y ? 2 : 0) & 1;
    }
    int order = op->is_float
                    ? tma_number_compare(tma_float_operand(op, a), tma_float_operand(op, b))
                : less(op, a, b) ? -1
                                 : less(op, b, a);
    return op->compare >> (order + 1) & 1;
}

static const uint32_t lane_bits[32] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

/* Signed numbers with the sign flipped are in the order of unsigned ones. */
#define COMPARE(operator)                                                                          \
    do {                                                                                           \
        TMA_EACH_LANE(i)                                                                           \
        mask |= (a[i] ^ flip) operator(b[i] ^ flip) ? lane_bits[i] : 0;                            \
        return mask;                                                                               \
    } while (0)

/* The lanes for which the comparison of words or doubles holds. */
static uint32_t compare_lanes(const struct tma_warp *warp, const struct tma_op *op,
                              uint32_t lanes) {
    uint32_t mask = 0;
    if (lanes == TMA_ALL_LANES && tma_is_uniform(warp, &op->a) && tma_is_uniform(warp, &op->b))
        return compare_lane(op, tma_uniform_value(warp, &op->a), tma_uniform_value(warp, &op->b))
                   ? TMA_ALL_LANES
                   : 0;
    if (op->mode == 32) {
        const uint32_t *a = tma_read(warp, &op->a), *b = tma_read(warp, &op->b);
        uint32_t flip = op->signed_value ? UINT32_C(1) << 31 : 0;
        switch (op->compare) {
        case TMA_COMPARE_EQ:
            COMPARE(==);
        case TMA_COMPARE_NE:
            COMPARE(!=);
        case TMA_COMPARE_LT:
            COMPARE(<);
        case TMA_COMPARE_LE:
            COMPARE(<=);
        case TMA_COMPARE_GT:
            COMPARE(>);
        case TMA_COMPARE_GE:
            COMPARE(>=);
        }
    }
    TMA_EACH_OF(i, lanes) {
        if (compare_lane(op, tma_lane_value(warp, &op->a, i), tma_lane_value(warp, &op->b, i)))
            mask |= UINT32_C(1) << i;
    }
    return mask;
}

/* A comparison, combined with the instruction's other predicate. */
static uint32_t combined(const struct tma_op *op, uint32_t mask, uint32_t other) {
    switch ((enum tma_boolean)op->boolean) {
    case TMA_BOOLEAN_NONE:
        break;
    case TMA_BOOLEAN_AND:
        return mask & other;
    case TMA_BOOLEAN_OR:
        return mask | other;
    case TMA_BOOLEAN_XOR:
        return mask ^ other;
    }
    return mask;
}

/* Sets the two predicates of setp from the lanes for which the comparison holds. places[list] is
 * the second one. */
static void set_predicates(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes,
                           uint32_t mask, uint32_t mask2) {
    uint32_t other = tma_predicate(warp, &op->c);
    tma_set_predicate(warp, &op->d, lanes, combined(op, mask, other));
    if (op->list_count != 0) {
        const struct tma_place *second = &warp->launch->places[op->list];
        tma_set_predicate(warp, second, lanes, combined(op, mask2, other));
        tma_mark(warp, second, lanes, tma_opaque(warp, &op->d), warp->origin[op->d.number]);
    }
}

enum tma_step tma_run_setp(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    uint32_t mask = tma_spread(warp, op, lanes) ? compare_lanes(warp, op, lanes) : 0;
    set_predicates(warp, op, lanes, mask, ~mask);
    return TMA_STEP_NEXT;
}

/* setp.f16x2: one predicate for each half. */
enum tma_step tma_run_setp_halves(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    uint32_t mask = 0, mask2 = 0;
    if (tma_spread(warp, op, lanes)) {
        TMA_EACH_OF(i, lanes) {
            uint64_t a = tma_lane_value(warp, &op->a, i), b = tma_lane_value(warp, &op->b, i);
            if (compare_lane(op, a & 0xffff, b & 0xffff))
                mask |= UINT32_C(1) << i;
            if (compare_lane(op, a >> 16, b >> 16))
                mask2 |= UINT32_C(1) << i;
        }
    }
    set_predicates(warp, op, lanes, mask, mask2);
    return TMA_STEP_NEXT;
}

/* ---- moves ---- */

enum tma_step tma_run_mov(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    uint32_t opaque = tma_opaque(warp, &op->a);
    if (opaque | tma_opaque(warp, &op->d))
        tma_mark(warp, &op->d, lanes, opaque, warp->origin[op->a.number]);
    if (op->d.width == TMA_PTX_QUAD && op->a.width == TMA_PTX_QUAD) {
        const uint64_t *a = tma_read(warp, &op->a);
        uint64_t *d = tma_write(warp, &op->d);
        TMA_EACH_OF(i, lanes) {
            d[2 * i] = a[2 * i];
            d[2 * i + 1] = a[2 * i + 1];
        }
        return TMA_STEP_NEXT;
    }
    if (lanes == TMA_ALL_LANES && op->d.width != TMA_PTX_QUAD && tma_is_uniform(warp, &op->a)) {
        tma_set_uniform(warp, &op->d, tma_uniform_value(warp, &op->a));
        return TMA_STEP_NEXT;
    }
    TMA_EACH_OF(i, lanes) {
        tma_set_lane(warp, &op->d, i, tma_lane_value(warp, &op->a, i));
    }
    return TMA_STEP_NEXT;
}

/* mov.v2 {d, e}, {a, b}: places[list] from places[list2]. */
enum tma_step tma_run_mov_vector(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    const struct tma_place *to = &warp->launch->places[op->list],
                           *from = &warp->launch->places[op->list2];
    uint64_t values[8][32];
    uint32_t opaque[8];
    uint16_t origins[8];
    for (uint32_t e = 0; e < op->list_count; ++e) {
        opaque[e] = tma_opaque(warp, &from[e]);
        origins[e] = warp->origin[from[e].number];
        TMA_EACH_OF(i, lanes) {
            values[e][i] = tma_lane_value(warp, &from[e], i);
        }
    }
    for (uint32_t e = 0; e < op->list_count; ++e) {
        TMA_EACH_OF(i, lanes) {
            tma_set_lane(warp, &to[e], i, values[e][i]);
        }
        tma_mark(warp, &to[e], lanes, opaque[e], origins[e]);
    }
    return TMA_STEP_NEXT;
}

/* mov d, {a, b, ...}: element_bytes each. */
enum tma_step tma_run_pack(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    const struct tma_place *parts = &warp->launch->places[op->list];
    uint32_t opaque = 0, bits = 8u * op->element_bytes;
    uint16_t origin = 0;
    for (uint32_t part = 0; part < op->list_count; ++part) {
        uint32_t more = tma_opaque(warp, &parts[part]) & lanes;
        if (more)
            origin = warp->origin[parts[part].number];
        opaque |= more;
    }
    uint64_t *quad = op->d.width == TMA_PTX_QUAD ? tma_write(warp, &op->d) : NULL;
    TMA_EACH_OF(i, lanes) {
        uint64_t words[2] = {0, 0};
        for (uint32_t part = 0; part < op->list_count; ++part)
            words[part * bits / 64] |= tma_low_bits(tma_lane_value(warp, &parts[part], i), bits)
                                       << part * bits % 64;
        if (quad != NULL) {
            quad[2 * i] = words[0];
            quad[2 * i + 1] = words[1];
        } else {
            tma_set_lane(warp, &op->d, i, words[0]);
        }
    }
    tma_mark(warp, &op->d, lanes, opaque, origin);
    return TMA_STEP_NEXT;
}

/* mov {d, e, ...}, a. */
enum tma_step tma_run_unpack(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    const struct tma_place *parts = &warp->launch->places[op->list];
    uint32_t opaque = tma_opaque(warp, &op->a), bits = 8u * op->element_bytes;
    uint16_t origin = warp->origin[op->a.number];
    uint64_t words[32][2];
    TMA_EACH_OF(i, lanes) {
        if (op->a.width == TMA_PTX_QUAD) {
            const uint64_t *quad = tma_read(warp, &op->a);
            words[i][0] = quad[2 * i];
            words[i][1] = quad[2 * i + 1];
        } else {
            words[i][0] = tma_lane_value(warp, &op->a, i);
            words[i][1] = 0;
        }
    }
    for (uint32_t part = 0; part < op->list_count; ++part) {
        if (parts[part].absent)
            continue;
        TMA_EACH_OF(i, lanes) {
            tma_set_lane(warp, &parts[part], i,
                         tma_low_bits(words[i][part * bits / 64] >> part * bits % 64, bits));
        }
        tma_mark(warp, &parts[part], lanes, opaque, origin);
    }
    return TMA_STEP_NEXT;
}

/* ---- functions of a lane ---- */

/* Clamps a sum of two words to s32. */
static uint64_t saturated(int64_t value) {
    return (uint32_t)(value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value);
}

TMA_LANE(lane_add) {
    if (op->saturate)
        return saturated((int64_t)(int32_t)a + (int32_t)b);
    return fit(op, a + b);
}

TMA_LANE(lane_sub) {
    if (op->saturate)
        return saturated((int64_t)(int32_t)a - (int32_t)b);
    return fit(op, a - b);
}

/* The full product of two values of the type, as two doublewords. */
static tma_wide product(const struct tma_op *op, uint64_t a, uint64_t b) {
    a = extend(op, a);
    b = extend(op, b);
    tma_wide value = (tma_wide)a * b;
    if (op->signed_value) {
        if ((int64_t)a < 0)
            value -= (tma_wide)b << 64;
        if ((int64_t)b < 0)
            value -= (tma_wide)a << 64;
    }
    return value;
}

/* mul, mad: op->mode is 0 for the low half, 1 for the high half, 2 for all. */
TMA_LANE(lane_mul) {
    tma_wide value = product(op, a, b);
    return op->mode == 1   ? fit(op, (uint64_t)(value >> type_bits(op)))
           : op->mode == 2 ? tma_low_bits((uint64_t)value, 2 * type_bits(op))
                           : fit(op, (uint64_t)value);
}

TMA_LANE(lane_mad) {
    uint64_t value = lane_mul(op, a, b, 0);
    if (op->saturate)
        return saturated((int64_t)(int32_t)value + (int32_t)c);
    return op->mode == 2 ? tma_low_bits(value + c, 2 * type_bits(op)) : fit(op, value + c);
}

/* mul24, mad24: 48 bits of the product of two 24-bit values; the low or the high 32 of them. */
TMA_LANE(lane_mul24) {
    uint64_t x = op->signed_value ? (uint64_t)tma_signed(a, 24) : a & 0xffffff;
    uint64_t y = op->signed_value ? (uint64_t)tma_signed(b, 24) : b & 0xffffff;
    return (uint32_t)(x * y >> (op->mode == 1 ? 16 : 0));
}

TMA_LANE(lane_mad24) {
    uint64_t value = lane_mul24(op, a, b, 0);
    if (op->saturate)
        return saturated((int64_t)(int32_t)value + (int32_t)c);
    return (uint32_t)(value + c);
}

/* Division by zero gives all ones, as quotient and as remainder. */
TMA_LANE(lane_div) {
    uint64_t x = extend(op, a), y = extend(op, b);
    if (y == 0)
        return fit(op, ~UINT64_C(0));
    if (!op->signed_value)
        return fit(op, op->mode ? x % y : x / y);
    if ((int64_t)y == -1)
        return fit(op, op->mode ? 0 : 0 - x);
    return fit(op, (uint64_t)(op->mode ? (int64_t)x % (int64_t)y : (int64_t)x / (int64_t)y));
}

TMA_LANE(lane_abs) {
    uint64_t x = extend(op, a);
    return fit(op, (int64_t)x < 0 ? 0 - x : x);
}

TMA_LANE(lane_neg) {
    return fit(op, 0 - a);
}

TMA_LANE(lane_min) {
    uint64_t value = less(op, b, a) ? b : a;
    return op->relu && tma_signed(value, type_bits(op)) < 0 ? 0 : value;
}

TMA_LANE(lane_max) {
    uint64_t value = less(op, a, b) ? b : a;
    return op->relu && tma_signed(value, type_bits(op)) < 0 ? 0 : value;
}

TMA_LANE(lane_sad) {
    return fit(op, c + (less(op, a, b) ? b - a : a - b));
}

TMA_LANE(lane_and) {
    return fit(op, a & b);
}

TMA_LANE(lane_or) {
    return fit(op, a | b);
}

TMA_LANE(lane_xor) {
    return fit(op, a ^ b);
}

TMA_LANE(lane_not) {
    return fit(op, ~a);
}

TMA_LANE(lane_cnot) {
    return fit(op, a) == 0;
}

TMA_LANE(lane_shl) {
    b = (uint32_t)b;
    return b >= type_bits(op) ? 0 : fit(op, a << b);
}

TMA_LANE(lane_shr) {
    b = (uint32_t)b;
    if (op->signed_value) {
        uint32_t most = type_bits(op) - 1;
        return fit(op, (uint64_t)((int64_t)extend(op, a) >> (b > most ? most : b)));
    }
    return b >= type_bits(op) ? 0 : extend(op, a) >> b;
}

/* shf: op->mode is 1 for the right; op->mode2 is 1 for wrapping. */
TMA_LANE(lane_shf) {
    uint32_t distance = op->mode2 ? (uint32_t)c & 31 : (uint32_t)c > 32 ? 32 : (uint32_t)c;
    uint64_t both = (uint64_t)(uint32_t)b << 32 | (uint32_t)a;
    return op->mode         ? (uint32_t)(both >> distance)
           : distance == 32 ? (uint32_t)a
                            : (uint32_t)(both << distance >> 32);
}

TMA_LANE(lane_popc) {
    return (uint64_t)__builtin_popcountll(fit(op, a));
}

TMA_LANE(lane_clz) {
    a = fit(op, a);
    return a == 0 ? type_bits(op) : (uint32_t)__builtin_clzll(a) - (64 - type_bits(op));
}

TMA_LANE(lane_brev) {
    uint64_t value = 0;
    for (uint32_t bit = 0; bit < type_bits(op); ++bit)
        value |= (a >> bit & 1) << (type_bits(op) - 1 - bit);
    return value;
}

/* bfind: op->mode is 1 for .shiftamt. */
TMA_LANE(lane_bfind) {
    uint64_t x = extend(op, a);
    if (op->signed_value && (int64_t)x < 0)
        x = ~x;
    if (x == 0)
        return UINT32_MAX;
    uint32_t bit = 63 - (uint32_t)__builtin_clzll(x);
    return op->mode ? type_bits(op) - 1 - bit : bit;
}

TMA_LANE(lane_bfe) {
    /* Of words, position and length are bytes; of doublewords, words (as an H100 does). */
    uint32_t bits = type_bits(op), mask = bits == 64 ? UINT32_MAX : 255;
    uint64_t position = (uint32_t)b & mask, length = (uint32_t)c & mask, x = extend(op, a);
    if (length == 0)
        return 0;
    uint64_t last = position + length - 1 < bits - 1 ? position + length - 1 : bits - 1;
    bool sign = op->signed_value && (x >> last & 1);
    if (position >= bits)
        return sign ? fit(op, ~UINT64_C(0)) : 0;
    uint64_t value = x >> position;
    uint32_t kept = (uint32_t)(bits - position < length ? bits - position : length);
    value = tma_low_bits(value, kept);
    if (sign && kept < 64)
        value |= ~UINT64_C(0) << kept;
    return fit(op, value);
}

/* szext: op->mode is 1 for wrapping. */
TMA_LANE(lane_szext) {
    uint32_t n = (uint32_t)b;
    if (op->mode)
        n &= 31;
    else if (n > 32)
        n = 32;
    if (n == 0)
        return 0;
    return (uint32_t)(op->signed_value ? (uint64_t)tma_signed(a, n) : tma_low_bits(a, n));
}

/* bmsk: b bits from bit a on. */
TMA_LANE(lane_bmsk) {
    uint32_t from = (uint32_t)a, n = (uint32_t)b;
    if (op->mode) {
        from &= 31;
        n &= 31;
    }
    if (from > 31)
        return 0;
    uint64_t mask = n > 31 ? UINT32_MAX : (UINT64_C(1) << n) - 1;
    return (uint32_t)(mask << from);
}

/* prmt: op->mode is the mode, 0 for the general form. */
TMA_LANE(lane_prmt) {
    uint64_t bytes = (uint64_t)(uint32_t)b << 32 | (uint32_t)a;
    uint32_t selection = (uint32_t)c, at = selection & 3, result = 0;
    for (uint32_t i = 0; i < 4; ++i) {
        uint32_t source = 0;
        bool sign = false;
        switch ((enum tma_ptx_word)(op->mode == 0 ? TMA_PTX_DOT_NONE : op->immediate)) {
        case TMA_PTX_DOT_F4E:
            source = at + i;
            break;
        case TMA_PTX_DOT_B4E:
            source = (at - i) & 7;
            break;
        case TMA_PTX_DOT_RC8:
            source = at;
            break;
        case TMA_PTX_DOT_RC16:
            source = (at & 1) * 2 + (i & 1);
            break;
        case TMA_PTX_DOT_ECL:
            source = i > at ? i : at;
            break;
        case TMA_PTX_DOT_ECR:
            source = i < at ? i : at;
            break;
        default:
            source = selection >> 4 * i & 7;
            sign = selection >> 4 * i & 8;
        }
        uint32_t byte = (uint32_t)(bytes >> 8 * source) & 255;
        if (sign)
            byte = byte & 128 ? 255 : 0;
        result |= byte << 8 * i;
    }
    return result;
}

TMA_LANE(lane_lop3) {
    uint32_t table = (uint32_t)op->immediate, result = 0;
    for (uint32_t i = 0; i < 8; ++i)
        if (table >> i & 1)
            result |= (uint32_t)((i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c));
    return result;
}

/* fns: the offset-th set bit at or above (below) bit `base`. */
TMA_LANE(lane_fns) {
    uint32_t mask = (uint32_t)a, base = (uint32_t)b;
    int32_t offset = (int32_t)c;
    if (offset == INT32_MIN) /* its negative is no int32 */
        return 0;
    if (base > 31)
        return UINT32_MAX;
    if (offset == 0)
        return mask >> base & 1 ? base : UINT32_MAX;
    int32_t step = offset > 0 ? 1 : -1;
    int64_t count = offset > 0 ? offset : -(int64_t)offset;
    for (int32_t bit = (int32_t)base; bit >= 0 && bit < 32; bit += step)
        if ((mask >> bit & 1) && --count == 0)
            return (uint32_t)bit;
    return UINT32_MAX;
}

static int64_t part(uint64_t value, uint32_t shift, uint32_t bits, bool is_signed) {
    value >>= shift;
    return is_signed ? tma_signed(value, bits) : (int64_t)tma_low_bits(value, bits);
}

static bool is_signed_type(uint8_t type) {
    return tma_ptx_types[type].kind == TMA_PTX_SIGNED;
}

TMA_LANE(lane_dp4a) {
    int64_t sum = (int32_t)c;
    for (uint32_t i = 0; i < 4; ++i)
        sum += part(a, 8 * i, 8, is_signed_type(op->type)) *
               part(b, 8 * i, 8, is_signed_type(op->type2));
    return (uint32_t)sum;
}

/* dp2a: op->mode is 1 for the high half of b. */
TMA_LANE(lane_dp2a) {
    int64_t sum = (int32_t)c;
    for (uint32_t i = 0; i < 2; ++i)
        sum += part(a, 16 * i, 16, is_signed_type(op->type)) *
               part(b, 8 * i + (op->mode ? 16 : 0), 8, is_signed_type(op->type2));
    return (uint32_t)sum;
}

/* set: op->mode is 1 for a result of f32, 2 for f16 and 3 for bf16. c is the combining predicate.
 */
TMA_LANE(lane_set) {
    bool holds = combined(op, compare_lane(op, a, b), (uint32_t)c) != 0;
    static const uint32_t truths[] = {UINT32_MAX, 0x3f800000, 0x3c00, 0x3f80, 0xffff};
    return holds ? truths[op->mode] : 0;
}

/* slct: a if c is not negative. A NaN is. */
TMA_LANE(lane_slct) {
    if (!op->is_float)
        return (int32_t)c >= 0 ? a : b;
    uint32_t magnitude = (uint32_t)c & 0x7fffffff;
    if (op->flush && magnitude < 0x800000)
        return a;
    return magnitude == 0 || (magnitude <= 0x7f800000 && (int32_t)c >= 0) ? a : b;
}

/* isspacep: op->immediate is the base of the window, op->b (.shared::cta) the CTA's rank. */
TMA_LANE(lane_isspacep) {
    if (op->space == TMA_PTX_GLOBAL)
        return a < TMA_WINDOW_CONST || a >= TMA_WINDOW_SHARED + TMA_WINDOW_BYTES;
    uint64_t offset = a - op->immediate;
    return offset < TMA_WINDOW_BYTES && (op->b.absent || offset >> TMA_SHARED_RANK_BIT == b);
}

/* cvta: adds the window's base to an address, or (op->mode 1) takes it off. */
TMA_LANE(lane_cvta) {
    return op->mode ? a - op->immediate : a + op->immediate;
}

TMA_LANE(lane_mapa) {
    return (a & ~(UINT64_C(0xff) << TMA_SHARED_RANK_BIT)) | (b & 0xff) << TMA_SHARED_RANK_BIT;
}

TMA_LANE(lane_getctarank) {
    return a >> TMA_SHARED_RANK_BIT & 0xff;
}

/* bfi d, a, b, c, e: e is places[list]. */
static enum tma_step run_bfi(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    const struct tma_place *last = &warp->launch->places[op->list];
    bool known = tma_spread(warp, op, lanes);
    uint32_t opaque = tma_opaque(warp, last) & lanes;
    if (opaque != 0)
        tma_mark(warp, &op->d, opaque, opaque, warp->origin[last->number]);
    if (!known)
        return TMA_STEP_NEXT;
    TMA_EACH_OF(i, lanes) {
        uint64_t a = tma_lane_value(warp, &op->a, i), b = tma_lane_value(warp, &op->b, i);
        uint32_t bits = type_bits(op), bytes = bits == 64 ? UINT32_MAX : 255; /* as lane_bfe */
        uint32_t position = (uint32_t)tma_lane_value(warp, &op->c, i) & bytes,
                 length = (uint32_t)tma_lane_value(warp, last, i) & bytes;
        uint64_t result = fit(op, b);
        if (position < bits && length != 0) {
            uint64_t mask = fit(op, tma_low_bits(~UINT64_C(0), length) << position);
            result = (b & ~mask) | (fit(op, a << position) & mask);
        }
        tma_set_lane(warp, &op->d, i, fit(op, result));
    }
    return TMA_STEP_NEXT;
}

/* lop3.BOOL d|p, a, b, c, table, q: p is (d != 0) combined with q; places[list] and [list + 1]. */
static enum tma_step run_lop3_predicate(struct tma_warp *warp, const struct tma_op *op,
                                        uint32_t lanes) {
    const struct tma_place *p = &warp->launch->places[op->list], *q = p + 1;
    bool known = tma_spread(warp, op, lanes);
    uint32_t opaque = tma_opaque(warp, &op->d) & lanes, mask = 0;
    if (known) {
        TMA_EACH_OF(i, lanes) {
            uint64_t value =
                lane_lop3(op, tma_lane_value(warp, &op->a, i), tma_lane_value(warp, &op->b, i),
                          tma_lane_value(warp, &op->c, i));
            if (!op->d.absent)
                tma_set_lane(warp, &op->d, i, value);
            mask |= (uint32_t)((uint32_t)value != 0) << i;
        }
    }
    tma_set_predicate(warp, p, lanes, combined(op, mask, tma_predicate(warp, q)));
    tma_mark(warp, p, lanes, opaque | tma_opaque(warp, q),
             warp->origin[opaque ? op->d.number : q->number]);
    return TMA_STEP_NEXT;
}

/* add.cc, addc, sub.cc, subc, mad.cc, madc: op->mode as lane_mul's; op->mode2: 1 takes the carry, 2
 * gives one, 4 subtracts, 8 multiplies. A difference is the sum with the complement: its carry is 0
 * where it borrows, as addc sees it. */
static enum tma_step run_carry(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    bool takes = op->mode2 & 1, gives = op->mode2 & 2;
    bool known = tma_spread(warp, op, lanes);
    uint32_t opaque = tma_opaque(warp, &op->d) & lanes;
    uint16_t origin = warp->origin[op->d.number];
    if (takes && (warp->carry_opaque & lanes)) {
        opaque |= warp->carry_opaque & lanes;
        tma_mark(warp, &op->d, lanes, opaque, origin);
    }
    if (gives)
        warp->carry_opaque = (warp->carry_opaque & ~lanes) | opaque;
    if (!known)
        return TMA_STEP_NEXT;
    TMA_EACH_OF(i, lanes) {
        uint64_t a = fit(op, tma_lane_value(warp, &op->a, i)),
                 b = fit(op, tma_lane_value(warp, &op->b, i));
        uint64_t in = takes ? warp->carry >> i & 1 : (op->mode2 & 4) != 0;
        if (op->mode2 & 8) {
            a = lane_mul(op, a, b, 0);
            b = fit(op, tma_lane_value(warp, &op->c, i));
        }
        if (op->mode2 & 4)
            b = fit(op, ~b);
        tma_wide sum = (tma_wide)a + b + in;
        tma_set_lane(warp, &op->d, i, fit(op, (uint64_t)sum));
        if (gives)
            warp->carry = (warp->carry & ~(UINT32_C(1) << i)) | (uint32_t)(sum >> type_bits(op) & 1)
                                                                    << i;
    }
    return TMA_STEP_NEXT;
}

/* ---- selection ---- */

/* A loop over the warp, for operands of one width. */
struct integer_loop {
    uint16_t opcode;
    uint8_t bits;     /* of the type */
    int8_t is_signed; /* -1: any */
    tma_handler *run;
};

static const struct integer_loop loops[] = {
    {TMA_PTX_OP_ADD, 32, -1, add_words},   {TMA_PTX_OP_ADD, 64, -1, add_doubles},
    {TMA_PTX_OP_SUB, 32, -1, sub_words},   {TMA_PTX_OP_SUB, 64, -1, sub_doubles},
    {TMA_PTX_OP_MUL, 32, -1, mul_words},   {TMA_PTX_OP_MUL, 64, -1, mul_doubles},
    {TMA_PTX_OP_MAD, 32, -1, mad_words},   {TMA_PTX_OP_MAD, 64, -1, mad_doubles},
    {TMA_PTX_OP_AND, 32, -1, and_words},   {TMA_PTX_OP_AND, 64, -1, and_doubles},
    {TMA_PTX_OP_OR, 32, -1, or_words},     {TMA_PTX_OP_OR, 64, -1, or_doubles},
    {TMA_PTX_OP_XOR, 32, -1, xor_words},   {TMA_PTX_OP_XOR, 64, -1, xor_doubles},
    {TMA_PTX_OP_NOT, 32, -1, not_words},   {TMA_PTX_OP_NOT, 64, -1, not_doubles},
    {TMA_PTX_OP_NEG, 32, -1, neg_words},   {TMA_PTX_OP_SHL, 32, -1, shl_words},
    {TMA_PTX_OP_SHR, 32, 0, shr_words},    {TMA_PTX_OP_SHR, 32, 1, sar_words},
    {TMA_PTX_OP_MIN, 32, 0, min_words},    {TMA_PTX_OP_MAX, 32, 0, max_words},
    {TMA_PTX_OP_MIN, 32, 1, min_integers}, {TMA_PTX_OP_MAX, 32, 1, max_integers},
    {TMA_PTX_OP_SHL, 64, -1, shl_doubles}, {TMA_PTX_OP_SHR, 64, 0, shr_doubles},
    {TMA_PTX_OP_SHR, 64, 1, sar_doubles},  {TMA_PTX_OP_MOV, 32, -1, mov_words},
    {TMA_PTX_OP_MOV, 64, -1, mov_doubles}, {TMA_PTX_OP_BFE, 32, 0, bfe_words},
    {TMA_PTX_OP_DIV, 32, 0, div_words},    {TMA_PTX_OP_DIV, 32, 1, div_integers},
};

struct integer_row {
    uint16_t opcode;
    tma_lane_function *lane;
};

static const struct integer_row lane_rows[] = {
    {TMA_PTX_OP_ADD, lane_add},
    {TMA_PTX_OP_SUB, lane_sub},
    {TMA_PTX_OP_MUL, lane_mul},
    {TMA_PTX_OP_MAD, lane_mad},
    {TMA_PTX_OP_MUL24, lane_mul24},
    {TMA_PTX_OP_MAD24, lane_mad24},
    {TMA_PTX_OP_DIV, lane_div},
    {TMA_PTX_OP_REM, lane_div},
    {TMA_PTX_OP_ABS, lane_abs},
    {TMA_PTX_OP_NEG, lane_neg},
    {TMA_PTX_OP_MIN, lane_min},
    {TMA_PTX_OP_MAX, lane_max},
    {TMA_PTX_OP_SAD, lane_sad},
    {TMA_PTX_OP_AND, lane_and},
    {TMA_PTX_OP_OR, lane_or},
    {TMA_PTX_OP_XOR, lane_xor},
    {TMA_PTX_OP_NOT, lane_not},
    {TMA_PTX_OP_CNOT, lane_cnot},
    {TMA_PTX_OP_SHL, lane_shl},
    {TMA_PTX_OP_SHR, lane_shr},
    {TMA_PTX_OP_SHF, lane_shf},
    {TMA_PTX_OP_POPC, lane_popc},
    {TMA_PTX_OP_CLZ, lane_clz},
    {TMA_PTX_OP_BREV, lane_brev},
    {TMA_PTX_OP_BFIND, lane_bfind},
    {TMA_PTX_OP_BFE, lane_bfe},
    {TMA_PTX_OP_SZEXT, lane_szext},
    {TMA_PTX_OP_BMSK, lane_bmsk},
    {TMA_PTX_OP_PRMT, lane_prmt},
    {TMA_PTX_OP_LOP3, lane_lop3},
    {TMA_PTX_OP_FNS, lane_fns},
    {TMA_PTX_OP_DP4A, lane_dp4a},
    {TMA_PTX_OP_DP2A, lane_dp2a},
    {TMA_PTX_OP_SET, lane_set},
    {TMA_PTX_OP_SLCT, lane_slct},
    {TMA_PTX_OP_ISSPACEP, lane_isspacep},
    {TMA_PTX_OP_CVTA, lane_cvta},
    {TMA_PTX_OP_MAPA, lane_mapa},
    {TMA_PTX_OP_GETCTARANK, lane_getctarank},
};

static bool same_width(const struct tma_place *place, uint8_t width) {
    return place->absent || place->width == width;
}

/* A loop over the warp, if the operands have the width of the type. */
static tma_handler *find_loop(const struct tma_op *op, uint16_t opcode) {
    uint32_t bits = type_bits(op);
    uint8_t width = bits == 64 ? TMA_PTX_DOUBLE : TMA_PTX_WORD;
    bool shift = opcode == TMA_PTX_OP_SHL || opcode == TMA_PTX_OP_SHR;
    if (op->saturate || op->relu || tma_ptx_types[op->type].elements != 1)
        return NULL;
    if (opcode == TMA_PTX_OP_MUL || opcode == TMA_PTX_OP_MAD) {
        bool add = opcode == TMA_PTX_OP_MAD;
        if (op->mode == 2 && bits == 32) {
            if (!same_width(&op->a, TMA_PTX_WORD) || !same_width(&op->b, TMA_PTX_WORD) ||
                !same_width(&op->c, TMA_PTX_DOUBLE) || !same_width(&op->d, TMA_PTX_DOUBLE))
                return NULL;
            return op->signed_value ? add ? mad_wide_signed : mul_wide_signed
                   : add            ? mad_wide
                                    : mul_wide;
        }
        if (op->mode != 0)
            return NULL;
    }
    if (!same_width(&op->d, width) || !same_width(&op->a, width) ||
        !same_width(&op->b, shift ? TMA_PTX_WORD : width) || !same_width(&op->c, width))
        return NULL;
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; ++i)
        if (loops[i].opcode == opcode && loops[i].bits == bits &&
            (loops[i].is_signed < 0 || loops[i].is_signed == op->signed_value))
            return loops[i].run;
    return NULL;
}

bool tma_select_integer(struct tma_op *op, const struct tma_ptx_instruction *instruction) {
    uint16_t opcode = instruction->opcode;
    const struct tma_ptx_type_facts *type = &tma_ptx_types[op->type];
    if (op->mode2 != 0 &&
        (opcode == TMA_PTX_OP_ADD || opcode == TMA_PTX_OP_ADDC || opcode == TMA_PTX_OP_SUB ||
         opcode == TMA_PTX_OP_SUBC || opcode == TMA_PTX_OP_MAD || opcode == TMA_PTX_OP_MADC)) {
        op->run = run_carry;
        return true;
    }
    if (opcode == TMA_PTX_OP_SELP) {
        op->run = select_by_predicate;
        return true;
    }
    if (opcode == TMA_PTX_OP_BFI) {
        op->run = run_bfi;
        return true;
    }
    if (opcode == TMA_PTX_OP_LOP3 && op->list_count != 0) {
        op->run = run_lop3_predicate;
        return true;
    }
    if (type->kind == TMA_PTX_FLOAT && opcode != TMA_PTX_OP_SET && opcode != TMA_PTX_OP_SLCT &&
        opcode != TMA_PTX_OP_MOV)
        return false;
    op->run = find_loop(op, opcode);
    if (opcode == TMA_PTX_OP_MOV) {
        if (op->run == NULL)
            op->run = tma_run_mov;
        return true;
    }
    if (op->run != NULL)
        return true;
    for (size_t i = 0; i < sizeof lane_rows / sizeof lane_rows[0]; ++i)
        if (lane_rows[i].opcode == opcode)
            op->lane = lane_rows[i].lane;
    if (op->lane == NULL)
        return false;
    if (type->elements == 2 && type->bits == 32) {
        op->type = type->kind == TMA_PTX_SIGNED ? TMA_PTX_S16 : TMA_PTX_U16;
        op->run = tma_each_half;
    } else {
        op->run = tma_each_lane;
    }
    return true;
}
