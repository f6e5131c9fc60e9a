/* Following a run while it lasts. */
#ifndef TMA_ENGINE_WATCH_H
#define TMA_ENGINE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"

TMA_API_BEGIN

/* How far a run is. */
struct tma_run_state {
    uint64_t cycle;            /* simulated so far */
    uint64_t operations;       /* completed; a multicast load counts once */
    uint64_t total_operations; /* that the workload has */
};

/* Follows a run. `look` is called every few milliseconds of the host's time; it may take long, but
 * must not call tma_run. False ends the run. */
struct tma_watch {
    bool (*look)(void *context, const struct tma_run_state *state);
    void *context;
};

TMA_API_END

#endif
