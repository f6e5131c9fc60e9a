/* One run while it lasts. Internal to engine/.
 *
 * Actors: one for the memory system (the keeper), one for each SM in use, one for each pipeline
 * slot of an SM. A slot issues its stage's operations, waits for its mbarrier, consumes, and does
 * so again; an SM hands CTAs to its slots, one after the other. The keeper lets time pass in the
 * memory system, in windows within which no issue can change what happens, and completes what
 * arrives on the mbarriers at its cycle. */
#ifndef TMA_ENGINE_SIMULATION_H
#define TMA_ENGINE_SIMULATION_H

#include <simgrid/semaphore.h>

#include "engine/event_order.h"
#include "engine/histogram.h"
#include "engine/run.h"
#include "memory/core/port.h"
#include "memory/system.h"

struct simulation;

/* An mbarrier of a pipeline slot (PTX: mbarrier.arrive.expect_tx, complete_tx). */
struct mbarrier {
    uint64_t expected_bytes; /* of the current phase */
    uint64_t arrived_bytes;
    uint64_t phase; /* how many it has completed */
    bool awaited;   /* its slot waits */
    sg_sem_t completed;
};

struct slot {
    struct simulation *simulation;
    struct sm *sm;
    uint32_t index;      /* in its SM */
    sg_sem_t start;      /* a CTA has come */
    uint32_t iteration;  /* of the CTA: which stage it fills */
    uint32_t pending;    /* operations of the stage that have not completed */
    uint32_t in_flight;  /* of them, those that this SM has issued */
    uint64_t free_cycle; /* when it was done with the stage before */
    struct mbarrier mbarrier;
    struct tma_completion last; /* of the stage's operations: the one that completed last */
    bool wrote;                 /* that one was a store or reduction */
    uint64_t windows[TMA_MAX_STAGE_OPERATIONS]; /* with a trace: their numbers in its order */
    /* With multicast. */
    uint64_t release_waits; /* slots of the SM, bit by bit, that its release waits for */
    uint32_t arrivals_due;  /* CTAs of the cluster that have yet to arrive here */
    uint64_t arrived_cycle; /* the last one does so no earlier than this */
    sg_sem_t arrived;       /* all have, or will at that cycle */
};

struct sm {
    struct simulation *simulation;
    uint32_t number;        /* %smid */
    uint32_t cta;           /* the one that it runs */
    uint32_t rank;          /* of that CTA in its cluster, whose SMs lie side by side */
    uint32_t ctas_left;     /* rank 0: CTAs of the cluster that still run */
    uint16_t receivers;     /* ranks, bit by bit, for which it issues multicast loads */
    uint16_t issuers;       /* ranks that issue some for it */
    uint64_t releasing;     /* slots, bit by bit, whose release waits for loads in flight */
    uint64_t expect_bytes;  /* of each stage */
    uint64_t launch_cycle;  /* its first CTA starts then */
    uint64_t cta_start;     /* cycle */
    uint64_t cta_end;       /* last completion or end of a consumer so far */
    uint64_t woken_cycle;   /* a warp of it went on last then */
    uint32_t slots_left;    /* slots that the CTA still has work for */
    bool wants_cta;         /* its cluster is through, and it is not its turn yet */
    sg_sem_t done;          /* rank 0: all CTAs of the cluster are through */
    struct tma_port shared; /* shared memory: one wavefront at a time */
    struct slot *slots;     /* owned: depth of them */
};

/* An operation that a slot has issued, on its way to the memory system. */
struct issue {
    uint64_t cycle;
    const struct slot *slot;
    uint32_t number; /* of the operation in its CTA: iteration * operations of a stage + index */
};

struct simulation {
    const struct tma_machine *machine;
    const struct tma_workload *workload;
    struct tma_memory *memory;
    uint64_t epoch; /* SimGrid's cycle at the start */

