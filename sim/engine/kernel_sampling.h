/* Sampling of a kernel with roles. What is skipped is CTAs of a grid that has many waves of them:
 * the number of the next CTA jumps ahead. Where all CTAs run at once, it is iterations of the loops
 * of their roles (sampled_loops.h), in all CTAs the same: a loop jumps ahead when it comes to the
 * first of them. All else stays as it is: rings, barriers, what is in flight, what L2 holds. */
#ifndef TMA_ENGINE_KERNEL_SAMPLING_H
#define TMA_ENGINE_KERNEL_SAMPLING_H

#include "engine/kernel_state.h"

/* The cut in the loops of roles; NULL where the run is simulated whole. */
static inline struct tma_loop_cut *tma_kernel_cut(struct tma_kernel_engine *engine) {
    return engine->sampling.sampler.marks != NULL ? &engine->sampling.cut : NULL;
}

/* Plans the sampling of a kernel whose grid is ready. False when out of memory. */
bool tma_kernel_sampling_begin(struct tma_kernel_engine *engine, enum tma_sampling sampling);
void tma_kernel_sampling_free(struct tma_kernel_engine *engine);

/* Before the run: leaves only the last `rounds` waves of CTAs, or iterations of loops, of a sampled
 * kernel, and the first ones of loops. Returns false where that is all of it. UINT64_MAX brings all
 * of it back. */
bool tma_kernel_sampling_leave(struct tma_kernel_engine *engine, uint64_t rounds);

/* An operation has completed at `cycle`: looks whether some of the run can be skipped. */
void tma_kernel_sampling_look(struct tma_kernel_engine *engine, uint64_t cycle);

/* Adds what was skipped to the figures of the run, which has ended, and to the busy ticks of the
 * units, before tma_account_run. */
void tma_kernel_sampling_end(struct tma_kernel_engine *engine, struct tma_memory_counters *counters,
                             uint64_t units[TMA_TALLY_UNIT_COUNT]);

/* Adds up the busy ticks of the units of all SMs. */
void tma_kernel_unit_ticks(const struct tma_kernel_engine *engine,
                           uint64_t units[TMA_TALLY_UNIT_COUNT]);

#endif
