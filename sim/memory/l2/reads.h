/* Reads at a slice: the step after a fill. Internal to l2/. */
#ifndef TMA_MEMORY_L2_READS_H
#define TMA_MEMORY_L2_READS_H

#include "memory/l2/slice.h"

/* DRAM has delivered the sectors that a read lacked; the home has them at `ready`. Sends the data
 * back, and fetches the second line of the 256-byte block if the promotion policy says so. */
struct tma_handover tma_read_filled(struct tma_core *core, struct tma_l2 *l2, uint32_t packet,
                                    uint64_t ready);

#endif
