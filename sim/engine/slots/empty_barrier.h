/* The barrier on which the CTAs of a cluster report that they are done with a multicast tile, so
 * that its slot can be filled again (CUTLASS: the empty barrier of a pipeline stage). It belongs to
 * the slot that loads the tile. */
#ifndef TMA_ENGINE_EMPTY_BARRIER_H
#define TMA_ENGINE_EMPTY_BARRIER_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

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

#endif
