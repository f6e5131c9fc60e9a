/* From the instructions of a module to handlers and places. */
#include <string.h>

#include "base/allocation.h"
#include "placement/operation.h"
#include "ptx/check_calls.h"
#include "ptx/execution_state.h"
#include "ptx/lane_arithmetic.h"
#include "ptx/operands.h"
#include "ptx/system_calls.h"
#include "tensormap/l2_policy.h"

static bool has(const struct tma_operands *o, enum tma_ptx_word word) {
    return tma_ptx_has(o->instruction, word);
}

static enum tma_ptx_type type_at(const struct tma_operands *o, uint32_t index) {
    return index < o->instruction->type_count ? (enum tma_ptx_type)o->instruction->types[index]
                                              : TMA_PTX_NO_TYPE;
}

/* The first word of the instruction that is one of a list, which ends with NONE. */
static enum tma_ptx_word one_of(const struct tma_operands *o, const uint16_t *words) {
    for (; *words != TMA_PTX_DOT_NONE; ++words)
        if (has(o, (enum tma_ptx_word) * words))
            return (enum tma_ptx_word) * words;
    return TMA_PTX_DOT_NONE;
}

static const uint16_t reductions[] = {TMA_PTX_DOT_ADD, TMA_PTX_DOT_MIN, TMA_PTX_DOT_MAX,
                                      TMA_PTX_DOT_INC, TMA_PTX_DOT_DEC, TMA_PTX_DOT_AND,
                                      TMA_PTX_DOT_OR,  TMA_PTX_DOT_XOR, TMA_PTX_DOT_EXCH,
                                      TMA_PTX_DOT_CAS, TMA_PTX_DOT_NONE};

/* The second space that the instruction names; the first one, if there is one only. */
static enum tma_ptx_space second_space(const struct tma_operands *o) {
    enum tma_ptx_space space = TMA_PTX_GENERIC;
    for (uint32_t i = 0; i < o->instruction->word_count; ++i)
        switch (o->instruction->words[i]) {
        case TMA_PTX_DOT_GLOBAL:
            space = TMA_PTX_GLOBAL;
            break;
        case TMA_PTX_DOT_SHARED:
        case TMA_PTX_DOT_SHARED_CTA:
        case TMA_PTX_DOT_SHARED_CLUSTER:
            space = TMA_PTX_SHARED;
            break;
        }
    return space;
}

/* ---- modifiers of arithmetic ---- */

static void read_modifiers(const struct tma_operands *o) {
    struct tma_op *op = o->op;
    for (uint32_t i = 0; i < o->instruction->word_count; ++i)
        switch (o->instruction->words[i]) {
        case TMA_PTX_DOT_RZ:
        case TMA_PTX_DOT_RZI:
            op->rounding = TMA_ROUND_ZERO;
            break;
        case TMA_PTX_DOT_RM:
        case TMA_PTX_DOT_RMI:
            op->rounding = TMA_ROUND_DOWN;
            break;
        case TMA_PTX_DOT_RP:
        case TMA_PTX_DOT_RPI:
            op->rounding = TMA_ROUND_UP;
            break;
        case TMA_PTX_DOT_RNA:
            op->rounding = TMA_ROUND_AWAY;
            break;
        case TMA_PTX_DOT_FTZ:
            op->flush = true;
            break;
        case TMA_PTX_DOT_SAT:
            op->saturate = true;
            break;
        case TMA_PTX_DOT_RELU:
            op->relu = true;
            break;
        case TMA_PTX_DOT_WIDE:
            op->mode = 2;
            break;
        }
    op->type = (uint8_t)type_at(o, 0);
    op->type2 = (uint8_t)type_at(o, 1);
    const struct tma_ptx_type_facts *facts = &tma_ptx_types[op->type];
    op->signed_value = facts->kind == TMA_PTX_SIGNED;
    op->is_float = facts->kind == TMA_PTX_FLOAT;
    op->format = (uint8_t)tma_format_of((enum tma_ptx_type)op->type);
}

/* Comparison and combination of setp and set: lo and hi are words of mul, too. */
static void read_comparison(const struct tma_operands *o) {
    static const struct {
        uint16_t word;
        uint8_t compare;
    } comparisons[] = {{TMA_PTX_DOT_EQ, TMA_COMPARE_EQ},   {TMA_PTX_DOT_NE, TMA_COMPARE_NE},
                       {TMA_PTX_DOT_LT, TMA_COMPARE_LT},   {TMA_PTX_DOT_LE, TMA_COMPARE_LE},
                       {TMA_PTX_DOT_GT, TMA_COMPARE_GT},   {TMA_PTX_DOT_GE, TMA_COMPARE_GE},
                       {TMA_PTX_DOT_LO, TMA_COMPARE_LT},   {TMA_PTX_DOT_LS, TMA_COMPARE_LE},
                       {TMA_PTX_DOT_HI, TMA_COMPARE_GT},   {TMA_PTX_DOT_HS, TMA_COMPARE_GE},
                       {TMA_PTX_DOT_EQU, TMA_COMPARE_EQU}, {TMA_PTX_DOT_NEU, TMA_COMPARE_NEU},
                       {TMA_PTX_DOT_LTU, TMA_COMPARE_LTU}, {TMA_PTX_DOT_LEU, TMA_COMPARE_LEU},
                       {TMA_PTX_DOT_GTU, TMA_COMPARE_GTU}, {TMA_PTX_DOT_GEU, TMA_COMPARE_GEU},
                       {TMA_PTX_DOT_NUM, TMA_COMPARE_NUM}, {TMA_PTX_DOT_NAN, TMA_COMPARE_NAN}};
    for (uint32_t i = 0; i < o->instruction->word_count; ++i) {
        for (size_t j = 0; j < sizeof comparisons / sizeof comparisons[0]; ++j)
            if (comparisons[j].word == o->instruction->words[i])
                o->op->compare = comparisons[j].compare;
        switch (o->instruction->words[i]) {
        case TMA_PTX_DOT_AND:
            o->op->boolean = TMA_BOOLEAN_AND;
            break;
        case TMA_PTX_DOT_OR:
            o->op->boolean = TMA_BOOLEAN_OR;
            break;
        case TMA_PTX_DOT_XOR:
            o->op->boolean = TMA_BOOLEAN_XOR;
            break;
        }
    }
}

/* d, a, b, c of one type. */
static void take_operands(const struct tma_operands *o, enum tma_ptx_type a, enum tma_ptx_type b,
                          enum tma_ptx_type c) {
    o->op->d = tma_target(o, 0);
    o->op->a = tma_source(o, 1, a);
    o->op->b = tma_source(o, 2, b);
    o->op->c = tma_source(o, 3, c);
}

static bool select_handler(const struct tma_operands *o) {
    return tma_select_integer(o->op, o->instruction) ||
           tma_select_conversion(o->op, o->instruction) || tma_select_float(o->op, o->instruction);
}

static enum tma_ptx_type wide_type(enum tma_ptx_type type) {
    switch ((uint32_t)type) {
    case TMA_PTX_S16:
        return TMA_PTX_S32;
    case TMA_PTX_U16:
        return TMA_PTX_U32;
    case TMA_PTX_S32:
        return TMA_PTX_S64;
    case TMA_PTX_U32:
        return TMA_PTX_U64;
    default:
        return type;
    }
}

