/* Following a run while it lasts. */
#pragma once

#include <stdbool.h>

#include "engine/observe/series.h"
#include "engine/observe/span.h"
#include "tensormap/types.h"

TMA_API_BEGIN

/* What instructions of kernels with roles occupy in an SM. */
enum tma_compute_unit {
    TMA_UNIT_FMA,
    TMA_UNIT_ALU,
    TMA_UNIT_SFU,
    TMA_UNIT_ISSUE, /* the slots of the four schedulers */
    TMA_UNIT_COUNT
};

/* How far a run is. */
struct tma_run_state {
    uint64_t cycle;            /* simulated so far */
    uint64_t operations;       /* completed; a multicast load counts once */
    uint64_t total_operations; /* that the workload has */
    /* Kernels with roles: busy cycles of the units of all SMs together, for the work that they were
     * given so far, which may end later. */
    uint64_t tensor_cycles, unit_cycles[TMA_UNIT_COUNT];
};

/* Whether a long run is simulated in part. */
enum tma_sampling {
    TMA_SAMPLING_NONE,    /* all of it is simulated */
    TMA_SAMPLING_USUAL,   /* what is skipped once the run is steady can be nearly all of it */
    TMA_SAMPLING_CAREFUL, /* longer windows, and the run is looked at again and again */
    TMA_SAMPLING_LONG     /* as usual, where a run moves more than TMA_LONG_RUN_BYTES: pages */
};

/* The names that users have for them. */
extern const struct tma_names tma_sampling_names;

/* A run that moves more takes more than half a second to simulate. */
enum { TMA_LONG_RUN_BYTES = 192 * 1000 * 1000 };

/* Follows a run, in ways that may each be left out. None of them changes the result of a run
 * that goes to its end but `sampling`. */
struct tma_watch {
    /* Called every few milliseconds of the host's time; it may take long, but must not call
     * tma_run. False ends the run. A sampled run whose error is too large begins again, and so does
     * what the caller sees. */
    bool (*look)(void *context, const struct tma_run_state *state);
    void *context;

    /* The run ends as if `look` ended it, soon after tma_result.quarter_cycles is known. */
    bool ends_at_quarter;

    struct tma_series *series;         /* gets the run's time series */
    const struct tma_span_sink *spans; /* gets what CTAs, slots, roles and TMA units do */

    /* Only in a run without events. The result then has estimates, and says so: tma_result.sampled.
     * The series and the spans are those of the part that is simulated, as if there were no gaps in
     * it: they end tma_result.sampled.skipped_cycles before the run does. */
    enum tma_sampling sampling;
};

TMA_API_END
