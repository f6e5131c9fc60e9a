/* Where DRAM has a line: channel, bank and row. A row has blocks of 256 bytes (slice_hash.h), and a
 * unit of four blocks is spread over as many banks:
 *
 *   bits of a block's number   what they choose
 *   0, 1                       bank and channel
 *   2 to 4                     bank and channel
 *   5, 6                       column: which blocks of a row these are
 *   7 and up                   row; exclusive-ors of them change bank and channel
 *
 * So what follows each other lies in different banks, and no pitch keeps to few of them. On an H200
 * two lines of a slice were loaded at the same time, 650 thousand times: in one bank with different
 * rows, the second comes 97 cycles later (docs/fidelity-parameters.md). */
#pragma once

#include "memory/dram/state.h"

/* Fills in what tma_dram_place_of looks up. */
void tma_dram_prepare_places(struct tma_dram *dram);

/* The place of the first line of a block of L2 slice `slice`, counted over all partitions. `block`
 * is what the slice hash gives. */
struct tma_dram_place tma_dram_place_of(const struct tma_dram *dram, uint32_t slice,
                                        uint64_t block);
