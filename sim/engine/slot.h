/* A pipeline slot of a CTA: the warp that fills one stage of shared memory, waits until its bytes
 * are there, lets the consumers read the tile, and fills the stage again. Slot s does the CTA's
 * iterations s, s + depth, ... */
#ifndef TMA_ENGINE_SLOT_H
#define TMA_ENGINE_SLOT_H

#include "engine/cta.h"
#include "engine/empty_barrier.h"
#include "engine/mbarrier.h"

enum tma_slot_state {
    TMA_SLOT_IDLE, /* no CTA, or none that needs the slot any more: the CTA scheduler starts it */
    TMA_SLOT_LOADING,   /* its stage is in flight: its mbarrier wakes it */
    TMA_SLOT_WAKING,    /* the stage is there: the warp goes on at resume_cycle */
    TMA_SLOT_ASKING,    /* its next consumer wants shared memory at resume_cycle, as others may */
    TMA_SLOT_CONSUMING, /* a consumer reads the tile until resume_cycle */
    TMA_SLOT_RELEASED   /* its cluster may still read the tile: its empty barrier wakes it */
};

struct tma_slot {
    struct tma_cta *cta;
    uint32_t index;  /* of the slot in its CTA */
    uint32_t number; /* of the slot in the grid (grid.h), and of its actor */
    enum tma_slot_state state;
    uint32_t iteration; /* of the CTA, whose stage the slot holds */
    uint32_t in_flight; /* operations of the stage that this CTA issued and that are under way */
    struct tma_mbarrier mbarrier;
    struct tma_empty_barrier empty;
    struct tma_completion last; /* the operation of the stage that completed last */
    uint64_t free_cycle;        /* earliest cycle at which the slot could have issued its stage */
    uint64_t issued_cycle;      /* of its operations in flight, which may lie ahead */
    uint64_t resume_cycle;
    uint32_t consumer;      /* index of the next consumer; while one reads, of that one */
    uint64_t waited_cycles; /* by the consumer that reads, for shared memory */
    uint64_t busy_cycles;   /* of shared memory, for that consumer */
    uint64_t release_waits; /* bit mask of slots whose loads the release waits for (cluster.h) */
    uint64_t windows[TMA_MAX_STAGE_OPERATIONS]; /* by operation, from tma_trace_issue */
};

/* A CTA has started: at its start_cycle, which may lie ahead, the slot begins with its first stage.
 */
void tma_slot_start(struct tma_slot *slot);

/* An operation of the slot's stage has completed, or its copy has arrived. Warps see that at
 * `cycle`, which may lie ahead if tma_slots_are_independent. Returns what the slot waits for then;
 * its actor has to be woken unless that is a signal. */
struct tma_wait tma_slot_complete(struct tma_slot *slot, const struct tma_completion *completion,
                                  uint64_t cycle);

/* Takes the transitions that are due at cycle `now`. */
struct tma_wait tma_slot_step(struct tma_slot *slot, uint64_t now);

/* Whether slots share nothing that depends on the order of what happens within a cycle: they have
 * no consumers, which share their SM's shared memory, and no clusters, where a release depends on
 * loads in flight. All that follows a completion is then known as soon as the completion is. */
bool tma_slots_are_independent(const struct tma_workload *workload);

#endif
