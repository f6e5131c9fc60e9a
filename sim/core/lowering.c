#include "core/lowering.h"

#include <string.h>

#include "base/allocation.h"
#include "core/lowering_facts.h"
#include "core/sass.h"

/* Inputs of IADD3 and LOP3; a constant is one, too. */
enum { MOST_INPUTS = 3, MOST_REGISTERS = 255 };
/* Of S2R, as tests/hardware/h100/role_turns.tsv has it of a clock; of the loop over lanes around a
 * TMA load, without what is between two of them: turns_lane of role_costs.tsv. */
enum { SPECIAL_LATENCY = 24, LANE_LOOP_CYCLES = 40 };

const char *tma_pipe_name(enum tma_pipe pipe) {
    static const char *const names[] = {
#define TMA_PIPE_NAME(name, text) text,
        TMA_PIPES(TMA_PIPE_NAME)
#undef TMA_PIPE_NAME
    };
    return names[pipe];
}

static const struct {
    const char *key, *text;
} rules[] = {
#define TMA_LOWERING_ROW(name, key, text) {key, text},
    TMA_LOWERING_RULES(TMA_LOWERING_ROW)
#undef TMA_LOWERING_ROW
};

const char *tma_lowering_key(enum tma_lowering_rule rule) {
    return rules[rule].key;
}

const char *tma_lowering_text(enum tma_lowering_rule rule) {
    return rules[rule].text;
}

struct pass {
    const struct tma_lowering_facts *facts;
    const struct tma_lowering_options *options;
    struct tma_lowered *lowered;
    bool *folded;          /* it has no instruction of its own */
    bool *uniform;         /* it is on the uniform path */
    uint8_t *inputs;       /* of its sum or its tree of logic */
    uint32_t *takes;       /* the instruction that it has taken in; TMA_LOWERING_NONE */
    const char **sequence; /* instead of that of the instruction by itself; NULL */
    uint32_t maps;         /* TMA instructions whose map is a parameter, on a way through */
    uint32_t loop_maps;    /* of them in a loop */
    bool serialised;       /* the function's wgmma */
    char movable;          /* letter of what ALU and FMA can both do */
};

static const struct tma_ptx_instruction *at(const struct pass *pass, uint32_t i) {
    return &pass->facts->code[i];
}

static bool is_on(const struct pass *pass, enum tma_lowering_rule rule) {
    return !pass->options->off[rule];
}

static bool is_type(const struct pass *pass, uint32_t i, uint16_t bits, bool is_float) {
    if (at(pass, i)->type_count == 0)
        return false;
    const struct tma_ptx_type_facts *type = &tma_ptx_types[at(pass, i)->types[0]];
    return type->bits == bits && (type->kind == TMA_PTX_FLOAT) == is_float &&
           type->kind != TMA_PTX_TRUTH;
}

/* The instruction that computes operand k and nothing else does; it and `i` execute together, as
 * neither has a guard. TMA_LOWERING_NONE: there is no such. */
static uint32_t producer(const struct pass *pass, uint32_t i, uint32_t k) {
    uint32_t number = tma_lowering_register(pass->facts, i, k);
    uint32_t j = tma_lowering_definition(pass->facts, number);
    return j != TMA_LOWERING_NONE && pass->facts->written[j] == 1 &&
                   at(pass, j)->guard == TMA_PTX_NO_REGISTER
               ? j
               : TMA_LOWERING_NONE;
}

static const struct tma_lowering_value *result(const struct pass *pass, uint32_t i) {
    return &pass->facts->values[pass->facts->registers[pass->facts->first_register[i]]];
}

/* Is every use of the result one that `fits`? */
static bool all_uses(const struct pass *pass, uint32_t i,
                     bool (*fits)(const struct pass *pass, uint32_t user, uint32_t i)) {
    const struct tma_lowering_value *value = result(pass, i);
    if (value->use_count == 0)
        return false;
    for (uint32_t u = 0; u < value->use_count; u++)
        if (!fits(pass, pass->facts->uses[value->first_use + u], i))
            return false;
    return true;
}

static bool is_sum(const struct pass *pass, uint32_t i) {
    return at(pass, i)->opcode == TMA_PTX_OP_ADD || at(pass, i)->opcode == TMA_PTX_OP_SUB;
}

static bool is_logic(const struct pass *pass, uint32_t i) {
    return (at(pass, i)->opcode == TMA_PTX_OP_AND || at(pass, i)->opcode == TMA_PTX_OP_OR ||
            at(pass, i)->opcode == TMA_PTX_OP_XOR || at(pass, i)->opcode == TMA_PTX_OP_NOT) &&
           is_type(pass, i, 32, false);
}

/* An `or` of values that share no bit is a sum. */
static bool is_disjoint(const struct pass *pass, uint32_t i) {
    uint32_t bits[2] = {UINT32_MAX, UINT32_MAX};
    if (at(pass, i)->opcode != TMA_PTX_OP_OR || !is_type(pass, i, 32, false))
        return false;
    for (uint32_t k = 0; k < 2; k++) {
        uint64_t constant;
        uint32_t number = tma_lowering_register(pass->facts, i, k + 1);
        if (tma_lowering_constant(pass->facts, i, k + 1, &constant))
            bits[k] = (uint32_t)constant;
        else if (number != TMA_LOWERING_NONE && pass->facts->values[number].definitions == 1)
            bits[k] = pass->facts->values[number].possible;
    }
    return (bits[0] & bits[1]) == 0;
}

/* Constants, copies and what has no use; moves into registers that several instructions write. */
static void fold_moves(struct pass *pass) {
    const struct tma_lowering_facts *facts = pass->facts;
    uint32_t zeros = TMA_LOWERING_NONE; /* register that the last move of a constant zero filled */
    uint32_t zero =
        TMA_LOWERING_NONE; /* the last move of a zero, whose CS2R has room for another */
    for (uint32_t i = 0; i < facts->count; i++) {
        bool moves = at(pass, i)->opcode == TMA_PTX_OP_MOV;
        for (uint32_t k = 0; !moves && k < facts->written[i]; k++)
            if (facts->registers[facts->first_register[i] + k] == zeros)
                zeros = TMA_LOWERING_NONE;
        if (facts->dead[i]) {
            pass->folded[i] = true;
            continue;
        }
        if (facts->written[i] != 1)
            continue;
        uint32_t number = facts->registers[facts->first_register[i]];
        const struct tma_lowering_value *value = &facts->values[number];
        pass->folded[i] = value->constant || value->copy_of != number;
        /* a lane's value for all, which all have */
        if (at(pass, i)->opcode == TMA_PTX_OP_SHFL && value->uniform &&
            is_on(pass, TMA_LOWERING_UNIFORM)) {
            uint32_t source = tma_lowering_register(facts, i, 2);
            pass->folded[i] = source != TMA_LOWERING_NONE && facts->values[source].uniform &&
                              facts->values[source].definitions == 1;
        }
        if (pass->folded[i] || at(pass, i)->opcode != TMA_PTX_OP_MOV || value->definitions < 2 ||
            !is_on(pass, TMA_LOWERING_CONSTANTS))
            continue;
        uint64_t bits = 0;
        bool constant = tma_lowering_constant(facts, i, 1, &bits) ||
                        (zeros != TMA_LOWERING_NONE && tma_lowering_register(facts, i, 1) == zeros);
        if (constant) {
            if (bits != 0 || value->uniform)
                continue;
            if (tma_lowering_register(facts, i, 1) != zeros || zeros == TMA_LOWERING_NONE)
                zeros = number;
            if (zero != TMA_LOWERING_NONE && facts->block_of[zero] == facts->block_of[i]) {
                pass->folded[i] = true;
                zero = TMA_LOWERING_NONE;
            } else {
                pass->sequence[i] = "a";
                zero = i;
            }
            continue;
        }
        /* What is computed for this register only is computed into it. */
        uint32_t source = tma_lowering_register(facts, i, 1);
        pass->folded[i] = source != TMA_LOWERING_NONE && facts->values[source].use_count == 1 &&
                          facts->values[source].definitions == 1;
    }
}

