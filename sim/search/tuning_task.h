/* What a worker does for a tuner: looks at one combination, or simulates it. */
#ifndef TMA_SEARCH_TUNING_TASK_H
#define TMA_SEARCH_TUNING_TASK_H

#include "bound/estimate.h"
#include "search/tuning.h"
#include "search/variant_scenario.h"
#include "workers/pool.h"

enum cli_tuning_step {
    CLI_TUNING_LOOK, /* is it legal? finds a lower bound of its time */
    CLI_TUNING_RUN   /* simulates it, as far as the limits say */
};

struct cli_tuning_task {
    enum cli_tuning_step step;
    uint32_t draw; /* the seed; 0: that of the machine */
    size_t row;    /* number of the kernel, times the number of variants, plus the variant */
    struct tma_estimate_limits limits; /* RUN: in cycles of the row's clock */
};

struct cli_tuning_outcome {
    bool failed;   /* the bytes that follow are the reason */
    bool repeated; /* the draw is the seed of the machine: there is nothing new in it */
    uint32_t sm_clock_mhz;
    struct tma_kernel_estimate estimate; /* LOOK: the bound */
    struct tma_tune_limiter limiter;     /* of a run that came to its end */
    bool timing_validated, timing_edited;
};

/* What workers do for the tuner: a task is a struct cli_tuning_task, and its reply begins with a
 * struct cli_tuning_outcome. A task notes the cycles that it has simulated. */
struct tma_worker_code cli_tuning_code(const struct cli_tuning *tuning);

#endif
