/* The words of PTX: types, modifiers, opcodes and special registers, as tables. What an opcode
 * takes is in ptx/opcodes.c. (PTX ISA: 5.2 types, 9.7 instructions, 10 special registers.) */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    TMA_PTX_MAX_TYPES = 4, /* of an instruction: mma has four (d, a, b, c) */
    TMA_PTX_MAX_WORDS = 14 /* other modifiers of an instruction */
};

/* What the bits of a type mean. */
enum tma_ptx_class {
    TMA_PTX_BITS,     /* b8, b16, ...: no meaning */
    TMA_PTX_UNSIGNED, /* u8, ... */
    TMA_PTX_SIGNED,   /* s8, ... */
    TMA_PTX_FLOAT,    /* all floating-point formats */
    TMA_PTX_TRUTH,    /* pred */
    TMA_PTX_HANDLE    /* texref, samplerref, surfref */
};

/* Types: name, text, class, bits of the whole, elements in it. */
#define TMA_PTX_TYPES(X)                                                                           \
    X(NO_TYPE, "", BITS, 0, 0)                                                                     \
    X(PRED, "pred", TRUTH, 1, 1)                                                                   \
    X(B1, "b1", BITS, 1, 1)                                                                        \
    X(B8, "b8", BITS, 8, 1)                                                                        \
    X(B16, "b16", BITS, 16, 1)                                                                     \
    X(B32, "b32", BITS, 32, 1)                                                                     \
    X(B64, "b64", BITS, 64, 1)                                                                     \
    X(B128, "b128", BITS, 128, 1)                                                                  \
    X(B1024, "b1024", BITS, 1024, 1) /* a tensor map */                                            \
    X(U2, "u2", UNSIGNED, 2, 1)                                                                    \
    X(U4, "u4", UNSIGNED, 4, 1)                                                                    \
    X(U8, "u8", UNSIGNED, 8, 1)                                                                    \
    X(U16, "u16", UNSIGNED, 16, 1)                                                                 \
    X(U32, "u32", UNSIGNED, 32, 1)                                                                 \
    X(U64, "u64", UNSIGNED, 64, 1)                                                                 \
    X(U16X2, "u16x2", UNSIGNED, 32, 2)                                                             \
    X(S2, "s2", SIGNED, 2, 1)                                                                      \
    X(S4, "s4", SIGNED, 4, 1)                                                                      \
    X(S8, "s8", SIGNED, 8, 1)                                                                      \
    X(S16, "s16", SIGNED, 16, 1)                                                                   \
    X(S32, "s32", SIGNED, 32, 1)                                                                   \
    X(S64, "s64", SIGNED, 64, 1)                                                                   \
    X(S16X2, "s16x2", SIGNED, 32, 2)                                                               \
    X(F16, "f16", FLOAT, 16, 1)                                                                    \
    X(F16X2, "f16x2", FLOAT, 32, 2)                                                                \
    X(BF16, "bf16", FLOAT, 16, 1)                                                                  \
    X(BF16X2, "bf16x2", FLOAT, 32, 2)                                                              \
    X(TF32, "tf32", FLOAT, 32, 1)                                                                  \
    X(F32, "f32", FLOAT, 32, 1)                                                                    \
    X(F64, "f64", FLOAT, 64, 1)                                                                    \
    X(E4M3, "e4m3", FLOAT, 8, 1)                                                                   \
    X(E5M2, "e5m2", FLOAT, 8, 1)                                                                   \
    X(E4M3X2, "e4m3x2", FLOAT, 16, 2)                                                              \
    X(E5M2X2, "e5m2x2", FLOAT, 16, 2)                                                              \
    X(TEXREF, "texref", HANDLE, 64, 1)                                                             \
    X(SAMPLERREF, "samplerref", HANDLE, 64, 1)                                                     \
    X(SURFREF, "surfref", HANDLE, 64, 1)

enum tma_ptx_type {
#define TMA_PTX_TYPE_ENUM(name, text, kind, bits, elements) TMA_PTX_##name,
    TMA_PTX_TYPES(TMA_PTX_TYPE_ENUM)
#undef TMA_PTX_TYPE_ENUM
        TMA_PTX_TYPE_COUNT
};

