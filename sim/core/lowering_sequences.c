#include <string.h>

#include "core/lowering_facts.h"

/* Which instructions a row is for. */
enum kind {
    ANY,
    SHORT, /* integers of 8 and 16 bits */
    WORD,  /* integers of 32 bits, and pairs of halves of them */
    LONG,  /* integers of 64 bits */
    TRUTH,
    HALF, /* f16, bf16 and pairs */
    SINGLE,
    DOUBLE
};

/* The first row that fits is the one. */
struct sequence_row {
    uint16_t opcode;
    uint8_t kind;  /* enum kind: of type 0 */
    uint16_t word; /* a modifier that it has; 0: any */
    const char *sequence, *uniform;
};

/* What ptxas 13.0 makes of each for sm_90a, found by compiling it alone.
 * Where a slow path is out of line (subnormal divisors, ...), it does not count. */
static const struct sequence_row rows[] = {
    {TMA_PTX_OP_ABS, SHORT, 0, "aaa", NULL},
    {TMA_PTX_OP_ABS, WORD, 0, "a", "uu"},
    {TMA_PTX_OP_ABS, LONG, 0, "aahaa", NULL},
    {TMA_PTX_OP_ABS, SINGLE, 0, "f", NULL},
    {TMA_PTX_OP_ABS, DOUBLE, 0, "d", NULL},
    {TMA_PTX_OP_ABS, HALF, 0, "f", NULL},
    {TMA_PTX_OP_ACTIVEMASK, ANY, 0, "a", NULL},
    {TMA_PTX_OP_ADD, SINGLE, 0, "f", NULL},
    {TMA_PTX_OP_ADD, DOUBLE, 0, "d", NULL},
    {TMA_PTX_OP_ADD, HALF, 0, "f", NULL},
    {TMA_PTX_OP_ADD, LONG, 0, "am", "uu"}, /* IADD3, IMAD.X */
    {TMA_PTX_OP_ADD, ANY, 0, "m", "u"},
    {TMA_PTX_OP_ADDC, LONG, 0, "aa", "uu"},
    {TMA_PTX_OP_ADDC, ANY, 0, "a", "u"},
    {TMA_PTX_OP_AND, TRUTH, 0, "a", "u"},
    {TMA_PTX_OP_AND, LONG, 0, "aa", "uu"},
    {TMA_PTX_OP_AND, ANY, 0, "a", "u"},
    {TMA_PTX_OP_ATOM, ANY, 0, "l", NULL}, /* those by a loop: atomic_sequence */
    {TMA_PTX_OP_BARRIER_ARRIVE, ANY, 0, "c", NULL},
    {TMA_PTX_OP_BARRIER_RED, ANY, 0, "cca", NULL},
    {TMA_PTX_OP_BARRIER_SYNC, ANY, 0, "c", NULL},
    {TMA_PTX_OP_BARRIER_CLUSTER_ARRIVE, ANY, TMA_PTX_DOT_RELAXED, "cuaccc", NULL},
    {TMA_PTX_OP_BARRIER_CLUSTER_ARRIVE, ANY, 0, "cuaclccc", NULL},
    {TMA_PTX_OP_BARRIER_CLUSTER_WAIT, ANY, 0, "cuacccc", NULL},
    {TMA_PTX_OP_BFE, LONG, 0, "aa", NULL},
    {TMA_PTX_OP_BFE, ANY, 0, "aa", "uu"},
    {TMA_PTX_OP_BFI, LONG, 0, "aahaa", NULL},
    {TMA_PTX_OP_BFI, ANY, 0, "aa", "uu"},
    {TMA_PTX_OP_BFIND, LONG, 0, "csaacsc", NULL},
    {TMA_PTX_OP_BFIND, ANY, 0, "s", "u"},
    {TMA_PTX_OP_BMSK, ANY, 0, "a", "u"},
    {TMA_PTX_OP_BRA, ANY, 0, "c", NULL},
    {TMA_PTX_OP_BREV, LONG, 0, "ss", "uu"},
    {TMA_PTX_OP_BREV, ANY, 0, "s", "u"},
    {TMA_PTX_OP_BRKPT, ANY, 0, "c", NULL},
    {TMA_PTX_OP_BRX_IDX, ANY, 0, "ahccc", NULL},
    {TMA_PTX_OP_CALL, ANY, 0, "aac", NULL},
    {TMA_PTX_OP_CLZ, LONG, 0, "aasaah", NULL},
    {TMA_PTX_OP_CLZ, ANY, 0, "sa", "uu"},
    {TMA_PTX_OP_CNOT, LONG, 0, "aaaha", NULL},
    {TMA_PTX_OP_CNOT, ANY, 0, "aa", "uu"},
    {TMA_PTX_OP_COPYSIGN, ANY, 0, "a", NULL},
    {TMA_PTX_OP_COS, ANY, 0, "fs", NULL},
    {TMA_PTX_OP_CP_ASYNC, ANY, 0, "l", NULL},
    {TMA_PTX_OP_CP_ASYNC_COMMIT_GROUP, ANY, 0, "l", NULL},
    {TMA_PTX_OP_CP_ASYNC_WAIT_GROUP, ANY, 0, "c", NULL},
    {TMA_PTX_OP_CP_ASYNC_WAIT_ALL, ANY, 0, "lc", NULL},
    {TMA_PTX_OP_CP_ASYNC_MBARRIER_ARRIVE, ANY, 0, "c", NULL},
    {TMA_PTX_OP_CP_ASYNC_BULK_COMMIT_GROUP, ANY, 0, "c", NULL},
    {TMA_PTX_OP_CP_ASYNC_BULK_WAIT_GROUP, ANY, TMA_PTX_DOT_READ, "c", NULL},
    {TMA_PTX_OP_CP_ASYNC_BULK_WAIT_GROUP, ANY, 0, "cc", NULL},
    {TMA_PTX_OP_CREATEPOLICY, ANY, 0, "uuuuuu", "uuuuuu"},
    {TMA_PTX_OP_CVT_PACK, ANY, 0, "a", NULL},
    {TMA_PTX_OP_DISCARD, ANY, 0, "l", NULL},
    {TMA_PTX_OP_DIV, SHORT, 0, "aaachhsfsaaahh", NULL},
    {TMA_PTX_OP_DIV, SINGLE, TMA_PTX_DOT_APPROX, "affsf", NULL},
    {TMA_PTX_OP_DIV, SINGLE, TMA_PTX_DOT_FULL, "aaffffsf", NULL},
    {TMA_PTX_OP_DIV, SINGLE, 0, "csafffffcc", NULL},
    {TMA_PTX_OP_DIV, DOUBLE, 0,
     "hcsadddddddd"
     "facc",
     NULL},
    {TMA_PTX_OP_DP2A, ANY, 0, "h", NULL},
    {TMA_PTX_OP_DP4A, ANY, 0, "h", NULL},
    {TMA_PTX_OP_ELECT, ANY, 0, "a", NULL},
    {TMA_PTX_OP_EX2, SINGLE, TMA_PTX_DOT_FTZ, "s", NULL},
    {TMA_PTX_OP_EX2, SINGLE, 0, "afsf", NULL},
    {TMA_PTX_OP_EXIT, ANY, 0, "c", NULL},
    {TMA_PTX_OP_FMA, DOUBLE, 0, "d", NULL},
    {TMA_PTX_OP_FMA, ANY, 0, "f", NULL},
    {TMA_PTX_OP_GRIDDEPCONTROL, ANY, 0, "c", NULL},
    {TMA_PTX_OP_ISSPACEP, ANY, 0, "l", NULL},
    {TMA_PTX_OP_LDMATRIX, ANY, 0, "l", NULL},
    {TMA_PTX_OP_LG2, SINGLE, TMA_PTX_DOT_FTZ, "s", NULL},
    {TMA_PTX_OP_LG2, SINGLE, 0, "afsf", NULL},
    {TMA_PTX_OP_LOP3, ANY, 0, "a", "u"},
    {TMA_PTX_OP_MAD, LONG, 0, "hhha", "uuuu"},
    {TMA_PTX_OP_MAD, SHORT, TMA_PTX_DOT_LO, "aaah", NULL},
    {TMA_PTX_OP_MAD, WORD, TMA_PTX_DOT_HI, "ha", "uu"},
    {TMA_PTX_OP_MAD, ANY, 0, "h", "u"},
    {TMA_PTX_OP_MAD24, ANY, 0, "aah", NULL},
    {TMA_PTX_OP_MADC, ANY, 0, "ha", NULL},
    {TMA_PTX_OP_MAPA, ANY, 0, "a", "u"},
    {TMA_PTX_OP_MATCH, ANY, 0, "l", NULL},
    {TMA_PTX_OP_MAX, SINGLE, 0, "a", NULL},
    {TMA_PTX_OP_MAX, HALF, 0, "a", NULL},
    {TMA_PTX_OP_MAX, DOUBLE, 0, "hdaaaah", NULL},
    {TMA_PTX_OP_MAX, LONG, 0, "aaaa", "uuuu"},
    {TMA_PTX_OP_MAX, ANY, 0, "a", NULL},
    {TMA_PTX_OP_MIN, SINGLE, 0, "a", NULL},
    {TMA_PTX_OP_MIN, HALF, 0, "a", NULL},
    {TMA_PTX_OP_MIN, DOUBLE, 0, "hdaaaah", NULL},
    {TMA_PTX_OP_MIN, LONG, 0, "aaaa", "uuuu"},
    {TMA_PTX_OP_MIN, ANY, 0, "a", NULL},
    {TMA_PTX_OP_MBARRIER_ARRIVE, ANY, TMA_PTX_DOT_SHARED_CLUSTER, "c", NULL},
    {TMA_PTX_OP_MBARRIER_ARRIVE, ANY, TMA_PTX_DOT_EXPECT_TX, "mc", NULL},
    {TMA_PTX_OP_MBARRIER_ARRIVE, ANY, 0, "c", NULL},
    {TMA_PTX_OP_MBARRIER_ARRIVE_DROP, ANY, 0, "c", NULL},
    {TMA_PTX_OP_MBARRIER_COMPLETE_TX, ANY, 0, "mc", NULL},
    {TMA_PTX_OP_MBARRIER_EXPECT_TX, ANY, 0, "mc", NULL},
    {TMA_PTX_OP_MBARRIER_INVAL, ANY, 0, "c", NULL},
    {TMA_PTX_OP_MBARRIER_PENDING_COUNT, ANY, 0, "aa", NULL},
    {TMA_PTX_OP_MBARRIER_TEST_WAIT, ANY, TMA_PTX_DOT_PARITY, "ac", NULL},
    {TMA_PTX_OP_MBARRIER_TEST_WAIT, ANY, 0, "c", NULL},
    {TMA_PTX_OP_MBARRIER_TRY_WAIT, ANY, TMA_PTX_DOT_PARITY, "ac", NULL},
    {TMA_PTX_OP_MBARRIER_TRY_WAIT, ANY, 0, "c", NULL},
    {TMA_PTX_OP_MMA, ANY, 0, "t", NULL},
    {TMA_PTX_OP_MOVMATRIX, ANY, 0, "l", NULL},
    {TMA_PTX_OP_MUL, SINGLE, 0, "f", NULL},
    {TMA_PTX_OP_MUL, DOUBLE, 0, "d", NULL},
    {TMA_PTX_OP_MUL, HALF, 0, "f", NULL},
    {TMA_PTX_OP_MUL, LONG, TMA_PTX_DOT_LO, "hhha", "uuuu"},
    {TMA_PTX_OP_MUL, LONG, TMA_PTX_DOT_HI, "hhhahah", "uuuuuuu"},
    {TMA_PTX_OP_MUL, SHORT, TMA_PTX_DOT_HI, "ha", NULL},
    {TMA_PTX_OP_MUL, ANY, 0, "h", "u"},
    {TMA_PTX_OP_MUL24, ANY, 0, "aah", NULL},
    {TMA_PTX_OP_MULTIMEM_LD_REDUCE, ANY, 0, "l", NULL},
    {TMA_PTX_OP_MULTIMEM_RED, ANY, 0, "l", NULL},
    {TMA_PTX_OP_MULTIMEM_ST, ANY, 0, "l", NULL},
    {TMA_PTX_OP_NANOSLEEP, ANY, 0, "c", NULL},
    {TMA_PTX_OP_NEG, SINGLE, 0, "f", NULL},
    {TMA_PTX_OP_NEG, DOUBLE, 0, "d", NULL},
    {TMA_PTX_OP_NEG, HALF, 0, "f", NULL},
    {TMA_PTX_OP_NEG, SHORT, 0, "aa", NULL},
    {TMA_PTX_OP_NEG, LONG, 0, "aa", "uu"},
    {TMA_PTX_OP_NEG, ANY, 0, "m", "u"},
    {TMA_PTX_OP_NOT, TRUTH, 0, "", ""},
    {TMA_PTX_OP_NOT, LONG, 0, "aa", "uu"},
    {TMA_PTX_OP_NOT, ANY, 0, "a", "u"},
    {TMA_PTX_OP_OR, LONG, 0, "aa", "uu"},
    {TMA_PTX_OP_OR, ANY, 0, "a", "u"},
    {TMA_PTX_OP_PMEVENT, ANY, 0, "c", NULL},
    {TMA_PTX_OP_POPC, LONG, 0, "ssa", "uuu"},
    {TMA_PTX_OP_POPC, ANY, 0, "s", "u"},
    {TMA_PTX_OP_PREFETCHU, ANY, 0, "l", NULL},
    {TMA_PTX_OP_PRMT, ANY, 0, "a", "u"},
    {TMA_PTX_OP_RCP, SINGLE, TMA_PTX_DOT_FTZ, "s", NULL},
    {TMA_PTX_OP_RCP, SINGLE, TMA_PTX_DOT_APPROX, "faaaafsf", NULL},
    {TMA_PTX_OP_RCP, SINGLE, 0, "caaacsfffc", NULL},
    {TMA_PTX_OP_RCP, DOUBLE, TMA_PTX_DOT_APPROX, "as", NULL},
    {TMA_PTX_OP_RCP, DOUBLE, 0, "csaadddddcc", NULL},
    {TMA_PTX_OP_RED, ANY, 0, "l", NULL},
    {TMA_PTX_OP_RED_ASYNC, ANY, 0, "l", NULL},
    {TMA_PTX_OP_REDUX, ANY, 0, "sa", NULL},
    {TMA_PTX_OP_RET, ANY, 0, "c", NULL},
    {TMA_PTX_OP_RSQRT, SINGLE, TMA_PTX_DOT_FTZ, "s", NULL},
    {TMA_PTX_OP_RSQRT, SINGLE, 0, "afsf", NULL},
    {TMA_PTX_OP_RSQRT, DOUBLE, 0, "hahcsaaddddcc", NULL},
    {TMA_PTX_OP_SAD, ANY, 0, "a", NULL},
    {TMA_PTX_OP_SELP, LONG, 0, "aa", "uu"},
    {TMA_PTX_OP_SELP, DOUBLE, 0, "aa", "uu"},
    {TMA_PTX_OP_SELP, ANY, 0, "a", "u"},
    {TMA_PTX_OP_SET, ANY, 0, "aa", "uu"},
    {TMA_PTX_OP_SETMAXNREG, ANY, TMA_PTX_DOT_INC, "uac", NULL},
    {TMA_PTX_OP_SETMAXNREG, ANY, 0, "u", NULL},
    {TMA_PTX_OP_SETP, LONG, 0, "aa", "uu"},
    {TMA_PTX_OP_SETP, DOUBLE, 0, "d", NULL},
    {TMA_PTX_OP_SETP, SINGLE, 0, "a", NULL},
    {TMA_PTX_OP_SETP, HALF, 0, "f", NULL},
    {TMA_PTX_OP_SETP, ANY, 0, "a", "u"},
    {TMA_PTX_OP_SHF, ANY, 0, "a", "u"},
    {TMA_PTX_OP_SHFL, ANY, 0, "l", NULL},
    {TMA_PTX_OP_SHL, SHORT, 0, "a", NULL},
    {TMA_PTX_OP_SHL, LONG, 0, "aa", "uu"},
    {TMA_PTX_OP_SHL, ANY, 0, "m", "u"},
    {TMA_PTX_OP_SHR, SHORT, 0, "aa", NULL},
    {TMA_PTX_OP_SHR, LONG, 0, "aa", "uu"},
    {TMA_PTX_OP_SHR, ANY, 0, "a", "u"},
    {TMA_PTX_OP_SIN, ANY, 0, "fs", NULL},
    {TMA_PTX_OP_SLCT, ANY, 0, "aa", NULL},
    {TMA_PTX_OP_SQRT, SINGLE, TMA_PTX_DOT_FTZ, "s", NULL},
    {TMA_PTX_OP_SQRT, SINGLE, TMA_PTX_DOT_APPROX, "afsf", NULL},
    {TMA_PTX_OP_SQRT, SINGLE, 0, "casacffffc", NULL},
    {TMA_PTX_OP_SQRT, DOUBLE, 0,
     "hacsaadddddd"
     "adhddcc",
     NULL},
    {TMA_PTX_OP_ST_ASYNC, ANY, 0, "l", NULL},
    {TMA_PTX_OP_STMATRIX, ANY, 0, "l", NULL},
    {TMA_PTX_OP_SUB, SINGLE, 0, "f", NULL},
    {TMA_PTX_OP_SUB, DOUBLE, 0, "d", NULL},
    {TMA_PTX_OP_SUB, HALF, 0, "f", NULL},
    {TMA_PTX_OP_SUB, LONG, 0, "am", "uu"},
    {TMA_PTX_OP_SUB, ANY, 0, "m", "u"},
    {TMA_PTX_OP_SUBC, LONG, 0, "aa", "uu"},
    {TMA_PTX_OP_SUBC, ANY, 0, "a", "u"},
    {TMA_PTX_OP_SZEXT, ANY, 0, "a", "u"},
    {TMA_PTX_OP_TANH, ANY, 0, "s", NULL},
    {TMA_PTX_OP_TENSORMAP_CP_FENCEPROXY, ANY, 0, "cachlahl", NULL},
    {TMA_PTX_OP_TESTP, ANY, 0, "aa", NULL},
    {TMA_PTX_OP_TRAP, ANY, 0, "c", NULL},
    {TMA_PTX_OP_VOTE, ANY, 0, "a", NULL},
    {TMA_PTX_OP_WGMMA_COMMIT_GROUP, ANY, 0, "", NULL}, /* a bit of the last HGMMA */
    {TMA_PTX_OP_WGMMA_FENCE, ANY, 0, "c", NULL},
    {TMA_PTX_OP_WGMMA_MMA_ASYNC, ANY, 0, "t", NULL},
    {TMA_PTX_OP_WGMMA_WAIT_GROUP, ANY, 0, "c", NULL},
    {TMA_PTX_OP_XOR, LONG, 0, "aa", "uu"},
    {TMA_PTX_OP_XOR, ANY, 0, "a", "u"},
};

