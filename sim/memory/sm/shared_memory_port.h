/* The port of an SM's shared memory. It takes one wavefront of 128 bytes at a time, of data that
 * arrives or of warps that read. While both want it, they alternate. */
#ifndef TMA_MEMORY_SM_SHARED_MEMORY_PORT_H
#define TMA_MEMORY_SM_SHARED_MEMORY_PORT_H

#include <stdbool.h>

#include "memory/core/port.h"

/* Periods in which warps occupy the port, that the port remembers. */
enum { TMA_SHARED_PERIODS = 8 };

struct tma_shared_period {
    uint64_t from_cycle, until_cycle;
};

struct tma_shared_port {
    struct tma_port arrivals;
    struct tma_shared_period periods[TMA_SHARED_PERIODS]; /* ring, in order of time */
    uint32_t first, count;
};

/* Warps occupy the port from `from` to `until`; `from` is no earlier than in the call before.
 * Periods that touch become one, and so do the last two where the ring is full. */
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

/* A wavefront of data arrives at `cycle`, which is known at cycle `now`. Returns the cycle at which
 * it is in shared memory. The arrival includes the latency of the write itself. The wavefront waits
 * for one wavefront of the warps, and for data that already waits. Calls are in order of `now`. */
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