static bool is_predicate_logic(const struct pass *pass, uint32_t i) {
    return (at(pass, i)->opcode == TMA_PTX_OP_AND || at(pass, i)->opcode == TMA_PTX_OP_OR) &&
           at(pass, i)->type_count > 0 && at(pass, i)->types[0] == TMA_PTX_PRED;
}

static bool takes_predicate(const struct pass *pass, uint32_t user, uint32_t i) {
    return is_predicate_logic(pass, user) && pass->takes[user] == i;
}

static bool in_predicate_logic(const struct pass *pass, uint32_t user, uint32_t i) {
    (void)i;
    return is_predicate_logic(pass, user);
}

static bool is_comparison(const struct pass *pass, uint32_t i) {
    return i != TMA_LOWERING_NONE && at(pass, i)->opcode == TMA_PTX_OP_SETP &&
           tma_ptx_types[at(pass, i)->types[0]].bits <= 32 &&
           at(pass, i)->guard == TMA_PTX_NO_REGISTER;
}

/* ISETP and FSETP combine their result with a predicate: `and` of a comparison and a predicate is
 * the comparison, made again for each such use. LOP3 can say whether its result is zero. */
static void fold_predicates(struct pass *pass) {
    for (uint32_t i = 0; i < pass->facts->count; i++) {
        if (pass->folded[i] || !is_predicate_logic(pass, i))
            continue;
        for (uint32_t k = 1; k < 3 && pass->takes[i] == TMA_LOWERING_NONE; k++) {
            uint32_t j =
                tma_lowering_definition(pass->facts, tma_lowering_register(pass->facts, i, k));
            if (is_comparison(pass, j) && all_uses(pass, j, in_predicate_logic)) {
                pass->takes[i] = j;
                pass->sequence[i] = tma_lowering_sequence(pass->facts, j, false, true);
            }
        }
    }
    for (uint32_t i = 0; i < pass->facts->count; i++) {
        if (pass->folded[i])
            continue;
        if (is_comparison(pass, i)) {
            uint64_t zero;
            uint32_t tested = producer(pass, i, 2);
            bool flag = tested != TMA_LOWERING_NONE && is_logic(pass, tested) &&
                        !result(pass, tested)->uniform &&
                        tma_lowering_constant(pass->facts, i, 3, &zero) && zero == 0 &&
                        (tma_ptx_has(at(pass, i), TMA_PTX_DOT_EQ) ||
                         tma_ptx_has(at(pass, i), TMA_PTX_DOT_NE));
            pass->folded[i] = flag || all_uses(pass, i, takes_predicate);
        } else if (at(pass, i)->opcode == TMA_PTX_OP_NOT && at(pass, i)->types[0] == TMA_PTX_PRED) {
            pass->folded[i] = true;
        }
    }
}

static bool is_float(const struct pass *pass, uint32_t user, uint32_t i) {
    (void)i;
    return at(pass, user)->type_count > 0 &&
           tma_ptx_types[at(pass, user)->types[0]].kind == TMA_PTX_FLOAT;
}

static bool is_whole_sum(const struct pass *pass, uint32_t user, uint32_t i) {
    (void)i;
    return is_sum(pass, user) || at(pass, user)->opcode == TMA_PTX_OP_MAD ||
           at(pass, user)->opcode == TMA_PTX_OP_MUL;
}

static bool rounds(const struct tma_ptx_instruction *instruction) {
    return tma_ptx_has(instruction, TMA_PTX_DOT_RN) || tma_ptx_has(instruction, TMA_PTX_DOT_RZ) ||
           tma_ptx_has(instruction, TMA_PTX_DOT_RM) || tma_ptx_has(instruction, TMA_PTX_DOT_RP) ||
           tma_ptx_has(instruction, TMA_PTX_DOT_SAT);
}

/* A float32 quotient, div.full: the divisor is scaled where its reciprocal would be subnormal or
 * its own is, then MUFU.RCP, and a product. */
static bool is_full_quotient(const struct pass *pass, uint32_t i) {
    return at(pass, i)->opcode == TMA_PTX_OP_DIV && tma_ptx_has(at(pass, i), TMA_PTX_DOT_FULL);
}

/* Is the divisor no less than the least normal number? A sum of such a constant and an ex2 is. */
static bool is_normal(const struct pass *pass, uint32_t i) {
    uint32_t sum = producer(pass, i, 2);
    for (uint32_t k = 1; k < 3 && sum != TMA_LOWERING_NONE && is_sum(pass, sum); k++) {
        uint64_t bits;
        uint32_t power = producer(pass, sum, 3 - k);
        if (tma_lowering_constant(pass->facts, sum, k, &bits) && bits >= 0x00800000 &&
            bits < 0x7F800000 && power != TMA_LOWERING_NONE &&
            at(pass, power)->opcode == TMA_PTX_OP_EX2)
            return true;
    }
    return tma_ptx_has(at(pass, i), TMA_PTX_DOT_FTZ);
}

/* Without the product at the end of a quotient. */
static const char *shorter(const char *sequence) {
    return strcmp(sequence, "aaffsfff") == 0 ? "aaffsff"
           : strcmp(sequence, "affsf") == 0  ? "affs"
           : strcmp(sequence, "fff") == 0    ? "ff"
                                             : "f";
}

/* Quotients of one divisor in a block share its reciprocal. */
static void share_quotients(struct pass *pass) {
    for (uint32_t i = 0; i < pass->facts->count; i++) {
        if (pass->folded[i] || !is_full_quotient(pass, i))
            continue;
        bool normal = is_normal(pass, i), shared = false;
        uint32_t divisor = tma_lowering_register(pass->facts, i, 2);
        for (uint32_t j = pass->facts->blocks[pass->facts->block_of[i]].first;
             j < i && is_on(pass, TMA_LOWERING_COMMON); j++)
            shared = shared || (is_full_quotient(pass, j) && !pass->folded[j] &&
                                divisor != TMA_LOWERING_NONE &&
                                tma_lowering_register(pass->facts, j, 2) == divisor);
        pass->sequence[i] = normal ? shared ? "ff" : "affsf" : shared ? "fff" : "aaffsfff";
    }
}

/* Signs are part of operands; products and sums of floats become FFMA (HFMA2, DFMA). */
static void fold_floats(struct pass *pass) {
    for (uint32_t i = 0; i < pass->facts->count; i++) {
        const struct tma_ptx_instruction *instruction = at(pass, i);
        if (pass->folded[i] || instruction->guard != TMA_PTX_NO_REGISTER)
            continue;
        if (instruction->opcode == TMA_PTX_OP_NEG || instruction->opcode == TMA_PTX_OP_ABS)
            pass->folded[i] = all_uses(pass, i, is_float(pass, i, i) ? is_float : is_whole_sum);
        if (!is_sum(pass, i) || !is_float(pass, i, i) || rounds(instruction))
            continue;
        for (uint32_t k = 1; k < 3 && pass->takes[i] == TMA_LOWERING_NONE; k++) {
            uint32_t j = producer(pass, i, k);
            if (j == TMA_LOWERING_NONE || pass->folded[j] || result(pass, j)->use_count != 1 ||
                at(pass, j)->types[0] != instruction->types[0])
                continue;
            if (at(pass, j)->opcode == TMA_PTX_OP_MUL && !rounds(at(pass, j))) {
                pass->takes[i] = j;
                pass->folded[j] = true;
            } else if (is_full_quotient(pass, j) && pass->sequence[j] != NULL) {
                pass->takes[i] = j;
                pass->sequence[j] = shorter(pass->sequence[j]);
            }
        }
    }
}

