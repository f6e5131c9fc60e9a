/* Actors: the state machines of a run that take steps by themselves. These are the pipeline slots,
 * the CTA scheduler and the memory actor. The engine's module gives each a SimGrid actor, which
 * steps it (engine_module.h); tests step them by hand. */
#ifndef TMA_ENGINE_ACTOR_H
#define TMA_ENGINE_ACTOR_H

#include <stdbool.h>

#include "engine/wait.h"

struct tma_actor {
    /* Takes all transitions of the machine that are due at cycle `now`. Called at the start of the
     * run, and again each time the wait that the last call returned is over. */
    struct tma_wait (*step)(void *machine, uint64_t now);
    void *machine; /* not owned */
    bool waits_for_signal;
};

struct tma_actors {
    struct tma_actor *items; /* owned; an actor's number is its index */
    uint32_t count;
    uint32_t awake;                 /* actors that neither wait for a signal nor have ended */
    void (*signal)(uint32_t actor); /* the module's; NULL: nothing is to be woken (tests) */
};

/* Allocates `count` actors, which the caller fills in. False when out of memory. */
bool tma_actors_create(struct tma_actors *actors, uint32_t count, void (*signal)(uint32_t actor));
void tma_actors_free(struct tma_actors *actors);

/* Steps an actor, and notes whether it waits for a signal now. */
struct tma_wait tma_actor_step(struct tma_actors *actors, uint32_t number, uint64_t now);

/* Wakes an actor that waits for a signal. An actor that waits for a cycle needs no signal: its next
 * step reads all that it depends on. */
void tma_actor_signal(struct tma_actors *actors, uint32_t number);
void tma_actors_signal_all(struct tma_actors *actors);

#endif
