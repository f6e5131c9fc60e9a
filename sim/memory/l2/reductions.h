/* Reductions at the home slice of their line. Internal to l2/. */
#ifndef TMA_MEMORY_L2_REDUCTIONS_H
#define TMA_MEMORY_L2_REDUCTIONS_H

#include "memory/l2/slice.h"

/* A reduction has passed the ports of its home at `done`. */
struct tma_handover tma_l2_reduce(struct tma_core *core, struct tma_l2 *l2, uint32_t packet,
                                  uint64_t done);

/* A reduction that waited takes effect in `way` of its home (-1: none), which DRAM has filled. */
struct tma_handover tma_l2_reduce_filled(struct tma_core *core, struct tma_l2 *l2, uint32_t packet,
                                         int way, uint64_t cycle);

#endif