static bool reads_memory_at(const struct pass *pass, uint32_t user, uint32_t i) {
    const struct tma_ptx_instruction *instruction = at(pass, user);
    uint32_t number = pass->facts->registers[pass->facts->first_register[i]];
    switch (instruction->opcode) {
    case TMA_PTX_OP_LD:
    case TMA_PTX_OP_ST:
    case TMA_PTX_OP_ATOM:
    case TMA_PTX_OP_RED:
    case TMA_PTX_OP_MULTIMEM_LD_REDUCE:
    case TMA_PTX_OP_MULTIMEM_RED:
    case TMA_PTX_OP_MULTIMEM_ST:
    case TMA_PTX_OP_LDMATRIX:
    case TMA_PTX_OP_STMATRIX:
    case TMA_PTX_OP_CP_ASYNC:
    case TMA_PTX_OP_MBARRIER_ARRIVE:
    case TMA_PTX_OP_MBARRIER_ARRIVE_DROP:
    case TMA_PTX_OP_MBARRIER_EXPECT_TX:
    case TMA_PTX_OP_MBARRIER_INIT:
    case TMA_PTX_OP_MBARRIER_INVAL:
    case TMA_PTX_OP_MBARRIER_TEST_WAIT:
    case TMA_PTX_OP_MBARRIER_TRY_WAIT:
    case TMA_PTX_OP_CP_ASYNC_BULK_TENSOR: /* one UIADD3: its sequence has it */
    case TMA_PTX_OP_CP_ASYNC_BULK:
        break;
    default:
        return false;
    }
    for (uint32_t k = 0; k < instruction->operand_count; k++) {
        const struct tma_ptx_operand *operand = tma_lowering_operand(pass->facts, user, k);
        if (operand->kind == TMA_PTX_REGISTER && operand->number == number)
            return false;
        if (operand->kind == TMA_PTX_VECTOR)
            for (uint32_t p = 0; p < operand->list.count; p++)
                if (pass->facts->module->operands[operand->list.first + p].number == number &&
                    pass->facts->module->operands[operand->list.first + p].kind == TMA_PTX_REGISTER)
                    return false;
    }
    return true;
}

static bool reads_shared_at(const struct pass *pass, uint32_t user, uint32_t i) {
    return reads_memory_at(pass, user, i) && tma_ptx_space_of(at(pass, user)) == TMA_PTX_SHARED &&
           at(pass, user)->opcode != TMA_PTX_OP_CP_ASYNC_BULK_TENSOR &&
           at(pass, user)->opcode != TMA_PTX_OP_CP_ASYNC_BULK;
}

/* [register + uniform register + constant] */
static void fold_offsets(struct pass *pass) {
    uint64_t constant;
    for (uint32_t i = 0; i < pass->facts->count; i++) {
        if (pass->folded[i] || at(pass, i)->opcode != TMA_PTX_OP_ADD || is_float(pass, i, i) ||
            at(pass, i)->guard != TMA_PTX_NO_REGISTER || result(pass, i)->definitions != 1)
            continue;
        bool has_constant = tma_lowering_constant(pass->facts, i, 2, &constant) ||
                            tma_lowering_constant(pass->facts, i, 1, &constant);
        uint32_t a = tma_lowering_register(pass->facts, i, 1);
        uint32_t b = tma_lowering_register(pass->facts, i, 2);
        bool has_uniform = is_on(pass, TMA_LOWERING_UNIFORM) && a != TMA_LOWERING_NONE &&
                           b != TMA_LOWERING_NONE &&
                           pass->facts->values[a].uniform != pass->facts->values[b].uniform;
        pass->folded[i] = (has_constant && all_uses(pass, i, reads_memory_at)) ||
                          (has_uniform && all_uses(pass, i, reads_shared_at));
    }
}

static bool is_whole_add(const struct pass *pass, uint32_t user, uint32_t i) {
    return (is_sum(pass, user) || is_disjoint(pass, user)) && !is_float(pass, user, user) &&
           at(pass, user)->guard == TMA_PTX_NO_REGISTER && !pass->folded[user] &&
           (pass->takes[user] == TMA_LOWERING_NONE || pass->takes[user] == i);
}

/* IMAD.WIDE adds a pair of registers. What a loop counts up is two sums, whose registers are no
 * pair: two moves make them one. */
static bool adds_halves(const struct pass *pass, uint32_t user, uint32_t i) {
    for (uint32_t k = 1; k < 3; k++) {
        uint32_t number = tma_lowering_register(pass->facts, user, k);
        if (number != TMA_LOWERING_NONE && pass->facts->values[number].definitions > 1 &&
            &pass->facts->values[number] != result(pass, i))
            return true;
    }
    return false;
}

/* shift and sum: LEA; product and sum: IMAD; wide product and sum: IMAD.WIDE; sum and sum: IADD3 */
static void fuse_sums(struct pass *pass) {
    for (uint32_t i = 0; i < pass->facts->count; i++) {
        const struct tma_ptx_instruction *instruction = at(pass, i);
        uint64_t constant;
        if (pass->folded[i] || instruction->guard != TMA_PTX_NO_REGISTER ||
            pass->facts->written[i] != 1 || result(pass, i)->definitions != 1 ||
            result(pass, i)->use_count == 0)
            continue;
        bool shift = instruction->opcode == TMA_PTX_OP_SHL && is_type(pass, i, 32, false) &&
                     tma_lowering_constant(pass->facts, i, 2, &constant);
        bool product = instruction->opcode == TMA_PTX_OP_MUL && is_type(pass, i, 32, false) &&
                       !tma_ptx_has(instruction, TMA_PTX_DOT_HI);
        bool constant_factor = tma_lowering_constant(pass->facts, i, 2, &constant);
        bool wide = product && tma_ptx_has(instruction, TMA_PTX_DOT_WIDE);
        if ((!shift && !product) || !all_uses(pass, i, is_whole_add))
            continue;
        const struct tma_lowering_value *value = result(pass, i);
        for (uint32_t u = 0; u < value->use_count; u++) {
            uint32_t user = pass->facts->uses[value->first_use + u];
            pass->takes[user] = i;
            bool difference =
                at(pass, user)->opcode == TMA_PTX_OP_SUB && product && !constant_factor;
            pass->sequence[user] = shift                                ? "a"
                                   : wide && adds_halves(pass, user, i) ? "mmh"
                                   : difference                         ? "mh"
                                                                        : "h";
        }
        pass->folded[i] = true;
    }
    for (uint32_t i = 0; i < pass->facts->count; i++) {
        if (pass->folded[i] || !is_sum(pass, i) || !is_type(pass, i, 32, false) ||
            pass->takes[i] != TMA_LOWERING_NONE)
            continue;
        pass->inputs[i] = 2;
        for (uint32_t k = 1; k < 3; k++) {
            uint32_t j = producer(pass, i, k);
            if (j != TMA_LOWERING_NONE && !pass->folded[j] && is_sum(pass, j) &&
                is_type(pass, j, 32, false) && pass->takes[j] == TMA_LOWERING_NONE &&
                result(pass, j)->use_count == 1 &&
                pass->inputs[i] - 1 + pass->inputs[j] <= MOST_INPUTS) {
                pass->folded[j] = true;
                pass->inputs[i] = (uint8_t)(pass->inputs[i] - 1 + pass->inputs[j]);
            }
        }
    }
}