static bool prepare_arithmetic(const struct tma_operands *o) {
    struct tma_op *op = o->op;
    enum tma_ptx_type type = type_at(o, 0);
    op->pure = true;
    read_modifiers(o);
    switch ((enum tma_ptx_opcode)o->instruction->opcode) {
    case TMA_PTX_OP_SETP:
        read_comparison(o);
        op->d = tma_target(o, 0);
        tma_list_targets(o, 1, &op->list, &op->list_count);
        if (op->list_count != 0 && o->launch->places[op->list].absent)
            op->list_count = 0;
        op->a = tma_source(o, 2, type);
        op->b = tma_source(o, 3, type);
        op->c = tma_source(o, 4, TMA_PTX_PRED);
        op->mode = op->a.width == TMA_PTX_WORD && op->b.width == TMA_PTX_WORD &&
                           tma_ptx_types[type].bits == 32 && !op->is_float
                       ? 32
                       : 0;
        op->run = tma_ptx_types[type].elements == 2 ? tma_run_setp_halves : tma_run_setp;
        return true;
    case TMA_PTX_OP_SET:
        read_comparison(o);
        op->mode = type == TMA_PTX_F32                              ? 1
                   : type == TMA_PTX_F16 || type == TMA_PTX_F16X2   ? 2
                   : type == TMA_PTX_BF16 || type == TMA_PTX_BF16X2 ? 3
                   : tma_ptx_types[type].bits == 16                 ? 4
                                                                    : 0;
        op->type = (uint8_t)type_at(o, 1);
        type = type_at(o, 1);
        op->signed_value = tma_ptx_types[type].kind == TMA_PTX_SIGNED;
        op->is_float = tma_ptx_types[type].kind == TMA_PTX_FLOAT;
        op->format = (uint8_t)tma_format_of(type);
        take_operands(o, type, type, TMA_PTX_PRED);
        if (tma_ptx_types[type].elements == 2 && op->mode == 0)
            op->mode = 4;
        return select_handler(o);
    case TMA_PTX_OP_SELP:
        take_operands(o, type, type, TMA_PTX_PRED);
        return select_handler(o);
    case TMA_PTX_OP_SLCT:
        take_operands(o, type, type, type_at(o, 1));
        op->is_float = type_at(o, 1) == TMA_PTX_F32;
        return select_handler(o);
    case TMA_PTX_OP_TESTP:
        take_operands(o, type, type, type);
        op->mode = has(o, TMA_PTX_DOT_FINITE)       ? 7
                   : has(o, TMA_PTX_DOT_INFINITE)   ? 8
                   : has(o, TMA_PTX_DOT_NUMBER)     ? 15
                   : has(o, TMA_PTX_DOT_NOTANUMBER) ? 16
                   : has(o, TMA_PTX_DOT_NORMAL)     ? 4
                                                    : 2;
        return select_handler(o);
    case TMA_PTX_OP_ADD:
    case TMA_PTX_OP_ADDC:
    case TMA_PTX_OP_SUB:
    case TMA_PTX_OP_SUBC:
    case TMA_PTX_OP_MADC: {
        uint16_t opcode = o->instruction->opcode;
        bool carries =
            opcode == TMA_PTX_OP_ADDC || opcode == TMA_PTX_OP_SUBC || opcode == TMA_PTX_OP_MADC;
        if (carries || has(o, TMA_PTX_DOT_CC))
            op->mode2 = (uint8_t)((carries ? 1 : 0) | (has(o, TMA_PTX_DOT_CC) ? 2 : 0) |
                                  (opcode == TMA_PTX_OP_SUB || opcode == TMA_PTX_OP_SUBC ? 4 : 0) |
                                  (opcode == TMA_PTX_OP_MADC ? 8 : 0));
        op->mode = has(o, TMA_PTX_DOT_HI);
        take_operands(o, type, type, type);
        return select_handler(o);
    }
    case TMA_PTX_OP_MUL:
    case TMA_PTX_OP_MAD:
        op->mode = has(o, TMA_PTX_DOT_WIDE) ? 2 : has(o, TMA_PTX_DOT_HI) ? 1 : 0;
        if (has(o, TMA_PTX_DOT_CC))
            op->mode2 = 2 | 8;
        take_operands(o, type, type, op->mode == 2 ? wide_type(type) : type);
        return select_handler(o);
    case TMA_PTX_OP_MUL24:
    case TMA_PTX_OP_MAD24:
    case TMA_PTX_OP_DP2A:
        op->mode = has(o, TMA_PTX_DOT_HI);
        take_operands(o, TMA_PTX_B32, TMA_PTX_B32, TMA_PTX_B32);
        return select_handler(o);
    case TMA_PTX_OP_REM:
        op->mode = 1;
        take_operands(o, type, type, type);
        return select_handler(o);
    case TMA_PTX_OP_MIN:
    case TMA_PTX_OP_MAX:
        op->mode2 = (uint8_t)((has(o, TMA_PTX_DOT_NAN_WINS) ? 1 : 0) |
                              (has(o, TMA_PTX_DOT_XORSIGN) ? 2 : 0));
        take_operands(o, type, type, type);
        return select_handler(o);
    case TMA_PTX_OP_SHL:
    case TMA_PTX_OP_SHR:
        take_operands(o, type, TMA_PTX_U32, type);
        return select_handler(o);
    case TMA_PTX_OP_SHF:
        op->mode = has(o, TMA_PTX_DOT_R);
        op->mode2 = has(o, TMA_PTX_DOT_WRAP);
        take_operands(o, TMA_PTX_B32, TMA_PTX_B32, TMA_PTX_U32);
        return select_handler(o);
    case TMA_PTX_OP_BFIND:
        op->mode = has(o, TMA_PTX_DOT_SHIFTAMT);
        take_operands(o, type, type, type);
        return select_handler(o);
    case TMA_PTX_OP_BFE:
        take_operands(o, type, TMA_PTX_U32, TMA_PTX_U32);
        return select_handler(o);
    case TMA_PTX_OP_BFI:
        take_operands(o, type, type, TMA_PTX_U32);
        tma_list_sources(o, 4, TMA_PTX_U32, &op->list, &op->list_count);
        return select_handler(o);
    case TMA_PTX_OP_SZEXT:
    case TMA_PTX_OP_BMSK:
        op->mode = has(o, TMA_PTX_DOT_WRAP);
        take_operands(o, type, TMA_PTX_U32, TMA_PTX_U32);
        return select_handler(o);
    case TMA_PTX_OP_PRMT: {
        static const uint16_t modes[] = {TMA_PTX_DOT_F4E,  TMA_PTX_DOT_B4E, TMA_PTX_DOT_RC8,
                                         TMA_PTX_DOT_RC16, TMA_PTX_DOT_ECL, TMA_PTX_DOT_ECR,
                                         TMA_PTX_DOT_NONE};
        op->immediate = one_of(o, modes);
        op->mode = op->immediate != TMA_PTX_DOT_NONE;
        take_operands(o, TMA_PTX_B32, TMA_PTX_B32, TMA_PTX_B32);
        return select_handler(o);
    }
    case TMA_PTX_OP_LOP3: {
        bool predicate = o->instruction->operand_count == 7;
        uint32_t first = predicate ? 2 : 1;
        op->d = tma_target(o, 0);
        op->a = tma_source(o, first, TMA_PTX_B32);
        op->b = tma_source(o, first + 1, TMA_PTX_B32);
        op->c = tma_source(o, first + 2, TMA_PTX_B32);
        const struct tma_ptx_operand *table = tma_operand(o, first + 3);
        op->immediate = table != NULL ? table->bits : 0;
        if (predicate) {
            read_comparison(o);
            tma_list_targets(o, 1, &op->list, &op->list_count);
            tma_list_sources(o, 6, TMA_PTX_PRED, &op->list, &op->list_count);
        }
        return select_handler(o);
    }
    case TMA_PTX_OP_CVT: {
        enum tma_ptx_type from = type_at(o, 1);
        bool to_float = tma_ptx_types[type].kind == TMA_PTX_FLOAT;
        take_operands(o, from, from, from);
        op->mode = to_float && (has(o, TMA_PTX_DOT_RNI) || has(o, TMA_PTX_DOT_RZI) ||
                                has(o, TMA_PTX_DOT_RMI) || has(o, TMA_PTX_DOT_RPI));
        op->mode2 = has(o, TMA_PTX_DOT_SATFINITE);
        uint32_t number = tma_operand(o, 0) != NULL ? tma_operand(o, 0)->number : 0;
        const struct tma_ptx_module *module = o->launch->module;
        uint32_t register_index = module->functions[o->function].first_register + number;
        op->element_bytes =
            op->d.absent
                ? 8
                : (uint8_t)(tma_ptx_types[module->registers[register_index].type].bits / 8);
        return select_handler(o);
    }
    case TMA_PTX_OP_CVT_PACK:
        take_operands(o, type_at(o, 1), type_at(o, 1), TMA_PTX_B32);
        return select_handler(o);
    case TMA_PTX_OP_ISSPACEP:
    case TMA_PTX_OP_CVTA: {
        bool predicate = o->instruction->opcode == TMA_PTX_OP_ISSPACEP;
        op->mode = has(o, TMA_PTX_DOT_TO);
        op->space = (uint8_t)tma_ptx_space_of(o->instruction);
        switch ((enum tma_ptx_space)op->space) {
        case TMA_PTX_SHARED:
            op->immediate = TMA_WINDOW_SHARED;
            break;
        case TMA_PTX_LOCAL:
            op->immediate = TMA_WINDOW_LOCAL;
            break;
        case TMA_PTX_CONST:
            op->immediate = TMA_WINDOW_CONST;
            break;
        case TMA_PTX_PARAM:
            op->immediate = TMA_WINDOW_PARAM;
            break;
        case TMA_PTX_GLOBAL:
        case TMA_PTX_GENERIC:
            break;
        }
        if (predicate)
            op->type = TMA_PTX_U64;
        take_operands(o, TMA_PTX_U64, TMA_PTX_U64, TMA_PTX_U64);
        if (predicate && op->space == TMA_PTX_SHARED && !has(o, TMA_PTX_DOT_SHARED_CLUSTER)) {
            const struct tma_ptx_operand rank = {.kind = TMA_PTX_SPECIAL,
                                                 .number = TMA_PTX_SREG_CLUSTER_CTARANK};
            op->b = tma_source_of(o, &rank, TMA_PTX_U32);
        }
        if (!predicate && op->space == TMA_PTX_PARAM && op->a.kind != TMA_PLACE_CONSTANT)
            op->immediate = TMA_WINDOW_PARAM;
        return select_handler(o);
    }
    case TMA_PTX_OP_MAPA:
    case TMA_PTX_OP_GETCTARANK:
        if (tma_operand(o, 1) != NULL && tma_operand(o, 1)->kind == TMA_PTX_ADDRESS)
            return false;
        take_operands(o, type, TMA_PTX_U32, TMA_PTX_U32);
        return select_handler(o);
    case TMA_PTX_OP_FNS:
        take_operands(o, TMA_PTX_B32, TMA_PTX_B32, TMA_PTX_S32);
        return select_handler(o);
    case TMA_PTX_OP_DP4A:
        take_operands(o, TMA_PTX_B32, TMA_PTX_B32, TMA_PTX_B32);
        return select_handler(o);
    case TMA_PTX_OP_MOV: {
        const struct tma_ptx_operand *to = tma_operand(o, 0), *from = tma_operand(o, 1);
        if (type == TMA_PTX_PRED) {
            take_operands(o, type, type, type);
            op->run = tma_run_predicate;
            return true;
        }
        if (from != NULL && from->kind == TMA_PTX_VECTOR && to->kind == TMA_PTX_VECTOR) {
            tma_list_targets(o, 0, &op->list, &op->list_count);
            tma_list_sources(o, 1, type, &op->list2, &op->list2_count);
            op->run = tma_run_mov_vector;
            return op->list_count == op->list2_count && op->list_count <= 8;
        }
        if (from != NULL && from->kind == TMA_PTX_VECTOR && from->list.count != 0) {
            op->element_bytes = (uint8_t)(tma_ptx_types[type].bits / 8 / from->list.count);
            enum tma_ptx_type part = op->element_bytes == 8   ? TMA_PTX_B64
                                     : op->element_bytes == 4 ? TMA_PTX_B32
                                     : op->element_bytes == 2 ? TMA_PTX_B16
                                                              : TMA_PTX_B8;
            tma_list_sources(o, 1, part, &op->list, &op->list_count);
            op->d = tma_target(o, 0);
            op->run = tma_run_pack;
            return true;
        }
        if (to != NULL && to->kind == TMA_PTX_VECTOR && to->list.count != 0) {
            op->element_bytes = (uint8_t)(tma_ptx_types[type].bits / 8 / to->list.count);
            tma_list_targets(o, 0, &op->list, &op->list_count);
            op->a = tma_source(o, 1, type);
            op->run = tma_run_unpack;
            return true;
        }
        take_operands(o, type, type, type);
        if (op->mode2 != 0) { /* an address that depends on the CTA, plus an offset */
            struct tma_ptx_instruction sum = *o->instruction;
            sum.opcode = TMA_PTX_OP_ADD;
            op->mode2 = 0;
            op->b = tma_constant(o->launch, (uint64_t)op->offset, op->a.width);
            return tma_select_integer(op, &sum);
        }
        return select_handler(o);
    }
    case TMA_PTX_OP_AND:
    case TMA_PTX_OP_OR:
    case TMA_PTX_OP_XOR:
    case TMA_PTX_OP_NOT:
        take_operands(o, type, type, type);
        if (type != TMA_PTX_PRED)
            return select_handler(o);
        op->boolean = o->instruction->opcode == TMA_PTX_OP_AND   ? TMA_BOOLEAN_AND
                      : o->instruction->opcode == TMA_PTX_OP_OR  ? TMA_BOOLEAN_OR
                      : o->instruction->opcode == TMA_PTX_OP_XOR ? TMA_BOOLEAN_XOR
                                                                 : TMA_BOOLEAN_NONE;
        op->mode = o->instruction->opcode == TMA_PTX_OP_NOT;
        op->run = tma_run_predicate;
        return true;
    default:
        take_operands(o, type, type, type);
        return select_handler(o);
    }
}

