/* What is in the caches when a kernel with roles starts. */
#ifndef TMA_ENGINE_KERNEL_WARM_START_H
#define TMA_ENGINE_KERNEL_WARM_START_H

#include "engine/kernel_state.h"

/* Brings the tensor maps into the caches in which they are when the kernel starts; and, unless the
 * kernel starts cold, into L2 the lines that the same kernel, run just before, would have left. */
void tma_kernel_warm_start(struct tma_kernel_engine *engine);

#endif
