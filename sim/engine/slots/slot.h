/* The short form of a program: pipeline slots. A slot of a CTA is the warp that fills one stage of
 * shared memory, waits until its bytes are there, lets the consumers read the tile, and fills the
 * stage again. Slot s does the CTA's iterations s, s + depth, ... */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/program.h"
#include "engine/workload.h"

/* The mbarrier of a pipeline slot (PTX: mbarrier.arrive.expect_tx, complete_tx). A phase completes
 * when every operation of its stage has completed and their bytes are those that it expects. Where
 * they are not, it never completes: the kernel deadlocks. */

struct tma_mbarrier {
    uint64_t phase; /* number of the current phase, from 0 */
    uint64_t expected_bytes;
    uint64_t arrived_bytes;
    uint32_t pending_operations; /* operations of the phase that have not completed */
};

/* Opens the current phase for the operations of a stage. */
static inline void tma_mbarrier_expect(struct tma_mbarrier *mbarrier, uint32_t operations,
                                       uint64_t bytes) {
    mbarrier->pending_operations = operations;
    mbarrier->expected_bytes = bytes;
    mbarrier->arrived_bytes = 0;
}

/* Completes an operation and its bytes; true if this completes the phase. */
static inline bool tma_mbarrier_complete(struct tma_mbarrier *mbarrier, uint64_t bytes) {
    assert(mbarrier->pending_operations > 0);
    mbarrier->pending_operations--;
    mbarrier->arrived_bytes += bytes;
    if (mbarrier->pending_operations > 0 || mbarrier->arrived_bytes != mbarrier->expected_bytes)
        return false;
    mbarrier->phase++;
    return true;
}

/* The barrier on which the CTAs of a cluster report that they are done with a multicast tile, so
 * that its slot can be filled again (CUTLASS: the empty barrier of a pipeline stage). It belongs to
 * the slot that loads the tile. */

struct tma_empty_barrier {
    uint32_t missing_arrivals; /* CTAs that have yet to arrive */
    uint64_t last_cycle;       /* of the latest arrival so far */
};

static inline void tma_empty_barrier_expect(struct tma_empty_barrier *barrier, uint32_t arrivals) {
    barrier->missing_arrivals = arrivals;
}

/* A CTA arrives at `cycle`, which may lie ahead; true if it is the last one. Then the barrier opens
 * at last_cycle. */
static inline bool tma_empty_barrier_arrive(struct tma_empty_barrier *barrier, uint64_t cycle) {
    assert(barrier->missing_arrivals > 0);
    if (cycle > barrier->last_cycle)
        barrier->last_cycle = cycle;
    return --barrier->missing_arrivals == 0;
}

enum tma_slot_state {
    TMA_SLOT_IDLE,      /* no CTA, or none that needs the slot any more */
    TMA_SLOT_LOADING,   /* its stage is in flight: its mbarrier wakes it */
    TMA_SLOT_WAKING,    /* the stage is there: the warp goes on at resume_cycle */
    TMA_SLOT_ASKING,    /* its next consumer wants shared memory at resume_cycle, as others may */
    TMA_SLOT_CONSUMING, /* a consumer reads the tile until resume_cycle */
    TMA_SLOT_RELEASED   /* its cluster may still read the tile: its empty barrier wakes it */
};

struct tma_slot_cta;

struct tma_slot {
    struct tma_slot_cta *cta;
    uint32_t index;  /* of the slot in its CTA */
    uint32_t number; /* of its actor */
    enum tma_slot_state state;
    uint32_t iteration; /* of the CTA, whose stage the slot holds */
    uint32_t in_flight; /* operations of the stage that this CTA issued and that are under way */
    struct tma_mbarrier mbarrier;
    struct tma_empty_barrier empty;
    struct tma_completion last;        /* the operation of the stage that completed last */
    enum tma_direction last_direction; /* of that one */
    uint64_t free_cycle;   /* earliest cycle at which the slot could have issued its stage */
    uint64_t issued_cycle; /* of its operations in flight, which may lie ahead */
    uint64_t resume_cycle;
    uint32_t consumer;      /* index of the next consumer; while one reads, of that one */
    uint64_t waited_cycles; /* by the consumer that reads, for shared memory */
    uint64_t busy_cycles;   /* of shared memory, for that consumer */
    uint64_t release_waits; /* bit mask of slots whose loads the release waits for (cluster.h) */
};

struct tma_slot_cta {
    struct tma_cta base;
    struct tma_slot_program *program;
    struct tma_slot *slots;     /* as many as the workload's depth */
    uint64_t expect_bytes;      /* that each stage of this CTA completes on its mbarrier */
    uint32_t expect_operations; /* of a stage, those whose bytes this CTA gets */
    uint16_t receivers;         /* bit mask of ranks that get what this CTA loads by multicast */
    uint16_t issuers;           /* bit mask of ranks that load for this CTA by multicast */
    uint64_t releasing;         /* bit mask of slots whose release waits for loads (cluster.h) */
};

/* A run of a workload. */
struct tma_slot_program {
    struct tma_simulation simulation;
    const struct tma_workload *workload;
    struct tma_slot *slots;              /* owned: by place and index */
    struct tma_consumer_report *reports; /* owned: by slot and consumer, one pass over the tile */
};

extern const struct tma_program tma_slots;

/* Places the workload's CTAs on the machine's SMs. False when out of memory: the caller then frees
 * the simulation and the slots all the same. */
bool tma_slots_create(struct tma_slot_program *program);

/* An operation of the slot's stage has completed, or its copy has arrived. Warps see that at
 * `cycle`, which may lie ahead in a simulation that completes_ahead. Returns what the slot waits
 * for then; its actor has to be woken unless that is a signal. */
struct tma_wait tma_slot_complete(struct tma_slot *slot, enum tma_direction direction,
                                  const struct tma_completion *completion, uint64_t cycle);

/* Takes the transitions that are due at cycle `now`. */
struct tma_wait tma_slot_step(struct tma_slot *slot, uint64_t now);

static inline struct tma_slot_program *
tma_slot_program_of(const struct tma_simulation *simulation) {
    return simulation->state;
}

/* The CTA at a place. */
static inline struct tma_slot_cta *tma_slot_cta_at(const struct tma_simulation *simulation,
                                                   uint32_t place) {
    return (struct tma_slot_cta *)tma_cta_at(simulation, place);
}

/* The bank conflicts of one pass of a consumer over the tile in a slot. */
static inline struct tma_consumer_report *
tma_consumer_report_of(const struct tma_slot_program *program, uint32_t slot, uint32_t consumer) {
    return &program->reports[slot * program->workload->consumer_count + consumer];
}

extern const struct tma_sampled_program tma_sampled_slots; /* slot_sampling.c */

/* Brings into L2 what the same workload, run just before, has left there: slot_warm_start.c. */
void tma_slots_warm_up(struct tma_simulation *simulation);
