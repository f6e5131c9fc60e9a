/* The misses of a slice. A slice has room for so many sectors that it waits for: from DRAM, and,
 * apart from those, from the other partition. Reads leave a slice in the order in which it looked
 * them up. One that lacks sectors while there is no room waits, and those behind it wait too,
 * whether L2 has their lines or not. Internal to l2/. */
#pragma once

#include "memory/l2/slice.h"

/* Whether reads wait to leave a slice. */
static inline bool tma_misses_wait(const struct tma_slice *slice) {
    return slice->leaving.count > 0;
}

/* A read of an SM leaves the slice of the SM's partition at `cycle`: to DRAM or to the home in the
 * other partition, if there is room for what it lacks, or as a response. */
struct tma_handover tma_misses_leave(struct tma_core *core, struct tma_l2 *l2, uint32_t packet,
                                     enum tma_destination destination, uint64_t cycle);

/* What a read lacked has arrived at `cycle`: a fill, or else a copy. Reads that waited for room go
 * on. */
void tma_misses_end(struct tma_core *core, struct tma_l2 *l2, uint32_t packet, bool copy,
                    uint64_t cycle);
