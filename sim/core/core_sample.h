/* Sampling of a launch: what repeats is left out, and its time added (docs/sampling.md). Where a
 * grid has many waves, whole CTAs are; else iterations of loops whose registers go on by the same
 * steps. A loop jumps ahead in all warps of a cluster at the same iteration: rings, mbarriers and
 * operations in flight stay as they are. Internal to this folder. */
#pragma once

#include "core/core_sm.h"

struct tma_core_sampling;

/* Prepares the sampling of a run whose places there are, if it has about `from` warp instructions.
 * Fails with TMA_ERROR_MEMORY. */
enum tma_error_code tma_core_sample_create(struct tma_core_run *run, uint64_t from,
                                           struct tma_error *error);
void tma_core_sample_free(struct tma_core_run *run);

/* A cluster begins in a place, or has ended there. */
void tma_core_sample_begin(struct tma_core_run *run, struct tma_core_cluster *place);
void tma_core_sample_end(struct tma_core_run *run, struct tma_core_cluster *place);

/* A warp branches, at `cycle`, from `instruction` to `next`, which may be the one behind it. */
void tma_core_sample_branch(struct tma_core_run *run, struct tma_core_warp *warp,
                            uint32_t instruction, uint32_t next, uint64_t cycle);

/* Looks, between two windows, whether CTAs of the grid can be left out. */
void tma_core_sample_look(struct tma_core_run *run, uint64_t cycle);

/* Adds what was left out to the figures of a run that has ended. */
void tma_core_sample_finish(struct tma_core_run *run, struct tma_ptx_result *executed);
