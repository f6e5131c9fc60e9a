/* What the rules of lowering ask about a function: who defines and who uses a register, which
 * values are constant or the same in all lanes, blocks and loops. Internal to this folder. */
#pragma once

#include "core/lowering.h"

enum { TMA_LOWERING_NONE = UINT32_MAX };

/* A register of the function. */
struct tma_lowering_value {
    uint32_t definitions;          /* instructions that write it */
    uint32_t definition;           /* the only one, or the first */
    uint32_t first_use, use_count; /* in facts->uses: instructions, once for each operand */
    uint32_t copy_of;              /* register whose value it always has; its own number: none */
    bool constant;                 /* it always has the value `bits` */
    bool uniform;                  /* the same in all lanes of a warp */
    uint64_t bits;
    uint32_t inside;   /* of its definitions, in the part of the function that is looked at */
    uint32_t possible; /* bits of the low word that can be set */
};

struct tma_lowering_block {
    uint32_t first, end; /* instructions */
    uint32_t loop;       /* index of the innermost loop around it; TMA_LOWERING_NONE */
    bool divergent;      /* lanes of a warp may be in different places here */
};

struct tma_lowering_loop {
    uint32_t first, end; /* instructions: from the target of its last branch back, to behind that */
    uint32_t outer;      /* loop around it */
};

struct tma_lowering_facts {
    const struct tma_ptx_module *module;
    const struct tma_ptx_function *function;
    const struct tma_ptx_instruction *code; /* of the function; all indices count from here */
    uint32_t count, value_count, block_count, loop_count;
    struct tma_lowering_value *values;
    uint32_t *registers;      /* of all instructions: those written, then those read */
    uint32_t *first_register; /* count + 1 */
    uint16_t *written;        /* how many of them are written */
    uint32_t *uses;
    uint32_t *block_of;
    struct tma_lowering_block *blocks;
    struct tma_lowering_loop *loops;
    bool *dead; /* its result is not used */
};

/* Fails with TMA_ERROR_MEMORY. Call tma_lowering_facts_free in either case. */
enum tma_error_code tma_lowering_facts_create(const struct tma_ptx_module *module,
                                              uint32_t function,
                                              const struct tma_lowering_options *options,
                                              struct tma_lowering_facts *facts,
                                              struct tma_error *error);
void tma_lowering_facts_free(struct tma_lowering_facts *facts);

/* Marks the labels that an instruction names: starts[], by instruction of its function, which has
 * so many. */
void tma_lowering_mark_labels(const struct tma_ptx_module *module,
                              const struct tma_ptx_instruction *instruction, uint32_t count,
                              bool *starts);

/* Where a branch goes; TMA_LOWERING_NONE: it is none, or goes to a label of a register. */
uint32_t tma_lowering_target(const struct tma_lowering_facts *facts, uint32_t instruction);

/* The blocks that may come after a block, but for those of brx.idx. Returns how many. */
uint32_t tma_lowering_successors(const struct tma_lowering_facts *facts, uint32_t block,
                                 uint32_t next[2]);

/* Does it do more than write registers? */
bool tma_lowering_has_effect(const struct tma_ptx_instruction *instruction);

/* Does its result depend on which lanes execute it together? */
bool tma_lowering_is_convergent(const struct tma_ptx_instruction *instruction);

/* The register of operand k, copies seen through; TMA_LOWERING_NONE: it is no register. */
uint32_t tma_lowering_register(const struct tma_lowering_facts *facts, uint32_t instruction,
                               uint32_t k);

/* Is operand k a constant, and which? */
bool tma_lowering_constant(const struct tma_lowering_facts *facts, uint32_t instruction, uint32_t k,
                           uint64_t *bits);

static inline const struct tma_ptx_operand *
tma_lowering_operand(const struct tma_lowering_facts *facts, uint32_t instruction, uint32_t k) {
    return &facts->module->operands[facts->code[instruction].operands + k];
}

/* The only instruction that defines a register; TMA_LOWERING_NONE: there are several, or it is a
 * parameter. */
static inline uint32_t tma_lowering_definition(const struct tma_lowering_facts *facts,
                                               uint32_t number) {
    return number != TMA_LOWERING_NONE && facts->values[number].definitions == 1
               ? facts->values[number].definition
               : TMA_LOWERING_NONE;
}

/* Registers of a function: what is live where, what does not fit, and wgmma that ptxas cannot
 * overlap because of who writes its accumulators. */

/* Marks the wgmma that ptxas serialises (its note C7515), with the reason. Are there any? */
bool tma_lowering_serialise(const struct tma_lowering_facts *facts, struct tma_lowered *lowered);

/* Counts the registers that are live at once, and spills what exceeds `limit`. A register counts
 * where `in_file` says so. Fails with TMA_ERROR_MEMORY. */
enum tma_error_code tma_lowering_spill(const struct tma_lowering_facts *facts, const bool *in_file,
                                       uint32_t limit, struct tma_lowered *lowered,
                                       struct tma_lowered_function *whole, struct tma_error *error);

/* Which registers are live where the block of an instruction begins: live[number]. Fails with
 * TMA_ERROR_MEMORY. */
enum tma_error_code tma_lowering_live(const struct tma_lowering_facts *facts, uint32_t instruction,
                                      bool *live, struct tma_error *error);

/* The SASS sequences of single PTX instructions. */

/* The sequence of an instruction by itself, as a text with one letter for each SASS instruction:
 * a ALU, f FMA, h FMA heavy, s SFU, d FP64, u uniform, l LSU, t tensor, c control, m a move, shift
 * or sum that ALU or FMA can do. With `uniform`, that on the uniform path, or NULL if it has none
 * there. */
const char *tma_lowering_sequence(const struct tma_lowering_facts *facts, uint32_t instruction,
                                  bool uniform, bool expand);

/* The pipe of a letter, which is not m. */
enum tma_pipe tma_lowering_pipe(char letter);

/* Adds a sequence. `movable` is the letter that m stands for. */
void tma_lowering_add(struct tma_lowered *lowered, const char *sequence, char movable);

/* Cycles until the result of a pipe of fixed latency can be used; 0: it is not fixed. */
uint8_t tma_lowering_latency(enum tma_pipe pipe);