static enum kind kind_of(enum tma_ptx_type type) {
    const struct tma_ptx_type_facts *facts = &tma_ptx_types[type];
    switch (facts->kind) {
    case TMA_PTX_TRUTH:
        return TRUTH;
    case TMA_PTX_FLOAT:
        return facts->bits == 64                             ? DOUBLE
               : type == TMA_PTX_F32 || type == TMA_PTX_TF32 ? SINGLE
                                                             : HALF;
    case TMA_PTX_BITS:
    case TMA_PTX_UNSIGNED:
    case TMA_PTX_SIGNED:
    case TMA_PTX_HANDLE:
        break;
    }
    return facts->bits <= 16 ? SHORT : facts->bits <= 32 ? WORD : LONG;
}

#define LONG_QUOTIENT                                                                              \
    "aacssahhhhhhhhhhhhhhhhhhhhhhhhhhaaaaaaaaaaaaaaaaaaaaaaaaaaaac" /* and its subroutine */
#define UNIFORM_QUOTIENT "uuuuuuuuuuu"

/* Integer quotients and remainders: a reciprocal in float32, a product, and two corrections. */
static const char *quotient(const struct tma_lowering_facts *facts, uint32_t i, bool uniform) {
    const struct tma_ptx_instruction *instruction = &facts->code[i];
    bool is_signed = tma_ptx_types[instruction->types[0]].kind == TMA_PTX_SIGNED;
    bool remainder = instruction->opcode == TMA_PTX_OP_REM;
    uint64_t divisor;
    bool constant = tma_lowering_constant(facts, i, 2, &divisor);
    switch (tma_ptx_types[instruction->types[0]].bits) {
    case 64: /* a subroutine: 2 instructions before the call */
        return is_signed ? LONG_QUOTIENT "aaaaaaaaaaaaaa" : LONG_QUOTIENT;
    case 16:
        return is_signed ? "aaacaassfffashaac" : "acsssfffahac";
    default:
        break;
    }
    /* The reciprocal is the vector pipes' in each case: I2F, MUFU, F2I. */
    if (uniform && constant)
        return is_signed ? "sssmmaa" UNIFORM_QUOTIENT "uu" : "sssmma" UNIFORM_QUOTIENT;
    if (uniform)
        return is_signed ? remainder ? "sssmmmaaaaa" UNIFORM_QUOTIENT "uuu"
                                     : "sssmmmaaaaa" UNIFORM_QUOTIENT "uuuuuuu"
                         : "sssmmaaa" UNIFORM_QUOTIENT "uu";
    if (constant)
        return is_signed   ? remainder ? "sssmhhhhaaaaaaaa" : "sssmmhhhhmaaaaaaaa"
               : remainder ? "sssmhhhhaaaaa"
                           : "sssmhhhhaaaaaa";
    return is_signed   ? remainder ? "sssmmmmhhhhhaaaaaaaaaaa" : "sssmmmmmhhhhaaaaaaaaaaaaa"
           : remainder ? "sssmmmhhhhaaaaaaa"
                       : "sssmmhhhhaaaaaaaaa";
}

