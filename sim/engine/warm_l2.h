/* What is in the caches when a kernel starts. */
#ifndef TMA_ENGINE_WARM_L2_H
#define TMA_ENGINE_WARM_L2_H

#include "engine/grid.h"

/* Brings into L2 the lines that the same kernel, run just before, would have left there. */
void tma_warm_up(struct tma_simulation *simulation, const struct tma_grid *grid);

/* Brings the tensor maps into the caches in which they are when the kernel starts. */
void tma_leave_descriptors(struct tma_simulation *simulation);

#endif
