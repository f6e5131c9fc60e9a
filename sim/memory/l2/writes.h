/* Writes and reductions at the home of their line, where they take effect: the step after a fill.
 * Internal to l2/. */
#pragma once

#include "memory/l2/slice.h"

/* A reduction that waited takes effect in `way` of its home (-1: none), which DRAM has filled. */
struct tma_handover tma_l2_reduce_filled(struct tma_core *core, struct tma_l2 *l2, uint32_t packet,
                                         int way, uint64_t cycle);
