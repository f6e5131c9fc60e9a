/* Prepares a launch: each instruction that its kernel can reach gets a handler and the places of
 * its operands. Internal to this folder. */
#pragma once

#include "ptx/execution_state.h"

/* Fills the prepared members of *launch. Fails with TMA_ERROR_ARGUMENT or TMA_ERROR_MEMORY. */
enum tma_error_code tma_prepare(struct tma_executor *launch);

/* Sets the special registers, and the addresses of shared variables, of a warp that begins. */
void tma_set_specials(struct tma_warp *warp);
/* Sets the registers that show clocks. */
void tma_set_clocks(struct tma_warp *warp);
