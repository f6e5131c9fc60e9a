/* What a verb finds out about a run by running the scenario again, and the report with it. */
#ifndef TMA_CLI_SCENARIO_FINDINGS_H
#define TMA_CLI_SCENARIO_FINDINGS_H

#include "engine/result.h"
#include "report/report.h"
#include "scenario/scenario.h"

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

#endif