static const char *conversion(const struct tma_ptx_instruction *instruction) {
    enum tma_ptx_type to = instruction->types[0], from = instruction->types[1];
    enum kind a = kind_of(to), b = kind_of(from);
    bool to_float = a == HALF || a == SINGLE || a == DOUBLE;
    bool from_float = b == HALF || b == SINGLE || b == DOUBLE;
    if (to_float && from_float) {
        if (a == DOUBLE || b == DOUBLE)
            return "s"; /* F2F */
        if (to == TMA_PTX_TF32)
            return "aha";
        if (to == TMA_PTX_F32 && from == TMA_PTX_F16)
            return "f"; /* HADD2.F32 */
        if (to == TMA_PTX_F32 && from == TMA_PTX_F32)
            return tma_ptx_has(instruction, TMA_PTX_DOT_SAT) ? "f" : "s"; /* FRND */
        return "a"; /* F2FP; a shift of bf16 */
    }
    if (to_float) /* from float32's integers by I2FP, all others by I2F */
        return to == TMA_PTX_F32 && (b == WORD || from == TMA_PTX_U16) ? "a" : "s";
    if (from_float)
        return "s"; /* F2I */
    uint32_t wide = tma_ptx_types[to].bits, narrow = tma_ptx_types[from].bits;
    if (wide == 8 || narrow == 8)
        return tma_ptx_types[narrow == 8 ? from : to].kind == TMA_PTX_SIGNED ? "aa" : "a";
    if (narrow >= wide || tma_ptx_types[from].kind != TMA_PTX_SIGNED)
        return ""; /* the upper half is zero: no register has it */
    return "a";
}

