/* tmasim run: simulates a scenario, and writes its report and what else is asked for. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "base/array.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/version.h"
#include "cli/files/input_digest.h"
#include "cli/files/launch_input.h"
#include "cli/files/output.h"
#include "cli/files/scenario_input.h"
#include "cli/files/temporary.h"
#include "cli/launch_run.h"
#include "cli/messages.h"
#include "cli/options.h"
#include "cli/run_options.h"
#include "cli/scenario_run.h"
#include "cli/tasks.h"
#include "cli/verbs/verbs.h"
#include "difference/statistics.h"
#include "engine/watch.h"
#include "report/report.h"
#include "report/span_sample.h"
#include "report/sweep.h"
#include "report/timeline.h"
#include "scenario/block_yaml.h"
#include "scenario/describe.h"
#include "scenario/kernel_program.h"
#include "scenario/origin.h"
#include "scenario/scenario.h"
#include "scenario/tree.h"
#include "search/row_runs.h"
#include "trace/trace.h"

/* What `tmasim run` writes beside its report: the trace, the timeline, the statistics, the resolved
 * scenario. */

struct cli_trace {
    FILE *file; /* NULL: no trace */
    const struct tma_digests *digests;
    uint64_t limit_bytes; /* 0: none */
};

/* What a run records for --timeline, and the file. */
struct cli_timeline {
    const struct tma_series *series; /* borrowed */
    struct tma_span_sample spans;
    struct tma_span_sink sink;
};

#ifdef TMA_DEBUG
enum { CHECKS_TRACES = true };
#else
enum { CHECKS_TRACES = false };
#endif

/* The resolved scenario for the header of the trace. */
struct fields {
    struct tma_trace_field *items; /* owned */
    size_t count, capacity;
    bool out_of_memory; /* a line is missing */
};

static void add_field(void *context, const char *key, const char *value) {
    struct fields *fields = context;
    if (!tma_cycles_depend_on(key))
        return;
    if (!TMA_GROW(fields->items, fields->count, fields->capacity)) {
        fields->out_of_memory = true;
        return;
    }
    struct tma_trace_field field = {tma_copy_text(key),
                                    value == NULL ? NULL : tma_copy_text(value)};
    fields->out_of_memory |= field.key == NULL || field.value == NULL;
    fields->items[fields->count++] = field;
}

/* The header's first fields: what wrote the trace, and what it is of. */
static void add_provenance(const struct tma_digests *digests, struct fields *fields) {
    char text[TMA_DIGEST_TEXT_BYTES];
    add_field(fields, "tmasim", TMA_VERSION);
    tma_digest_text(digests->machine, text);
    add_field(fields, "digest.machine", text);
    tma_digest_text(digests->scenario, text);
    add_field(fields, "digest.scenario", text);
}

static void free_fields(struct fields *fields) {
    for (size_t i = 0; i < fields->count; i++) {
        TMA_RELEASE((char *)fields->items[i].key, (char *)fields->items[i].value);
    }
    tma_release(fields->items);
}

/* The names of a kernel's roles, and of the stages of its rings: "ab 2". */
struct kernel_names {
    const char *roles[TMA_MAX_ROLES];
    const char *stages[TMA_MAX_RINGS * TMA_MAX_RING_DEPTH];
    char texts[TMA_MAX_RINGS * TMA_MAX_RING_DEPTH][TMA_KERNEL_NAME + 12];
    size_t stage_count;
};

static void name_kernel(const struct tma_kernel *kernel, struct kernel_names *names,
                        struct tma_trace_header *header) {
    for (uint32_t i = 0; i < kernel->role_count; i++)
        names->roles[i] = kernel->roles[i].name;
    for (uint32_t i = 0; i < kernel->ring_count; i++)
        for (uint32_t stage = 0; stage < kernel->rings[i].depth; stage++) {
            size_t index = names->stage_count++;
            snprintf(names->texts[index], sizeof names->texts[index], "%s %u",
                     kernel->rings[i].name, stage);
            names->stages[index] = names->texts[index];
        }
    header->role_names = names->roles;
    header->role_count = kernel->role_count;
    header->stage_names = names->stages;
    header->stage_count = names->stage_count;
}

static void report_drops(const struct tma_trace_header *header, struct tma_trace_drops drops) {
    if (drops.events > 0)
        cli_note("the trace ends at its limit of %" PRIu64 " bytes: %" PRIu64
                 " events, from cycle %" PRIu64 " on, were dropped (--trace-limit)",
                 header->limit_bytes, drops.events, drops.from_cycle);
}

/* Runs the scenario as cli_scenario_run does, and writes the trace where there is a file for it.
 * Says on standard error what the limit drops. */