/* ---- memory ---- */

static uint8_t vector_elements(const struct tma_operands *o) {
    return has(o, TMA_PTX_DOT_V8) ? 8 : has(o, TMA_PTX_DOT_V4) ? 4 : has(o, TMA_PTX_DOT_V2) ? 2 : 1;
}

static bool prepare_memory(const struct tma_operands *o) {
    struct tma_op *op = o->op;
    enum tma_ptx_type type = type_at(o, 0);
    read_modifiers(o);
    op->mode = op->mode2 = 0;
    op->space = (uint8_t)tma_ptx_space_of(o->instruction);
    op->elements = vector_elements(o);
    op->element_bytes = (uint8_t)(tma_ptx_types[type].bits / 8);
    uint16_t opcode = o->instruction->opcode;
    bool load = opcode == TMA_PTX_OP_LD || opcode == TMA_PTX_OP_LDU ||
                opcode == TMA_PTX_OP_MULTIMEM_LD_REDUCE;
    if (load || opcode == TMA_PTX_OP_ST || opcode == TMA_PTX_OP_MULTIMEM_ST) {
        op->a = tma_base(o, load ? 1 : 0, &op->offset, &op->space);
        if (load) {
            tma_list_targets(o, 0, &op->list, &op->list_count);
            /* A register of 16 bits takes 16 bits of what is sign-extended. */
            op->immediate = TMA_ALL_LANES;
            const struct tma_ptx_operand *to = tma_operand(o, 0);
            if (to != NULL && to->kind == TMA_PTX_VECTOR && to->list.count != 0)
                to = &o->launch->module->operands[to->list.first];
            if (to != NULL && to->kind == TMA_PTX_REGISTER) {
                const struct tma_ptx_module *module = o->launch->module;
                uint32_t number = module->functions[o->function].first_register + to->number;
                if (tma_ptx_types[module->registers[number].type].bits == 16)
                    op->immediate = 0xffff;
            }
        } else {
            tma_list_sources(o, 1, type, &op->list, &op->list_count);
        }
        if (op->a.absent || op->list_count != op->elements || op->element_bytes == 0)
            return false;
        op->run = load ? tma_run_ld : tma_run_st;
        op->orders = has(o, TMA_PTX_DOT_VOLATILE) || has(o, TMA_PTX_DOT_RELAXED) ||
                     has(o, TMA_PTX_DOT_ACQUIRE) || has(o, TMA_PTX_DOT_RELEASE);
        return tma_need_cost(o);
    }
    if (opcode == TMA_PTX_OP_ATOM || opcode == TMA_PTX_OP_RED ||
        opcode == TMA_PTX_OP_MULTIMEM_RED) {
        uint32_t at = opcode == TMA_PTX_OP_ATOM ? 1 : 0;
        op->immediate = one_of(o, reductions);
        op->mode = op->immediate == TMA_PTX_DOT_CAS;
        op->a = tma_base(o, at, &op->offset, &op->space);
        if (at == 1)
            tma_list_targets(o, 0, &op->list, &op->list_count);
        tma_list_sources(o, at + 1, type, &op->list2, &op->list2_count);
        op->c = op->mode ? tma_source(o, at + 2, type) : tma_absent();
        if (op->a.absent || op->list2_count != op->elements || op->immediate == TMA_PTX_DOT_NONE)
            return false;
        op->run = tma_run_atom;
        return tma_need_cost(o);
    }
    /* prefetch, prefetchu, discard, applypriority */
    op->a = tma_base(o, 0, &op->offset, &op->space);
    op->run = tma_run_touch;
    return true;
}

/* ---- barriers and lanes ---- */