static const char *load_or_store(const struct tma_ptx_instruction *instruction) {
    bool load = instruction->opcode == TMA_PTX_OP_LD || instruction->opcode == TMA_PTX_OP_LDU;
    if (tma_ptx_space_of(instruction) == TMA_PTX_PARAM ||
        tma_ptx_space_of(instruction) == TMA_PTX_CONST)
        return load ? "c" : "l"; /* LDC, ULDC */
    if (load && tma_ptx_has(instruction, TMA_PTX_DOT_ACQUIRE))
        return "ll";
    if (!load && tma_ptx_has(instruction, TMA_PTX_DOT_RELEASE))
        return tma_ptx_has(instruction, TMA_PTX_DOT_CTA) ? "ll" : "lcl";
    return "l";
}

/* Atomics of shared memory that its unit does not have are loops around a compare-and-swap. */
static const char *atomic(const struct tma_ptx_instruction *instruction) {
    enum kind kind = kind_of(instruction->types[0]);
    bool exchange =
        tma_ptx_has(instruction, TMA_PTX_DOT_CAS) || tma_ptx_has(instruction, TMA_PTX_DOT_EXCH);
    if (kind == SHORT && exchange)
        return "haaalahaaaalaahcc";
    if (tma_ptx_space_of(instruction) != TMA_PTX_SHARED || exchange)
        return "l";
    switch (kind) {
    case LONG:
        return "lahlaacc";
    case DOUBLE:
        return "ldlaacc";
    case SINGLE:
    case HALF:
        return "lflacc";
    case ANY:
    case SHORT:
    case WORD:
    case TRUTH:
        break;
    }
    return "l";
}

