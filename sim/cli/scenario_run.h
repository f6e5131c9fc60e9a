/* Runs the scenario that a verb has read, with progress on standard error, until Ctrl-C ends it. */
#ifndef TMA_CLI_SCENARIO_RUN_H
#define TMA_CLI_SCENARIO_RUN_H

#include "engine/observe/event.h"
#include "engine/result.h"
#include "engine/roles/kernel.h"
#include "engine/watch.h"
#include "scenario/scenario.h"

/* What a run gives besides its result, each of which may be NULL; and how it runs. */
struct cli_run_sinks {
    const struct tma_event_sink *events;
    struct tma_series *series;
    const struct tma_span_sink *spans;
    enum tma_sampling sampling; /* without any of them */
};

/* Runs the workload or the kernel. *place is the place in the scenario that an error is about.
 * Fails as tma_run_watched and tma_kernel_run_watched do, also with TMA_ERROR_INTERRUPTED where the
 * interrupt came at the end of the run. */
enum tma_error_code cli_scenario_run(const struct tma_scenario *scenario, bool quiet,
                                     const struct cli_run_sinks *sinks, struct tma_result *result,
                                     struct tma_kernel_place *place, struct tma_error *error);

/* Prints the error of a run of the scenario at `path`. */
void cli_print_run_error(const char *path, const struct tma_scenario *scenario,
                         const struct tma_kernel_place *place, const struct tma_error *error);

#endif
