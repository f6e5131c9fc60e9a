#include "engine/actor.h"

#include "base/allocation.h"

bool tma_actors_create(struct tma_actors *actors, uint32_t count, void (*signal)(uint32_t actor)) {
    *actors =
        (struct tma_actors){.wait_for_signal = tma_allocate(count, sizeof *actors->wait_for_signal),
                            .count = count,
                            .awake = count,
                            .signal = signal};
    return actors->wait_for_signal != NULL;
}

void tma_actors_free(struct tma_actors *actors) {
    tma_release(actors->wait_for_signal);
    *actors = (struct tma_actors){0};
}

void tma_actor_wait(struct tma_actors *actors, uint32_t number, struct tma_wait wait) {
    actors->wait_for_signal[number] = wait.kind == TMA_WAIT_SIGNAL;
    if (wait.kind == TMA_WAIT_SIGNAL || wait.kind == TMA_WAIT_NOTHING)
        actors->awake--;
}

void tma_actor_signal(struct tma_actors *actors, uint32_t number) {
    if (!actors->wait_for_signal[number])
        return;
    actors->wait_for_signal[number] = false;
    actors->awake++;
    if (actors->signal != NULL)
        actors->signal(number);
}

void tma_actors_signal_all(struct tma_actors *actors) {
    for (uint32_t i = 0; i < actors->count; i++)
        tma_actor_signal(actors, i);
}
