/* tmasim report: simulates a scenario, and writes an HTML page about the run. */
#include <inttypes.h>
#include <string.h>

#include "base/allocation.h"
#include "base/array.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/scenario_input.h"
#include "cli/temporary.h"
#include "cli/verbs.h"
#include "engine/kernel_run.h"
#include "engine/run.h"
#include "experiment/experiment.h"
#include "report/kernel_report.h"
#include "report/page.h"
#include "report/report.h"
#include "report/verdict.h"
#include "scenario/describe.h"
#include "scenario/origin.h"

/* Experiments run without being asked for up to this much work of the scenario, as for run. */
enum { MOST_WORK = 250000 };

struct report_options {
    struct cli_options common;
    bool why, no_why;
};

/* What a page shows. */
struct page {
    const struct tma_scenario *scenario;
    struct tma_result *result;           /* owned */
    struct tma_series *series;           /* owned */
    struct tma_experiments *experiments; /* owned; NULL: none were run */
    struct tma_cta_spans ctas;
    struct tma_verdict verdict;        /* text is empty for kernels */
    char *text;                        /* owned */
    struct tma_page_setting *settings; /* owned, and each text but none is NULL */
    size_t setting_count, setting_capacity;
    struct tma_origins origins;
    bool out_of_memory; /* a setting is missing */
};

static void free_page(struct page *page) {
    for (size_t i = 0; i < page->setting_count; i++) {
        tma_release((char *)page->settings[i].key);
        tma_release((char *)page->settings[i].value);
        tma_release((char *)page->settings[i].origin);
    }
    tma_release(page->settings);
    tma_origins_free(&page->origins);
    tma_release(page->text);
    tma_cta_spans_free(&page->ctas);
    tma_release(page->experiments);
    tma_series_free(page->series);
    tma_release(page->result);
}

static void add_setting(void *context, const char *key, const char *value) {
    struct page *page = context;
    struct tma_page_setting *settings = tma_array_grow(page->settings, page->setting_count,
                                                       &page->setting_capacity, sizeof *settings);
    if (settings == NULL) {
        page->out_of_memory = true;
        return;
    }
    page->settings = settings;
    struct tma_page_setting setting = {tma_copy_text(key),
                                       tma_copy_text(value == NULL ? "" : value),
                                       tma_copy_text(tma_origin_of(&page->origins, key).text)};
    page->out_of_memory |= setting.key == NULL || setting.value == NULL || setting.origin == NULL;
    settings[page->setting_count++] = setting;
}

static bool look(void *context, const struct tma_run_state *state) {
    struct cli_progress *progress = context;
    progress->total = progress->total_work = state->total_operations;
    progress->done = progress->done_work = state->operations;
    progress->cycles = state->cycle;
    cli_progress_show(progress);
    return !cli_interrupted();
}

static enum tma_error_code simulate(const struct page *page, bool quiet,
                                    const struct tma_span_sink *spans,
                                    struct tma_kernel_place *place, struct tma_error *error) {
    const struct tma_scenario *scenario = page->scenario;
    struct cli_progress progress = {.unit = "operations"};
    const struct tma_watch watch = {
        .look = look, .context = &progress, .series = page->series, .spans = spans};
    enum tma_error_code code;
    cli_interrupts_hold(true);
    cli_progress_begin(&progress, quiet);
    if (scenario->program == NULL)
        code = tma_run_watched(&scenario->machine, &scenario->workload, NULL, &watch, page->result,
                               error);
    else
        code = tma_kernel_run_watched(&scenario->machine, &scenario->program->kernel, NULL, &watch,
                                      page->result, place, error);
    cli_progress_clear(&progress);
    cli_interrupts_hold(false);
    return code;
}

static void show_progress(void *context, uint64_t cycles, size_t tried, size_t total) {
    struct cli_progress *progress = context;
    progress->cycles += cycles;
    progress->done = progress->done_work = tried;
    progress->total = progress->total_work = total;
    cli_progress_show(progress);
}

