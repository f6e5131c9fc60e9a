#include "cli/scenario_findings.h"

#include "cli/progress.h"
#include "experiment/scenario_subject.h"

/* Experiments run without being asked for up to this much work (tma_run_work) of the scenario,
 * which takes about a second to simulate. They take 10 to 40 times as long, on all cores together.
 */
enum { MOST_WORK = 2000000 };

static void show_progress(void *context, uint64_t cycles, size_t done, size_t total) {
    struct cli_progress *progress = context;
    progress->cycles += cycles;
    progress->done = progress->done_work = done;
    progress->total = progress->total_work = total;
    cli_progress_show(progress);
}

enum tma_error_code cli_find_out(const struct cli_questions *questions,
                                 const struct tma_scenario *scenario,
                                 const struct tma_result *result, struct cli_findings *found,
                                 struct tma_error *error) {
    struct cli_progress progress = {.unit = "launches"};
    const struct tma_experiment_observer observer = {show_progress, &progress};
    struct tma_experiment_subject subject = tma_scenario_subject(scenario);
    subject.observer = &observer;
    subject.jobs = questions->jobs;
    uint32_t draws = questions->draws;
    enum tma_error_code code = TMA_OK;
    uint64_t work = tma_run_work(result), most = questions->why ? 0 : questions->most_work;
    found->too_long = work * (draws > 0 ? draws : 1) > MOST_WORK || (most > 0 && 2 * work > most);
    subject.most_work = most > work ? most - work : 0;
    cli_progress_begin(&progress, questions->quiet);
    found->tried = questions->why || (!questions->no_why && !found->too_long);
    if (found->tried)
        code = tma_experiments_run(&subject, result, draws, &found->experiments, error);
    else if (draws > 0)
        code = tma_launch(&subject, draws, &found->launches, error);
    cli_progress_clear(&progress);
    if (found->tried)
        found->launches = found->experiments.before;
    return code;
}

struct tma_findings cli_findings_of(const struct cli_questions *questions,
                                    const struct cli_findings *found, bool partial) {
    return (struct tma_findings){
        .experiments = found->tried ? &found->experiments : NULL,
        .too_long = found->too_long && !questions->no_why,
        .draws = questions->draws > 0 && !partial ? &found->launches : NULL,
    };
}

struct tma_report_input cli_report_of(const struct tma_scenario *scenario,
                                      const struct tma_result *result) {
    return (struct tma_report_input){.scenario = scenario->name,
                                     .machine = &scenario->machine,
                                     .kernel = tma_scenario_kernel(scenario),
                                     .workload = &scenario->workload,
                                     .result = result,
                                     .map_names = scenario->map_names};
}
