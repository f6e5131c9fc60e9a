/* Sampling of a kernel with roles by steps: in every output tile the loops along K leave out most
 * of their steps (step_cut.h), and the time of those is added (step_clock.h). For a kernel of few
 * waves, which is never long enough for three windows of whole waves. Where roles wait for memory,
 * the run may stop: steps.refused. The caller then runs the kernel again without it. */
#ifndef TMA_ENGINE_KERNEL_STEPS_H
#define TMA_ENGINE_KERNEL_STEPS_H

#include "engine/kernel_state.h"

/* Plans it for a kernel whose grid is ready. *found is false where the kernel has no such loops, or
 * too many tiles. Returns false when out of memory. */
bool tma_kernel_steps_begin(struct tma_kernel_engine *engine, bool *found);
void tma_kernel_steps_free(struct tma_kernel_engine *engine);

/* Whether the run leaves steps out, and stops if roles wait for memory. */
bool tma_kernel_steps_tested(const struct tma_kernel_engine *engine);

/* Cuts the steps out of all loops: before the walk of the warm start, which goes through all tiles,
 * and before the run. */
void tma_kernel_steps_cut(struct tma_kernel_engine *engine, bool warm_start);

/* Before a CTA starts: whole rounds of a grid are left out when it comes to them. */
void tma_kernel_steps_next(struct tma_kernel_engine *engine);

/* A CTA has started, or has ended. */
void tma_kernel_steps_start(struct tma_kernel_cta *cta);
void tma_kernel_steps_stop(struct tma_kernel_cta *cta);

/* The role's cursor has begun another iteration of its loop, or has left it. */
void tma_kernel_steps_pass(struct tma_role_state *role);

/* Adds what was left out to the figures of the run, which has ended. */
void tma_kernel_steps_end(struct tma_kernel_engine *engine, struct tma_memory_counters *counters,
                          uint64_t units[TMA_TALLY_UNIT_COUNT]);

#endif
