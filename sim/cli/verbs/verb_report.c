/* tmasim report: simulates a scenario, and writes an HTML page about the run. */
#include <unistd.h>

#include "base/allocation.h"
#include "base/array.h"
#include "cli/files/output.h"
#include "cli/files/scenario_input.h"
#include "cli/launch_run.h"
#include "cli/messages.h"
#include "cli/run_options.h"
#include "cli/scenario_run.h"
#include "cli/tasks.h"
#include "cli/verbs/verbs.h"
#include "report/page.h"
#include "report/verdict.h"
#include "scenario/describe.h"
#include "scenario/kernel_program.h"
#include "scenario/origin.h"

/* CTAs whose times a page has, at most. */
enum { MOST_CTAS = 4096 };

/* What a page simulates, in experiments too (tma_run_work): two to three seconds of one core. */
enum { MOST_WORK = 5000000 };

/* The report as text is a few kilobytes. */
enum { MOST_TEXT_BYTES = 1 << 18 };

struct report_options {
    struct cli_options common;
    bool why, no_why, exact;
    int sampling;              /* enum tma_sampling */
    const char *launch;        /* label of a record */
    struct cli_count sanitize; /* of a launch */
    bool strict;
};

/* What a page shows. */
struct page {
    const struct tma_scenario *scenario;
    struct tma_result *result;  /* owned */
    struct tma_series *series;  /* owned */
    struct cli_findings *found; /* owned */
    struct tma_span_sample ctas;
    struct tma_digests digests;
    char *text;                        /* owned */
    struct tma_page_setting *settings; /* owned, and each text but none is NULL */
    size_t setting_count, setting_capacity;
    struct tma_origins origins;
    bool out_of_memory; /* a setting is missing */
};

static void free_page(struct page *page) {
    for (size_t i = 0; i < page->setting_count; i++) {
        TMA_RELEASE((char *)page->settings[i].key, (char *)page->settings[i].value,
                    (char *)page->settings[i].origin);
    }
    tma_release(page->settings);
    tma_origins_free(&page->origins);
    tma_release(page->text);
    tma_span_sample_free(&page->ctas);
    tma_release(page->found);
    tma_series_free(page->series);
    tma_release(page->result);
}

static void add_setting(void *context, const char *key, const char *value) {
    struct page *page = context;
    if (!TMA_GROW(page->settings, page->setting_count, page->setting_capacity)) {
        page->out_of_memory = true;
        return;
    }
    struct tma_page_setting setting = {tma_copy_text(key),
                                       value == NULL ? NULL : tma_copy_text(value),
                                       tma_copy_text(tma_origin_of(&page->origins, key).text)};
    page->out_of_memory |= setting.key == NULL || setting.value == NULL || setting.origin == NULL;
    page->settings[page->setting_count++] = setting;
}

/* Writes the report as text. */
static enum tma_error_code write_text(struct page *page, const struct tma_findings *findings,
                                      struct tma_error *error) {
    /* A stream whose block grows loses what it has no memory for without a word. */
    page->text = tma_allocate(MOST_TEXT_BYTES, 1);
    FILE *stream = page->text == NULL ? NULL : fmemopen(page->text, MOST_TEXT_BYTES, "w");
    if (stream == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    struct tma_report_input report = cli_report_of(page->scenario, page->result);
    report.digests = &page->digests;
    report.findings = *findings;
    report.details = true;
    tma_report_write(&report, 0, stream);
    bool failed = ferror(stream) != 0;
    if (fclose(stream) != 0 || failed)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    return TMA_OK;
}

static enum tma_error_code write_page(const struct page *page, const struct tma_findings *findings,
                                      FILE *out, struct tma_error *error) {
    const struct tma_scenario *scenario = page->scenario;
    struct tma_verdict verdict = tma_verdict_of(findings, page->result->counters.operations == 0);
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
        .experiments = findings->experiments,
        .verdict = verdict.text,
        .text = page->text,
        .settings = page->settings,
        .setting_count = page->setting_count,
    };
    if (tma_page_write(&input, out))
        return TMA_OK;
    return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
}

/* A long run is sampled if nothing is said: a page is a look at a run. Experiments compare whole
 * runs. */
static enum tma_sampling sampling_of(const struct report_options *options) {
    if (options->exact || options->why)
        return TMA_SAMPLING_NONE;
    return options->sampling == TMA_SAMPLING_NONE ? TMA_SAMPLING_LONG
                                                  : (enum tma_sampling)options->sampling;
}