static enum tma_error_code trace_run(const struct cli_trace *trace,
                                     const struct tma_scenario *scenario, bool quiet,
                                     struct cli_run_sinks sinks, struct tma_result *result,
                                     struct tma_kernel_place *place, struct tma_error *error) {
    if (trace->file == NULL)
        return cli_scenario_run(scenario, quiet, &sinks, result, place, error);
    struct fields fields = {.count = 0};
    struct kernel_names *names = tma_allocate(1, sizeof *names);
    add_provenance(trace->digests, &fields);
    tma_scenario_describe(scenario, add_field, &fields);
    if (fields.out_of_memory || names == NULL) {
        free_fields(&fields);
        tma_release(names);
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    }
    struct tma_trace_header header = {.scenario = scenario->name,
                                      .fields = fields.items,
                                      .field_count = fields.count,
                                      .limit_bytes = trace->limit_bytes,
                                      .checks = CHECKS_TRACES};
    if (scenario->program != NULL)
        name_kernel(&scenario->program->kernel, names, &header);
    struct tma_trace_writer *writer = tma_trace_writer_open(trace->file, &header, error);
    enum tma_error_code code = TMA_ERROR_MEMORY;
    if (writer != NULL) {
        struct tma_event_sink sink = tma_trace_writer_sink(writer);
        sinks.events = &sink;
        code = cli_scenario_run(scenario, quiet, &sinks, result, place, error);
        if (code == TMA_OK)
            report_drops(&header, tma_trace_writer_drops(writer));
        enum tma_error_code closed = tma_trace_writer_close(writer, code == TMA_OK ? error : NULL);
        code = code == TMA_OK ? closed : code;
    }
    free_fields(&fields);
    tma_release(names);
    return code;
}

/* Prepares to record a run: adds to its sinks, which borrow *timeline. The run records the series
 * too. False when out of memory. Free the timeline in any case. */
static bool timeline_create(struct cli_timeline *timeline, struct tma_series *series,
                            struct cli_run_sinks *sinks) {
    *timeline = (struct cli_timeline){.series = series};
    if (!tma_span_sample_create(&timeline->spans, TMA_MOST_TIMELINE_SPANS))
        return false;
    for (size_t kind = 0; kind < sizeof timeline->spans.kinds; kind++)
        timeline->spans.kinds[kind] = true;
    timeline->sink = tma_span_sample_sink(&timeline->spans);
    sinks->series = series;
    sinks->spans = &timeline->sink;
    return true;
}

static void timeline_free(struct cli_timeline *timeline) {
    tma_span_sample_free(&timeline->spans);
}

/* Writes the timeline of the run. Write errors stay with the stream. */
static void timeline_write(struct cli_timeline *timeline, const struct tma_scenario *scenario,
                           const struct tma_result *result, FILE *out) {
    const struct tma_timeline_input input = {
        .scenario = scenario->name,
        .machine = &scenario->machine,
        .kernel = scenario->program == NULL ? NULL : &scenario->program->kernel,
        .map_names = scenario->map_names,
        .result = result,
        .series = timeline->series,
        .spans = &timeline->spans,
    };
    tma_span_sample_sort(&timeline->spans);
    tma_timeline_write(&input, out);
}

/* The report is written as JSON, and read again. */
static enum tma_error_code statistics_write(const struct tma_report_input *report, FILE *out,
                                            struct tma_error *error) {
    struct tma_report_input figures = *report;
    struct tma_diagnostics list = {0};
    struct tma_variant variant = {0};
    char *text = NULL;
    size_t length = 0;
    int json = 0;
    figures.series = NULL;
    FILE *memory = tma_open_text(&text, &length);
    bool good = memory != NULL && tma_value_of(&tma_report_format_names, "json", &json);
    if (good)
        tma_report_write(&figures, json, memory);
    good = memory != NULL && tma_close_text(memory, &text) && good &&
           tma_variant_add_report(&variant, "", text, length, "report", &list);
    if (good)
        tma_statistics_write(&variant, report->series, out);
    tma_diagnostics_free(&list);
    tma_variant_free(&variant);
    tma_release(text);
    return good ? TMA_OK : tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
}

struct resolved {
    struct tma_origins origins;
    struct tma_block_yaml yaml;
    bool out_of_memory;
};

static void write_pair(void *context, const char *key, const char *value) {
    static const char kernel[] = "kernel.";
    struct resolved *resolved = context;
    if (value == NULL) {
        resolved->out_of_memory = true;
        return;
    }
    /* The values of a kernel are those of its document, one by one; others have lists. */
    bool is_list = value[0] == '[' && strncmp(key, kernel, sizeof kernel - 1) != 0;
    tma_block_yaml_write(&resolved->yaml, key, is_list ? TMA_BLOCK_FLOW : TMA_BLOCK_SCALAR, value,
                         tma_origin_of(&resolved->origins, key).text);
}

