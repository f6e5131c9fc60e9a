/* The trace of a run (--trace). */
#ifndef TMA_CLI_TRACE_OUTPUT_H
#define TMA_CLI_TRACE_OUTPUT_H

#include <stdio.h>

#include "base/digest.h"
#include "cli/scenario_run.h"

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

#endif