static bool prepare_barrier(const struct tma_operands *o) {
    struct tma_op *op = o->op;
    const struct tma_ptx_instruction *instruction = o->instruction;
    uint32_t count = instruction->operand_count;
    op->type = (uint8_t)type_at(o, 0);
    op->signed_value = tma_ptx_types[op->type].kind == TMA_PTX_SIGNED;
    op->space = (uint8_t)tma_ptx_space_of(instruction);
    op->a = op->b = op->c = op->d = tma_absent();
    switch ((enum tma_ptx_opcode)instruction->opcode) {
    case TMA_PTX_OP_BARRIER_SYNC:
    case TMA_PTX_OP_BARRIER_ARRIVE:
        op->mode =
            instruction->opcode == TMA_PTX_OP_BARRIER_SYNC ? TMA_BARRIER_SYNC : TMA_BARRIER_ARRIVE;
        op->a = tma_source(o, 0, TMA_PTX_U32);
        op->b = tma_source(o, 1, TMA_PTX_U32);
        op->synchronises = has(o, TMA_PTX_DOT_ALIGNED);
        op->run = tma_run_barrier;
        return true;
    case TMA_PTX_OP_BARRIER_RED:
        op->mode = TMA_BARRIER_RED;
        op->immediate = has(o, TMA_PTX_DOT_POPC)  ? TMA_PTX_DOT_POPC
                        : has(o, TMA_PTX_DOT_AND) ? TMA_PTX_DOT_AND
                                                  : TMA_PTX_DOT_OR;
        op->d = tma_target(o, 0);
        op->a = tma_source(o, 1, TMA_PTX_U32);
        if (count == 4)
            op->b = tma_source(o, 2, TMA_PTX_U32);
        op->c = tma_source(o, count - 1, TMA_PTX_PRED);
        op->synchronises = has(o, TMA_PTX_DOT_ALIGNED);
        op->run = tma_run_barrier;
        return true;
    case TMA_PTX_OP_BARRIER_CLUSTER_ARRIVE:
        op->run = tma_run_cluster_arrive;
        return true;
    case TMA_PTX_OP_BARRIER_CLUSTER_WAIT:
        op->run = tma_run_cluster_wait;
        return true;
    case TMA_PTX_OP_MBARRIER_INIT:
    case TMA_PTX_OP_MBARRIER_INVAL:
    case TMA_PTX_OP_MBARRIER_EXPECT_TX:
    case TMA_PTX_OP_MBARRIER_COMPLETE_TX:
        op->a = tma_base(o, 0, &op->offset, &op->space);
        op->b = tma_source(o, 1, TMA_PTX_U32);
        op->mode = instruction->opcode == TMA_PTX_OP_MBARRIER_COMPLETE_TX;
        op->run = instruction->opcode == TMA_PTX_OP_MBARRIER_INIT ? tma_run_mbarrier_init
                  : instruction->opcode == TMA_PTX_OP_MBARRIER_INVAL
                      ? tma_run_mbarrier_inval
                      : tma_run_mbarrier_transactions;
        return !op->a.absent;
    case TMA_PTX_OP_MBARRIER_ARRIVE:
    case TMA_PTX_OP_MBARRIER_ARRIVE_DROP: {
        /* The token may be missing: the first operand is then the address. */
        const struct tma_ptx_operand *first = tma_operand(o, 0);
        uint32_t at = first != NULL && first->kind == TMA_PTX_ADDRESS ? 0 : 1;
        op->d = at == 1 ? tma_target(o, 0) : tma_absent();
        op->a = tma_base(o, at, &op->offset, &op->space);
        op->b = tma_source(o, at + 1, TMA_PTX_U32);
        op->mode =
            (uint8_t)((instruction->opcode == TMA_PTX_OP_MBARRIER_ARRIVE_DROP ? TMA_ARRIVE_DROP
                                                                              : 0) |
                      (has(o, TMA_PTX_DOT_EXPECT_TX) ? TMA_ARRIVE_EXPECT : 0));
        op->run = tma_run_mbarrier_arrive;
        return !op->a.absent;
    }
    case TMA_PTX_OP_MBARRIER_PENDING_COUNT:
        op->d = tma_target(o, 0);
        op->a = tma_source(o, 1, TMA_PTX_B64);
        op->run = tma_run_mbarrier_count;
        return true;
    case TMA_PTX_OP_MBARRIER_TEST_WAIT:
    case TMA_PTX_OP_MBARRIER_TRY_WAIT:
        op->mode = instruction->opcode == TMA_PTX_OP_MBARRIER_TRY_WAIT;
        op->mode2 = has(o, TMA_PTX_DOT_PARITY);
        op->d = tma_target(o, 0);
        op->a = tma_base(o, 1, &op->offset, &op->space);
        op->b = tma_source(o, 2, op->mode2 ? TMA_PTX_U32 : TMA_PTX_B64);
        op->run = tma_run_mbarrier_wait;
        return !op->a.absent;
    case TMA_PTX_OP_BAR_WARP_SYNC:
        op->members = tma_source(o, 0, TMA_PTX_B32);
        op->mode = 1;
        op->run = tma_run_nothing;
        return true;
    case TMA_PTX_OP_SHFL: {
        static const uint16_t modes[] = {TMA_PTX_DOT_UP, TMA_PTX_DOT_DOWN, TMA_PTX_DOT_BFLY,
                                         TMA_PTX_DOT_IDX, TMA_PTX_DOT_NONE};
        op->immediate = one_of(o, modes);
        op->d = tma_target(o, 0);
        tma_list_targets(o, 1, &op->list, &op->list_count);
        op->a = tma_source(o, 2, TMA_PTX_B32);
        op->b = tma_source(o, 3, TMA_PTX_U32);
        op->c = tma_source(o, 4, TMA_PTX_U32);
        op->members = tma_source(o, 5, TMA_PTX_B32);
        op->run = tma_run_shfl;
        return op->a.width == TMA_PTX_WORD && op->b.width == TMA_PTX_WORD &&
               op->c.width == TMA_PTX_WORD && !op->members.absent;
    }
    case TMA_PTX_OP_VOTE: {
        static const uint16_t modes[] = {TMA_PTX_DOT_ALL, TMA_PTX_DOT_ANY, TMA_PTX_DOT_UNI,
                                         TMA_PTX_DOT_BALLOT, TMA_PTX_DOT_NONE};
        op->immediate = one_of(o, modes);
        op->d = tma_target(o, 0);
        op->a = tma_source(o, 1, TMA_PTX_PRED);
        op->members = tma_source(o, 2, TMA_PTX_B32);
        op->run = tma_run_vote;
        return op->a.width == TMA_PTX_PREDICATE;
    }
    case TMA_PTX_OP_MATCH:
        op->mode = has(o, TMA_PTX_DOT_ALL);
        op->d = tma_target(o, 0);
        if (op->mode)
            tma_list_targets(o, 1, &op->list, &op->list_count);
        op->a = tma_source(o, count - 2, (enum tma_ptx_type)op->type);
        op->members = tma_source(o, count - 1, TMA_PTX_B32);
        op->run = tma_run_match;
        return true;
    case TMA_PTX_OP_REDUX:
        op->immediate = one_of(o, reductions);
        op->d = tma_target(o, 0);
        op->a = tma_source(o, 1, (enum tma_ptx_type)op->type);
        op->members = tma_source(o, 2, TMA_PTX_B32);
        op->run = tma_run_redux;
        return tma_ptx_types[op->type].kind != TMA_PTX_FLOAT;
    case TMA_PTX_OP_ELECT:
        op->d = tma_target(o, 0);
        tma_list_targets(o, 1, &op->list, &op->list_count);
        op->members = tma_source(o, 2, TMA_PTX_B32);
        op->run = tma_run_elect;
        return op->list_count == 1;
    case TMA_PTX_OP_ACTIVEMASK:
        op->d = tma_target(o, 0);
        op->run = tma_run_activemask;
        return true;
    default:
        return false;
    }
}

/* ---- asynchronous copies ---- */

static void take_mask(const struct tma_operands *o, uint32_t *at) {
    if (has(o, TMA_PTX_DOT_MULTICAST_CLUSTER))
        o->op->d = tma_source(o, (*at)++, TMA_PTX_B16);
}

static bool prepare_tensor(const struct tma_operands *o) {
    static const uint16_t ranks[] = {TMA_PTX_DOT_1D, TMA_PTX_DOT_2D, TMA_PTX_DOT_3D,
                                     TMA_PTX_DOT_4D, TMA_PTX_DOT_5D, TMA_PTX_DOT_NONE};
    static const struct {
        uint16_t word;
        uint8_t access;
    } modes[] = {{TMA_PTX_DOT_TILE_GATHER4, TMA_ACCESS_GATHER4},
                 {TMA_PTX_DOT_TILE_SCATTER4, TMA_ACCESS_GATHER4},
                 {TMA_PTX_DOT_IM2COL, TMA_ACCESS_IM2COL},
                 {TMA_PTX_DOT_IM2COL_NO_OFFS, TMA_ACCESS_IM2COL},
                 {TMA_PTX_DOT_IM2COL_W, TMA_ACCESS_IM2COL_W},
                 {TMA_PTX_DOT_IM2COL_W_128, TMA_ACCESS_IM2COL_W128}};
    struct tma_op *op = o->op;
    uint16_t opcode = o->instruction->opcode;
    uint8_t space = TMA_PTX_GENERIC;
    enum tma_ptx_word rank = one_of(o, ranks);
    for (uint8_t i = 0; ranks[i] != TMA_PTX_DOT_NONE; ++i)
        if (ranks[i] == rank)
            op->elements = (uint8_t)(i + 1);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; ++i)
        if (has(o, (enum tma_ptx_word)modes[i].word))
            op->mode2 = modes[i].access;
    bool completes = has(o, TMA_PTX_DOT_COMPLETE_TX_BYTES), reduces = false;
    uint32_t at = 0;
    op->a = op->b = op->c = op->d = tma_absent();
    if (opcode == TMA_PTX_OP_CP_ASYNC_BULK_PREFETCH_TENSOR) {
        op->mode = TMA_PREFETCH;
    } else if (completes) {
        op->mode = TMA_LOAD;
        op->a = tma_base(o, at++, &op->offset, NULL);
    } else {
        reduces = opcode == TMA_PTX_OP_CP_REDUCE_ASYNC_BULK_TENSOR;
        op->mode = reduces ? TMA_REDUCE : TMA_STORE;
    }
    op->b = tma_base(o, at++, &op->offset_b, &space);
    /* A map that is named by its parameter has an address in the parameters. */
    if (space == TMA_PTX_PARAM && op->b.kind == TMA_PLACE_CONSTANT)
        op->offset_b += (int64_t)TMA_WINDOW_PARAM;
    tma_list_sources(o, at++, TMA_PTX_S32, &op->list, &op->list_count);
    if (completes) {
        op->c = tma_base(o, at++, &op->offset_c, NULL);
    } else if (op->mode != TMA_PREFETCH) {
        op->a = tma_base(o, at++, &op->offset, NULL);
    }
    if ((completes || op->mode == TMA_PREFETCH) &&
        (op->mode2 == TMA_ACCESS_IM2COL || op->mode2 == TMA_ACCESS_IM2COL_W ||
         op->mode2 == TMA_ACCESS_IM2COL_W128))
        tma_list_sources(o, at++, TMA_PTX_U16, &op->list2, &op->list2_count);
    take_mask(o, &at);
    if (reduces) {
        static const uint16_t names[] = {TMA_PTX_DOT_ADD, TMA_PTX_DOT_MIN, TMA_PTX_DOT_MAX,
                                         TMA_PTX_DOT_INC, TMA_PTX_DOT_DEC, TMA_PTX_DOT_AND,
                                         TMA_PTX_DOT_OR,  TMA_PTX_DOT_XOR};
        enum tma_ptx_word word = one_of(o, reductions);
        for (uint32_t i = 0; i < sizeof names / sizeof names[0]; ++i)
            if (names[i] == word)
                op->immediate = i; /* enum tma_reduction */
    }
    op->run = tma_run_bulk_tensor;
    return !op->b.absent && op->list_count != 0;
}

