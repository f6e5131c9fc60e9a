/* tmasim run: simulates a scenario, and writes its report and what else is asked for. */
#include <inttypes.h>
#include <string.h>

#include "base/allocation.h"
#include "base/limits.h"
#include "cli/files/launch_input.h"
#include "cli/files/output.h"
#include "cli/files/run_outputs.h"
#include "cli/files/scenario_input.h"
#include "cli/launch_run.h"
#include "cli/messages.h"
#include "cli/ranks.h"
#include "cli/run_options.h"
#include "cli/scenario_table.h"
#include "cli/verbs/verbs.h"
#include "report/report.h"
#include "report/sweep.h"
#include "scenario/kernel_program.h"

enum { MOST_SCENARIOS = 10000 };

/* Files besides the report. */
enum { TRACE, TIMELINE, STATS, RESOLVED, FURTHER_FILES };

static const char *const further_options[FURTHER_FILES] = {"--trace", "--timeline", "--stats",
                                                           "--resolved"};

/* The formats of a report, those of a table, which is what several scenarios have, and those of a
 * launch. */
static const struct tma_name run_formats[] = {{"text", 0},  {"json", 1},     {"csv", 2},
                                              {"jsonl", 3}, {"markdown", 4}, {"github", 5},
                                              {"junit", 6}};
static const struct tma_names run_format_names = {"format", run_formats,
                                                  sizeof run_formats / sizeof run_formats[0]};

struct run_options {
    struct cli_options common;
    const char *files[FURTHER_FILES]; /* NULL: not wanted */
    struct cli_count trace_limit;
    bool details; /* the report has all counters, and as JSON the series of the run */
    bool why, no_why;
    bool yes; /* any number of operations */
    bool allow_races;
    struct cli_count draws;
    int sampling;              /* enum tma_sampling */
    const char *launch;        /* label of a record */
    struct cli_count sanitize; /* of a launch */
    bool functional, strict;
    struct cli_list relieve;
    const char *sass, *outputs;
};

struct outputs {
    struct cli_output report, further[FURTHER_FILES]; /* the file of a further one may be NULL */
};

/* What is run, what is recorded of it, and what comes out. */
struct run_case {
    const struct run_options *options;
    const struct tma_scenario *scenario;
    struct tma_digests digests;
    struct tma_result *result; /* owned */
    struct tma_series *series; /* owned; NULL: none is wanted */
    struct cli_timeline timeline;
    struct outputs outputs;
};

/* No output may be a file that is read, or that another output writes. */
static bool check_outputs(const struct run_options *options, const struct tma_scenario *scenario) {
    for (int i = 0; i < FURTHER_FILES; i++) {
        const char *path = options->files[i], *other = NULL;
        if (!cli_output_spares(path, options->common.operands.items[0]) ||
            !cli_scenario_spared(scenario, path))
            return false;
        if (cli_output_is_file(options->common.output, path))
            other = "--output";
        for (int j = 0; j < i; j++)
            if (cli_output_is_file(options->files[j], path))
                other = further_options[j];
        if (other != NULL) {
            cli_error("%s and %s name the same file: %s", other, further_options[i], path);
            return false;
        }
    }
    return true;
}

/* Closes the report last: it may go to a pipe whose reader has gone. The trace and the timeline of
 * a run that was interrupted are not whole; its report says that it is partial. */
static bool close_outputs(struct outputs *outputs, bool keep, bool interrupted) {
    bool good = true;
    for (int i = 0; i < FURTHER_FILES; i++) {
        bool whole = i == STATS || i == RESOLVED || !interrupted;
        if (outputs->further[i].path != NULL)
            good = cli_output_close(&outputs->further[i], keep && good && whole) && good;
    }
    return cli_output_close(&outputs->report, keep && good) && good;
}

