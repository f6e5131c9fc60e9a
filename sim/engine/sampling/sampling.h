/* Sampling of a run (docs/sampling.md). What is skipped is CTAs of a grid that has many waves of
 * them: the number of the next CTA jumps ahead. Where all CTAs run at once, it is output tiles that
 * CTAs take from a counter, which jumps ahead; or iterations of their loops, in all CTAs of a
 * cluster the same: a loop leaves them out when it comes to the first of them. All else stays as it
 * is: mbarriers, barriers, what is in flight, what L2 holds. */
#pragma once

#include "engine/sampling/sampler.h"

struct tma_simulation;
struct tma_accounting;
struct tma_sample_plan;

/* The program's part. */
struct tma_sampled_program {
    /* What one walk over its tensors moves. */
    uint64_t (*walk_bytes)(const struct tma_simulation *simulation);
    /* The shortest window where CTAs are skipped, in CTAs. */
    uint64_t (*wave_window)(const struct tma_simulation *simulation);
    /* Plans what is skipped inside of CTAs: the plan's units, and below the marked members of the
     * state; `total` 0: nothing can be. False when out of memory. */
    bool (*plan_inside)(struct tma_simulation *simulation, struct tma_sample_plan *plan);
    /* How far a cluster is, in any unit, without what was left out. */
    uint64_t (*cluster_progress)(const struct tma_simulation *simulation, uint32_t cluster);
    /* How many iterations can be left out of a cluster's loops behind `last`, the last one that one
     * of them has begun; 0: none now. */
    uint64_t (*most_to_cut)(const struct tma_simulation *simulation, uint32_t cluster,
                            uint64_t *last);
};

/* All 0: the run is not sampled. */
struct tma_sampling_state {
    bool on;
    bool inside_ctas;           /* what is skipped are parts of CTAs that go on */
    struct tma_sampler sampler; /* without marks: the run is simulated whole */
    uint64_t walk_bytes;
    struct tma_sample_shares shares; /* of clusters */

    /* Filled in by plan_inside. */
    uint64_t *counter; /* that jumps ahead; NULL: loops are cut */
    const uint64_t *progress;
    uint64_t iteration_units;  /* units of an iteration in all CTAs */
    uint64_t granule;          /* iterations that are left out are a multiple of this */
    uint64_t least_iterations; /* of a loop, in any CTA */
};

/* Plans the sampling of a run whose places there are. False when out of memory. */
bool tma_sampling_begin(struct tma_simulation *simulation, enum tma_sampling mode);
void tma_sampling_free(struct tma_sampling_state *sampling);

/* Before the run: leaves only the last `rounds` waves of CTAs, or iterations of loops, of a sampled
 * run, and the first ones of loops. Returns false where that is all of it. UINT64_MAX brings all of
 * it back. */
bool tma_sampling_leave(struct tma_simulation *simulation, uint64_t rounds);

/* An operation has completed at `cycle`: looks whether some of the run can be skipped. */
void tma_sampling_look(struct tma_simulation *simulation, uint64_t cycle);

/* CTAs that were skipped. */
uint64_t tma_sampling_skipped_ctas(const struct tma_sampling_state *sampling);

/* Adds what was skipped to the figures of the run, which has ended, and to the busy ticks of the
 * units, before tma_account_run. */
void tma_sampling_end(struct tma_simulation *simulation, struct tma_memory_counters *counters,
                      uint64_t units[TMA_TALLY_UNIT_COUNT]);
