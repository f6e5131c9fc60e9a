/* Arithmetic on registers: functions of one lane for every form, and loops over whole warps for
 * those that compiled kernels execute most. Internal to this folder. */
#ifndef TMA_PTX_LANE_ARITHMETIC_H
#define TMA_PTX_LANE_ARITHMETIC_H

#include "ptx/execution_state.h"

/* Kinds of comparison (tma_op.compare). Those with U hold for NaN, too. */
enum tma_compare {
    TMA_COMPARE_EQ,
    TMA_COMPARE_NE,
    TMA_COMPARE_LT,
    TMA_COMPARE_LE,
    TMA_COMPARE_GT,
    TMA_COMPARE_GE,
    TMA_COMPARE_EQU,
    TMA_COMPARE_NEU,
    TMA_COMPARE_LTU,
    TMA_COMPARE_LEU,
    TMA_COMPARE_GTU,
    TMA_COMPARE_GEU,
    TMA_COMPARE_NUM,
    TMA_COMPARE_NAN
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

bool tma_compare_lane(const struct tma_op *op, uint64_t a, uint64_t b);

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

#endif