/* Modifiers that are no types: name, text. Shapes of matrices (m64n128k16) are words beyond the
 * table: tma_ptx_shape. */
#define TMA_PTX_WORDS(X)                                                                           \
    X(NONE, "")                                                                                    \
    /* rounding and arithmetic */                                                                  \
    X(RN, "rn")                                                                                    \
    X(RZ, "rz")                                                                                    \
    X(RM, "rm")                                                                                    \
    X(RP, "rp")                                                                                    \
    X(RNA, "rna")                                                                                  \
    X(RNI, "rni")                                                                                  \
    X(RZI, "rzi")                                                                                  \
    X(RMI, "rmi")                                                                                  \
    X(RPI, "rpi")                                                                                  \
    X(FTZ, "ftz")                                                                                  \
    X(NOFTZ, "noftz")                                                                              \
    X(SAT, "sat")                                                                                  \
    X(SATFINITE, "satfinite")                                                                      \
    X(RELU, "relu")                                                                                \
    X(OOB, "oob")                                                                                  \
    X(APPROX, "approx")                                                                            \
    X(FULL, "full")                                                                                \
    X(CC, "cc")                                                                                    \
    X(NAN_WINS, "NaN")                                                                             \
    X(XORSIGN, "xorsign")                                                                          \
    X(ABS, "abs")                                                                                  \
    X(WIDE, "wide")                                                                                \
    X(LO, "lo")                                                                                    \
    X(HI, "hi")                                                                                    \
    X(SHIFTAMT, "shiftamt")                                                                        \
    X(CLAMP, "clamp")                                                                              \
    X(WRAP, "wrap")                                                                                \
    X(L, "l")                                                                                      \
    X(R, "r")                                                                                      \
    X(F4E, "f4e")                                                                                  \
    X(B4E, "b4e")                                                                                  \
    X(RC8, "rc8")                                                                                  \
    X(RC16, "rc16")                                                                                \
    X(ECL, "ecl")                                                                                  \
    X(ECR, "ecr")                                                                                  \
    /* comparison, classes of numbers, logic */                                                    \
    X(EQ, "eq")                                                                                    \
    X(NE, "ne")                                                                                    \
    X(LT, "lt")                                                                                    \
    X(LE, "le")                                                                                    \
    X(GT, "gt")                                                                                    \
    X(GE, "ge")                                                                                    \
    X(LS, "ls")                                                                                    \
    X(HS, "hs")                                                                                    \
    X(EQU, "equ")                                                                                  \
    X(NEU, "neu")                                                                                  \
    X(LTU, "ltu")                                                                                  \
    X(LEU, "leu")                                                                                  \
    X(GTU, "gtu")                                                                                  \
    X(GEU, "geu")                                                                                  \
    X(NUM, "num")                                                                                  \
    X(NAN, "nan")                                                                                  \
    X(FINITE, "finite")                                                                            \
    X(INFINITE, "infinite")                                                                        \
    X(NUMBER, "number")                                                                            \
    X(NOTANUMBER, "notanumber")                                                                    \
    X(NORMAL, "normal")                                                                            \
    X(SUBNORMAL, "subnormal")                                                                      \
    X(AND, "and")                                                                                  \
    X(OR, "or")                                                                                    \
    X(XOR, "xor")                                                                                  \
    /* reductions, votes, exchange between lanes */                                                \
    X(ADD, "add")                                                                                  \
    X(MIN, "min")                                                                                  \
    X(MAX, "max")                                                                                  \
    X(INC, "inc")                                                                                  \
    X(DEC, "dec")                                                                                  \
    X(EXCH, "exch")                                                                                \
    X(CAS, "cas")                                                                                  \
    X(POPC, "popc")                                                                                \
    X(ALL, "all")                                                                                  \
    X(ANY, "any")                                                                                  \
    X(UNI, "uni")                                                                                  \
    X(BALLOT, "ballot")                                                                            \
    X(UP, "up")                                                                                    \
    X(DOWN, "down")                                                                                \
    X(BFLY, "bfly")                                                                                \
    X(IDX, "idx")                                                                                  \
    X(SYNC, "sync")                                                                                \
    X(ALIGNED, "aligned")                                                                          \
    /* state spaces */                                                                             \
    X(GLOBAL, "global")                                                                            \
    X(SHARED, "shared")                                                                            \
    X(SHARED_CTA, "shared::cta")                                                                   \
    X(SHARED_CLUSTER, "shared::cluster")                                                           \
    X(LOCAL, "local")                                                                              \
    X(CONST, "const")                                                                              \
    X(PARAM, "param")                                                                              \
    X(PARAM_ENTRY, "param::entry")                                                                 \
    X(PARAM_FUNC, "param::func")                                                                   \
    X(TO, "to")                                                                                    \
    /* memory order, scopes, caches */                                                             \
    X(WEAK, "weak")                                                                                \
    X(RELAXED, "relaxed")                                                                          \
    X(ACQUIRE, "acquire")                                                                          \
    X(RELEASE, "release")                                                                          \
    X(ACQ_REL, "acq_rel")                                                                          \
    X(SC, "sc")                                                                                    \
    X(VOLATILE, "volatile")                                                                        \
    X(MMIO, "mmio")                                                                                \
    X(NC, "nc")                                                                                    \
    X(CTA, "cta")                                                                                  \
    X(CLUSTER, "cluster")                                                                          \
    X(GPU, "gpu")                                                                                  \
    X(SYS, "sys")                                                                                  \
    X(GL, "gl")                                                                                    \
    X(CA, "ca")                                                                                    \
    X(CG, "cg")                                                                                    \
    X(CS, "cs")                                                                                    \
    X(LU, "lu")                                                                                    \
    X(CV, "cv")                                                                                    \
    X(WB, "wb")                                                                                    \
    X(WT, "wt")                                                                                    \
    X(L1_EVICT_NORMAL, "L1::evict_normal")                                                         \
    X(L1_EVICT_UNCHANGED, "L1::evict_unchanged")                                                   \
    X(L1_EVICT_FIRST, "L1::evict_first")                                                           \
    X(L1_EVICT_LAST, "L1::evict_last")                                                             \
    X(L1_NO_ALLOCATE, "L1::no_allocate")                                                           \
    X(L2_EVICT_NORMAL, "L2::evict_normal")                                                         \
    X(L2_EVICT_UNCHANGED, "L2::evict_unchanged")                                                   \
    X(L2_EVICT_FIRST, "L2::evict_first")                                                           \
    X(L2_EVICT_LAST, "L2::evict_last")                                                             \
    X(L2_CACHE_HINT, "L2::cache_hint")                                                             \
    X(L2_64B, "L2::64B")                                                                           \
    X(L2_128B, "L2::128B")                                                                         \
    X(L2_256B, "L2::256B")                                                                         \
    X(L1, "L1")                                                                                    \
    X(L2, "L2")                                                                                    \
    X(TENSORMAP, "tensormap")                                                                      \
    X(FRACTIONAL, "fractional")                                                                    \
    X(RANGE, "range")                                                                              \
    X(CVT, "cvt")                                                                                  \
    X(UNIFIED, "unified")                                                                          \
    X(V2, "v2")                                                                                    \
    X(V4, "v4")                                                                                    \
    X(V8, "v8")                                                                                    \
    /* fences */                                                                                   \
    X(PROXY, "proxy")                                                                              \
    X(ALIAS, "alias")                                                                              \
    X(ASYNC, "async")                                                                              \
    X(ASYNC_GENERIC, "async::generic")                                                             \
    X(TENSORMAP_GENERIC, "tensormap::generic")                                                     \
    X(MBARRIER_INIT, "mbarrier_init")                                                              \
    X(RESTRICT_SHARED_CTA, "sync_restrict::shared::cta")                                           \
    X(RESTRICT_SHARED_CLUSTER, "sync_restrict::shared::cluster")                                   \
    /* mbarriers and bulk operations */                                                            \
    X(EXPECT_TX, "expect_tx")                                                                      \
    X(NO_COMPLETE, "noComplete")                                                                   \
    X(PARITY, "parity")                                                                            \
    X(NOINC, "noinc")                                                                              \
    X(COMPLETE_TX_BYTES, "mbarrier::complete_tx::bytes")                                           \
    X(BULK_GROUP, "bulk_group")                                                                    \
    X(MULTICAST_CLUSTER, "multicast::cluster")                                                     \
    X(CP_MASK, "cp_mask")                                                                          \
    X(READ, "read")                                                                                \
    X(1D, "1d")                                                                                    \
    X(2D, "2d")                                                                                    \
    X(3D, "3d")                                                                                    \
    X(4D, "4d")                                                                                    \
    X(5D, "5d")                                                                                    \
    X(TILE, "tile")                                                                                \
    X(TILE_GATHER4, "tile::gather4")                                                               \
    X(TILE_SCATTER4, "tile::scatter4")                                                             \
    X(IM2COL, "im2col")                                                                            \
    X(IM2COL_W, "im2col::w")                                                                       \
    X(IM2COL_W_128, "im2col::w::128")                                                              \
    X(IM2COL_NO_OFFS, "im2col_no_offs")                                                            \
    X(CTA_GROUP_1, "cta_group::1")                                                                 \
    X(CTA_GROUP_2, "cta_group::2")                                                                 \
    /* fields of tensormap.replace */                                                              \
    X(GLOBAL_ADDRESS, "global_address")                                                            \
    X(RANK, "rank")                                                                                \
    X(BOX_DIM, "box_dim")                                                                          \
    X(GLOBAL_DIM, "global_dim")                                                                    \
    X(GLOBAL_STRIDE, "global_stride")                                                              \
    X(ELEMENT_STRIDE, "element_stride")                                                            \
    X(ELEMTYPE, "elemtype")                                                                        \
    X(INTERLEAVE_LAYOUT, "interleave_layout")                                                      \
    X(SWIZZLE_MODE, "swizzle_mode")                                                                \
    X(SWIZZLE_ATOMICITY, "swizzle_atomicity")                                                      \
    X(FILL_MODE, "fill_mode")                                                                      \
    /* matrices */                                                                                 \
    X(X1, "x1")                                                                                    \
    X(X2, "x2")                                                                                    \
    X(X4, "x4")                                                                                    \
    X(TRANS, "trans")                                                                              \
    X(ROW, "row")                                                                                  \
    X(COL, "col")                                                                                  \
    X(SP, "sp")                                                                                    \
    X(SP_ORDERED, "sp::ordered_metadata")                                                          \
    X(ACC_F16, "acc::f16")                                                                         \
    X(ACC_F32, "acc::f32")                                                                         \
    /* dependent launches */                                                                       \
    X(LAUNCH_DEPENDENTS, "launch_dependents")                                                      \
    X(WAIT, "wait")                                                                                \
    X(MASK, "mask")

