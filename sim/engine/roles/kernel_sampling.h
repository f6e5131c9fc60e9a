/* What sampling needs to know of a kernel with roles (sampling.h): what is skipped inside of CTAs
 * are iterations of the loops of their roles. */
#pragma once

#include "engine/roles/kernel_state.h"

/* The cut in the loops of roles; NULL where the run is simulated whole. */
static inline struct tma_loop_cut *tma_kernel_cut(struct tma_kernel_engine *engine) {
    return engine->simulation.sampling.sampler.marks != NULL ? &engine->cut : NULL;
}

/* Functions of the program. */
uint64_t tma_kernel_walk_bytes(const struct tma_simulation *simulation);
uint64_t tma_kernel_wave_window(const struct tma_simulation *simulation);
bool tma_kernel_plan_inside(struct tma_simulation *simulation, struct tma_sample_plan *plan);
uint64_t tma_kernel_cluster_progress(const struct tma_simulation *simulation, uint32_t cluster);
uint64_t tma_kernel_most_to_cut(const struct tma_simulation *simulation, uint32_t cluster,
                                uint64_t *last);