/* Opens the files before the run, so that an unwritable path fails at once. */
static bool open_outputs(struct run_case *run) {
    const struct run_options *options = run->options;
    struct outputs *outputs = &run->outputs;
    if (!check_outputs(options, run->scenario) ||
        !cli_output_open(&outputs->report, options->common.output))
        return false;
    bool good = true;
    for (int i = 0; i < FURTHER_FILES; i++)
        if (options->files[i] != NULL)
            good = good && cli_output_open(&outputs->further[i], options->files[i]);
    if (!good)
        close_outputs(outputs, false, false);
    return good;
}

/* Runs the scenario, and writes its trace and its timeline. */
static enum tma_error_code simulate(struct run_case *run, struct tma_kernel_place *place,
                                    struct tma_error *error) {
    const struct run_options *options = run->options;
    struct cli_run_sinks sinks = {.series = run->series,
                                  .sampling = (enum tma_sampling)options->sampling};
    const struct cli_trace trace = {
        .file = run->outputs.further[TRACE].file,
        .digests = &run->digests,
        .limit_bytes =
            options->trace_limit.given ? options->trace_limit.value : TMA_LIMIT_TRACE_BYTES,
    };
    FILE *resolved = run->outputs.further[RESOLVED].file;
    if (resolved != NULL && !cli_resolved_write(run->scenario, resolved))
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    FILE *timeline = run->outputs.further[TIMELINE].file;
    if (timeline != NULL && !cli_timeline_create(&run->timeline, run->series, &sinks))
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    enum tma_error_code code = cli_trace_run(&trace, run->scenario, options->common.quiet, sinks,
                                             run->result, place, error);
    if (code == TMA_OK && timeline != NULL)
        cli_timeline_write(&run->timeline, run->scenario, run->result, timeline);
    return code;
}