/* Runs the experiments, if there are any. */
static enum tma_error_code find_out(const struct report_options *options, struct page *page,
                                    struct tma_error *error) {
    const struct tma_scenario *scenario = page->scenario;
    if (scenario->program != NULL || options->no_why ||
        (!options->why && tma_run_work(page->result) > MOST_WORK))
        return TMA_OK;
    struct cli_progress progress = {.unit = "experiments"};
    const struct tma_experiment_observer observer = {show_progress, &progress};
    const struct tma_experiment_subject subject = {&scenario->machine, &tma_pipeline_kind,
                                                   &scenario->workload, scenario->map_names,
                                                   &observer};
    page->experiments = tma_allocate(1, sizeof *page->experiments);
    if (page->experiments == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    cli_progress_begin(&progress, options->common.quiet);
    enum tma_error_code code =
        tma_experiments_run(&subject, page->result, 0, page->experiments, error);
    cli_progress_clear(&progress);
    return code;
}

/* Writes the report as text, and finds the verdict. */
static enum tma_error_code write_text(const struct report_options *options, struct page *page,
                                      struct tma_error *error) {
    const struct tma_scenario *scenario = page->scenario;
    size_t length;
    FILE *stream = tma_open_text(&page->text, &length);
    if (stream == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    if (scenario->program != NULL) {
        struct tma_kernel_report_input input = {.scenario = scenario->name,
                                                .machine = &scenario->machine,
                                                .kernel = &scenario->program->kernel,
                                                .result = page->result,
                                                .map_names = scenario->map_names};
        tma_kernel_report_write(&input, 0, stream);
    } else {
        struct tma_report_input input = {.scenario = scenario->name,
                                         .machine = &scenario->machine,
                                         .workload = &scenario->workload,
                                         .result = page->result,
                                         .map_names = scenario->map_names,
                                         .limits =
                                             tma_report_limits_of(&scenario->machine, page->result),
                                         .experiments = page->experiments,
                                         .too_long = page->experiments == NULL && !options->no_why};
        page->verdict = tma_verdict_of(&input);
        tma_report_write(&input, 0, stream);
    }
    bool failed = ferror(stream) != 0;
    if (fclose(stream) != 0 || failed || page->text == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    return TMA_OK;
}

static enum tma_error_code write_page(const struct page *page, FILE *out, struct tma_error *error) {
    const struct tma_scenario *scenario = page->scenario;
    struct tma_page_input input = {
        .scenario = scenario->name,
        .description = scenario->description,
        .machine = &scenario->machine,
        .workload = scenario->program == NULL ? &scenario->workload : NULL,
        .kernel = scenario->program == NULL ? NULL : &scenario->program->kernel,
        .map_names = scenario->map_names,
        .result = page->result,
        .series = page->series,
        .ctas = &page->ctas,
        .experiments = page->experiments,
        .verdict = page->verdict.text[0] == '\0' ? NULL : page->verdict.text,
        .text = page->text,
        .settings = page->settings,
        .setting_count = page->setting_count,
    };
    if (tma_page_write(&input, out))
        return TMA_OK;
    return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
}

static enum tma_error_code make_page(const struct report_options *options, struct page *page,
                                     struct tma_kernel_place *place, FILE *out,
                                     struct tma_error *error) {
    const struct tma_scenario *scenario = page->scenario;
    page->result = tma_allocate(1, sizeof *page->result);
    page->series = tma_series_new(&scenario->machine);
    page->origins = tma_origins_of(scenario);
    tma_scenario_describe(scenario, add_setting, page);
    if (!tma_cta_spans_create(&page->ctas) || page->result == NULL || page->series == NULL ||
        page->out_of_memory)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    struct tma_span_sink spans = tma_cta_spans_sink(&page->ctas);
    enum tma_error_code code = simulate(page, options->common.quiet, &spans, place, error);
    if (code == TMA_OK)
        code = find_out(options, page, error);
    if (code == TMA_OK)
        code = write_text(options, page, error);
    if (code == TMA_OK)
        code = write_page(page, out, error);
    return code;
}

static void print_error(const struct report_options *options, const struct tma_scenario *scenario,
                        const struct tma_kernel_place *place, const struct tma_error *error) {
    struct tma_diagnostics list = {0};
    struct tma_location at = {options->common.operands.items[0], place->line, place->column};
    if (place->line == 0) {
        cli_error("%s: %s", scenario->name, error->text);
        return;
    }
    tma_diagnose(&list, error->code, at, "%s", error->text);
    cli_print_diagnostics(&list);
    tma_diagnostics_free(&list);
}

static int report(const struct report_options *options, const struct tma_scenario *scenario) {
    struct page page = {.scenario = scenario};
    struct tma_kernel_place place = {0, 0};
    struct tma_error error = {0};
    struct cli_output output;
    if (!cli_output_open(&output, options->common.output))
        return CLI_ERROR;
    enum tma_error_code code = make_page(options, &page, &place, output.file, &error);
    free_page(&page);
    if (code != TMA_OK)
        print_error(options, scenario, &place, &error);
    bool kept = cli_output_close(&output, code == TMA_OK);
    if (code == TMA_ERROR_INTERRUPTED)
        return CLI_INTERRUPTED;
    if (code != TMA_OK)
        return cli_error_status(code);
    return kept ? CLI_OK : CLI_ERROR;
}

static int run(const struct cli_options *options) {
    const struct report_options *own = (const struct report_options *)options;
    struct tma_scenario scenario;
    int status = CLI_ERROR;
    if (own->why && own->no_why) {
        cli_error("report: --why and --no-why exclude each other");
        return CLI_ERROR;
    }
    bool read = cli_scenario_read(options, &scenario);
    if (read && own->why && scenario.program != NULL)
        cli_error("report: --why takes scenarios with a workload, not a kernel");
    else if (read)
        status = report(own, &scenario);
    tma_scenario_free(&scenario);
    return status;
}

static const struct cli_option options[] = {
    CLI_OPTION_SET,
    CLI_OPTION_MACHINE_ARCHITECTURE,
    CLI_OPTION_OUTPUT,
    {.name = "--why",
     .kind = CLI_FLAG,
     .offset = offsetof(struct report_options, why),
     .help = "find out what limits the run: run it again with one thing relieved at a time.\n"
             "This is the default for short runs"},
    {.name = "--no-why",
     .kind = CLI_FLAG,
     .offset = offsetof(struct report_options, no_why),
     .help = "run the scenario only once"},
    CLI_OPTION_QUIET,
};

const struct cli_verb cli_report = {
    .name = "report",
    .operands = "SCENARIO.yaml",
    .takes_scenario = true,
    .summary = "Simulate a scenario and write an HTML page about the run.",
    .details =
        "The page is one file that needs no network. It shows what limits the run, where the "
        "time went,\nbandwidth and occupancy over time, latencies, the load of L2 slices and "
        "DRAM channels, the tiles\nin shared memory with the worst access, waves, and the "
        "configuration with the origin of each value.",
    .statuses = "0 done, 2 error, 3 the simulated program deadlocks or faults, 130 interrupted",
    .min_operands = 1,
    .max_operands = 1,
    .options = options,
    .options_bytes = sizeof(struct report_options),
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