static const char *fence(const struct tma_ptx_instruction *instruction) {
    if (tma_ptx_has(instruction, TMA_PTX_DOT_MBARRIER_INIT))
        return "";
    if (tma_ptx_has(instruction, TMA_PTX_DOT_PROXY)) {
        if (tma_ptx_has(instruction, TMA_PTX_DOT_TENSORMAP_GENERIC))
            return tma_ptx_has(instruction, TMA_PTX_DOT_ACQUIRE) ? "ucc" : "lc";
        return tma_ptx_space_of(instruction) == TMA_PTX_GLOBAL ? "l" : "ll";
    }
    return tma_ptx_has(instruction, TMA_PTX_DOT_CTA) ? "l" : "lcl";
}

static const char *special(const struct tma_ptx_operand *operand) {
    switch (operand->number) {
    case TMA_PTX_SREG_NTID_X:
    case TMA_PTX_SREG_NTID_Y:
    case TMA_PTX_SREG_NTID_Z:
    case TMA_PTX_SREG_NCTAID_X:
    case TMA_PTX_SREG_NCTAID_Y:
    case TMA_PTX_SREG_NCTAID_Z:
        return ""; /* a constant */
    case TMA_PTX_SREG_CLOCK:
    case TMA_PTX_SREG_CLOCK_HI:
    case TMA_PTX_SREG_CLOCK64:
    case TMA_PTX_SREG_GLOBALTIMER:
        return "s"; /* CS2R, which reads a clock as fast as that pipe works: role_turns.tsv */
    case TMA_PTX_SREG_WARPID:
        return "caa";
    default:
        return "c"; /* S2R */
    }
}