/* Whether the timing was validated follows from these two, as the machine's file has them. */
static void write_machine_pair(void *context, const char *key, const char *value) {
    static const char validated[] = "gpu.validated", digest[] = "validated_digest";
    struct resolved *resolved = context;
    const struct tma_yaml_node *machine = resolved->origins.scenario->gpu_document;
    const struct tma_yaml_node *stated = tma_yaml_find(machine, digest);
    bool is_validated = strcmp(key, validated) == 0;
    write_pair(context, key, is_validated ? tma_yaml_find(machine, "validated")->text : value);
    if (is_validated && stated != NULL)
        write_pair(context, "gpu.validated_digest", stated->text);
}

/* Writes a scenario with all keys of the machine, the tensor maps and the workload or kernel, each
 * with a comment that says where its value comes from. It runs as the scenario does. Returns false
 * when out of memory. Write errors stay with the stream. */
static bool resolved_write(const struct tma_scenario *scenario, FILE *out) {
    struct resolved resolved = {.yaml = {.out = out}};
    resolved.out_of_memory = !tma_origins_create(&resolved.origins, scenario);
    if (!resolved.out_of_memory) {
        write_pair(&resolved, "name", scenario->name);
        if (scenario->description[0] != '\0')
            write_pair(&resolved, "description", scenario->description);
        tma_scenario_describe(scenario, write_machine_pair, &resolved);
    }
    tma_origins_free(&resolved.origins);
    return !resolved.out_of_memory;
}

/* Several scenarios, each run once: a table with a row for each. */

struct scenario_table {
    const struct cli_options *options;
    bool unbounded, allow_races;
    struct tma_sweep sweep;
    struct tma_row_runs runs;
    struct cli_host host;
    char key[TMA_DIGEST_TEXT_BYTES];
};

/* In a worker. */
static bool read_row(const void *context, size_t row, struct tma_variant_scenario *variant,
                     char reason[TMA_REASON_BYTES]) {
    static const struct tma_variants none = {.row_count = 1};
    const struct scenario_table *table = context;
    const struct cli_options *options = table->options;
    const char *path = options->operands.items[row];
    const struct tma_settings settings = {options->settings.items, options->settings.count};
    bool good =
        tma_variant_scenario_read(path, cli_file_name(path), &settings, &none, 0, variant, reason);
    if (good && variant->scenario.program != NULL) {
        variant->scenario.program->kernel.unbounded = table->unbounded;
        variant->scenario.program->kernel.allow_races = table->allow_races;
    }
    return good;
}

static bool create_rows(struct scenario_table *table) {
    static const char *const columns[] = {"scenario"};
    struct tma_sweep *sweep = &table->sweep;
    sweep->columns = columns;
    sweep->column_count = 1;
    sweep->row_count = table->options->operands.count;
    sweep->rows = tma_allocate(sweep->row_count, sizeof *sweep->rows);
    if (sweep->rows == NULL)
        return cli_error("out of memory");
    for (size_t i = 0; i < sweep->row_count; i++)
        sweep->rows[i].values = &table->options->words[i];
    return true;
}

/* The output may be no file that a scenario is made of. A scenario may be wrong: its row says so.
 */
static bool spares_inputs(const struct cli_options *options) {
    bool good = true;
    for (size_t i = 0; good && options->output != NULL && i < options->operands.count; i++) {
        struct tma_diagnostics list = {0};
        struct tma_scenario scenario;
        tma_scenario_read(options->operands.items[i], options->settings.items,
                          options->settings.count, &scenario, &list);
        good = cli_scenario_spared(&scenario, options->output);
        tma_diagnostics_free(&list);
        tma_scenario_free(&scenario);
    }
    return good;
}

static int write_table(struct scenario_table *table, int format) {
    const struct cli_options *options = table->options;
    const struct tma_worker_code code = tma_row_runs_code(&table->runs);
    struct cli_output output;
    struct tma_error error;
    int status;
    if (cli_is_rank() && !cli_digest_inputs(options, options->operands.items, NULL, table->key))
        return CLI_ERROR;
    if (cli_rank_serves(options, &code, table->key, &status))
        return status;
    if (!spares_inputs(options) || !cli_output_open(&output, options->output))
        return CLI_ERROR;
    cli_host_begin(&table->host, options, "rows", table->key);
    bool good = tma_row_runs_do(&table->runs, &error) == TMA_OK;
    cli_host_end(&table->host);
    if (!good)
        cli_error("%s", error.text);
    if (good)
        tma_sweep_write(&table->sweep, format, output.file);
    if (!cli_output_close(&output, good) || !good)
        return CLI_ERROR;
    return cli_row_status(&table->sweep);
}

/* Runs the scenarios that the operands name, and writes the table in a format of
 * tma_table_format_names. What cannot be read or run is a row with its reason. With `unbounded`,
 * kernels may have any number of operations; with `allow_races` they go on where they have races.
 * `sampling` is that of each run. Returns the exit
 * status. */