/* Runs the scenario again where that is asked for, and writes the report and the statistics. */
static enum tma_error_code report(struct run_case *run, bool partial, struct tma_error *error) {
    const struct run_options *options = run->options;
    const struct cli_questions questions = {.why = options->why,
                                            .no_why = options->no_why ||
                                                      options->sampling != TMA_SAMPLING_NONE,
                                            .quiet = options->common.quiet,
                                            .draws = options->draws.value,
                                            .jobs = cli_jobs(&options->common)};
    FILE *statistics = run->outputs.further[STATS].file;
    struct cli_findings *found = tma_allocate(1, sizeof *found);
    if (found == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    enum tma_error_code code =
        partial ? TMA_OK : cli_find_out(&questions, run->scenario, run->result, found, error);
    struct cli_report written = {.scenario = run->scenario,
                                 .digests = &run->digests,
                                 .result = run->result,
                                 .findings = cli_findings_of(&questions, found, partial),
                                 .series = options->details ? run->series : NULL,
                                 .partial = partial,
                                 .details = options->details};
    if (code == TMA_OK)
        cli_report_write(&written, options->common.format, run->outputs.report.file);
    written.series = run->series;
    if (code == TMA_OK && statistics != NULL)
        code = cli_statistics_write(&written, statistics, error);
    tma_release(found);
    return code;
}

static int simulate_and_report(struct run_case *run) {
    struct tma_kernel_place place = {0};
    struct tma_error error = {0};
    if (!open_outputs(run))
        return CLI_ERROR;
    enum tma_error_code code = simulate(run, &place, &error);
    bool interrupted = code == TMA_ERROR_INTERRUPTED;
    if (code == TMA_OK || interrupted)
        code = report(run, interrupted, &error);
    if (code != TMA_OK)
        cli_print_run_error(run->options->common.operands.items[0], run->scenario, &place, &error);
    bool kept = close_outputs(&run->outputs, code == TMA_OK, interrupted);
    if (code != TMA_OK)
        return cli_error_status(code);
    return !kept ? CLI_ERROR : interrupted ? CLI_INTERRUPTED : CLI_OK;
}

static void allow(struct tma_kernel *kernel, const struct run_options *options) {
    kernel->unbounded = options->yes;
    kernel->allow_races = options->allow_races;
}

/* Says what races the run had, if it may have them. */
static void warn_of_races(const struct tma_result *result) {
    if (result->races > 0)
        cli_note("%" PRIu64 " race%s; the first: %s", result->races, result->races == 1 ? "" : "s",
                 result->first_race);
}

static int run_scenario(const struct run_options *options, const struct tma_scenario *scenario) {
    struct run_case run = {.options = options, .scenario = scenario};
    bool recorded = (options->details && options->common.format != 0) ||
                    options->files[STATS] != NULL || options->files[TIMELINE] != NULL;
    int status = CLI_ERROR;
    if (scenario->program != NULL)
        allow(&scenario->program->kernel, options);
    run.result = tma_allocate(1, sizeof *run.result);
    bool ready = run.result != NULL && tma_scenario_digest(scenario, &run.digests);
    if (ready && recorded)
        run.series = tma_series_new(&scenario->machine);
    if (ready && (!recorded || run.series != NULL))
        status = simulate_and_report(&run);
    else
        cli_error("out of memory");
    if (status == CLI_OK)
        warn_of_races(run.result);
    cli_timeline_free(&run.timeline);
    tma_series_free(run.series);
    tma_release(run.result);
    return status;
}

/* A table has what each run has. An option that asks for more needs one scenario and its report. */
static bool check_table(const struct run_options *own) {
    const char *option = own->details ? "--details" : own->why ? "--why" : NULL;
    option = own->draws.given ? "--draws" : option;
    for (int i = 0; i < FURTHER_FILES; i++)
        option = own->files[i] == NULL ? option : further_options[i];
    if (option == NULL)
        return true;
    cli_error("run: %s is about one scenario and its report as text or JSON; this is a table",
              option);
    return false;
}

static int run_several(const struct run_options *own, const struct tma_error *unreadable) {
    int format = own->common.format, table_format;
    const char *name = tma_name_of(&run_format_names, format);
    bool is_table = tma_value_of(&tma_table_format_names, name, &table_format);
    if (!is_table && unreadable->text[0] != '\0') {
        cli_error("%s", unreadable->text);
        return CLI_ERROR;
    }
    if (!is_table) {
        cli_error(tma_value_of(&tma_launch_format_names, name, &table_format) &&
                          strcmp(name, "json") != 0
                      ? "run: %s is a format of launches of compiled kernels"
                      : "run: a table has no format %s; its JSON is jsonl, an object a line",
                  name);
        return CLI_ERROR;
    }
    return check_table(own)
               ? cli_scenario_table(&own->common, table_format, (enum tma_sampling)own->sampling,
                                    own->yes, own->allow_races)
               : CLI_ERROR;
}

/* A sampled run has no record of its events, and is not compared with others. */
static bool check_sampling(const struct run_options *options) {
    const char *const others[] = {options->files[TRACE] != NULL ? "--trace" : NULL,
                                  options->files[TIMELINE] != NULL ? "--timeline" : NULL,
                                  options->files[STATS] != NULL ? "--stats" : NULL,
                                  options->details ? "--details" : NULL,
                                  options->why ? "--why" : NULL,
                                  options->draws.given ? "--draws" : NULL};
    return cli_sample_allowed(options->sampling, others, sizeof others / sizeof others[0]);
}

static int run_launch(const struct run_options *own) {
    const char *option = own->details                            ? "--details"
                         : own->draws.given                      ? "--draws"
                         : own->sampling == TMA_SAMPLING_CAREFUL ? "--sample=careful"
                                                                 : NULL;
    const char *const others[] = {
        own->functional ? "--functional" : NULL, own->why ? "--why" : NULL,
        own->files[TIMELINE] != NULL ? "--timeline" : NULL,
        own->relieve.count > 0 ? "--relieve" : NULL, own->outputs != NULL ? "--outputs" : NULL};
    const char *format = tma_name_of(&run_format_names, own->common.format);
    int launch_format;
    for (int i = 0; i < FURTHER_FILES; i++)
        option = own->files[i] == NULL || i == TIMELINE ? option : further_options[i];
    if (own->common.operands.count > 1)
        cli_error("run: one launch at a time; validate runs all launches of a file of records");
    else if (option != NULL)
        cli_error("run: %s is for scenarios, not for launches of compiled kernels", option);
    else if (!tma_value_of(&tma_launch_format_names, format, &launch_format))
        cli_error("run: the report of a launch has no format %s; allowed: text, json, github, "
                  "junit",
                  format);
    else if (own->functional && own->files[TIMELINE] != NULL)
        cli_error("run: no time passes with --functional: there is no --timeline");
    else if (own->functional && own->sass != NULL)
        cli_error("run: no time passes with --functional: --sass changes nothing");
    else if (own->functional && own->relieve.count > 0)
        cli_error("run: no time passes with --functional: --relieve saves none");
    else if (cli_sample_allowed(own->sampling, others, sizeof others / sizeof others[0]))
        return cli_launch_run(&(struct cli_launch_options){
            .common = &own->common,
            .format = (enum tma_launch_format)launch_format,
            .label = own->launch,
            .sanitize = own->sanitize,
            .strict = own->strict,
            .functional = own->functional,
            .timeline = own->files[TIMELINE],
            .relieve = &own->relieve,
            .sass = own->sass,
            .outputs = own->outputs,
            .sample = own->sampling != TMA_SAMPLING_NONE,
            .why = own->why,
            .no_why = own->no_why || own->sampling != TMA_SAMPLING_NONE});
    return CLI_ERROR;
}

static bool has_launch(const struct run_options *own, struct tma_error *unreadable) {
    for (size_t i = 0; i < own->common.operands.count; i++)
        if (cli_is_launch(own->common.operands.items[i], unreadable))
            return true;
    return false;
}

static int run(const struct cli_options *options) {
    const struct run_options *own = (const struct run_options *)options;
    struct tma_scenario scenario;
    struct tma_error unreadable = {0};
    int status = CLI_ERROR, report_format;
    if (own->why && own->no_why) {
        cli_error("run: --why and --no-why exclude each other");
        return CLI_ERROR;
    }
    if (has_launch(own, &unreadable))
        return run_launch(own);
    if (own->launch != NULL || own->sanitize.given || own->functional || own->strict ||
        own->relieve.count > 0 || own->sass != NULL || own->outputs != NULL) {
        cli_error("run: --launch, --sanitize, --strict, --functional, --relieve, --sass and "
                  "--outputs are for launches of compiled kernels");
        return CLI_ERROR;
    }
    const char *format = tma_name_of(&run_format_names, options->format);
    if (options->operands.count > 1 ||
        !tma_value_of(&tma_report_format_names, format, &report_format))
        return run_several(own, &unreadable);
    if (!cli_draws_allowed(own->draws) || !check_sampling(own))
        return CLI_ERROR;
    bool read = cli_scenario_read(options, &scenario);
    if (read) {
        cli_note_swizzle_phases(&scenario);
        status = run_scenario(own, &scenario);
    }
    tma_scenario_free(&scenario);
    return status;
}

static const struct cli_option options[] = {
    CLI_OPTION_SET,
    CLI_OPTION_GPU,
    CLI_OPTION_MACHINE_ARCHITECTURE,
    CLI_OPTION_JOBS,
    CLI_OPTION_FORMAT(&run_format_names),
    CLI_OPTION_OUTPUT,
    CLI_VALUE_OPTION("--trace", "FILE", TEXT, offsetof(struct run_options, files[TRACE]),
                     "write a trace to FILE: one line for each event"),
    CLI_VALUE_OPTION("--timeline", "FILE", TEXT, offsetof(struct run_options, files[TIMELINE]),
                     "write a timeline to FILE: Chrome trace events, which ui.perfetto.dev opens"),
    CLI_VALUE_OPTION(
        "--trace-limit", "BYTES", COUNT, offsetof(struct run_options, trace_limit),
        "end the trace where it would be longer (default 2000000000; 0: no limit), and say what\n"
        "was dropped"),
    CLI_VALUE_OPTION(
        "--stats", "FILE", TEXT, offsetof(struct run_options, files[STATS]),
        "write every figure to FILE, a line each: name, value, meaning and unit; also those\n"
        "of each L2 slice, DRAM channel and port, latencies, and time series"),
    CLI_VALUE_OPTION(
        "--resolved", "FILE", TEXT, offsetof(struct run_options, files[RESOLVED]),
        "write the whole configuration to FILE, a scenario that runs alike, with the origin of\n"
        "each value: a line of a file, --set or a default"),
    CLI_FLAG_OPTION(
        "--details", offsetof(struct run_options, details),
        "show all counters: of CTAs, operations, caches, DRAM and shared memory; a report as "
        "JSON\n"
        "has them anyway, and gets slices, channels, ports, latencies and series"),
    CLI_FLAG_OPTION(
        "--why", offsetof(struct run_options, why),
        "find out what limits the run: run it again with one thing relieved at a time.\n"
        "This is the default for runs of about a second or less"),
    CLI_FLAG_OPTION("--no-why", offsetof(struct run_options, no_why), "run the scenario only once"),
    CLI_OPTION_QUIET,
    CLI_VALUE_OPTION(
        "--draws", "N", COUNT, offsetof(struct run_options, draws),
        "also run with the seeds (topology.draw) 1 to N, and report the median, the least\n"
        "and the most cycles; what saves less than launches differ is then no saving"),
    CLI_OPTION_SAMPLE(offsetof(struct run_options, sampling)),
    CLI_FLAG_OPTION("--yes", offsetof(struct run_options, yes),
                    "run a kernel even if it has more than 10^9 operations"),
    CLI_FLAG_OPTION(
        "--allow-races", offsetof(struct run_options, allow_races),
        "go on where two accesses of a kernel to shared memory are in no order, and say so\n"
        "behind the report; what hardware then computes is wrong now and then"),
    CLI_OPTION_LAUNCH(offsetof(struct run_options, launch)),
    CLI_FLAG_OPTION("--functional", offsetof(struct run_options, functional),
                    "of a launch: bytes and counts alone, without time: ten times as fast"),
    CLI_OPTION_SANITIZE(offsetof(struct run_options, sanitize)),
    CLI_OPTION_STRICT(offsetof(struct run_options, strict)),
    CLI_VALUE_OPTION(
        "--relieve", "WHAT", LIST, offsetof(struct run_options, relieve),
        "of a launch: run it again without the cost of WHAT, and say what that saves.\n"
        "FILE:LINE: a line of the PTX or its source takes no time. mbarrier:OFFSET: bytes\n"
        "complete on it at once. dram, tensor_cores, pipe.fma, ...: 10 % better, or dram=20%,\n"
        "or dram=2, twice as good"),
    CLI_OPTION_SASS(offsetof(struct run_options, sass)),
    CLI_VALUE_OPTION(
        "--outputs", "FOLDER", TEXT, offsetof(struct run_options, outputs),
        "of a launch: write what its buffers have in the end to FOLDER/NAME.bin; bytes that are\n"
        "opaque are 0, and buffers without contents are left out"),
};

const struct cli_verb cli_run = {
    .name = "run",
    .operands = "SCENARIO.yaml... | LAUNCH.yaml",
    .takes_scenario = true,
    .example = "gemm_ws --set M=2048 --set STAGES=3 --format json -o report.json",
    .summary = "Simulate a scenario and report cycles, bandwidth, cache hits and bank conflicts.",
    .details =
        "Several scenarios give a table, with a row for each; one that cannot be read or run has "
        "its\nreason in place of figures. Csv, jsonl and markdown are formats of the table, github "
        "and "
        "junit\nthose of launches. Ctrl-C "
        "ends the\nrun with a report of what was done, without a trace or a timeline.",
    .statuses = "0 done; 1 rows of a table failed; 2 error; 3 the simulated program deadlocks or "
                "faults;\n130 interrupted",
    .min_operands = 1,
    .max_operands = MOST_SCENARIOS,
    .options = options,
    .options_bytes = sizeof(struct run_options),
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