enum tma_ptx_word {
#define TMA_PTX_WORD_ENUM(name, text) TMA_PTX_DOT_##name,
    TMA_PTX_WORDS(TMA_PTX_WORD_ENUM)
#undef TMA_PTX_WORD_ENUM
        TMA_PTX_WORD_COUNT,
    /* The shape of a matrix, m64n128k16 or m8n8 (k is 1): this bit, and the logarithms of m and k
     * and n as tma_ptx_shape_word packs them. */
    TMA_PTX_SHAPE = 0x8000
};

struct tma_ptx_shape {
    uint32_t m, n, k;
};

/* The word of a shape. m is 8, 16, 32 or 64; n a multiple of 8, up to 256; k a power of two, up to
 * 2^15. */
static inline uint16_t tma_ptx_shape_word(struct tma_ptx_shape shape) {
    uint32_t m = 0, k = 0;
    while (8u << m < shape.m)
        ++m;
    while (1u << k < shape.k)
        ++k;
    return (uint16_t)(TMA_PTX_SHAPE | m << 9 | (shape.n / 8 - 1) << 4 | k);
}

static inline struct tma_ptx_shape tma_ptx_word_shape(uint16_t word) {
    return (struct tma_ptx_shape){8u << (word >> 9 & 3), 8 * ((word >> 4 & 31u) + 1),
                                  1u << (word & 15)};
}