static void fuse_logic(struct pass *pass) {
    for (uint32_t i = 0; i < pass->facts->count; i++) {
        if (pass->folded[i] || !is_logic(pass, i) || pass->takes[i] != TMA_LOWERING_NONE)
            continue;
        pass->inputs[i] = at(pass, i)->opcode == TMA_PTX_OP_NOT ? 1 : 2;
        for (uint32_t k = 1; k < at(pass, i)->operand_count; k++) {
            uint32_t j = producer(pass, i, k);
            if (j != TMA_LOWERING_NONE && !pass->folded[j] && is_logic(pass, j) &&
                pass->takes[j] == TMA_LOWERING_NONE && result(pass, j)->use_count == 1 &&
                pass->inputs[i] - 1 + pass->inputs[j] <= MOST_INPUTS) {
                pass->folded[j] = true;
                pass->inputs[i] = (uint8_t)(pass->inputs[i] - 1 + pass->inputs[j]);
            }
        }
    }
}

static bool is_power_of_two(uint64_t value) {
    return value != 0 && (value & (value - 1)) == 0;
}

/* Halves of a 64-bit constant that are zero cost `or` and `xor` nothing. */
static const char *halves(const struct pass *pass, uint32_t i, uint64_t constant) {
    bool empty = at(pass, i)->opcode == TMA_PTX_OP_AND;
    uint32_t low = (uint32_t)constant, high = (uint32_t)(constant >> 32);
    bool first = empty ? low != UINT32_MAX : low != 0,
         second = empty ? high != UINT32_MAX : high != 0;
    return first && second ? "aa" : first || second ? "a" : "";
}

static bool takes_low_word(const struct pass *pass, uint32_t user, uint32_t i) {
    (void)i;
    return at(pass, user)->opcode == TMA_PTX_OP_CVT &&
           tma_ptx_types[at(pass, user)->types[0]].bits <= 32 && !is_float(pass, user, user);
}

/* Products by powers of two are shifts; those of 64 bits by a constant need three instructions. */
static void reduce_strength(struct pass *pass) {
    for (uint32_t i = 0; i < pass->facts->count; i++) {
        uint64_t factor;
        if (!pass->folded[i] && is_type(pass, i, 64, false) &&
            (at(pass, i)->opcode == TMA_PTX_OP_AND || at(pass, i)->opcode == TMA_PTX_OP_OR ||
             at(pass, i)->opcode == TMA_PTX_OP_XOR) &&
            (tma_lowering_constant(pass->facts, i, 2, &factor) ||
             tma_lowering_constant(pass->facts, i, 1, &factor)))
            pass->sequence[i] = halves(pass, i, factor);
        if (!pass->folded[i] && at(pass, i)->opcode == TMA_PTX_OP_SHR &&
            is_type(pass, i, 64, false) && all_uses(pass, i, takes_low_word))
            pass->sequence[i] = "a";
        if (pass->folded[i] ||
            (at(pass, i)->opcode != TMA_PTX_OP_MUL && at(pass, i)->opcode != TMA_PTX_OP_MAD) ||
            is_float(pass, i, i) || !tma_lowering_constant(pass->facts, i, 2, &factor))
            continue;
        bool wide = tma_ptx_has(at(pass, i), TMA_PTX_DOT_WIDE);
        if (at(pass, i)->opcode == TMA_PTX_OP_MAD)
            pass->sequence[i] = wide && is_power_of_two(factor) ? "aa" : NULL; /* LEA, LEA.HI.X */
        else if (!wide && tma_ptx_has(at(pass, i), TMA_PTX_DOT_LO) && is_type(pass, i, 64, false))
            pass->sequence[i] = is_power_of_two(factor) ? "aa" : "hha";
    }
}

/* What needs a uniform register, or is faster with one. */
static bool wants_uniform(const struct pass *pass, uint32_t user, uint32_t i) {
    const struct tma_ptx_instruction *instruction = at(pass, user);
    switch (instruction->opcode) {
    case TMA_PTX_OP_CP_ASYNC_BULK:
    case TMA_PTX_OP_CP_ASYNC_BULK_PREFETCH:
    case TMA_PTX_OP_CP_ASYNC_BULK_TENSOR:
    case TMA_PTX_OP_CP_ASYNC_BULK_PREFETCH_TENSOR:
    case TMA_PTX_OP_CP_REDUCE_ASYNC_BULK:
    case TMA_PTX_OP_CP_REDUCE_ASYNC_BULK_TENSOR:
    case TMA_PTX_OP_WGMMA_MMA_ASYNC:
    case TMA_PTX_OP_TENSORMAP_REPLACE:
    case TMA_PTX_OP_MBARRIER_INIT:
    case TMA_PTX_OP_MBARRIER_TRY_WAIT:
    case TMA_PTX_OP_MBARRIER_TEST_WAIT:
        return true;
    case TMA_PTX_OP_DIV:
    case TMA_PTX_OP_REM:
        return pass->uniform[user];
    default:
        return pass->uniform[user] || reads_shared_at(pass, user, i) ||
               (pass->folded[user] && all_uses(pass, user, reads_shared_at));
    }
}

/* Is it computed by the vector pipes although all lanes have one value? Then what it is computed
 * from is, too. */
static bool keeps_vector(const struct pass *pass, uint32_t user) {
    return pass->facts->written[user] == 1 && !pass->uniform[user] && result(pass, user)->uniform &&
           at(pass, user)->opcode != TMA_PTX_OP_SETP && !is_predicate_logic(pass, user) &&
           at(pass, user)->opcode != TMA_PTX_OP_CVT && at(pass, user)->opcode != TMA_PTX_OP_MOV &&
           !pass->folded[user];
}

/* A predicate of the uniform pipe selects there. */
static bool selects_by_uniform(const struct pass *pass, uint32_t i) {
    if (at(pass, i)->opcode != TMA_PTX_OP_SELP)
        return false;
    uint32_t j = tma_lowering_definition(pass->facts, tma_lowering_register(pass->facts, i, 3));
    return j != TMA_LOWERING_NONE && pass->uniform[j];
}

/* Values that are the same in all lanes go to the uniform pipe where something there uses them, and
 * all lanes are together. */
static void choose_uniform(struct pass *pass) {
    const struct tma_lowering_facts *facts = pass->facts;
    for (uint32_t i = 0; i < facts->count; i++) {
        bool guard =
            at(pass, i)->guard != TMA_PTX_NO_REGISTER && !facts->values[at(pass, i)->guard].uniform;
        pass->uniform[i] = facts->written[i] > 0 && !guard && result(pass, i)->uniform &&
                           tma_lowering_sequence(facts, i, true, true) != NULL;
        for (uint32_t r = facts->first_register[i] + facts->written[i];
             r < facts->first_register[i + 1]; r++)
            pass->uniform[i] = pass->uniform[i] && facts->values[facts->registers[r]].uniform;
    }
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = facts->count; i-- > 0;) {
            if (!pass->uniform[i])
                continue;
            const struct tma_lowering_value *value = result(pass, i);
            bool wanted = selects_by_uniform(pass, i);
            for (uint32_t u = 0; u < value->use_count && !wanted; u++) {
                uint32_t user = facts->uses[value->first_use + u];
                wanted = user != i && wants_uniform(pass, user, i);
            }
            for (uint32_t u = 0; u < value->use_count && wanted; u++)
                wanted = !keeps_vector(pass, facts->uses[value->first_use + u]);
            pass->uniform[i] = wanted;
            changed = changed || !wanted;
        }
    }
}