static bool prepare_bulk(const struct tma_operands *o) {
    struct tma_op *op = o->op;
    uint16_t opcode = o->instruction->opcode;
    op->type = (uint8_t)type_at(o, 0);
    op->element_bytes = (uint8_t)(tma_ptx_types[op->type].bits / 8);
    op->space = (uint8_t)tma_ptx_space_of(o->instruction);
    op->space2 = (uint8_t)second_space(o);
    op->a = op->b = op->c = op->d = tma_absent();
    uint32_t at = 0;
    if (opcode == TMA_PTX_OP_CP_ASYNC_BULK_PREFETCH) {
        op->mode = 2;
        op->b = tma_base(o, at++, &op->offset_b, NULL);
    } else {
        op->a = tma_base(o, at++, &op->offset, NULL);
        op->b = tma_base(o, at++, &op->offset_b, NULL);
    }
    tma_list_sources(o, at++, TMA_PTX_U32, &op->list, &op->list_count);
    if (has(o, TMA_PTX_DOT_COMPLETE_TX_BYTES))
        op->c = tma_base(o, at++, &op->offset_c, NULL);
    take_mask(o, &at);
    if (has(o, TMA_PTX_DOT_CP_MASK)) {
        if (has(o, TMA_PTX_DOT_L2_CACHE_HINT))
            ++at;
        tma_list_sources(o, at, TMA_PTX_B16, &op->list2, &op->list2_count);
    }
    if (opcode == TMA_PTX_OP_CP_REDUCE_ASYNC_BULK) {
        op->mode = 1;
        op->immediate = one_of(o, reductions);
        if (op->element_bytes == 0)
            return false;
    }
    op->run = tma_run_bulk;
    return !op->b.absent && op->list_count == 1;
}

static bool prepare_copy(const struct tma_operands *o) {
    struct tma_op *op = o->op;
    op->type = (uint8_t)type_at(o, 0);
    op->a = op->b = op->c = op->d = tma_absent();
    switch ((enum tma_ptx_opcode)o->instruction->opcode) {
    case TMA_PTX_OP_CP_ASYNC: {
        const struct tma_ptx_operand *size = tma_operand(o, 2), *more = tma_operand(o, 3);
        op->a = tma_base(o, 0, &op->offset, NULL);
        op->b = tma_base(o, 1, &op->offset_b, NULL);
        op->element_bytes = size != NULL ? (uint8_t)size->bits : 0;
        bool hint = has(o, TMA_PTX_DOT_L2_CACHE_HINT) && o->instruction->operand_count == 4;
        if (more != NULL && !hint)
            tma_list_sources(o, 3, TMA_PTX_U32, &op->list, &op->list_count);
        op->run = tma_run_cp_async;
        return tma_need_cost(o) &&
               (op->element_bytes == 4 || op->element_bytes == 8 || op->element_bytes == 16);
    }
    case TMA_PTX_OP_CP_ASYNC_MBARRIER_ARRIVE:
        op->mode = has(o, TMA_PTX_DOT_NOINC);
        op->space = (uint8_t)tma_ptx_space_of(o->instruction);
        op->a = tma_base(o, 0, &op->offset, &op->space);
        op->run = tma_run_cp_async_arrive;
        return !op->a.absent;
    case TMA_PTX_OP_ST_ASYNC:
    case TMA_PTX_OP_RED_ASYNC:
        op->elements = vector_elements(o);
        op->element_bytes = (uint8_t)(tma_ptx_types[op->type].bits / 8);
        op->mode = o->instruction->opcode == TMA_PTX_OP_RED_ASYNC;
        op->immediate = one_of(o, reductions);
        op->a = tma_base(o, 0, &op->offset, NULL);
        tma_list_sources(o, 1, (enum tma_ptx_type)op->type, &op->list, &op->list_count);
        op->c = tma_base(o, 2, &op->offset_c, NULL);
        op->run = tma_run_store_async;
        return op->list_count == op->elements;
    case TMA_PTX_OP_TENSORMAP_REPLACE: {
        static const uint16_t fields[] = {TMA_PTX_DOT_GLOBAL_ADDRESS, TMA_PTX_DOT_RANK,
                                          TMA_PTX_DOT_BOX_DIM,        TMA_PTX_DOT_GLOBAL_DIM,
                                          TMA_PTX_DOT_GLOBAL_STRIDE,  TMA_PTX_DOT_ELEMENT_STRIDE,
                                          TMA_PTX_DOT_ELEMTYPE,       TMA_PTX_DOT_INTERLEAVE_LAYOUT,
                                          TMA_PTX_DOT_SWIZZLE_MODE,   TMA_PTX_DOT_SWIZZLE_ATOMICITY,
                                          TMA_PTX_DOT_FILL_MODE,      TMA_PTX_DOT_NONE};
        enum tma_ptx_word word = one_of(o, fields);
        for (uint8_t i = 0; fields[i] != TMA_PTX_DOT_NONE; ++i)
            if (fields[i] == word)
                op->mode = i; /* enum tma_replace_field */
        op->space = (uint8_t)tma_ptx_space_of(o->instruction);
        op->a = tma_base(o, 0, &op->offset, NULL);
        bool ordinal = o->instruction->operand_count == 3;
        if (ordinal)
            op->immediate = tma_operand(o, 1)->bits;
        op->b = tma_source(o, ordinal ? 2 : 1,
                           op->mode == TMA_REPLACE_GLOBAL_ADDRESS ||
                                   op->mode == TMA_REPLACE_GLOBAL_STRIDE
                               ? TMA_PTX_B64
                               : TMA_PTX_B32);
        op->run = tma_run_map_replace;
        return word != TMA_PTX_DOT_NONE;
    }
    case TMA_PTX_OP_TENSORMAP_CP_FENCEPROXY:
        op->a = tma_base(o, 0, &op->offset, NULL);
        op->b = tma_base(o, 1, &op->offset_b, NULL);
        op->run = tma_run_map_copy;
        return true;
    default:
        return false;
    }
}

/* ---- control ---- */

/* The place of a parameter of a function, as a call sees it: a register, or bytes of a frame. */
static struct tma_place parameter_place(const struct tma_operands *o,
                                        const struct tma_ptx_operand *operand, bool target) {
    if (operand->kind == TMA_PTX_VARIABLE) {
        const struct tma_ptx_variable *variable = &o->launch->module->variables[operand->number];
        return (struct tma_place){
            .kind = TMA_PLACE_FRAME,
            .offset = (uint32_t)(o->launch->variable_addresses[operand->number] - TMA_LOCAL_BASE),
            .number = (uint32_t)variable->bytes};
    }
    return target ? tma_target_of(o, operand) : tma_source_of(o, operand, TMA_PTX_B64);
}

/* What the callee takes from the stack is free when it returns. */
static void save_stack(const struct tma_operands *o, uint32_t *list, uint32_t *count) {
    const struct tma_place *stacks = o->launch->stacks;
    if (stacks == NULL)
        return;
    tma_list_place(o, stacks[1 + o->op->function], list, count);
    tma_list_place(o, stacks[0], list, count);
}

static bool prepare_call(const struct tma_operands *o) {
    struct tma_op *op = o->op;
    const struct tma_ptx_module *module = o->launch->module;
    const struct tma_ptx_operand *results = tma_operand(o, 0), *callee = tma_operand(o, 1),
                                 *arguments = tma_operand(o, 2);
    op->run = tma_run_unexecuted;
    if (callee == NULL || callee->kind != TMA_PTX_FUNCTION)
        return true;
    op->function = callee->number;
    const struct tma_ptx_function *function = &module->functions[callee->number];
    op->mode = 1;
    if (function->is_extern || function->instruction_count == 0) {
        op->mode2 = (uint8_t)tma_system_call(function->name, arguments->list.count);
        if (op->mode2 == TMA_NO_SYSTEM_CALL)
            return true;
        for (uint32_t i = 0; i < results->list.count; ++i)
            tma_list_place(o, parameter_place(o, &module->operands[results->list.first + i], true),
                           &op->list, &op->list_count);
        for (uint32_t i = 0; i < arguments->list.count; ++i)
            tma_list_place(o,
                           parameter_place(o, &module->operands[arguments->list.first + i], false),
                           &op->list2, &op->list2_count);
        op->run = tma_run_system_call;
        return true;
    }
    if (results->list.count != function->result_count ||
        arguments->list.count != function->parameter_count)
        return false;
    struct tma_operands inner = *o;
    inner.function = callee->number;
    for (uint32_t i = 0; i < function->result_count; ++i) {
        tma_list_place(o,
                       parameter_place(&inner, &module->operands[function->parameters + i], false),
                       &op->list, &op->list_count);
        tma_list_place(o, parameter_place(o, &module->operands[results->list.first + i], true),
                       &op->list, &op->list_count);
    }
    save_stack(o, &op->list, &op->list_count);
    for (uint32_t i = 0; i < function->parameter_count; ++i) {
        tma_list_place(
            o,
            parameter_place(
                &inner, &module->operands[function->parameters + function->result_count + i], true),
            &op->list2, &op->list2_count);
        tma_list_place(o, parameter_place(o, &module->operands[arguments->list.first + i], false),
                       &op->list2, &op->list2_count);
    }
    save_stack(o, &op->list2, &op->list2_count);
    op->run = tma_run_call;
    return true;
}

static bool prepare_fence(const struct tma_operands *o) {
    bool async = has(o, TMA_PTX_DOT_ASYNC),
         other = has(o, TMA_PTX_DOT_PROXY) || has(o, TMA_PTX_DOT_ACQUIRE);
    o->op->mode = async                               ? TMA_CHECK_FENCE_PROXY
                  : has(o, TMA_PTX_DOT_MBARRIER_INIT) ? TMA_CHECK_FENCE_INIT
                                                      : TMA_CHECK_FENCE_MEMORY;
    o->op->run = other && !async ? tma_run_nothing : tma_run_fence;
    return true;
}

/* Commits or waits for asynchronous operations, which are complete: only the checks need to know.
 */
static bool prepare_group(const struct tma_operands *o, enum tma_check_group group, bool commit) {
    o->op->mode = (uint8_t)group;
    o->op->mode2 = commit;
    o->op->a = commit || tma_operand(o, 0) == NULL ? tma_absent() : tma_source(o, 0, TMA_PTX_U32);
    o->op->run = tma_run_group;
    return true;
}

