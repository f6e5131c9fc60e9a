#include "cli/scenario_run.h"

#include <inttypes.h>

#include "cli/files/temporary.h"
#include "cli/messages.h"
#include "cli/progress.h"
#include "experiment/scenario_subject.h"
#include "scenario/kernel_program.h"

/* Shows how far the run is, until an interrupt ends it. */
static bool look(void *context, const struct tma_run_state *state) {
    struct cli_progress *progress = context;
    progress->total = progress->total_work = state->total_operations;
    progress->done = progress->done_work = state->operations;
    progress->cycles = state->cycle;
    cli_progress_show(progress);
    return !cli_interrupted();
}

enum tma_error_code cli_scenario_run(const struct tma_scenario *scenario, bool quiet,
                                     const struct cli_run_sinks *sinks, struct tma_result *result,
                                     struct tma_kernel_place *place, struct tma_error *error) {
    struct cli_progress progress = {.unit = "operations"};
    const struct tma_watch watch = {.look = look,
                                    .context = &progress,
                                    .series = sinks->series,
                                    .spans = sinks->spans,
                                    .sampling = sinks->sampling};
    enum tma_error_code code = TMA_OK;
    if (scenario->program != NULL)
        code = tma_kernel_check_operations(&scenario->program->kernel, "the option --yes", place,
                                           error);
    if (code != TMA_OK)
        return code;
    cli_interrupts_hold(true);
    cli_progress_begin(&progress, quiet);
    code = tma_scenario_run(scenario, sinks->events, &watch, result, place, error);
    cli_progress_clear(&progress);
    cli_interrupts_hold(false);
    /* The interrupt that came after the last look ends the command, too: it tries no experiments.
     */
    return code == TMA_OK && cli_interrupted() ? TMA_ERROR_INTERRUPTED : code;
}

void cli_print_run_error(const char *path, const struct tma_scenario *scenario,
                         const struct tma_kernel_place *place, const struct tma_error *error) {
    struct tma_diagnostics list = {0};
    struct tma_location at = {path, place->line, place->column};
    if (place->line == 0) {
        cli_error("%s: %s", scenario->name, error->text);
        return;
    }
    tma_diagnose(&list, error->code, at, "%s", error->text);
    cli_print_diagnostics(&list);
    tma_diagnostics_free(&list);
}

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