/* A parameter is a load into the registers of what uses it. */
static bool is_parameter(const struct pass *pass, uint32_t i) {
    return at(pass, i)->opcode == TMA_PTX_OP_LD && tma_ptx_space_of(at(pass, i)) == TMA_PTX_PARAM;
}

/* A comparison or a quotient in a loop loads a parameter each time: registers are not kept for it.
 */
static bool loads_parameter(const struct pass *pass, uint32_t i) {
    bool compares = at(pass, i)->opcode == TMA_PTX_OP_SETP ||
                    at(pass, i)->opcode == TMA_PTX_OP_DIV || at(pass, i)->opcode == TMA_PTX_OP_REM;
    if (!compares || !result(pass, i)->uniform ||
        pass->facts->blocks[pass->facts->block_of[i]].loop == TMA_LOWERING_NONE)
        return false;
    for (uint32_t k = 1; k < at(pass, i)->operand_count; k++) {
        uint32_t j = tma_lowering_definition(pass->facts, tma_lowering_register(pass->facts, i, k));
        if (j != TMA_LOWERING_NONE && is_parameter(pass, j))
            return true;
    }
    return false;
}

/* Is a register in the uniform register file? */
static bool in_uniform(const struct pass *pass, uint32_t number) {
    const struct tma_lowering_value *value = &pass->facts->values[number];
    return value->uniform && is_on(pass, TMA_LOWERING_UNIFORM) &&
           (value->definitions == 0 || value->constant || pass->uniform[value->definition] ||
            at(pass, value->definition)->opcode == TMA_PTX_OP_LD);
}

static void add(const struct pass *pass, struct tma_lowered *lowered, const char *sequence) {
    tma_lowering_add(lowered, sequence, pass->movable);
}

/* The registers of an operand come into uniform registers: UIADD3 or UMOV, or R2UR each. */
static void bring(const struct pass *pass, const struct tma_ptx_operand *operand,
                  const char *uniform, struct tma_lowered *lowered) {
    if (operand->kind == TMA_PTX_VECTOR) {
        for (uint32_t p = 0; p < operand->list.count; p++)
            bring(pass, &pass->facts->module->operands[operand->list.first + p], uniform, lowered);
        return;
    }
    bool names = operand->kind == TMA_PTX_REGISTER ||
                 (operand->kind == TMA_PTX_ADDRESS && operand->base == TMA_PTX_REGISTER);
    uint32_t number = names ? pass->facts->values[operand->number].copy_of : TMA_LOWERING_NONE;
    if (number == TMA_LOWERING_NONE || in_uniform(pass, number)) {
        add(pass, lowered, uniform);
        return;
    }
    /* The sum with a constant was folded: its register counts. */
    uint32_t j = tma_lowering_definition(pass->facts, number);
    uint32_t base = j != TMA_LOWERING_NONE && pass->folded[j]
                        ? tma_lowering_register(pass->facts, j, 1)
                        : TMA_LOWERING_NONE;
    if (base != TMA_LOWERING_NONE && in_uniform(pass, base))
        add(pass, lowered, uniform);
    else
        add(pass, lowered,
            pass->facts->module->registers[pass->facts->function->first_register + number].width ==
                    TMA_PTX_DOUBLE
                ? "aa"
                : "a");
}

static bool has_guard(const struct pass *pass, uint32_t i) {
    return at(pass, i)->guard != TMA_PTX_NO_REGISTER &&
           !in_uniform(pass, pass->facts->values[at(pass, i)->guard].copy_of);
}

/* Does an instruction move the address of a variable of this space into a register? */
static bool moves_variable(const struct pass *pass, uint32_t i, enum tma_ptx_space space) {
    const struct tma_ptx_operand *from = tma_lowering_operand(pass->facts, i, 1);
    return at(pass, i)->opcode == TMA_PTX_OP_MOV && from->kind == TMA_PTX_VARIABLE &&
           pass->facts->module->variables[from->number].space == space;
}

/* Does an operand name a tensor map that is a parameter? */
static bool is_parameter_map(const struct pass *pass, const struct tma_ptx_operand *operand) {
    if (operand->kind != TMA_PTX_ADDRESS || operand->base != TMA_PTX_REGISTER)
        return operand->kind == TMA_PTX_ADDRESS && operand->base == TMA_PTX_VARIABLE &&
               pass->facts->module->variables[operand->number].space == TMA_PTX_PARAM;
    uint32_t j = tma_lowering_definition(pass->facts, pass->facts->values[operand->number].copy_of);
    return j != TMA_LOWERING_NONE && moves_variable(pass, j, TMA_PTX_PARAM);
}

/* Uniform registers hold the base of the parameters while few TMA instructions need it: up to three
 * on a way through the function, or four if no loop has two. Else each of them adds the map's
 * offset in vector registers, and brings the address over twice. (What decides it in ptxas is not
 * known: the rule is what the kernels looked at have in common.) */
static bool keeps_maps_uniform(const struct pass *pass) {
    return pass->maps <= 3 || (pass->maps == 4 && pass->loop_maps < 2);
}

static bool is_tensor(uint16_t opcode) {
    return opcode == TMA_PTX_OP_CP_ASYNC_BULK_TENSOR ||
           opcode == TMA_PTX_OP_CP_REDUCE_ASYNC_BULK_TENSOR ||
           opcode == TMA_PTX_OP_CP_ASYNC_BULK_PREFETCH_TENSOR;
}

/* The window of shared memory is read, by S2R, where a block first needs an address in it; before a
 * loop of one block. All others are constants away from it. */
static void share_window(struct pass *pass) {
    const struct tma_lowering_facts *facts = pass->facts;
    for (uint32_t b = 0; b < facts->block_count; b++) {
        const struct tma_lowering_block *block = &facts->blocks[b];
        bool has = block->loop != TMA_LOWERING_NONE &&
                   facts->loops[block->loop].first == block->first &&
                   facts->loops[block->loop].end == block->end;
        for (uint32_t i = block->first; i < block->end; i++)
            if (moves_variable(pass, i, TMA_PTX_SHARED)) {
                if (has)
                    pass->sequence[i] = "uu";
                has = true;
            }
    }
}

/* Is a predicate true in one lane at most, as elect.sync makes it? */
static bool is_elected(const struct tma_lowering_facts *facts, uint32_t number, uint32_t steps) {
    uint32_t i = number == TMA_PTX_NO_REGISTER
                     ? TMA_LOWERING_NONE
                     : tma_lowering_definition(facts, facts->values[number].copy_of);
    if (i == TMA_LOWERING_NONE || steps == 0)
        return false;
    switch (facts->code[i].opcode) {
    case TMA_PTX_OP_ELECT:
        return true;
    case TMA_PTX_OP_AND:
    case TMA_PTX_OP_OR: /* of a branch around it */
    case TMA_PTX_OP_SELP:
    case TMA_PTX_OP_SETP:
        for (uint32_t r = facts->first_register[i] + facts->written[i];
             r < facts->first_register[i + 1]; r++)
            if (is_elected(facts, facts->registers[r], steps - 1))
                return true;
        return false;
    default:
        return false;
    }
}

