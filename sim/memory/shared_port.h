/* The port of an SM's shared memory: one wavefront of 128 bytes at a time, for data that arrive and
 * for the warps that read them. While both want it, they take turns. */
#ifndef TMA_MEMORY_SHARED_PORT_H
#define TMA_MEMORY_SHARED_PORT_H

#include <stdbool.h>

#include "memory/port.h"

/* Times in which consumers keep the port busy, each after the other; those that touch are one. */
enum { TMA_SHARED_PERIODS = 8 };

struct tma_shared_period {
    uint64_t from_cycle, until_cycle;
};

struct tma_shared_port {
    struct tma_port arrivals;
    struct tma_shared_period periods[TMA_SHARED_PERIODS]; /* ring */
    uint32_t first, count;
};

/* Consumers keep it busy from `from` to `until`; no earlier than in the call before. Where more
 * periods are to come than are kept, the last two become one. */
static inline void tma_shared_port_occupy(struct tma_shared_port *shared, uint64_t from,
                                          uint64_t until) {
    struct tma_shared_period *last =
        &shared->periods[(shared->first + shared->count + TMA_SHARED_PERIODS - 1) %
                         TMA_SHARED_PERIODS];
    if (shared->count > 0 && (from <= last->until_cycle || shared->count == TMA_SHARED_PERIODS)) {
        last->until_cycle = until;
        return;
    }
    shared->periods[(shared->first + shared->count++) % TMA_SHARED_PERIODS] =
        (struct tma_shared_period){from, until};
}

/* A wavefront of data that is decided on at `now` arrives at `cycle`: gives the cycle at which it
 * is in shared memory. Its own time there is part of its way; what it waits for is a consumer's
 * wavefront ahead of it, and data that waited before. Calls come in order of `now`. */
static inline uint64_t tma_shared_port_arrive(struct tma_shared_port *shared, uint64_t now,
                                              uint64_t cycle, uint64_t wavefront_ticks) {
    while (shared->count > 0 && shared->periods[shared->first].until_cycle <= now) {
        shared->first = (shared->first + 1) % TMA_SHARED_PERIODS;
        shared->count--;
    }
    if (shared->count == 0 || shared->periods[shared->first].from_cycle > now) {
        uint64_t free_cycle = tma_ticks_to_cycle(shared->arrivals.free_ticks);
        return free_cycle > cycle ? free_cycle : cycle;
    }
    return tma_port_serve(&shared->arrivals, cycle, 2 * wavefront_ticks) -
           wavefront_ticks / TMA_TICKS;
}

#endif
