/* A place for a CTA on an SM, and the cluster of places that it belongs to. Both structs are
 * reused: when a CTA has ended, the next one of the grid runs there. A program's own struct of a
 * CTA begins with struct tma_cta (program.h). */
#pragma once

#include "engine/observe/tracer.h"
#include "engine/sm.h"

struct tma_simulation;

/* Iterations that a sampled run cuts out of the loops of a cluster's CTAs. */
struct tma_loop_gap {
    uint64_t after; /* the last iteration before the cut, as the loop has counted them from 0 */
    uint64_t by;    /* iterations that are left out; 0: none yet */
};

/* Places whose CTAs start together, on SMs of one GPC; without clusters, a single place. */
struct tma_cluster {
    uint32_t first_place;  /* of rank 0; the others follow it */
    uint32_t running_ctas; /* CTAs that have not ended; 0: the cluster is free */
    uint64_t free_cycle;   /* from which its next CTAs may start */
    struct tma_loop_gap gap;
    uint64_t left_out; /* iterations so far */
};

struct tma_cta {
    struct tma_simulation *simulation;
    struct tma_cluster *cluster;
    struct tma_sm *sm;
    uint32_t place;          /* number of the place in the run */
    uint32_t rank;           /* of the CTA in its cluster */
    uint32_t number;         /* of the CTA in the grid */
    uint32_t running_actors; /* that have not ended */
    uint32_t in_flight;      /* operations that the CTA stays for */
    uint64_t start_cycle;
    uint64_t end_cycle; /* of what has ended last, so far */
};

/* Makes the places of a run, with CTA i of the first wave on sms[i], and the clusters of
 * `cluster_ctas` places each. A CTA has `warps` warps, and `actors` state machines of the program.
 * False when out of memory: the caller then frees the simulation all the same. */
bool tma_places_create(struct tma_simulation *simulation, const uint32_t *sms, uint32_t count,
                       uint32_t cluster_ctas, uint32_t warps, uint32_t actors);
void tma_places_free(struct tma_simulation *simulation);

/* The place of that number. */
struct tma_cta *tma_cta_at(const struct tma_simulation *simulation, uint32_t place);

/* The CTA of that rank in the same cluster. */
struct tma_cta *tma_cta_peer(const struct tma_cta *cta, uint32_t rank);

/* The CTA ends at `cycle` or later. */
static inline void tma_cta_extend(struct tma_cta *cta, uint64_t cycle) {
    if (cycle > cta->end_cycle)
        cta->end_cycle = cycle;
}

/* One of its state machines has ended. With the last one, and the last operation that the CTA stays
 * for, the CTA ends, and with the last CTA its cluster becomes free. */
void tma_cta_end_actor(struct tma_cta *cta);

/* An operation that the CTA stayed for has completed at `cycle`. */
void tma_cta_end_operation(struct tma_cta *cta, uint64_t cycle);

/* The scheduler starts the grid's CTAs, in order of their numbers, on clusters that are free.
 * Clusters that become free in the same cycle get CTAs in order of their place. The scheduler
 * therefore acts at the end of a cycle, when it knows all of them. After the last CTA the
 * simulation is finished. */
struct tma_wait tma_schedule_ctas(struct tma_simulation *simulation, uint64_t now);

/* Where an event of slot or role `slot` of the CTA happens. */
static inline struct tma_event_source tma_cta_event_source(const struct tma_cta *cta,
                                                           uint32_t slot) {
    return (struct tma_event_source){cta->sm->number, cta->number, slot};
}