static enum tma_error_code make_page(const struct report_options *options, struct page *page,
                                     struct tma_kernel_place *place, FILE *out,
                                     struct tma_error *error) {
    const struct tma_scenario *scenario = page->scenario;
    struct cli_questions questions = {.why = options->why,
                                      .no_why = options->no_why,
                                      .quiet = options->common.quiet,
                                      .jobs = cli_jobs(&options->common),
                                      .most_work = MOST_WORK};
    page->result = tma_allocate(1, sizeof *page->result);
    page->found = tma_allocate(1, sizeof *page->found);
    page->series = tma_series_new(&scenario->machine);
    if (tma_origins_create(&page->origins, scenario))
        tma_scenario_describe(scenario, add_setting, page);
    else
        page->out_of_memory = true;
    if (!tma_span_sample_create(&page->ctas, MOST_CTAS) || page->result == NULL ||
        page->found == NULL || page->series == NULL || page->out_of_memory ||
        !tma_scenario_digest(scenario, &page->digests))
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    page->ctas.kinds[TMA_SPAN_CTA] = true;
    struct tma_span_sink spans = tma_span_sample_sink(&page->ctas);
    const struct cli_run_sinks sinks = {
        .series = page->series, .spans = &spans, .sampling = sampling_of(options)};
    enum tma_error_code code =
        cli_scenario_run(scenario, options->common.quiet, &sinks, page->result, place, error);
    tma_span_sample_sort(&page->ctas);
    /* A run that was simulated whole has the page of any other, unless a part was not trusted;
     * experiments compare whole runs. */
    if (page->result->sampled.skipped_cycles > 0)
        questions.no_why = true;
    else if (page->result->sampled.whole != TMA_WHOLE_ROUGH)
        page->result->sampled = (struct tma_sampled){0};
    if (code == TMA_OK)
        code = cli_find_out(&questions, scenario, page->result, page->found, error);
    struct tma_findings findings = cli_findings_of(&questions, page->found, false);
    if (code == TMA_OK)
        code = write_text(page, &findings, error);
    if (code == TMA_OK)
        code = write_page(page, &findings, out, error);
    return code;
}

static int report(const struct report_options *options, const struct tma_scenario *scenario) {
    struct page page = {.scenario = scenario};
    struct tma_kernel_place place = {0};
    struct tma_error error = {0};
    struct cli_output output;
    if (!cli_output_open(&output, options->common.output))
        return CLI_ERROR;
    enum tma_error_code code = make_page(options, &page, &place, output.file, &error);
    free_page(&page);
    if (code != TMA_OK)
        cli_print_run_error(options->common.operands.items[0], scenario, &place, &error);
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
    if (own->why && own->no_why)
        return cli_fail("report: --why and --no-why exclude each other");
    if (options->output == NULL && isatty(STDOUT_FILENO) == 1)
        return cli_fail("report: the page is HTML, which no terminal shows; expected -o PAGE.html "
                        "for a browser; tmasim run writes the report as text");
    if (cli_is_launch(options->operands.items[0], NULL))
        return cli_launch_run(&(struct cli_launch_options){.common = options,
                                                           .label = own->launch,
                                                           .sanitize = own->sanitize,
                                                           .strict = own->strict,
                                                           .exact = own->exact || own->why,
                                                           .why = own->why,
                                                           .no_why = own->no_why,
                                                           .page = true});
    const char *const others[] = {own->exact ? "--exact" : NULL, own->why ? "--why" : NULL};
    if (!cli_sample_allowed(own->sampling, others, sizeof others / sizeof others[0]))
        return CLI_ERROR;
    if (cli_scenario_read(options, &scenario)) {
        cli_note_products(&scenario);
        status = report(own, &scenario);
    }
    tma_scenario_free(&scenario);
    return status;
}

static const struct cli_option options[] = {
    CLI_OPTION_SET,
    CLI_OPTION_GPU,
    CLI_OPTION_MACHINE_ARCHITECTURE,
    CLI_OPTION_JOBS,
    CLI_OPTION_OUTPUT,
    CLI_FLAG_OPTION(
        "--why", offsetof(struct report_options, why),
        "find out what limits the run: run it again with one thing relieved at a time.\n"
        "This is the default where the run takes less than a second, as for run"),
    CLI_FLAG_OPTION("--no-why", offsetof(struct report_options, no_why),
                    "run the scenario only once"),
    CLI_FLAG_OPTION(
        "--exact", offsetof(struct report_options, exact),
        "simulate all of a long run. Without it, as without --why, a run that moves more than\n"
        "192 MB is sampled as with --sample, and the page says so"),
    CLI_OPTION_SAMPLE(offsetof(struct report_options, sampling)),
    CLI_OPTION_QUIET,
    CLI_OPTION_LAUNCH(offsetof(struct report_options, launch)),
    CLI_OPTION_SANITIZE(offsetof(struct report_options, sanitize)),
    CLI_OPTION_STRICT(offsetof(struct report_options, strict)),
};

const struct cli_verb cli_report = {
    .name = "report",
    .operands = "SCENARIO.yaml | LAUNCH.yaml",
    .takes_scenario = true,
    .takes_launch = true,
    .summary = "Simulate a scenario and write an HTML page about the run.",
    .details =
        "The page is one file that needs no network. It shows what limits the run, where the "
        "time went,\nbandwidth and occupancy over time, latencies, the load of L2 slices and "
        "DRAM channels, the tiles\nin shared memory with the worst access, waves, and the "
        "configuration with the origin of each value.\nThe page of a long run is made from a part "
        "of it, and says how much was simulated and how wrong\nthe cycles may be.\n"
        "\n"
        "The page of a launch shows the lines of its PTX with their counts, what is wrong, and the "
        "lines\n"
        "of the sources that lie beside the launch file or in its folder sources.",
    .example = "gemm_tile -o gemm.html",
    .statuses = "0 done, 2 error, 3 the simulated program deadlocks or faults, 130 interrupted",
    .min_operands = 1,
    .max_operands = 1,
    CLI_RUNS_WITH(report_options),
};