/* Does ptxas know that one lane executes it: by its own predicate, or by a branch around it? */
static bool has_one_lane(const struct tma_lowering_facts *facts, uint32_t i) {
    enum { STEPS = 4 }; /* elect, selp, setp, and */
    if (is_elected(facts, facts->code[i].guard, STEPS))
        return true;
    for (uint32_t j = 0; j < i; j++) {
        uint32_t target = tma_lowering_target(facts, j);
        if (target != TMA_LOWERING_NONE && target > i &&
            is_elected(facts, facts->code[j].guard, STEPS))
            return true;
    }
    return false;
}

/* A TMA instruction: its predicate by VOTEU, everything it names in uniform registers. Loads whose
 * lane ptxas does not know are in a loop over lanes: ELECT, PLOP3, BRA.U.ANY. */
static void lower_bulk(const struct pass *pass, uint32_t i, struct tma_lowered *lowered) {
    const struct tma_ptx_instruction *instruction = at(pass, i);
    if (has_guard(pass, i))
        add(pass, lowered, "uu");
    for (uint32_t k = 0; k < instruction->operand_count; k++) {
        const struct tma_ptx_operand *operand = tma_lowering_operand(pass->facts, i, k);
        if (is_tensor(instruction->opcode) && is_parameter_map(pass, operand))
            add(pass, lowered, keeps_maps_uniform(pass) ? "uu" : "amaammaa");
        else if (operand->kind == TMA_PTX_VECTOR) { /* coordinates lie behind each other */
            struct tma_lowered moved = {0};
            bring(pass, operand, "", &moved);
            add(pass, lowered, "u");
            for (uint8_t n = 0; n < moved.slots[TMA_PIPE_ALU]; n++)
                add(pass, lowered, "a");
        } else if (operand->kind == TMA_PTX_ADDRESS)
            bring(pass, operand, "u", lowered);
        else
            bring(pass, operand, "", lowered);
    }
    add(pass, lowered, "c");
    if (tma_ptx_has(instruction, TMA_PTX_DOT_COMPLETE_TX_BYTES) && !has_one_lane(pass->facts, i)) {
        add(pass, lowered, "aaaac");
        lowered->turn = LANE_LOOP_CYCLES;
    }
}

/* The word that an mbarrier begins with is built from its count. */
static void lower_mbarrier_init(const struct pass *pass, uint32_t i, struct tma_lowered *lowered) {
    add(pass, lowered, has_guard(pass, i) ? "uuuuc" : "uuuc");
    bring(pass, tma_lowering_operand(pass->facts, i, 0), "", lowered);
}

/* Descriptors are four uniform registers behind each other; constants in them are moves. */
static void lower_wgmma(const struct pass *pass, uint32_t i, struct tma_lowered *lowered) {
    for (uint32_t k = 1; k < 3; k++) {
        const struct tma_ptx_operand *operand = tma_lowering_operand(pass->facts, i, k);
        if (operand->kind == TMA_PTX_REGISTER)
            bring(pass, operand, "", lowered);
    }
    add(pass, lowered, lowered->serialised ? "ctc" : "t"); /* WARPGROUP.ARRIVE, DEPBAR */
}

/* A branch on a uniform predicate moves it to the vector ones. */
static void lower_branch(const struct pass *pass, uint32_t i, struct tma_lowered *lowered) {
    uint32_t j = at(pass, i)->guard == TMA_PTX_NO_REGISTER
                     ? TMA_LOWERING_NONE
                     : tma_lowering_definition(pass->facts, at(pass, i)->guard);
    bool moves = j != TMA_LOWERING_NONE && pass->uniform[j];
    add(pass, lowered, moves ? "ac" : "c");
}

/* What a vector instruction has beyond one uniform register comes into vector registers first. */
static void bring_back(const struct pass *pass, uint32_t i, struct tma_lowered *lowered) {
    uint32_t count = 0, last = TMA_LOWERING_NONE;
    switch (at(pass, i)->opcode) {
    case TMA_PTX_OP_ADD:
    case TMA_PTX_OP_SUB:
    case TMA_PTX_OP_MUL:
    case TMA_PTX_OP_MAD:
    case TMA_PTX_OP_AND:
    case TMA_PTX_OP_OR:
    case TMA_PTX_OP_XOR:
    case TMA_PTX_OP_SETP:
    case TMA_PTX_OP_SELP:
    case TMA_PTX_OP_MIN:
    case TMA_PTX_OP_MAX:
        break;
    default:
        return;
    }
    for (uint32_t r = pass->facts->first_register[i] + pass->facts->written[i];
         r < pass->facts->first_register[i + 1]; r++) {
        uint32_t number = pass->facts->values[pass->facts->registers[r]].copy_of;
        const struct tma_lowering_value *value = &pass->facts->values[number];
        bool vector_only = !in_uniform(pass, number) || value->constant ||
                           value->definition == TMA_LOWERING_NONE ||
                           !pass->uniform[value->definition] || number == last;
        count += !vector_only;
        last = number;
    }
    for (; count > 1; count--)
        add(pass, lowered, "m");
}

/* A value that vector pipes compute, the same in all lanes, and the uniform pipe uses: R2UR. */
static bool crosses(const struct pass *pass, uint32_t i) {
    if (pass->facts->written[i] != 1 || pass->uniform[i] || is_parameter(pass, i) ||
        !result(pass, i)->uniform || result(pass, i)->constant ||
        at(pass, i)->opcode == TMA_PTX_OP_SETP || is_predicate_logic(pass, i) ||
        !is_on(pass, TMA_LOWERING_UNIFORM))
        return false;
    const struct tma_lowering_value *value = result(pass, i);
    for (uint32_t u = 0; u < value->use_count; u++)
        if (pass->uniform[pass->facts->uses[value->first_use + u]])
            return true;
    return false;
}

/* The parity is the top bit of a vector register. */
static void lower_wait(const struct pass *pass, uint32_t i, struct tma_lowered *lowered) {
    uint32_t j = tma_lowering_definition(pass->facts, tma_lowering_register(pass->facts, i, 2));
    uint32_t number = tma_lowering_register(pass->facts, i, 2);
    if (number != TMA_LOWERING_NONE && j == TMA_LOWERING_NONE)
        j = pass->facts->values[number].definition;
    if (j != TMA_LOWERING_NONE && !result(pass, j)->constant && in_uniform(pass, number))
        add(pass, lowered, "m");
    add(pass, lowered, tma_lowering_sequence(pass->facts, i, false, true));
}