    struct sm *sms; /* owned: SMs in use */
    uint32_t sm_count;
    uint32_t next_cta;
    uint32_t running_sms; /* SMs that still have CTAs, those of a cluster as one */
    uint32_t awake;       /* actors, the keeper apart, that will go on without the keeper */

    struct issue *issues; /* owned: not yet handed to the memory system */
    size_t issue_count, issue_capacity;
    struct tma_completion *completions; /* owned: a heap by (cycle, SM, tag), not yet due */
    size_t completion_count, completion_capacity;

    struct tma_consumer_report *reports; /* owned: by slot and consumer, one pass over the tile */
    struct event_order *events;          /* NULL without a trace */
    struct tma_histogram *latencies;
    uint64_t *cta_cycles; /* owned: by CTA, in order of their end */
    uint64_t ended_ctas;
    uint64_t last_cycle; /* end of the CTA that ended last */
    struct tma_result *result;

    enum tma_error_code code; /* why it stops early */
    struct tma_error error;
};

/* The cycle of the run that it is. */
uint64_t tma_simulation_now(const struct simulation *simulation);

/* Stops the run: the first reason counts. */
void tma_simulation_fail(struct simulation *simulation, enum tma_error_code code, const char *text);

/* An event of a slot, now or earlier (but not before the issue of its operation). */
void tma_simulation_event(struct simulation *simulation, uint64_t cycle, const struct slot *slot,
                          enum tma_event_kind kind, uint64_t a, uint64_t b, uint64_t c, uint64_t d);

/* actors.c: bodies of the SM's and the slot's actors; their data are struct sm and struct slot. The
 * SMs of a cluster have one between them: that of rank 0. */
void tma_sm_actor(int argc, char **argv);
void tma_slot_actor(int argc, char **argv);

/* actors.c: what a slot's actor, which waits for its stage's mbarrier, would do once it is woken
 * where all that it does is to issue the next stage. */
void tma_slot_go_on(struct slot *slot);

/* keeper.c: body of the memory system's actor, whose data is the simulation; and what slots give to
 * it. */
void tma_keeper_actor(int argc, char **argv);
void tma_keeper_take_issue(struct simulation *simulation, const struct issue *issue);

/* keeper.c: when a warp can see that an operation is complete. */
uint64_t tma_keeper_seen(const struct simulation *simulation, const struct tma_completion *item);

/* keeper.c: the number of the tensor map of an operation of the slot's CTA, among all of the
 * workload's, from 1. */
uint32_t tma_slot_descriptor(const struct slot *slot, uint32_t number);

/* account.c: what a completion, and a stage's last one, add to the result. */
void tma_account_completion(struct simulation *simulation, const struct slot *slot,
                            const struct tma_completion *completion);
void tma_account_stage(struct simulation *simulation, const struct slot *slot);
void tma_account_consumer(struct simulation *simulation, uint32_t consumer, const struct slot *slot,
                          uint64_t waited_cycles, uint64_t busy_cycles);
void tma_account_memory(struct simulation *simulation);

/* cluster.c: the SMs that CTAs run on (false when out of memory); the SMs other than the slot's own
 * that get what it loads by an operation, at most TMA_MAX_CLUSTER, and how many; the slot is done
 * with its tiles; the loads that it has issued itself have landed. */
bool tma_cluster_place(struct simulation *simulation);
uint32_t tma_cluster_copies(const struct slot *slot, uint32_t operation, uint32_t *sms);
void tma_cluster_release(struct slot *slot);
void tma_cluster_landed(struct slot *slot, uint64_t cycle);

/* warm.c: leaves in L2 what the same kernel would have left there; and the tensor maps where they
 * are when the run begins. */
void tma_warm_up(struct simulation *simulation);
void tma_leave_descriptors(struct simulation *simulation);

static inline const struct tma_consumer_report *slot_report(const struct slot *slot,
                                                            uint32_t consumer) {
    const struct simulation *simulation = slot->simulation;
    return &simulation->reports[slot->index * simulation->workload->consumer_count + consumer];
}

#endif
