/* What ptxas makes of PTX: how many SASS instructions a warp issues for each PTX instruction, on
 * which pipe, and after how many cycles its result can be used. A static pass over the decoded
 * text; docs/lowering.md states its rules.
 *
 * The rules are those that the SASS of ptxas 13.0 for sm_90a shows. No weight is fitted to a
 * kernel. */
#pragma once

#include "base/error.h"
#include "ptx/decoded.h"
#include "ptx/execution.h"

/* Pipes of an SM: name, text in reports. */
#define TMA_PIPES(X)                                                                               \
    X(ALU, "alu")             /* logic, comparison, conversion to halves, IADD3, moves */          \
    X(FMA, "fma")             /* float32 and packed halves, IMAD that only moves or adds */        \
    X(FMA_HEAVY, "fma heavy") /* integer products: the half of the FMA pipe that has them */       \
    X(SFU, "sfu")             /* MUFU, conversions between integers and floats, popc, brev */      \
    X(FP64, "fp64")                                                                                \
    X(UNIFORM, "uniform") /* once for the warp: UIADD3, ULEA, R2UR, VOTEU, S2UR, ... */            \
    X(LSU, "lsu")         /* loads, stores, atomics, shuffles, mbarriers, special registers */     \
    X(TENSOR, "tensor")   /* HGMMA, HMMA, IMMA */                                                  \
    X(CONTROL, "control") /* branches, barriers, fences, TMA instructions, constants' loads */

enum tma_pipe {
#define TMA_PIPE_ENUM(name, text) TMA_PIPE_##name,
    TMA_PIPES(TMA_PIPE_ENUM)
#undef TMA_PIPE_ENUM
        TMA_PIPE_COUNT
};

/* The rules of the pass, each with a switch: name, key, what it does. Without a rule, its
 * instructions count as the PTX has them. */
#define TMA_LOWERING_RULES(X)                                                                      \
    X(CONSTANTS, "constants", "constants, parameters and moves are operands of what uses them")    \
    X(DEAD, "dead", "instructions whose results are not used go")                                  \
    X(COMMON, "common", "a value that was computed before in the block is not computed again")     \
    X(INVARIANT, "invariant", "what a loop does not change is computed once, before it")           \
    X(OFFSETS, "offsets", "additions of constants go into the offsets of loads and stores")        \
    X(FUSE, "fuse", "shift and add become LEA, product and sum IMAD, three addends IADD3")         \
    X(LOGIC, "logic", "trees of and, or, xor with up to three inputs become one LOP3")             \
    X(PREDICATES, "predicates", "comparisons take the predicate that they are combined with")      \
    X(CONTRACT, "contract", "float products and sums without a rounding become FFMA")              \
    X(STRENGTH, "strength", "products and quotients by constants become shifts and IMAD.HI")       \
    X(UNIFORM, "uniform", "values that are the same in all lanes go to the uniform pipe")          \
    X(EXPAND, "expand", "what SASS has no instruction for becomes its sequence")                   \
    X(ACCUMULATORS, "accumulators", "wgmma that ptxas cannot overlap is serialised (C7515)")       \
    X(SPILLS, "spills", "values beyond the registers of a thread go through local memory")

enum tma_lowering_rule {
#define TMA_LOWERING_ENUM(name, key, text) TMA_LOWERING_##name,
    TMA_LOWERING_RULES(TMA_LOWERING_ENUM)
#undef TMA_LOWERING_ENUM
        TMA_LOWERING_RULE_COUNT
};

const char *tma_pipe_name(enum tma_pipe pipe);
const char *tma_lowering_key(enum tma_lowering_rule rule);
const char *tma_lowering_text(enum tma_lowering_rule rule);

struct tma_sass;

/* All false: every rule is on. */
struct tma_lowering_options {
    bool off[TMA_LOWERING_RULE_COUNT];
    const struct tma_sass *sass; /* slots come from it; NULL: from the rules. Serialised products
                                    and spills are the rules' in either case */
};

/* One PTX instruction, in SASS. */
struct tma_lowered {
    uint8_t slots[TMA_PIPE_COUNT]; /* SASS instructions that a warp issues each time that it
                                      executes it; all 0: others have taken it in */
    uint8_t latency; /* cycles from its last issue until its result can be used; 0: it depends on
                        memory, on the SFU's scoreboard or on a barrier, and is the core's */
    uint8_t turn;    /* cycles until its warp can issue the next instruction, where its own loop
                        takes longer than its slots */
    bool uniform;    /* on the uniform path: once for the warp */
    bool polls;  /* it loads from global memory what its loop, which does nothing else, waits for */
    bool unread; /* an atomic whose result nothing reads: a reduction */
    bool serialised; /* wgmma, and a wait for it: ptxas leaves none in flight (C7515) */
    uint32_t reason; /* serialised: index of the instruction that defines an accumulator in between;
                        spilled: of the one with the most live registers; else UINT32_MAX */
    uint16_t spill_bytes; /* of a thread, stored to and loaded from local memory in its place */
};

/* What holds for the function. */
struct tma_lowered_function {
    uint32_t live_registers; /* 32-bit registers of a thread that are live at once, at most */
    uint32_t spilled;        /* of them, beyond what a thread may have */
};

/* SASS instructions that warps execute, in all and by the pipes that a profiler counts. */
struct tma_sass_counts {
    uint64_t instructions, alu, fma, xu, lsu;
};

/* Lowers a function of a module: lowered[i] for i in its instructions. `registers` of a thread as
 * the launch gives them; 0: as many as are live. `options` may be NULL: all rules; so may `whole`.
 * Fails with TMA_ERROR_MEMORY. */
enum tma_error_code tma_lower(const struct tma_ptx_module *module, uint32_t function,
                              uint32_t registers, const struct tma_lowering_options *options,
                              struct tma_lowered *lowered, struct tma_lowered_function *whole,
                              struct tma_error *error);

/* Lowers all functions of a module, and counts what a launch executed: `lines` has the executions
 * of each of the module's instructions. Fails with TMA_ERROR_MEMORY. */
enum tma_error_code tma_count_sass(const struct tma_ptx_module *module, uint32_t registers,
                                   const struct tma_lowering_options *options,
                                   const struct tma_ptx_line *lines, struct tma_sass_counts *counts,
                                   struct tma_error *error);
