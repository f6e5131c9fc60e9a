/* Registers of a function: what is live where, what does not fit, and wgmma that ptxas cannot
 * overlap because of who writes its accumulators. Internal to this folder. */
#pragma once

#include "core/lowering_facts.h"

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