static int run_table(const struct cli_options *options, int format, enum tma_sampling sampling,
                     bool unbounded, bool allow_races) {
    struct scenario_table table = {
        .options = options, .unbounded = unbounded, .allow_races = allow_races};
    table.runs = (struct tma_row_runs){.host = &table.host.host,
                                       .sweep = &table.sweep,
                                       .sampling = sampling,
                                       .context = &table,
                                       .read = read_row};
    cli_note_machines(&options->settings, options->operands.items, options->operands.count);
    cli_interrupts_hold(true);
    int status = create_rows(&table) ? write_table(&table, format) : CLI_ERROR;
    tma_rows_free(&table.sweep);
    return status;
}

enum { MOST_SCENARIOS = 10000 };

/* Files besides the report. */
enum { TRACE, TIMELINE, STATS, RESOLVED, FURTHER_FILES };

static const char *const further_options[FURTHER_FILES] = {"--trace", "--timeline", "--stats",
                                                           "--resolved"};

/* The formats of a report, those of a table, which is what several scenarios have, and those of a
 * launch. */
static const struct tma_names run_format_names =
    TMA_NAMES("format", {"text", 0}, {"json", 1}, {"csv", 2}, {"jsonl", 3}, {"markdown", 4},
              {"github", 5}, {"junit", 6});

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
        if (other != NULL)
            return cli_error("%s and %s name the same file: %s", other, further_options[i], path);
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
    if (resolved != NULL && !resolved_write(run->scenario, resolved))
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    FILE *timeline = run->outputs.further[TIMELINE].file;
    if (timeline != NULL && !timeline_create(&run->timeline, run->series, &sinks))
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    enum tma_error_code code =
        trace_run(&trace, run->scenario, options->common.quiet, sinks, run->result, place, error);
    if (code == TMA_OK && timeline != NULL)
        timeline_write(&run->timeline, run->scenario, run->result, timeline);
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
    struct tma_report_input written = cli_report_of(run->scenario, run->result);
    written.digests = &run->digests;
    written.findings = cli_findings_of(&questions, found, partial);
    written.series = options->details ? run->series : NULL;
    written.partial = partial;
    written.details = options->details;
    if (code == TMA_OK)
        tma_report_write(&written, options->common.format, run->outputs.report.file);
    written.series = run->series;
    if (code == TMA_OK && statistics != NULL)
        code = statistics_write(&written, statistics, error);
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
    timeline_free(&run.timeline);
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
    return cli_error(
        "run: %s is about one scenario and its report as text or JSON; this is a table", option);
}

static int run_several(const struct run_options *own, const struct tma_error *unreadable) {
    int format = own->common.format, table_format;
    const char *name = tma_name_of(&run_format_names, format);
    bool is_table = tma_value_of(&tma_table_format_names, name, &table_format);
    if (!is_table && unreadable->text[0] != '\0')
        return cli_fail("%s", unreadable->text);
    if (!is_table)
        return cli_fail(tma_value_of(&tma_launch_format_names, name, &table_format) &&
                                strcmp(name, "json") != 0
                            ? "run: %s is a format of launches of compiled kernels"
                            : "run: a table has no format %s; its JSON is jsonl, an object a line",
                        name);
    return check_table(own)
               ? run_table(&own->common, table_format, (enum tma_sampling)own->sampling, own->yes,
                           own->allow_races)
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
        cli_error("run: one launch at a time; tmasim sweep A.yaml B.yaml ranks several, and "
                  "validate runs all launches of a file of records");
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
    if (own->why && own->no_why)
        return cli_fail("run: --why and --no-why exclude each other");
    if (has_launch(own, &unreadable))
        return run_launch(own);
    if (own->launch != NULL || own->sanitize.given || own->functional || own->strict ||
        own->relieve.count > 0 || own->sass != NULL || own->outputs != NULL)
        return cli_fail("run: --launch, --sanitize, --strict, --functional, --relieve, --sass and "
                        "--outputs are for launches of compiled kernels");
    const char *format = tma_name_of(&run_format_names, options->format);
    if (options->operands.count > 1 ||
        !tma_value_of(&tma_report_format_names, format, &report_format))
        return run_several(own, &unreadable);
    if (!cli_draws_allowed(own->draws) || !check_sampling(own))
        return CLI_ERROR;
    bool read = cli_scenario_read(options, &scenario);
    if (read) {
        cli_note_swizzle_phases(&scenario);
        cli_note_products(&scenario);
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
        "FILE:LINE: a line of the PTX or its source takes no time. mbarrier:ADDRESS: bytes\n"
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
    .takes_launch = true,
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
    CLI_RUNS_WITH(run_options),
};
