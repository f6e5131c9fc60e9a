/* Sampling of a workload. What is skipped is CTAs of a grid that has many waves of them: the number
 * of the next CTA jumps ahead. Where all CTAs run at once, it is iterations: each slot leaves out
 * the same ones, when it comes to the first of them. All else stays as it is. */
#ifndef TMA_ENGINE_SLOT_SAMPLING_H
#define TMA_ENGINE_SLOT_SAMPLING_H

#include "engine/cta_scheduler.h"
#include "engine/sample_shares.h"
#include "engine/sampler.h"

struct tma_slot_sampling {
    struct tma_simulation *simulation;
    const struct tma_grid *grid;
    struct tma_cta_scheduler *scheduler;
    struct tma_sampler sampler; /* without marks: the run is simulated whole */
    bool skips_ctas;            /* its units are CTAs; else operations of whole iterations */
    uint64_t operations;        /* of an iteration, in all CTAs */
    uint64_t walk_bytes;
    struct tma_sample_shares shares; /* of clusters, in iterations */
    uint64_t *left_out;              /* owned: iterations so far, by cluster */
};

/* Plans the sampling of a workload whose grid and scheduler are ready. False when out of memory. */
bool tma_slot_sampling_begin(struct tma_slot_sampling *sampling, enum tma_sampling mode,
                             struct tma_simulation *simulation, const struct tma_grid *grid,
                             struct tma_cta_scheduler *scheduler);
void tma_slot_sampling_free(struct tma_slot_sampling *sampling);

/* An operation has completed at `cycle`: looks whether some of the run can be skipped. */
void tma_slot_sampling_look(struct tma_slot_sampling *sampling, uint64_t cycle);

/* Adds what was skipped to the figures of the run, which has ended, before tma_account_run. */
void tma_slot_sampling_end(const struct tma_slot_sampling *sampling,
                           struct tma_memory_counters *counters);

#endif