/* Of the 64 bits op->a to op->d. */
static bool prepare_move(const struct tma_operands *o) {
    struct tma_ptx_instruction move = *o->instruction;
    move.opcode = TMA_PTX_OP_MOV;
    o->op->type = TMA_PTX_B64;
    o->op->pure = true;
    return tma_select_integer(o->op, &move);
}

/* What createpolicy makes (tensormap/l2_policy.h). A part that is not a constant counts as all
 * lines; ranges and conversions have no effect. */
static uint64_t policy_of(const struct tma_operands *o) {
    const struct tma_ptx_operand *part = tma_operand(o, 1);
    const struct tma_ptx_instruction *instruction = o->instruction;
    uint32_t policy = TMA_L2_POLICY_BASE | TMA_L2_POLICY_PART;
    bool primary = has(o, TMA_PTX_DOT_FRACTIONAL);
    for (uint32_t i = 0; i < instruction->word_count && primary; i++) {
        switch (instruction->words[i]) {
        case TMA_PTX_DOT_L2_EVICT_FIRST:
            policy |= TMA_L2_POLICY_FIRST;
            break;
        case TMA_PTX_DOT_L2_EVICT_LAST:
            policy |= TMA_L2_POLICY_LAST;
            break;
        case TMA_PTX_DOT_L2_EVICT_NORMAL:
            policy |= TMA_L2_POLICY_NORMAL;
            break;
        case TMA_PTX_DOT_L2_EVICT_UNCHANGED:
            break;
        default:
            continue;
        }
        primary = false;
        if (i + 1 < instruction->word_count &&
            instruction->words[i + 1] == TMA_PTX_DOT_L2_EVICT_FIRST)
            policy |= TMA_L2_POLICY_OTHERS_FIRST;
    }
    if (has(o, TMA_PTX_DOT_FRACTIONAL) && part != NULL && part->kind == TMA_PTX_IMMEDIATE) {
        double fraction;
        memcpy(&fraction, &part->bits, sizeof fraction);
        policy = (policy & ~(uint32_t)TMA_L2_POLICY_PART) |
                 tma_l2_policy_part(part->is_float ? fraction : (double)part->bits);
    }
    return (uint64_t)policy << TMA_L2_POLICY_SHIFT;
}

static bool prepare_control(const struct tma_operands *o) {
    struct tma_op *op = o->op;
    const struct tma_ptx_module *module = o->launch->module;
    uint32_t first = module->functions[o->function].first_instruction;
    op->a = op->b = op->c = op->d = tma_absent();
    switch ((enum tma_ptx_opcode)o->instruction->opcode) {
    case TMA_PTX_OP_BRA: {
        const struct tma_ptx_operand *label = tma_operand(o, 0);
        if (label == NULL || label->kind != TMA_PTX_LABEL)
            return false;
        op->target = first + label->number;
        op->run = tma_run_bra;
        return true;
    }
    case TMA_PTX_OP_BRX_IDX: {
        const struct tma_ptx_operand *labels = tma_operand(o, 1);
        if (labels == NULL || labels->kind != TMA_PTX_VECTOR)
            return false;
        op->a = tma_source(o, 0, TMA_PTX_U32);
        for (uint32_t i = 0; i < labels->list.count; ++i)
            tma_list_place(o,
                           tma_constant(o->launch,
                                        first + module->operands[labels->list.first + i].number,
                                        TMA_PTX_WORD),
                           &op->list, &op->list_count);
        op->run = tma_run_brx;
        return true;
    }
    case TMA_PTX_OP_CALL:
        return prepare_call(o);
    case TMA_PTX_OP_RET:
        op->run = tma_run_ret;
        return true;
    case TMA_PTX_OP_EXIT:
        op->run = tma_run_exit;
        return true;
    case TMA_PTX_OP_TRAP:
    case TMA_PTX_OP_BRKPT:
        op->mode = o->instruction->opcode == TMA_PTX_OP_BRKPT;
        op->run = tma_run_trap;
        return true;
    case TMA_PTX_OP_NANOSLEEP:
        op->a = tma_source(o, 0, TMA_PTX_U32);
        op->run = tma_run_sleep;
        return true;
    case TMA_PTX_OP_CREATEPOLICY:
        op->d = tma_target(o, 0);
        op->a = tma_constant(o->launch, policy_of(o), TMA_PTX_DOUBLE);
        return prepare_move(o);
    case TMA_PTX_OP_ALLOCA: {
        const struct tma_ptx_operand *alignment = tma_operand(o, 2);
        op->d = tma_target(o, 0);
        op->a = tma_source(o, 1, TMA_PTX_U64);
        op->b = o->launch->stacks[0];
        op->immediate = alignment != NULL && alignment->bits > 8 ? alignment->bits : 8;
        op->run = tma_run_alloca;
        return (op->immediate & (op->immediate - 1)) == 0;
    }
    case TMA_PTX_OP_STACKSAVE:
        op->d = tma_target(o, 0);
        op->a = o->launch->stacks[0];
        return prepare_move(o);
    case TMA_PTX_OP_STACKRESTORE:
        op->d = o->launch->stacks[0];
        op->a = tma_source(o, 0, TMA_PTX_U64);
        return prepare_move(o);
    default:
        return false;
    }
}

/* ---- all of them ---- */

static bool prepare_one(const struct tma_operands *o) {
    switch ((enum tma_ptx_opcode)o->instruction->opcode) {
    case TMA_PTX_UNKNOWN:
        return false;
    case TMA_PTX_OP_LD:
    case TMA_PTX_OP_LDU:
    case TMA_PTX_OP_ST:
    case TMA_PTX_OP_ATOM:
    case TMA_PTX_OP_RED:
    case TMA_PTX_OP_MULTIMEM_LD_REDUCE: /* the GPU is alone in its multicast object */
    case TMA_PTX_OP_MULTIMEM_RED:
    case TMA_PTX_OP_MULTIMEM_ST:
    case TMA_PTX_OP_PREFETCH:
    case TMA_PTX_OP_PREFETCHU:
    case TMA_PTX_OP_DISCARD:
    case TMA_PTX_OP_APPLYPRIORITY:
        return prepare_memory(o);
    case TMA_PTX_OP_BARRIER_SYNC:
    case TMA_PTX_OP_BARRIER_ARRIVE:
    case TMA_PTX_OP_BARRIER_RED:
    case TMA_PTX_OP_BARRIER_CLUSTER_ARRIVE:
    case TMA_PTX_OP_BARRIER_CLUSTER_WAIT:
    case TMA_PTX_OP_MBARRIER_INIT:
    case TMA_PTX_OP_MBARRIER_INVAL:
    case TMA_PTX_OP_MBARRIER_EXPECT_TX:
    case TMA_PTX_OP_MBARRIER_COMPLETE_TX:
    case TMA_PTX_OP_MBARRIER_ARRIVE:
    case TMA_PTX_OP_MBARRIER_ARRIVE_DROP:
    case TMA_PTX_OP_MBARRIER_PENDING_COUNT:
    case TMA_PTX_OP_MBARRIER_TEST_WAIT:
    case TMA_PTX_OP_MBARRIER_TRY_WAIT:
    case TMA_PTX_OP_BAR_WARP_SYNC:
    case TMA_PTX_OP_SHFL:
    case TMA_PTX_OP_VOTE:
    case TMA_PTX_OP_MATCH:
    case TMA_PTX_OP_REDUX:
    case TMA_PTX_OP_ELECT:
    case TMA_PTX_OP_ACTIVEMASK:
        return prepare_barrier(o);
    case TMA_PTX_OP_CP_ASYNC_BULK_TENSOR:
    case TMA_PTX_OP_CP_ASYNC_BULK_PREFETCH_TENSOR:
    case TMA_PTX_OP_CP_REDUCE_ASYNC_BULK_TENSOR:
        return prepare_tensor(o);
    case TMA_PTX_OP_CP_ASYNC_BULK:
    case TMA_PTX_OP_CP_ASYNC_BULK_PREFETCH:
    case TMA_PTX_OP_CP_REDUCE_ASYNC_BULK:
        return prepare_bulk(o);
    case TMA_PTX_OP_CP_ASYNC:
    case TMA_PTX_OP_CP_ASYNC_MBARRIER_ARRIVE:
    case TMA_PTX_OP_ST_ASYNC:
    case TMA_PTX_OP_RED_ASYNC:
    case TMA_PTX_OP_TENSORMAP_REPLACE:
    case TMA_PTX_OP_TENSORMAP_CP_FENCEPROXY:
        return prepare_copy(o);
    case TMA_PTX_OP_BRA:
    case TMA_PTX_OP_BRX_IDX:
    case TMA_PTX_OP_CALL:
    case TMA_PTX_OP_RET:
    case TMA_PTX_OP_EXIT:
    case TMA_PTX_OP_TRAP:
    case TMA_PTX_OP_BRKPT:
    case TMA_PTX_OP_NANOSLEEP:
    case TMA_PTX_OP_CREATEPOLICY:
    case TMA_PTX_OP_ALLOCA:
    case TMA_PTX_OP_STACKSAVE:
    case TMA_PTX_OP_STACKRESTORE:
        return prepare_control(o);
    case TMA_PTX_OP_CP_ASYNC_COMMIT_GROUP:
    case TMA_PTX_OP_CP_ASYNC_WAIT_GROUP:
    case TMA_PTX_OP_CP_ASYNC_WAIT_ALL:
        return prepare_group(o, TMA_CHECK_COPY,
                             o->instruction->opcode == TMA_PTX_OP_CP_ASYNC_COMMIT_GROUP);
    case TMA_PTX_OP_CP_ASYNC_BULK_COMMIT_GROUP:
    case TMA_PTX_OP_CP_ASYNC_BULK_WAIT_GROUP:
        return prepare_group(o, TMA_CHECK_BULK,
                             o->instruction->opcode == TMA_PTX_OP_CP_ASYNC_BULK_COMMIT_GROUP);
    case TMA_PTX_OP_WGMMA_COMMIT_GROUP:
    case TMA_PTX_OP_WGMMA_WAIT_GROUP:
        return prepare_group(o, TMA_CHECK_PRODUCT,
                             o->instruction->opcode == TMA_PTX_OP_WGMMA_COMMIT_GROUP);
    case TMA_PTX_OP_WGMMA_FENCE:
        o->op->run = tma_run_product_fence;
        return true;
    case TMA_PTX_OP_FENCE: /* memory has one order: only the checks need to know */
    case TMA_PTX_OP_MEMBAR:
        return prepare_fence(o);
    case TMA_PTX_OP_GRIDDEPCONTROL:
    case TMA_PTX_OP_PMEVENT:
        o->op->run = tma_run_nothing;
        return true;
    case TMA_PTX_OP_SETMAXNREG:
        o->op->mode = has(o, TMA_PTX_DOT_INC);
        o->op->immediate = tma_operand(o, 0)->bits;
        o->op->run = tma_run_registers;
        return true;
    case TMA_PTX_OP_LDMATRIX:
    case TMA_PTX_OP_STMATRIX:
    case TMA_PTX_OP_MOVMATRIX:
    case TMA_PTX_OP_MMA:
    case TMA_PTX_OP_WGMMA_MMA_ASYNC:
        return tma_prepare_matrix(o);
    default:
        return prepare_arithmetic(o);
    }
}

