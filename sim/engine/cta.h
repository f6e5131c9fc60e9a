/* A CTA on its SM, and the cluster that it belongs to. Both structs are reused: when a CTA has
 * ended, the next one of the grid runs there. */
#ifndef TMA_ENGINE_CTA_H
#define TMA_ENGINE_CTA_H

#include "engine/simulation.h"

struct tma_slot;

/* CTAs that start together, on SMs of one GPC; without clusters, a single CTA. */
struct tma_cluster {
    struct tma_cta *ctas; /* by rank */
    uint32_t cta_count;
    uint32_t running_ctas; /* CTAs that have not ended; 0: the cluster is free */
    uint64_t launch_cycle; /* earliest cycle at which its first CTAs start */
    uint32_t scheduler;    /* actor to signal when the cluster becomes free */
};

/* Iterations that the slots of a CTA leave out in a sampled run. */
struct tma_iteration_cut {
    uint32_t after; /* the last iteration before them */
    uint32_t by;    /* how many; 0: none */
};

struct tma_cta {
    struct tma_simulation *simulation;
    struct tma_cluster *cluster;
    struct tma_sm *sm;
    struct tma_slot *slots; /* as many as the workload's depth */
    uint32_t number;        /* of the CTA in the grid */
    uint32_t rank;          /* of the CTA in its cluster */
    uint32_t running_slots; /* slots that have not filled their last stage */
    uint64_t start_cycle;
    uint64_t end_cycle;         /* last completion, or end of a consumer, so far */
    uint64_t expect_bytes;      /* that each stage of this CTA completes on its mbarrier */
    uint32_t expect_operations; /* of a stage, those whose bytes this CTA gets */
    uint16_t receivers;         /* bit mask of ranks that get what this CTA loads by multicast */
    uint16_t issuers;           /* bit mask of ranks that load for this CTA by multicast */
    struct tma_iteration_cut cut;
    uint64_t releasing; /* bit mask of slots whose release waits for loads (cluster.h) */
};

/* Starts CTA number `number` here at `cycle`, on its first `slots` slots. The caller starts those.
 */
void tma_cta_start(struct tma_cta *cta, uint32_t number, uint32_t slots, uint64_t cycle);

/* Notes that a slot or a consumer of the CTA ended at `cycle`: the CTA ends at that cycle or later.
 */
static inline void tma_cta_extend(struct tma_cta *cta, uint64_t cycle) {
    if (cycle > cta->end_cycle)
        cta->end_cycle = cycle;
}

/* A slot is done with its last stage. With its last slot the CTA ends, and with the last CTA its
 * cluster becomes free. */
void tma_cta_end_slot(struct tma_cta *cta);

/* Where a slot's events happen. */
static inline struct tma_event_source tma_cta_event_source(const struct tma_cta *cta,
                                                           uint32_t slot) {
    return (struct tma_event_source){cta->sm->number, cta->number, slot};
}

#endif
