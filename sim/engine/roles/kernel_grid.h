/* The CTAs of a kernel on their SMs: where they run, and which one is next. */
#ifndef TMA_ENGINE_KERNEL_GRID_H
#define TMA_ENGINE_KERNEL_GRID_H

#include "engine/roles/kernel_state.h"

/* Makes SMs, clusters, CTAs, roles and rings. False when out of memory, or where the kernel does
 * not fit: then the simulation has the error. */
bool tma_kernel_grid_create(struct tma_kernel_engine *engine);
void tma_kernel_grid_free(struct tma_kernel_engine *engine);

/* program->start and end_cycle: CTAs get tiles that they have asked for at the end of a cycle. */
void tma_kernel_start_cta(struct tma_cta *cta);
void tma_kernel_end_cycle(struct tma_simulation *simulation, uint64_t now);

#endif
