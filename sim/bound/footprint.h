/* The bytes of tensors that a kernel reads at least once. Internal to sim/bound. */
#ifndef TMA_BOUND_FOOTPRINT_H
#define TMA_BOUND_FOOTPRINT_H

#include "bound/program_work.h"

/* Returns the bytes of global memory that all CTAs together load, each counted once, as far as the
 * loops show; less where they do not. Tensors that the kernel also writes do not count. */
uint64_t tma_footprint_bytes(const struct tma_work_walk *walk);

#endif
