/* Rings of stages in a CTA that runs: arrivals on their mbarriers, and the roles that they wake. */
#pragma once

#include "engine/roles/kernel_state.h"

/* A CTA starts: all of its stages are empty. */
void tma_rings_start(struct tma_kernel_cta *cta);

/* A role that fills a stage expects bytes in it; with `arrives` it also arrives, at `cycle`. */
void tma_stage_expect(struct tma_kernel_cta *cta, uint32_t ring, uint32_t stage, int64_t bytes,
                      bool arrives, uint64_t cycle);

/* A load that completes on phase `phase` of the stage's full mbarrier has been issued. */
void tma_stage_load(struct tma_kernel_cta *cta, uint32_t ring, uint32_t stage, uint64_t phase);

/* Bytes of such a load are in the stage at `cycle`. Where the phase expects fewer than its loads
 * have, the run ends with TMA_ERROR_DEADLOCK. */
void tma_stage_complete(struct tma_kernel_cta *cta, uint32_t ring, uint32_t stage, uint64_t phase,
                        uint64_t bytes, uint64_t cycle);

/* A role that has used a stage arrives on its empty mbarrier, at `cycle`. */
void tma_stage_release(struct tma_kernel_cta *cta, uint32_t ring, uint32_t stage, uint64_t cycle);

static inline struct tma_stage *tma_stage_of(const struct tma_kernel_cta *cta, uint32_t ring,
                                             uint32_t stage) {
    return &cta->rings[ring].stages[stage];
}
