/* The CTA scheduler assigns the grid's CTAs, in order of their numbers, to clusters of SMs that are
 * free. Clusters that become free in the same cycle get CTAs in order of their place in the grid.
 * The scheduler therefore waits for the end of the cycle, when it knows all of them. */
#ifndef TMA_ENGINE_CTA_SCHEDULER_H
#define TMA_ENGINE_CTA_SCHEDULER_H

#include "engine/grid.h"

struct tma_cta_scheduler {
    struct tma_simulation *simulation;
    struct tma_grid *grid;
    uint32_t next_cta; /* number of the first CTA that is not assigned */
    bool waits_for_cycle_end;
};

/* Takes the transitions that are due at cycle `now`. After the last CTA the simulation is
 * finished. */
struct tma_wait tma_cta_scheduler_step(struct tma_cta_scheduler *scheduler, uint64_t now);

#endif
