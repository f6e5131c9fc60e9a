/* What `tmasim run` writes beside its report: the trace, the timeline, the statistics, the resolved
 * scenario. */
#ifndef TMA_CLI_RUN_OUTPUTS_H
#define TMA_CLI_RUN_OUTPUTS_H

#include <stdio.h>

#include "base/digest.h"
#include "cli/scenario_findings.h"
#include "cli/scenario_run.h"
#include "report/span_sample.h"
#include "scenario/scenario.h"

struct cli_trace {
    FILE *file; /* NULL: no trace */
    const struct tma_digests *digests;
    uint64_t limit_bytes; /* 0: none */
};

/* Runs the scenario as cli_scenario_run does, and writes the trace where there is a file for it.
 * Says on standard error what the limit drops. */
enum tma_error_code cli_trace_run(const struct cli_trace *trace,
                                  const struct tma_scenario *scenario, bool quiet,
                                  struct cli_run_sinks sinks, struct tma_result *result,
                                  struct tma_kernel_place *place, struct tma_error *error);

/* What a run records for --timeline, and the file. */
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

/* The statistics of a run (--stats). */

/* Writes the figures of the report, and those of its series, a line each. Fails with
 * TMA_ERROR_MEMORY; write errors stay with the stream. */
enum tma_error_code cli_statistics_write(const struct cli_report *report, FILE *out,
                                         struct tma_error *error);

/* The whole configuration of a run, with the origin of each value. */

/* Writes a scenario with all keys of the machine, the tensor maps and the workload or kernel, each
 * with a comment that says where its value comes from. It runs as the scenario does. Returns false
 * when out of memory. Write errors stay with the stream. */
bool cli_resolved_write(const struct tma_scenario *scenario, FILE *out);

#endif
