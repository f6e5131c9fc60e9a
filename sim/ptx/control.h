/* Branches, calls and ends. Internal to this folder. */
#pragma once

#include "ptx/execution_state.h"

/* bra: op->target. brx.idx: places[list] the index, places[list2] labels as constants. */
tma_handler tma_run_bra, tma_run_brx;
/* call: op->function; places[list], results and places[list2], arguments: pairs of (formal,
 * actual). */
tma_handler tma_run_call, tma_run_ret, tma_run_exit, tma_run_trap;
tma_handler tma_run_sleep;
/* An instruction that is not known, or not executed with these operands; tma_why_not says why, in
 * *text if its words depend on operands. */
tma_handler tma_run_unexecuted;
const char *tma_why_not(const struct tma_executor *launch, const struct tma_op *op, char *text,
                        size_t size);
/* alloca: d, where op->a bytes begin, at a multiple of op->immediate; op->b, where the free part of
 * the stack ends. */
tma_handler tma_run_alloca;
