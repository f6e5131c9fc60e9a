/* Handlers of instructions that access memory. Internal to this folder. */
#pragma once

#include "ptx/execution_state.h"

/* ld, st: places[list] are the registers of the vector, op->a is the address's base. */
tma_handler tma_run_ld, tma_run_st;
/* atom, red: places[list] the old values (none of red), places[list2] the operands; op->c what cas
 * stores. op->mode: the word of the operation. */
tma_handler tma_run_atom;
/* prefetch, discard and the like: the address is checked. */
tma_handler tma_run_touch;

/* The new value of a word of memory: `operation` is the word of the instruction (add, min, ...).
 * Sums keep subnormal numbers, as those of shared memory and of bulk copies. */
uint64_t tma_atomic_value(enum tma_ptx_word operation, enum tma_ptx_type type, uint64_t old,
                          uint64_t operand, uint64_t other);

/* Counts the sectors of an access to global memory of `bytes` bytes in each lane. */
void tma_count_global(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes,
                      const uint64_t address[32], uint32_t bytes);
