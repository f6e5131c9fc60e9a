/* Actors: the state machines of a run that take steps by themselves. These are those of the
 * program, the scheduler of CTAs and the memory actor. The engine's module gives each a SimGrid
 * actor, which steps it (engine_module.h); tests step them by hand. */
#pragma once

#include <stdbool.h>

#include "engine/engine_module.h"

struct tma_actors {
    bool *wait_for_signal; /* owned: by number */
    uint32_t count;
    uint32_t awake;                 /* actors that neither wait for a signal nor have ended */
    void (*signal)(uint32_t actor); /* the module's; NULL: nothing is to be woken (tests) */
};

/* Makes `count` actors. False when out of memory. */
bool tma_actors_create(struct tma_actors *actors, uint32_t count, void (*signal)(uint32_t actor));
void tma_actors_free(struct tma_actors *actors);

/* An actor has taken a step, and waits now. */
void tma_actor_wait(struct tma_actors *actors, uint32_t number, struct tma_wait wait);

/* Wakes an actor that waits for a signal. An actor that waits for a cycle needs no signal: its next
 * step reads all that it depends on. */
void tma_actor_signal(struct tma_actors *actors, uint32_t number);
void tma_actors_signal_all(struct tma_actors *actors);
