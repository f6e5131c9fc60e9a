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