static void lower_one(struct pass *pass, uint32_t i) {
    struct tma_lowered *lowered = &pass->lowered[i];
    bool expand = is_on(pass, TMA_LOWERING_EXPAND);
    bool uniform = pass->uniform[i] && is_on(pass, TMA_LOWERING_UNIFORM);
    lowered->uniform = uniform;
    if (pass->folded[i])
        return;
    if (expand)
        switch (at(pass, i)->opcode) {
        case TMA_PTX_OP_CP_ASYNC_BULK:
        case TMA_PTX_OP_CP_ASYNC_BULK_PREFETCH:
        case TMA_PTX_OP_CP_ASYNC_BULK_TENSOR:
        case TMA_PTX_OP_CP_ASYNC_BULK_PREFETCH_TENSOR:
        case TMA_PTX_OP_CP_REDUCE_ASYNC_BULK:
        case TMA_PTX_OP_CP_REDUCE_ASYNC_BULK_TENSOR:
        case TMA_PTX_OP_PREFETCH:
            lower_bulk(pass, i, lowered);
            return;
        case TMA_PTX_OP_MBARRIER_INIT:
            lower_mbarrier_init(pass, i, lowered);
            return;
        case TMA_PTX_OP_WGMMA_MMA_ASYNC:
            lower_wgmma(pass, i, lowered);
            return;
        case TMA_PTX_OP_WGMMA_FENCE:
        case TMA_PTX_OP_WGMMA_WAIT_GROUP:
            add(pass, lowered, pass->serialised ? "" : "c"); /* each wgmma has its own */
            return;
        case TMA_PTX_OP_MBARRIER_TRY_WAIT:
        case TMA_PTX_OP_MBARRIER_TEST_WAIT:
            lower_wait(pass, i, lowered);
            return;
        case TMA_PTX_OP_BRA:
            lower_branch(pass, i, lowered);
            return;
        default:
            break;
        }
    const char *sequence = pass->sequence[i];
    if (loads_parameter(pass, i))
        add(pass, lowered, uniform ? "u" : "c");
    if (sequence != NULL && uniform) {
        for (const char *letter = sequence; *letter != '\0'; letter++)
            add(pass, lowered, "u");
    } else {
        if (sequence == NULL)
            sequence = tma_lowering_sequence(pass->facts, i, uniform, expand);
        add(pass, lowered, sequence);
        if (!uniform)
            bring_back(pass, i, lowered);
        if (crosses(pass, i))
            add(pass, lowered, "a");
    }
    if (*sequence != '\0') {
        char last = sequence[strlen(sequence) - 1];
        bool moved = lowered->uniform && pass->sequence[i] != NULL; /* all of it */
        lowered->latency = tma_lowering_latency(
            moved ? TMA_PIPE_UNIFORM : tma_lowering_pipe(last == 'm' ? pass->movable : last));
        if (moves_variable(pass, i, TMA_PTX_SHARED) && pass->sequence[i] == NULL)
            lowered->latency += SPECIAL_LATENCY;
    }
}

static void lower_all(struct pass *pass, char movable) {
    pass->movable = movable;
    for (uint32_t i = 0; i < pass->facts->count; i++) {
        pass->lowered[i] = (struct tma_lowered){.reason = TMA_LOWERING_NONE};
    }
    if (is_on(pass, TMA_LOWERING_ACCUMULATORS))
        pass->serialised = tma_lowering_serialise(pass->facts, pass->lowered);
    for (uint32_t i = 0; i < pass->facts->count; i++)
        lower_one(pass, i);
}

/* Moves, shifts and sums go to the pipe that has less to do in the function: MOV, SHF and IADD3.X,
 * or IMAD.MOV, IMAD.SHL and IMAD.X. */
static void balance(struct pass *pass) {
    uint64_t alu = 0, fma = 0;
    lower_all(pass, 'c');
    for (uint32_t i = 0; i < pass->facts->count; i++) {
        alu += pass->lowered[i].slots[TMA_PIPE_ALU];
        fma += pass->lowered[i].slots[TMA_PIPE_FMA] + pass->lowered[i].slots[TMA_PIPE_FMA_HEAVY];
    }
    lower_all(pass, fma > alu ? 'a' : 'f');
}

static uint32_t maps_of(const struct pass *pass, uint32_t first, uint32_t end) {
    uint32_t count = 0;
    for (uint32_t i = first; i < end; i++)
        for (uint32_t k = 0; is_tensor(at(pass, i)->opcode) && k < at(pass, i)->operand_count; k++)
            count += is_parameter_map(pass, tma_lowering_operand(pass->facts, i, k));
    return count;
}

/* Goes through the blocks forwards; `most` has the most maps on a way to the start of each. */
static void count_maps(struct pass *pass, uint32_t *most) {
    const struct tma_lowering_facts *facts = pass->facts;
    for (uint32_t b = 0; b < facts->block_count; b++) {
        const struct tma_lowering_block *block = &facts->blocks[b];
        uint32_t here = most[b] + maps_of(pass, block->first, block->end);
        pass->maps = here > pass->maps ? here : pass->maps;
        uint32_t next[2];
        uint32_t count = tma_lowering_successors(facts, b, next);
        for (uint32_t n = 0; n < count; n++)
            if (next[n] > b && most[next[n]] < here)
                most[next[n]] = here;
    }
    for (uint32_t l = 0; l < facts->loop_count; l++) {
        uint32_t here = maps_of(pass, facts->loops[l].first, facts->loops[l].end);
        pass->loop_maps = here > pass->loop_maps ? here : pass->loop_maps;
    }
}

/* What a loop does not change is computed before it: its slots go to the last instruction there. */
static void move_invariants(struct pass *pass) {
    const struct tma_lowering_facts *facts = pass->facts;
    for (uint32_t i = 0; i < facts->count; i++) {
        uint32_t l = facts->blocks[facts->block_of[i]].loop;
        if (l == TMA_LOWERING_NONE || facts->loops[l].first == 0 || facts->written[i] != 1 ||
            at(pass, i)->guard != TMA_PTX_NO_REGISTER || result(pass, i)->definitions != 1 ||
            tma_lowering_has_effect(at(pass, i)) || at(pass, i)->opcode == TMA_PTX_OP_LD ||
            at(pass, i)->opcode == TMA_PTX_OP_MOV || at(pass, i)->opcode == TMA_PTX_OP_SETP ||
            is_predicate_logic(pass, i) || tma_lowering_is_convergent(at(pass, i)))
            continue;
        bool changes = false;
        for (uint32_t j = facts->loops[l].first; j < facts->loops[l].end && !changes; j++)
            for (uint32_t k = 0; k < facts->written[j] && !changes; k++)
                for (uint32_t r = facts->first_register[i] + 1; r < facts->first_register[i + 1];
                     r++)
                    changes = changes || facts->values[facts->registers[r]].copy_of ==
                                             facts->registers[facts->first_register[j] + k];
        if (changes)
            continue;
        struct tma_lowered *before = &pass->lowered[facts->loops[l].first - 1];
        for (uint32_t pipe = 0; pipe < TMA_PIPE_COUNT; pipe++) {
            uint32_t slots = before->slots[pipe] + pass->lowered[i].slots[pipe];
            before->slots[pipe] = (uint8_t)(slots < UINT8_MAX ? slots : UINT8_MAX);
            pass->lowered[i].slots[pipe] = 0;
        }
    }
}

