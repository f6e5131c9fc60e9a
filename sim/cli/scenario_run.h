/* Runs the scenario that a verb has read, with progress on standard error, until Ctrl-C ends it. */
#pragma once

#include "engine/observe/event.h"
#include "engine/result.h"
#include "engine/roles/kernel.h"
#include "engine/watch.h"
#include "report/report.h"
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

/* What a verb finds out about a run by running the scenario again, and the report with it. */

/* What the user wants to know. */
struct cli_questions {
    bool why, no_why; /* experiments: in any case; never. Else, where the run is short */
    bool quiet;
    uint32_t draws; /* launches with other seeds; 0: none */
    unsigned jobs;  /* worker processes for all these launches */
    /* Work (tma_run_work) that the run and all experiments together may be about, unless `why`; 0:
     * no bound. */
    uint64_t most_work;
};

/* What was found. All zero: nothing. */
struct cli_findings {
    struct tma_launches launches;
    struct tma_experiments experiments;
    bool tried, too_long;
};

/* Runs the scenario, whose result is given, again. Fails as the run does. */
enum tma_error_code cli_find_out(const struct cli_questions *questions,
                                 const struct tma_scenario *scenario,
                                 const struct tma_result *result, struct cli_findings *found,
                                 struct tma_error *error);

/* The findings for a report, which borrow *found. */
struct tma_findings cli_findings_of(const struct cli_questions *questions,
                                    const struct cli_findings *found, bool partial);

/* The report of a run of the workload or the kernel, to which the caller adds what it found out. It
 * borrows both. */
struct tma_report_input cli_report_of(const struct tma_scenario *scenario,
                                      const struct tma_result *result);