static const char *move(const struct tma_lowering_facts *facts, uint32_t i, bool uniform) {
    const struct tma_ptx_instruction *instruction = &facts->code[i];
    const struct tma_ptx_operand *to = tma_lowering_operand(facts, i, 0);
    const struct tma_ptx_operand *from = tma_lowering_operand(facts, i, 1);
    bool halves = instruction->types[0] == TMA_PTX_B32 &&
                  (to->kind == TMA_PTX_VECTOR || from->kind == TMA_PTX_VECTOR);
    switch ((enum tma_ptx_operand_kind)from->kind) {
    case TMA_PTX_SPECIAL:
        return uniform && special(from)[0] == 'c' ? "u" : special(from);
    case TMA_PTX_VARIABLE: /* the window of shared memory: 0x400, the CTA's rank, LEA */
        return facts->module->variables[from->number].space == TMA_PTX_SHARED ? "uuu" : "u";
    case TMA_PTX_FUNCTION:
        return "aa";
    case TMA_PTX_VECTOR:
        return halves ? "a" : ""; /* PRMT; a pair of registers */
    case TMA_PTX_IMMEDIATE:
    case TMA_PTX_REGISTER:
        break;
    case TMA_PTX_NO_OPERAND:
    case TMA_PTX_ADDRESS:
    case TMA_PTX_LABEL:
    case TMA_PTX_SINK:
        return "";
    }
    if (to->kind == TMA_PTX_VECTOR || instruction->types[0] == TMA_PTX_PRED)
        return "";
    bool pair = tma_ptx_types[instruction->types[0]].bits == 64;
    return uniform ? pair ? "uu" : "u" : pair ? "mm" : "m";
}