/* The registers that are in the vector file. */
static enum tma_error_code spill(struct pass *pass, uint32_t registers,
                                 struct tma_lowered_function *whole, struct tma_error *error) {
    const struct tma_lowering_facts *facts = pass->facts;
    uint32_t limit = registers != 0 && registers < MOST_REGISTERS ? registers : MOST_REGISTERS;
    if (facts->function->maximum_registers != 0 && facts->function->maximum_registers < limit)
        limit = facts->function->maximum_registers;
    bool *in_file = tma_allocate(facts->value_count, sizeof *in_file);
    if (in_file == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    for (uint32_t number = 0; number < facts->value_count; number++) {
        const struct tma_lowering_value *value = &facts->values[number];
        bool folded = value->definitions == 1 && pass->folded[value->definition];
        in_file[number] = value->definitions > 0 && !value->constant && value->copy_of == number &&
                          !folded &&
                          !(in_uniform(pass, number) && pass->uniform[value->definition]);
    }
    if (!is_on(pass, TMA_LOWERING_SPILLS))
        limit = UINT32_MAX;
    enum tma_error_code code =
        tma_lowering_spill(facts, in_file, limit, pass->lowered, whole, error);
    tma_release(in_file);
    return code;
}

static enum tma_error_code lower(struct pass *pass, uint32_t registers,
                                 struct tma_lowered_function *whole, struct tma_error *error) {
    const struct tma_lowering_facts *facts = pass->facts;
    pass->folded = tma_allocate(facts->count, sizeof *pass->folded);
    pass->uniform = tma_allocate(facts->count, sizeof *pass->uniform);
    pass->inputs = tma_allocate(facts->count, sizeof *pass->inputs);
    pass->takes = tma_allocate(facts->count, sizeof *pass->takes);
    pass->sequence = tma_allocate(facts->count, sizeof *pass->sequence);
    if (pass->folded == NULL || pass->uniform == NULL || pass->inputs == NULL ||
        pass->takes == NULL || pass->sequence == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    for (uint32_t i = 0; i < facts->count; i++)
        pass->takes[i] = TMA_LOWERING_NONE;
    uint32_t *most = tma_allocate(facts->block_count, sizeof *most);
    if (most == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    count_maps(pass, most);
    tma_release(most);
    if (is_on(pass, TMA_LOWERING_COMMON))
        share_window(pass);
    fold_moves(pass);
    if (is_on(pass, TMA_LOWERING_PREDICATES))
        fold_predicates(pass);
    if (is_on(pass, TMA_LOWERING_EXPAND))
        share_quotients(pass);
    if (is_on(pass, TMA_LOWERING_CONTRACT))
        fold_floats(pass);
    if (is_on(pass, TMA_LOWERING_OFFSETS))
        fold_offsets(pass);
    if (is_on(pass, TMA_LOWERING_FUSE))
        fuse_sums(pass);
    if (is_on(pass, TMA_LOWERING_LOGIC))
        fuse_logic(pass);
    if (is_on(pass, TMA_LOWERING_STRENGTH))
        reduce_strength(pass);
    if (is_on(pass, TMA_LOWERING_UNIFORM))
        choose_uniform(pass);
    balance(pass);
    if (is_on(pass, TMA_LOWERING_INVARIANT))
        move_invariants(pass);
    return spill(pass, registers, whole, error);
}

/* Whether an instruction loads what others may have written meanwhile. */
static bool looks_again(const struct tma_ptx_instruction *instruction) {
    static const enum tma_ptx_word own[] = {TMA_PTX_DOT_SHARED, TMA_PTX_DOT_SHARED_CTA,
                                            TMA_PTX_DOT_SHARED_CLUSTER, TMA_PTX_DOT_LOCAL};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (tma_ptx_has(instruction, own[i]))
            return false;
    return instruction->opcode == TMA_PTX_OP_ATOM ||
           (instruction->opcode == TMA_PTX_OP_LD &&
            (tma_ptx_has(instruction, TMA_PTX_DOT_VOLATILE) ||
             tma_ptx_has(instruction, TMA_PTX_DOT_RELAXED) ||
             tma_ptx_has(instruction, TMA_PTX_DOT_ACQUIRE) ||
             tma_ptx_has(instruction, TMA_PTX_DOT_CV)));
}

/* Whether a loop that waits for a flag may have it, besides looking at the flag. */
static bool only_waits(const struct tma_ptx_instruction *instruction) {
    switch (instruction->opcode) {
    case TMA_PTX_OP_BRA:
    case TMA_PTX_OP_FENCE:
    case TMA_PTX_OP_MEMBAR:
    case TMA_PTX_OP_NANOSLEEP:
    case TMA_PTX_OP_BAR_WARP_SYNC:
        return true;
    case TMA_PTX_OP_LD:
        return tma_ptx_has(instruction, TMA_PTX_DOT_PARAM);
    default:
        return !tma_lowering_has_effect(instruction);
    }
}

/* Marks the loads of loops that do nothing but wait for a flag in global memory. */
static void mark_polls(const struct tma_lowering_facts *facts, struct tma_lowered *lowered) {
    for (uint32_t l = 0; l < facts->loop_count; l++) {
        const struct tma_lowering_loop *loop = &facts->loops[l];
        bool waits = true;
        for (uint32_t i = loop->first; i < loop->end; i++)
            waits = waits && (looks_again(&facts->code[i]) || only_waits(&facts->code[i]));
        for (uint32_t i = loop->first; waits && i < loop->end; i++)
            lowered[i].polls = looks_again(&facts->code[i]);
    }
}

/* Marks atomics that are reductions in SASS, as nothing reads what was there before. */
static void mark_unread(const struct tma_lowering_facts *facts, struct tma_lowered *lowered) {
    for (uint32_t i = 0; i < facts->count; i++) {
        const struct tma_ptx_instruction *instruction = &facts->code[i];
        bool unread = instruction->opcode == TMA_PTX_OP_ATOM &&
                      !tma_ptx_has(instruction, TMA_PTX_DOT_CAS) &&
                      !tma_ptx_has(instruction, TMA_PTX_DOT_EXCH);
        for (uint32_t k = 0; unread && k < facts->written[i]; k++)
            unread = facts->values[facts->registers[facts->first_register[i] + k]].use_count == 0;
        lowered[i].unread = unread;
    }
}

enum tma_error_code tma_lower(const struct tma_ptx_module *module, uint32_t function,
                              uint32_t registers, const struct tma_lowering_options *options,
                              struct tma_lowered *lowered, struct tma_lowered_function *whole,
                              struct tma_error *error) {
    static const struct tma_lowering_options all = {0};
    struct tma_lowering_facts facts;
    struct pass pass = {.facts = &facts,
                        .options = options == NULL ? &all : options,
                        .lowered = lowered + module->functions[function].first_instruction};
    struct tma_lowered_function own = {0};
    whole = whole == NULL ? &own : whole;
    *whole = (struct tma_lowered_function){0};
    enum tma_error_code code =
        tma_lowering_facts_create(module, function, pass.options, &facts, error);
    if (code == TMA_OK)
        code = lower(&pass, registers, whole, error);
    if (code == TMA_OK && pass.options->sass != NULL)
        tma_sass_lower(pass.options->sass, module, function, lowered);
    if (code == TMA_OK) {
        mark_polls(&facts, pass.lowered);
        mark_unread(&facts, pass.lowered);
    }
    TMA_RELEASE(pass.folded, pass.uniform, pass.inputs, pass.takes, pass.sequence);
    tma_lowering_facts_free(&facts);
    return code;
}

enum tma_error_code tma_count_sass(const struct tma_ptx_module *module, uint32_t registers,
                                   const struct tma_lowering_options *options,
                                   const struct tma_ptx_line *lines, struct tma_sass_counts *counts,
                                   struct tma_error *error) {
    enum tma_error_code code = TMA_OK;
    struct tma_lowered *lowered = tma_allocate(module->instruction_count, sizeof *lowered);
    *counts = (struct tma_sass_counts){0};
    if (lowered == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    for (uint32_t f = 0; code == TMA_OK && f < module->function_count; f++)
        if (!module->functions[f].is_extern)
            code = tma_lower(module, f, registers, options, lowered, NULL, error);
    for (size_t i = 0; code == TMA_OK && i < module->instruction_count; i++) {
        const uint8_t *slots = lowered[i].slots;
        for (uint32_t pipe = 0; pipe < TMA_PIPE_COUNT; pipe++)
            counts->instructions += lines[i].executions * slots[pipe];
        counts->alu += lines[i].executions * slots[TMA_PIPE_ALU];
        counts->fma +=
            lines[i].executions * (uint64_t)(slots[TMA_PIPE_FMA] + slots[TMA_PIPE_FMA_HEAVY]);
        counts->xu += lines[i].executions * slots[TMA_PIPE_SFU];
        counts->lsu += lines[i].executions * slots[TMA_PIPE_LSU];
    }
    tma_release(lowered);
    return code;
}