/* Opcodes: name and text, which includes the parts that decide the kind of instruction. The bar.X
 * are the barrier.X with `aligned`: the reader gives them this word, and drops the `cta` of
 * barrier.cta.X. Known instructions that are not executed (textures, video, matrix instructions
 * older than mma.m16n8, what sm_90a lacks) have no row here: they are TMA_PTX_UNKNOWN with a
 * message of their own. */
#define TMA_PTX_OPCODES(X)                                                                         \
    X(ABS, "abs")                                                                                  \
    X(ACTIVEMASK, "activemask")                                                                    \
    X(ADD, "add")                                                                                  \
    X(ADDC, "addc")                                                                                \
    X(AND, "and")                                                                                  \
    X(APPLYPRIORITY, "applypriority")                                                              \
    X(ATOM, "atom")                                                                                \
    X(BAR_WARP_SYNC, "bar.warp.sync")                                                              \
    X(BARRIER_ARRIVE, "barrier.arrive") /* and bar.arrive */                                       \
    X(BARRIER_RED, "barrier.red")       /* and bar.red */                                          \
    X(BARRIER_SYNC, "barrier.sync")     /* and bar.sync */                                         \
    X(BARRIER_CLUSTER_ARRIVE, "barrier.cluster.arrive")                                            \
    X(BARRIER_CLUSTER_WAIT, "barrier.cluster.wait")                                                \
    X(BFE, "bfe")                                                                                  \
    X(BFI, "bfi")                                                                                  \
    X(BFIND, "bfind")                                                                              \
    X(BMSK, "bmsk")                                                                                \
    X(BRA, "bra")                                                                                  \
    X(BREV, "brev")                                                                                \
    X(BRKPT, "brkpt")                                                                              \
    X(BRX_IDX, "brx.idx")                                                                          \
    X(CALL, "call")                                                                                \
    X(CLZ, "clz")                                                                                  \
    X(CNOT, "cnot")                                                                                \
    X(COPYSIGN, "copysign")                                                                        \
    X(COS, "cos")                                                                                  \
    X(CP_ASYNC, "cp.async")                                                                        \
    X(CP_ASYNC_COMMIT_GROUP, "cp.async.commit_group")                                              \
    X(CP_ASYNC_WAIT_GROUP, "cp.async.wait_group")                                                  \
    X(CP_ASYNC_WAIT_ALL, "cp.async.wait_all")                                                      \
    X(CP_ASYNC_MBARRIER_ARRIVE, "cp.async.mbarrier.arrive")                                        \
    X(CP_ASYNC_BULK, "cp.async.bulk")                                                              \
    X(CP_ASYNC_BULK_COMMIT_GROUP, "cp.async.bulk.commit_group")                                    \
    X(CP_ASYNC_BULK_WAIT_GROUP, "cp.async.bulk.wait_group")                                        \
    X(CP_ASYNC_BULK_PREFETCH, "cp.async.bulk.prefetch")                                            \
    X(CP_ASYNC_BULK_TENSOR, "cp.async.bulk.tensor")                                                \
    X(CP_ASYNC_BULK_PREFETCH_TENSOR, "cp.async.bulk.prefetch.tensor")                              \
    X(CP_REDUCE_ASYNC_BULK, "cp.reduce.async.bulk")                                                \
    X(CP_REDUCE_ASYNC_BULK_TENSOR, "cp.reduce.async.bulk.tensor")                                  \
    X(CREATEPOLICY, "createpolicy")                                                                \
    X(CVT, "cvt")                                                                                  \
    X(CVT_PACK, "cvt.pack")                                                                        \
    X(CVTA, "cvta")                                                                                \
    X(DISCARD, "discard")                                                                          \
    X(DIV, "div")                                                                                  \
    X(DP2A, "dp2a")                                                                                \
    X(DP4A, "dp4a")                                                                                \
    X(ELECT, "elect")                                                                              \
    X(EX2, "ex2")                                                                                  \
    X(EXIT, "exit")                                                                                \
    X(FENCE, "fence")                                                                              \
    X(FMA, "fma")                                                                                  \
    X(FNS, "fns")                                                                                  \
    X(GETCTARANK, "getctarank")                                                                    \
    X(GRIDDEPCONTROL, "griddepcontrol")                                                            \
    X(ISSPACEP, "isspacep")                                                                        \
    X(LD, "ld")                                                                                    \
    X(LDMATRIX, "ldmatrix")                                                                        \
    X(LDU, "ldu")                                                                                  \
    X(LG2, "lg2")                                                                                  \
    X(LOP3, "lop3")                                                                                \
    X(MAD, "mad")                                                                                  \
    X(MAD24, "mad24")                                                                              \
    X(MADC, "madc")                                                                                \
    X(MAPA, "mapa")                                                                                \
    X(MATCH, "match")                                                                              \
    X(MAX, "max")                                                                                  \
    X(MBARRIER_ARRIVE, "mbarrier.arrive")                                                          \
    X(MBARRIER_ARRIVE_DROP, "mbarrier.arrive_drop")                                                \
    X(MBARRIER_COMPLETE_TX, "mbarrier.complete_tx")                                                \
    X(MBARRIER_EXPECT_TX, "mbarrier.expect_tx")                                                    \
    X(MBARRIER_INIT, "mbarrier.init")                                                              \
    X(MBARRIER_INVAL, "mbarrier.inval")                                                            \
    X(MBARRIER_PENDING_COUNT, "mbarrier.pending_count")                                            \
    X(MBARRIER_TEST_WAIT, "mbarrier.test_wait")                                                    \
    X(MBARRIER_TRY_WAIT, "mbarrier.try_wait")                                                      \
    X(MEMBAR, "membar")                                                                            \
    X(MIN, "min")                                                                                  \
    X(MMA, "mma")                                                                                  \
    X(MOV, "mov")                                                                                  \
    X(MOVMATRIX, "movmatrix")                                                                      \
    X(MUL, "mul")                                                                                  \
    X(MUL24, "mul24")                                                                              \
    X(MULTIMEM_LD_REDUCE, "multimem.ld_reduce")                                                    \
    X(MULTIMEM_RED, "multimem.red")                                                                \
    X(MULTIMEM_ST, "multimem.st")                                                                  \
    X(NANOSLEEP, "nanosleep")                                                                      \
    X(NEG, "neg")                                                                                  \
    X(NOT, "not")                                                                                  \
    X(OR, "or")                                                                                    \
    X(PMEVENT, "pmevent")                                                                          \
    X(POPC, "popc")                                                                                \
    X(PREFETCH, "prefetch")                                                                        \
    X(PREFETCHU, "prefetchu")                                                                      \
    X(PRMT, "prmt")                                                                                \
    X(RCP, "rcp")                                                                                  \
    X(RED, "red")                                                                                  \
    X(RED_ASYNC, "red.async")                                                                      \
    X(REDUX, "redux")                                                                              \
    X(REM, "rem")                                                                                  \
    X(RET, "ret")                                                                                  \
    X(RSQRT, "rsqrt")                                                                              \
    X(SAD, "sad")                                                                                  \
    X(SELP, "selp")                                                                                \
    X(SET, "set")                                                                                  \
    X(SETMAXNREG, "setmaxnreg")                                                                    \
    X(SETP, "setp")                                                                                \
    X(SHF, "shf")                                                                                  \
    X(SHFL, "shfl")                                                                                \
    X(SHL, "shl")                                                                                  \
    X(SHR, "shr")                                                                                  \
    X(SIN, "sin")                                                                                  \
    X(SLCT, "slct")                                                                                \
    X(SQRT, "sqrt")                                                                                \
    X(ST, "st")                                                                                    \
    X(ST_ASYNC, "st.async")                                                                        \
    X(STACKRESTORE, "stackrestore")                                                                \
    X(STACKSAVE, "stacksave")                                                                      \
    X(ALLOCA, "alloca")                                                                            \
    X(STMATRIX, "stmatrix")                                                                        \
    X(SUB, "sub")                                                                                  \
    X(SUBC, "subc")                                                                                \
    X(SZEXT, "szext")                                                                              \
    X(TANH, "tanh")                                                                                \
    X(TENSORMAP_CP_FENCEPROXY, "tensormap.cp_fenceproxy")                                          \
    X(TENSORMAP_REPLACE, "tensormap.replace")                                                      \
    X(TESTP, "testp")                                                                              \
    X(TRAP, "trap")                                                                                \
    X(VOTE, "vote")                                                                                \
    X(WGMMA_COMMIT_GROUP, "wgmma.commit_group")                                                    \
    X(WGMMA_FENCE, "wgmma.fence")                                                                  \
    X(WGMMA_MMA_ASYNC, "wgmma.mma_async")                                                          \
    X(WGMMA_WAIT_GROUP, "wgmma.wait_group")                                                        \
    X(XOR, "xor")

