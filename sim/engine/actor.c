#include "engine/actor.h"

#include "base/allocation.h"

bool tma_actors_create(struct tma_actors *actors, uint32_t count, void (*signal)(uint32_t actor)) {
    *actors = (struct tma_actors){.items = tma_allocate(count, sizeof *actors->items),
                                  .count = count,
                                  .awake = count,
                                  .signal = signal};
    return actors->items != NULL;
}

void tma_actors_free(struct tma_actors *actors) {
    tma_release(actors->items);
    *actors = (struct tma_actors){0};
}

struct tma_wait tma_actor_step(struct tma_actors *actors, uint32_t number, uint64_t now) {
    struct tma_actor *actor = &actors->items[number];
    struct tma_wait wait = actor->step(actor->machine, now);
    actor->waits_for_signal = wait.kind == TMA_WAIT_SIGNAL;
    if (wait.kind == TMA_WAIT_SIGNAL || wait.kind == TMA_WAIT_NOTHING)
        actors->awake--;
    return wait;
}

void tma_actor_signal(struct tma_actors *actors, uint32_t number) {
    struct tma_actor *actor = &actors->items[number];
    if (!actor->waits_for_signal)
        return;
    actor->waits_for_signal = false;
    actors->awake++;
    if (actors->signal != NULL)
        actors->signal(number);
}

void tma_actors_signal_all(struct tma_actors *actors) {
    for (uint32_t i = 0; i < actors->count; i++)
        tma_actor_signal(actors, i);
}
