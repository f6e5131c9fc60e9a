/* The memory actor lets time pass in the memory system. It hands over what slots issue, and
 * completes operations on the slots' mbarriers.
 *
 * What an SM issues at cycle t reaches its TMA unit at t + issue_cycles. So at cycle t everything
 * before t + issue_cycles can be worked out. An operation that is found to be at its end completes
 * c = tma_machine_completion_cycles() later at least. So every completion before
 * t + issue_cycles + c is known at cycle t, and the actor sleeps until the first of them is
 * visible, or that long. The result is that of an exact event simulation.
 *
 * Where slots are independent (slot.h), nothing else can change what a known completion leads to.
 * The actor then gives it to its slot ahead of time, and the slot issues its next stage ahead of
 * time. This spares SimGrid a wake-up and two context switches for each stage, which take longer
 * than all else that SimGrid does. */
#ifndef TMA_ENGINE_MEMORY_ACTOR_H
#define TMA_ENGINE_MEMORY_ACTOR_H

#include "engine/completion_queue.h"
#include "engine/grid.h"

struct tma_slot_sampling;

struct tma_memory_actor {
    struct tma_simulation *simulation;
    struct tma_grid *grid;
    struct tma_completion_queue completions; /* known, not yet given to their slots */
    uint64_t completed_cycle;                /* visible cycle of the last one that was given */
    struct tma_slot_sampling *sampling;      /* borrowed; NULL: the run is not sampled */
};

struct tma_memory_actor tma_memory_actor_of(struct tma_simulation *simulation,
                                            struct tma_grid *grid);
void tma_memory_actor_free(struct tma_memory_actor *actor);

/* Does all that is known up to cycle `now`. When the run is over it wakes all actors, so that they
 * end. */
struct tma_wait tma_memory_actor_step(struct tma_memory_actor *actor, uint64_t now);

#endif