static const char *tensormap_field(const struct tma_ptx_instruction *instruction) {
    if (tma_ptx_has(instruction, TMA_PTX_DOT_GLOBAL_ADDRESS))
        return "ml";
    if (tma_ptx_has(instruction, TMA_PTX_DOT_GLOBAL_STRIDE))
        return "mmualall";
    if (tma_ptx_has(instruction, TMA_PTX_DOT_GLOBAL_DIM))
        return "ml";
    return "mlal";
}

const char *tma_lowering_sequence(const struct tma_lowering_facts *facts, uint32_t i, bool uniform,
                                  bool expand) {
    const struct tma_ptx_instruction *instruction = &facts->code[i];
    enum kind kind = instruction->type_count > 0 ? kind_of(instruction->types[0]) : ANY;
    if (!expand)
        return instruction->opcode == TMA_PTX_OP_WGMMA_MMA_ASYNC ? "t" : uniform ? "u" : "a";
    switch (instruction->opcode) {
    case TMA_PTX_OP_MBARRIER_ARRIVE:
        if (instruction->operand_count > 2) /* the count comes into a register */
            return "mc";
        break;
    case TMA_PTX_OP_DIV:
    case TMA_PTX_OP_REM:
        if (kind == SHORT || kind == WORD || kind == LONG)
            return quotient(facts, i, uniform);
        break;
    case TMA_PTX_OP_CVT:
        return uniform && conversion(instruction)[0] == 'a' ? "u" : conversion(instruction);
    case TMA_PTX_OP_CVTA:
        return "";
    case TMA_PTX_OP_LD:
    case TMA_PTX_OP_LDU:
    case TMA_PTX_OP_ST:
        return load_or_store(instruction);
    case TMA_PTX_OP_ATOM:
    case TMA_PTX_OP_RED:
        return atomic(instruction);
    case TMA_PTX_OP_FENCE:
    case TMA_PTX_OP_MEMBAR:
        return fence(instruction);
    case TMA_PTX_OP_MOV:
        return move(facts, i, uniform);
    case TMA_PTX_OP_TENSORMAP_REPLACE:
        return tensormap_field(instruction);
    case TMA_PTX_OP_EX2:
    case TMA_PTX_OP_TANH:
        if (kind == HALF)
            return tma_ptx_types[instruction->types[0]].elements > 1 ? "ssa" : "s";
        break;
    }
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        if (rows[r].opcode == instruction->opcode &&
            (rows[r].kind == ANY || rows[r].kind == kind) &&
            (rows[r].word == 0 || tma_ptx_has(instruction, rows[r].word)))
            return uniform ? rows[r].uniform : rows[r].sequence;
    return uniform ? NULL : "a";
}