static void prepare_function(struct tma_executor *launch, uint32_t index) {
    const struct tma_ptx_module *module = launch->module;
    const struct tma_ptx_function *function = &module->functions[index];
    for (uint32_t i = 0; i < function->instruction_count; ++i) {
        uint32_t pc = function->first_instruction + i;
        struct tma_op *op = &launch->code[pc];
        struct tma_operands operands = {launch, op, &module->instructions[pc], index};
        op->function = index;
        op->instruction = pc;
        op->a = op->b = op->c = op->d = op->guard = op->members = tma_absent();
        if (!prepare_one(&operands))
            op->run = tma_run_unexecuted;
        /* An opaque guard makes one result opaque, not several. */
        if (op->list_count != 0)
            op->pure = false;
        const struct tma_ptx_instruction *instruction = operands.instruction;
        if (instruction->guard != TMA_PTX_NO_REGISTER) {
            struct tma_ptx_operand guard = {.kind = TMA_PTX_REGISTER,
                                            .number = instruction->guard,
                                            .negated = instruction->guard_negated};
            op->guard = tma_source_of(&operands, &guard, TMA_PTX_PRED);
        }
    }
}

/* Marks the functions that a function calls. */
static void reach(struct tma_executor *launch, uint32_t index) {
    const struct tma_ptx_module *module = launch->module;
    if (launch->reachable[index])
        return;
    launch->reachable[index] = true;
    bool grown = true;
    while (grown) {
        grown = false;
        for (uint32_t f = 0; f < module->function_count; ++f) {
            if (!launch->reachable[f])
                continue;
            const struct tma_ptx_function *function = &module->functions[f];
            for (uint32_t i = 0; i < function->instruction_count; ++i) {
                const struct tma_ptx_instruction *instruction =
                    &module->instructions[function->first_instruction + i];
                if (instruction->opcode != TMA_PTX_OP_CALL || instruction->operand_count < 2)
                    continue;
                const struct tma_ptx_operand *callee = &module->operands[instruction->operands + 1];
                if (callee->kind == TMA_PTX_FUNCTION && !launch->reachable[callee->number]) {
                    launch->reachable[callee->number] = true;
                    grown = true;
                }
            }
        }
    }
}

/* Gives registers, frames and variables their places. */
static void lay_out(struct tma_executor *launch) {
    const struct tma_ptx_module *module = launch->module;
    launch->file_bytes = 512; /* the sink */
    launch->register_count = 2;
    for (uint32_t f = 0; f < module->function_count; ++f) {
        const struct tma_ptx_function *function = &module->functions[f];
        if (!launch->reachable[f])
            continue;
        for (uint32_t i = 0; i < function->register_count; ++i) {
            uint32_t number = function->first_register + i;
            uint8_t width = (uint8_t)module->registers[number].width;
            launch->register_offsets[number] = launch->file_bytes;
            launch->register_numbers[number] = launch->register_count++;
            launch->file_bytes += width == TMA_PTX_PREDICATE ? 16
                                  : width == TMA_PTX_DOUBLE  ? 256
                                  : width == TMA_PTX_QUAD    ? 512
                                                             : 128;
        }
        uint32_t local = (launch->local_bytes + 15) & ~15u;
        uint32_t frame = local + (uint32_t)((function->local_bytes + 15) & ~UINT64_C(15));
        launch->local_bytes = frame + (uint32_t)((function->frame_bytes + 15) & ~UINT64_C(15));
        for (uint32_t v = 0; v < module->variable_count; ++v) {
            const struct tma_ptx_variable *variable = &module->variables[v];
            if (variable->function != f + 1)
                continue;
            if (variable->space == TMA_PTX_LOCAL)
                launch->variable_addresses[v] = TMA_LOCAL_BASE + local + variable->offset;
            else if (variable->space == TMA_PTX_PARAM)
                launch->variable_addresses[v] = variable->in_frame
                                                    ? TMA_LOCAL_BASE + frame + variable->offset
                                                    : variable->offset;
        }
    }
    const struct tma_ptx_function *entry = &module->functions[launch->launch->function];
    for (uint32_t v = 0; v < module->variable_count; ++v)
        if (module->variables[v].space == TMA_PTX_SHARED)
            launch->variable_addresses[v] = TMA_SHARED_BASE + entry->shared_bytes;
    for (uint32_t i = 0; i < entry->shared_count; ++i) {
        const struct tma_ptx_shared_place *place = &module->shared_places[entry->first_shared + i];
        launch->variable_addresses[place->variable] = TMA_SHARED_BASE + place->offset;
    }
}

static bool uses_stack(const struct tma_executor *launch) {
    const struct tma_ptx_module *module = launch->module;
    for (uint32_t f = 0; f < module->function_count; ++f) {
        const struct tma_ptx_function *function = &module->functions[f];
        for (uint32_t i = 0; launch->reachable[f] && i < function->instruction_count; ++i) {
            uint16_t opcode = module->instructions[function->first_instruction + i].opcode;
            if (opcode == TMA_PTX_OP_ALLOCA || opcode == TMA_PTX_OP_STACKSAVE ||
                opcode == TMA_PTX_OP_STACKRESTORE)
                return true;
        }
    }
    return false;
}

/* Behind the frames of functions, whose places are fixed, as no function calls itself. */
static bool lay_out_stack(struct tma_executor *launch) {
    size_t functions = launch->module->function_count;
    launch->stacks = tma_allocate(1 + functions, sizeof *launch->stacks);
    if (launch->stacks == NULL)
        return false;
    for (size_t i = 0; i <= functions; ++i)
        launch->stacks[i] = tma_new_register(launch, TMA_PTX_DOUBLE);
    launch->stack_base = (launch->local_bytes + 15) & ~15u;
    launch->local_bytes = launch->stack_base + TMA_STACK_BYTES;
    return true;
}

/* Predicates are masks; every other register holds zero in all lanes when a warp starts. */
static bool set_forms(struct tma_executor *launch) {
    const struct tma_ptx_module *module = launch->module;
    launch->forms = tma_allocate(launch->register_count, sizeof *launch->forms);
    if (launch->forms == NULL)
        return false;
    memset(launch->forms, TMA_FORM_UNIFORM, launch->register_count * sizeof *launch->forms);
    for (size_t i = 0; i < module->register_count; ++i)
        if (module->registers[i].width == TMA_PTX_PREDICATE)
            launch->forms[launch->register_numbers[i]] = TMA_FORM_LANES;
    for (uint32_t i = 0; i < TMA_SPECIAL_PLACES; ++i)
        if (launch->specials[i].width == TMA_PTX_PREDICATE)
            launch->forms[launch->specials[i].number] = TMA_FORM_LANES;
    launch->forms[0] = TMA_FORM_LANES | TMA_FORM_UNIFORM;
    launch->forms[1] = TMA_FORM_LANES;
    return true;
}

enum tma_error_code tma_prepare(struct tma_executor *launch) {
    const struct tma_ptx_module *module = launch->module;
    size_t variables = module->variable_count + 1;
    launch->code = tma_allocate(module->instruction_count + 1, sizeof *launch->code);
    launch->register_offsets =
        tma_allocate(module->register_count + 1, sizeof *launch->register_offsets);
    launch->register_numbers =
        tma_allocate(module->register_count + 1, sizeof *launch->register_numbers);
    launch->reachable = tma_allocate(module->function_count + 1, sizeof *launch->reachable);
    if (launch->cluster_ctas > 1)
        launch->shared_places = tma_allocate(2 * variables, sizeof *launch->shared_places);
    if (launch->code == NULL || launch->register_offsets == NULL ||
        launch->register_numbers == NULL || launch->reachable == NULL ||
        (launch->cluster_ctas > 1 && launch->shared_places == NULL))
        return tma_fail(launch->error, TMA_ERROR_MEMORY, "out of memory");
    tma_constant(launch, 0, TMA_PTX_QUAD); /* at offset 0 */
    reach(launch, launch->launch->function);
    lay_out(launch);
    if (uses_stack(launch) && !lay_out_stack(launch))
        return tma_fail(launch->error, TMA_ERROR_MEMORY, "out of memory");
    for (uint32_t f = 0; f < module->function_count && !launch->out_of_memory; ++f)
        if (launch->reachable[f])
            prepare_function(launch, f);
    if (launch->out_of_memory || !set_forms(launch))
        return tma_fail(launch->error, TMA_ERROR_MEMORY, "out of memory");
    return TMA_OK;
}