enum tma_ptx_opcode {
    TMA_PTX_UNKNOWN,
#define TMA_PTX_OPCODE_ENUM(name, text) TMA_PTX_OP_##name,
    TMA_PTX_OPCODES(TMA_PTX_OPCODE_ENUM)
#undef TMA_PTX_OPCODE_ENUM
        TMA_PTX_OPCODE_COUNT
};

/* Special registers: name, text behind the %, bits. The numbered ones (envreg0 to 31, pm0 to 7,
 * pm0_64 to 7_64) are one each; the operand's `bits` have the number. */
#define TMA_PTX_SPECIALS(X)                                                                        \
    X(TID_X, "tid.x", 32)                                                                          \
    X(TID_Y, "tid.y", 32)                                                                          \
    X(TID_Z, "tid.z", 32)                                                                          \
    X(TID_W, "tid.w", 32) /* 0, as ctaid.w; 1 in ntid.w and its like */                            \
    X(NTID_X, "ntid.x", 32)                                                                        \
    X(NTID_Y, "ntid.y", 32)                                                                        \
    X(NTID_Z, "ntid.z", 32)                                                                        \
    X(NTID_W, "ntid.w", 32)                                                                        \
    X(CTAID_X, "ctaid.x", 32)                                                                      \
    X(CTAID_Y, "ctaid.y", 32)                                                                      \
    X(CTAID_Z, "ctaid.z", 32)                                                                      \
    X(CTAID_W, "ctaid.w", 32)                                                                      \
    X(NCTAID_X, "nctaid.x", 32)                                                                    \
    X(NCTAID_Y, "nctaid.y", 32)                                                                    \
    X(NCTAID_Z, "nctaid.z", 32)                                                                    \
    X(NCTAID_W, "nctaid.w", 32)                                                                    \
    X(CLUSTERID_X, "clusterid.x", 32)                                                              \
    X(CLUSTERID_Y, "clusterid.y", 32)                                                              \
    X(CLUSTERID_Z, "clusterid.z", 32)                                                              \
    X(CLUSTERID_W, "clusterid.w", 32)                                                              \
    X(NCLUSTERID_X, "nclusterid.x", 32)                                                            \
    X(NCLUSTERID_Y, "nclusterid.y", 32)                                                            \
    X(NCLUSTERID_Z, "nclusterid.z", 32)                                                            \
    X(NCLUSTERID_W, "nclusterid.w", 32)                                                            \
    X(CLUSTER_CTAID_X, "cluster_ctaid.x", 32)                                                      \
    X(CLUSTER_CTAID_Y, "cluster_ctaid.y", 32)                                                      \
    X(CLUSTER_CTAID_Z, "cluster_ctaid.z", 32)                                                      \
    X(CLUSTER_CTAID_W, "cluster_ctaid.w", 32)                                                      \
    X(CLUSTER_NCTAID_X, "cluster_nctaid.x", 32)                                                    \
    X(CLUSTER_NCTAID_Y, "cluster_nctaid.y", 32)                                                    \
    X(CLUSTER_NCTAID_Z, "cluster_nctaid.z", 32)                                                    \
    X(CLUSTER_NCTAID_W, "cluster_nctaid.w", 32)                                                    \
    X(CLUSTER_CTARANK, "cluster_ctarank", 32)                                                      \
    X(CLUSTER_NCTARANK, "cluster_nctarank", 32)                                                    \
    X(IS_EXPLICIT_CLUSTER, "is_explicit_cluster", 1)                                               \
    X(LANEID, "laneid", 32)                                                                        \
    X(WARPID, "warpid", 32)                                                                        \
    X(NWARPID, "nwarpid", 32)                                                                      \
    X(SMID, "smid", 32)                                                                            \
    X(NSMID, "nsmid", 32)                                                                          \
    X(GRIDID, "gridid", 64)                                                                        \
    X(LANEMASK_EQ, "lanemask_eq", 32)                                                              \
    X(LANEMASK_LE, "lanemask_le", 32)                                                              \
    X(LANEMASK_LT, "lanemask_lt", 32)                                                              \
    X(LANEMASK_GE, "lanemask_ge", 32)                                                              \
    X(LANEMASK_GT, "lanemask_gt", 32)                                                              \
    X(CLOCK, "clock", 32)                                                                          \
    X(CLOCK_HI, "clock_hi", 32)                                                                    \
    X(CLOCK64, "clock64", 64)                                                                      \
    X(GLOBALTIMER, "globaltimer", 64)                                                              \
    X(GLOBALTIMER_LO, "globaltimer_lo", 32)                                                        \
    X(GLOBALTIMER_HI, "globaltimer_hi", 32)                                                        \
    X(TOTAL_SMEM_SIZE, "total_smem_size", 32)                                                      \
    X(AGGR_SMEM_SIZE, "aggr_smem_size", 32)                                                        \
    X(DYNAMIC_SMEM_SIZE, "dynamic_smem_size", 32)                                                  \
    X(RESERVED_SMEM_OFFSET_BEGIN, "reserved_smem_offset_begin", 32)                                \
    X(RESERVED_SMEM_OFFSET_END, "reserved_smem_offset_end", 32)                                    \
    X(RESERVED_SMEM_OFFSET_CAP, "reserved_smem_offset_cap", 32)                                    \
    X(RESERVED_SMEM_OFFSET_0, "reserved_smem_offset_0", 32)                                        \
    X(RESERVED_SMEM_OFFSET_1, "reserved_smem_offset_1", 32)                                        \
    X(CURRENT_GRAPH_EXEC, "current_graph_exec", 64)                                                \
    X(ENVREG1, "envreg1", 32)                                                                      \
    X(ENVREG2, "envreg2", 32)                                                                      \
    X(ENVREG, "envreg", 32)                                                                        \
    X(PM, "pm", 32)                                                                                \
    X(PM_64, "pm_64", 64)

enum tma_ptx_special {
#define TMA_PTX_SPECIAL_ENUM(name, text, bits) TMA_PTX_SREG_##name,
    TMA_PTX_SPECIALS(TMA_PTX_SPECIAL_ENUM)
#undef TMA_PTX_SPECIAL_ENUM
        TMA_PTX_SPECIAL_COUNT
};

/* What a type is made of. */
struct tma_ptx_type_facts {
    const char *name;
    enum tma_ptx_class kind;
    uint16_t bits;    /* of the whole */
    uint8_t elements; /* 2 of f16x2 and its like, else 1 */
};

extern const struct tma_ptx_type_facts tma_ptx_types[TMA_PTX_TYPE_COUNT];

/* Names for messages. An unknown opcode's is "?". */
const char *tma_ptx_opcode_name(enum tma_ptx_opcode opcode);
const char *tma_ptx_word_name(enum tma_ptx_word word); /* not of a shape */
const char *tma_ptx_special_name(enum tma_ptx_special special);
uint32_t tma_ptx_special_bits(enum tma_ptx_special special);
