/* Reads at a slice: the step after the data is known. Internal to l2/. */
#ifndef TMA_MEMORY_L2_READS_H
#define TMA_MEMORY_L2_READS_H

#include "memory/l2/slice.h"

/* Sends the data of a read back; the slice of the line's home has it at `ready`. */
void tma_read_deliver(struct tma_l2 *l2, uint32_t packet, uint64_t ready);

/* Fetches the second line of a read's 256-byte block, if the promotion policy says so. */
void tma_read_promote(struct tma_l2 *l2, uint32_t packet, uint64_t cycle);

#endif
