/* What a run records for --timeline, and the file. */
#ifndef TMA_CLI_TIMELINE_OUTPUT_H
#define TMA_CLI_TIMELINE_OUTPUT_H

#include <stdio.h>

#include "cli/scenario_run.h"
#include "report/span_sample.h"

struct cli_timeline {
    const struct tma_series *series; /* borrowed */
    struct tma_span_sample spans;
    struct tma_span_sink sink;
};

/* Prepares to record a run: adds to its sinks, which borrow *timeline. The run records the series
 * too. False when out of memory. Free the timeline in any case. */
bool cli_timeline_create(struct cli_timeline *timeline, struct tma_series *series,
                         struct cli_run_sinks *sinks);
void cli_timeline_free(struct cli_timeline *timeline);

/* Writes the timeline of the run. Write errors stay with the stream. */
void cli_timeline_write(struct cli_timeline *timeline, const struct tma_scenario *scenario,
                        const struct tma_result *result, FILE *out);

#endif