enum tma_pipe tma_lowering_pipe(char letter) {
    static const char letters[TMA_PIPE_COUNT + 1] = "afhsdultc";
    return (enum tma_pipe)(strchr(letters, letter) - letters);
}

void tma_lowering_add(struct tma_lowered *lowered, const char *sequence, char movable) {
    for (; *sequence != '\0'; sequence++) {
        char letter = *sequence == 'm' ? movable : *sequence;
        uint8_t *slots = &lowered->slots[tma_lowering_pipe(letter)];
        *slots = (uint8_t)(*slots + (*slots < UINT8_MAX));
    }
}

uint8_t tma_lowering_latency(enum tma_pipe pipe) {
    switch (pipe) { /* tests/hardware/h100/instruction_costs.tsv */
    case TMA_PIPE_ALU:
    case TMA_PIPE_FMA:
    case TMA_PIPE_FMA_HEAVY: /* IMAD.HI: 9 */
    case TMA_PIPE_UNIFORM:
        return 4;
    case TMA_PIPE_FP64:
        return 8;
    case TMA_PIPE_SFU:
    case TMA_PIPE_LSU:
    case TMA_PIPE_TENSOR:
    case TMA_PIPE_CONTROL:
    case TMA_PIPE_COUNT:
        break;
    }
    return 0;
}
