/* Banks: the commands that open and close rows, and when a bank takes them. Internal to dram/. */
#ifndef TMA_MEMORY_DRAM_BANK_H
#define TMA_MEMORY_DRAM_BANK_H

#include "memory/dram/state.h"

/* Opens a row of a bank, from `ticks` on: once the bank has closed its last row (tRP after tRAS and
 * after that row's last access), at least tRRD from the channel's other activations, and after a
 * refresh that would close the row before its first access. The row takes column commands tRCD
 * later, from opened_ticks on. */
void tma_dram_activate(struct tma_dram *dram, struct tma_dram_channel *channel, uint32_t bank,
                       uint64_t row, uint64_t ticks);

#endif
