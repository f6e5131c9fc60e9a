/* The SASS sequences of single PTX instructions. Internal to this folder. */
#pragma once

#include "core/lowering_facts.h"

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
