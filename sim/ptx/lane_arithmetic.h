/* Arithmetic on registers: functions of one lane for every form, and loops over whole warps for
 * those that compiled kernels execute most. Internal to this folder. */
#pragma once

#include "ptx/execution_state.h"

/* Kinds of comparison (tma_op.compare): bits of the outcomes for which it holds, 1 less, 2 equal, 4
 * greater, 8 unordered. */
enum tma_compare {
    TMA_COMPARE_LT = 1,
    TMA_COMPARE_EQ = 2,
    TMA_COMPARE_LE = 3,
    TMA_COMPARE_GT = 4,
    TMA_COMPARE_NE = 5,
    TMA_COMPARE_GE = 6,
    TMA_COMPARE_NUM = 7,
    TMA_COMPARE_NAN = 8,
    TMA_COMPARE_LTU = 9,
    TMA_COMPARE_EQU = 10,
    TMA_COMPARE_LEU = 11,
    TMA_COMPARE_GTU = 12,
    TMA_COMPARE_NEU = 13,
    TMA_COMPARE_GEU = 14
};

/* How setp combines the comparison with its third operand (tma_op.boolean). */
enum tma_boolean { TMA_BOOLEAN_NONE, TMA_BOOLEAN_AND, TMA_BOOLEAN_OR, TMA_BOOLEAN_XOR };

/* Applies tma_op.lane to each lane. _halves: to both halves of each lane's word. */
tma_handler tma_each_lane, tma_each_half;

/* Picks the handler, and the function of a lane, of an instruction whose other members are set.
 * Returns false if the opcode or the type is not of the kind. */
bool tma_select_integer(struct tma_op *op, const struct tma_ptx_instruction *instruction);
bool tma_select_float(struct tma_op *op, const struct tma_ptx_instruction *instruction);
bool tma_select_conversion(struct tma_op *op, const struct tma_ptx_instruction *instruction);

/* setp, set, selp and moves. */
tma_handler tma_run_setp, tma_run_setp_halves, tma_run_mov, tma_run_mov_vector, tma_run_pack,
    tma_run_unpack, tma_run_predicate;

/* An operand in tma_op.format, as the instruction sees it: .ftz flushes denormal numbers. */
struct tma_ptx_number tma_float_operand(const struct tma_op *op, uint64_t bits);

/* Addition on the bits of a type, for atomic operations: rounds to nearest even. */
uint64_t tma_float_sum(enum tma_ptx_type type, uint64_t a, uint64_t b, bool flush);
uint64_t tma_float_extreme(enum tma_ptx_type type, uint64_t a, uint64_t b, bool maximum);

/* The format of a type; of packed types, of an element. */
enum tma_float_format tma_format_of(enum tma_ptx_type type);

/* Sign-extends `bits` bits. */
static inline int64_t tma_signed(uint64_t value, uint32_t bits) {
    return bits >= 64 ? (int64_t)value : (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static inline uint64_t tma_low_bits(uint64_t value, uint32_t bits) {
    return bits >= 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

/* A value as the type sees it: sign- or zero-extended to 64 bits. */
static inline uint64_t tma_extended(uint64_t value, enum tma_ptx_type type) {
    uint32_t bits = tma_ptx_types[type].bits;
    return tma_ptx_types[type].kind == TMA_PTX_SIGNED ? (uint64_t)tma_signed(value, bits)
                                                      : tma_low_bits(value, bits);
}

#define TMA_UNUSED __attribute__((unused))

/* The head of a function of one lane (tma_op.lane). */
#define TMA_LANE(name)                                                                             \
    static uint64_t name(TMA_UNUSED const struct tma_op *op, TMA_UNUSED uint64_t a,                \
                         TMA_UNUSED uint64_t b, TMA_UNUSED uint64_t c)

/* A handler for whole warps: d[i] = expression of a[i], b[i] and c[i], which have these types. */
#define TMA_LOOP(name, type_a, type_b, type_c, type_d, expression)                                 \
    static enum tma_step name(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {    \
        if (!tma_spread(warp, op, lanes))                                                          \
            return TMA_STEP_NEXT;                                                                  \
        if (tma_computes_once(warp, op, lanes)) {                                                  \
            TMA_UNUSED const type_a a[1] = {(type_a)tma_uniform_value(warp, &op->a)};              \
            TMA_UNUSED const type_b b[1] = {(type_b)tma_uniform_value(warp, &op->b)};              \
            TMA_UNUSED const type_c c[1] = {(type_c)tma_uniform_value(warp, &op->c)};              \
            const uint32_t i = 0;                                                                  \
            tma_set_uniform(warp, &op->d, (uint64_t)(type_d)(expression));                         \
            return TMA_STEP_NEXT;                                                                  \
        }                                                                                          \
        TMA_UNUSED const type_a *a = tma_read(warp, &op->a);                                       \
        TMA_UNUSED const type_b *b = tma_read(warp, &op->b);                                       \
        TMA_UNUSED const type_c *c = tma_read(warp, &op->c);                                       \
        if (lanes == TMA_ALL_LANES) {                                                              \
            type_d *d = tma_write_all(warp, &op->d);                                               \
            TMA_EACH_LANE(i)                                                                       \
            d[i] = (type_d)(expression);                                                           \
            return TMA_STEP_NEXT;                                                                  \
        }                                                                                          \
        type_d *d = tma_write(warp, &op->d);                                                       \
        type_d result[32];                                                                         \
        TMA_EACH_LANE(i)                                                                           \
        result[i] = (type_d)(expression);                                                          \
        if (sizeof(type_d) == 8)                                                                   \
            tma_merge_doubles(d, result, lanes);                                                   \
        else                                                                                       \
            tma_merge_words(d, result, lanes);                                                     \
        return TMA_STEP_NEXT;                                                                      \
    }