/* ---- special registers ---- */

static uint64_t lane_special(const struct tma_warp *warp, uint32_t special, uint32_t lane) {
    const struct tma_ptx_launch *launch = warp->launch->launch;
    const struct tma_ptx_cta *cta = warp->cta;
    const uint32_t *block = launch->block, *grid = launch->grid, *cluster = launch->cluster;
    uint32_t thread = warp->index * 32 + lane, rank = cta->rank;
    uint32_t in_cluster[3] = {rank % cluster[0], rank / cluster[0] % cluster[1],
                              rank / cluster[0] / cluster[1]};
    uint32_t axis = 0;
    switch ((enum tma_ptx_special)special) {
    case TMA_PTX_SREG_TID_X:
        return thread % block[0];
    case TMA_PTX_SREG_TID_Y:
        return thread / block[0] % block[1];
    case TMA_PTX_SREG_TID_Z:
        return thread / block[0] / block[1];
    case TMA_PTX_SREG_NTID_Z:
    case TMA_PTX_SREG_NTID_Y:
    case TMA_PTX_SREG_NTID_X:
        axis = special - TMA_PTX_SREG_NTID_X;
        return block[axis];
    case TMA_PTX_SREG_CTAID_X:
    case TMA_PTX_SREG_CTAID_Y:
    case TMA_PTX_SREG_CTAID_Z:
        return cta->id[special - TMA_PTX_SREG_CTAID_X];
    case TMA_PTX_SREG_NCTAID_X:
    case TMA_PTX_SREG_NCTAID_Y:
    case TMA_PTX_SREG_NCTAID_Z:
        return grid[special - TMA_PTX_SREG_NCTAID_X];
    case TMA_PTX_SREG_CLUSTERID_X:
    case TMA_PTX_SREG_CLUSTERID_Y:
    case TMA_PTX_SREG_CLUSTERID_Z:
        axis = special - TMA_PTX_SREG_CLUSTERID_X;
        return cta->id[axis] / cluster[axis];
    case TMA_PTX_SREG_NCLUSTERID_X:
    case TMA_PTX_SREG_NCLUSTERID_Y:
    case TMA_PTX_SREG_NCLUSTERID_Z:
        axis = special - TMA_PTX_SREG_NCLUSTERID_X;
        return grid[axis] / cluster[axis];
    case TMA_PTX_SREG_CLUSTER_CTAID_X:
    case TMA_PTX_SREG_CLUSTER_CTAID_Y:
    case TMA_PTX_SREG_CLUSTER_CTAID_Z:
        return in_cluster[special - TMA_PTX_SREG_CLUSTER_CTAID_X];
    case TMA_PTX_SREG_CLUSTER_NCTAID_X:
    case TMA_PTX_SREG_CLUSTER_NCTAID_Y:
    case TMA_PTX_SREG_CLUSTER_NCTAID_Z:
        return cluster[special - TMA_PTX_SREG_CLUSTER_NCTAID_X];
    case TMA_PTX_SREG_CLUSTER_CTARANK:
        return rank;
    case TMA_PTX_SREG_CLUSTER_NCTARANK:
        return cta->cluster->cta_count;
    case TMA_PTX_SREG_IS_EXPLICIT_CLUSTER:
        return warp->launch->module->functions[launch->function].explicit_cluster ||
               cta->cluster->cta_count > 1;
    case TMA_PTX_SREG_LANEID:
        return lane;
    case TMA_PTX_SREG_WARPID: /* a place in the SM: an H100 has 1 for CTAs of one warp */
        return cta->warp_count == 1 ? 1 : warp->index;
    case TMA_PTX_SREG_NWARPID:
        return 64;
    case TMA_PTX_SREG_SMID: /* CTAs run one after the other: as if on one SM each */
        return launch->resident_ctas != 0 ? cta->linear % launch->resident_ctas : cta->linear;
    case TMA_PTX_SREG_NSMID:
        return launch->resident_ctas != 0 ? launch->resident_ctas : 132;
    case TMA_PTX_SREG_LANEMASK_EQ:
        return UINT32_C(1) << lane;
    case TMA_PTX_SREG_LANEMASK_LT:
        return (UINT32_C(1) << lane) - 1;
    case TMA_PTX_SREG_LANEMASK_LE:
        return TMA_ALL_LANES >> (31 - lane);
    case TMA_PTX_SREG_LANEMASK_GE:
        return TMA_ALL_LANES << lane;
    case TMA_PTX_SREG_LANEMASK_GT:
        return (uint32_t)(UINT64_C(0xfffffffe) << lane);
    case TMA_PTX_SREG_CLOCK:
    case TMA_PTX_SREG_CLOCK64:
    case TMA_PTX_SREG_GLOBALTIMER:
    case TMA_PTX_SREG_GLOBALTIMER_LO:
        return warp->launch->time;
    case TMA_PTX_SREG_CLOCK_HI:
    case TMA_PTX_SREG_GLOBALTIMER_HI:
        return warp->launch->time >> 32;
    case TMA_PTX_SREG_TOTAL_SMEM_SIZE:
        return (warp->launch->reserved_at + 127) & ~127u;
    case TMA_PTX_SREG_AGGR_SMEM_SIZE: /* and what the driver reserves */
        return ((warp->launch->reserved_at + 127) & ~127u) + TMA_SHARED_BASE;
    case TMA_PTX_SREG_DYNAMIC_SMEM_SIZE:
        return launch->dynamic_shared;
    case TMA_PTX_SREG_RESERVED_SMEM_OFFSET_END:
    case TMA_PTX_SREG_RESERVED_SMEM_OFFSET_CAP:
        return TMA_SHARED_BASE;
    case TMA_PTX_SREG_RESERVED_SMEM_OFFSET_1: /* of cooperative groups; of a GPU it lies in front */
        return TMA_SHARED_BASE + warp->launch->reserved_at;
    case TMA_PTX_SREG_ENVREG1: /* the address of the grid's workspace */
        return warp->launch->workspace >> 32;
    case TMA_PTX_SREG_ENVREG2:
        return (uint32_t)warp->launch->workspace;
    case TMA_PTX_SREG_NTID_W:
    case TMA_PTX_SREG_NCTAID_W:
    case TMA_PTX_SREG_NCLUSTERID_W:
    case TMA_PTX_SREG_CLUSTER_NCTAID_W:
        return 1;
    case TMA_PTX_SREG_GRIDID:
    case TMA_PTX_SREG_TID_W:
    case TMA_PTX_SREG_CTAID_W:
    case TMA_PTX_SREG_CLUSTERID_W:
    case TMA_PTX_SREG_CLUSTER_CTAID_W:
    case TMA_PTX_SREG_RESERVED_SMEM_OFFSET_BEGIN:
    case TMA_PTX_SREG_RESERVED_SMEM_OFFSET_0:
    case TMA_PTX_SREG_CURRENT_GRAPH_EXEC:
    case TMA_PTX_SREG_ENVREG:
    case TMA_PTX_SREG_PM:
    case TMA_PTX_SREG_PM_64:
    case TMA_PTX_SPECIAL_COUNT:
        break;
    }
    return 0;
}

static void set_special(struct tma_warp *warp, uint32_t special) {
    const struct tma_place *place = &warp->launch->specials[special];
    if (place->offset == 0)
        return;
    uint64_t first = lane_special(warp, special, 0);
    bool same = true;
    for (uint32_t lane = 1; lane < 32; ++lane)
        same = same && lane_special(warp, special, lane) == first;
    if (same)
        tma_set_lanes(warp, place, TMA_ALL_LANES, first);
    for (uint32_t lane = 0; !same && lane < 32; ++lane)
        tma_set_lane(warp, place, lane, lane_special(warp, special, lane));
    warp->opaque[place->number] = 0;
}

void tma_set_clocks(struct tma_warp *warp) {
    for (uint32_t i = TMA_PTX_SREG_CLOCK; i <= TMA_PTX_SREG_GLOBALTIMER_HI; ++i)
        set_special(warp, i);
}

void tma_set_specials(struct tma_warp *warp) {
    struct tma_executor *launch = warp->launch;
    for (uint32_t i = 0; i < TMA_PTX_SPECIAL_COUNT; ++i)
        set_special(warp, i);
    if (launch->stacks != NULL) {
        tma_set_uniform(warp, &launch->stacks[0], TMA_LOCAL_BASE + launch->local_bytes);
        warp->opaque[launch->stacks[0].number] = 0;
    }
    if (launch->shared_places == NULL)
        return;
    for (size_t v = 0; v < 2 * launch->module->variable_count; ++v) {
        const struct tma_place *place = &launch->shared_places[v];
        if (place->offset == 0)
            continue;
        uint64_t address = launch->variable_addresses[v / 2] | (uint64_t)warp->cta->rank
                                                                   << TMA_SHARED_RANK_BIT;
        tma_set_uniform(warp, place, address);
        warp->opaque[place->number] = 0;
    }
}
