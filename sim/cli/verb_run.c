/* tmasim run: simulates a scenario and writes its report, its trace and its timeline. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "base/array.h"
#include "base/limits.h"
#include "base/version.h"
#include "cli/draws_option.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/scenario_findings.h"
#include "cli/scenario_input.h"
#include "cli/scenario_run.h"
#include "cli/timeline_output.h"
#include "cli/verbs.h"
#include "report/report.h"
#include "scenario/describe.h"
#include "trace/trace.h"

struct run_options {
    struct cli_options common;
    const char *trace, *timeline; /* NULL: none */
    struct cli_count trace_limit;
    bool why, no_why;
    bool yes; /* any number of operations */
    struct cli_count draws;
};

struct outputs {
    struct cli_output report, trace, timeline; /* the file of the last two may be NULL */
};

/* Whether a further output replaces nothing that the command reads or writes. */
static bool may_write(const struct run_options *options, const struct tma_scenario *scenario,
                      const char *option, const char *path) {
    if (!cli_output_spares(path, options->common.operands.items[0]) ||
        !cli_output_spares(path, scenario->gpu_path))
        return false;
    if (!cli_output_is_file(options->common.output, path))
        return true;
    cli_error("--output and %s name the same file: %s", option, path);
    return false;
}

static bool open_further(struct cli_output *output, const char *path) {
    return path == NULL || cli_output_open(output, path);
}

static bool close_further(struct cli_output *output, bool keep) {
    return output->path == NULL || cli_output_close(output, keep);
}

/* Closes the trace and the timeline first: the report may go to a pipe whose reader has gone. Those
 * of a run that was interrupted are not whole, and its report says that it is partial. */
static bool close_outputs(struct outputs *outputs, bool keep, bool interrupted) {
    bool good = close_further(&outputs->trace, keep && !interrupted);
    good = close_further(&outputs->timeline, keep && good && !interrupted) && good;
    return cli_output_close(&outputs->report, keep && good) && good;
}

/* Opens the files before the run, so that an unwritable path fails at once. */
static bool open_outputs(const struct run_options *options, const struct tma_scenario *scenario,
                         struct outputs *outputs) {
    *outputs = (struct outputs){.report = {0}};
    if (!may_write(options, scenario, "--trace", options->trace) ||
        !may_write(options, scenario, "--timeline", options->timeline))
        return false;
    if (cli_output_is_file(options->trace, options->timeline)) {
        cli_error("--trace and --timeline name the same file: %s", options->trace);
        return false;
    }
    if (!cli_output_open(&outputs->report, options->common.output))
        return false;
    if (open_further(&outputs->trace, options->trace) &&
        open_further(&outputs->timeline, options->timeline))
        return true;
    close_outputs(outputs, false, false);
    return false;
}

/* The resolved scenario for the header of the trace. */
struct fields {
    struct tma_trace_field *items; /* owned */
    size_t count, capacity;
    bool out_of_memory; /* a line is missing */
};

static void add_field(void *context, const char *key, const char *value) {
    struct fields *fields = context;
    struct tma_trace_field *items =
        tma_array_grow(fields->items, fields->count, &fields->capacity, sizeof *items);
    if (items == NULL) {
        fields->out_of_memory = true;
        return;
    }
    fields->items = items;
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
        tma_release((char *)fields->items[i].key);
        tma_release((char *)fields->items[i].value);
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

/* Runs the scenario, and writes a trace where there is a file for it. */
static enum tma_error_code trace_run(const struct run_options *options,
                                     const struct tma_scenario *scenario,
                                     const struct tma_digests *digests, FILE *trace,
                                     struct cli_run_sinks sinks, struct tma_result *result,
                                     struct tma_kernel_place *place, struct tma_error *error) {
    const bool quiet = options->common.quiet;
    if (trace == NULL)
        return cli_scenario_run(scenario, quiet, &sinks, result, place, error);
    struct fields fields = {.count = 0};
    struct kernel_names *names = tma_allocate(1, sizeof *names);
    add_provenance(digests, &fields);
    tma_scenario_describe(scenario, add_field, &fields);
    if (fields.out_of_memory || names == NULL) {
        free_fields(&fields);
        tma_release(names);
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    }
    struct tma_trace_header header = {.scenario = scenario->name,
                                      .fields = fields.items,
                                      .field_count = fields.count,
                                      .limit_bytes = options->trace_limit.given
                                                         ? options->trace_limit.value
                                                         : TMA_LIMIT_TRACE_BYTES};
    if (scenario->program != NULL)
        name_kernel(&scenario->program->kernel, names, &header);
    struct tma_trace_writer *writer = tma_trace_writer_open(trace, &header, error);
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

/* Runs the scenario, and writes a timeline and a trace where there are files for them. */
static enum tma_error_code simulate(const struct run_options *options,
                                    const struct tma_scenario *scenario,
                                    const struct tma_digests *digests,
                                    const struct outputs *outputs, struct tma_result *result,
                                    struct tma_kernel_place *place, struct tma_error *error) {
    FILE *trace = outputs->trace.file, *file = outputs->timeline.file;
    struct cli_run_sinks sinks = {0};
    if (file == NULL)
        return trace_run(options, scenario, digests, trace, sinks, result, place, error);
    struct cli_timeline timeline;
    enum tma_error_code code = TMA_ERROR_MEMORY;
    if (!cli_timeline_create(&timeline, scenario, &sinks))
        tma_fail(error, code, "out of memory");
    else
        code = trace_run(options, scenario, digests, trace, sinks, result, place, error);
    if (code == TMA_OK)
        cli_timeline_write(&timeline, scenario, result, file);
    cli_timeline_free(&timeline);
    return code;
}

static enum tma_error_code report(const struct run_options *options,
                                  const struct tma_scenario *scenario,
                                  const struct tma_digests *digests,
                                  const struct tma_result *result, bool partial, FILE *out,
                                  struct tma_error *error) {
    const struct cli_questions questions = {options->why, options->no_why, options->common.quiet,
                                            options->draws.value};
    struct cli_findings *found = tma_allocate(1, sizeof *found);
    if (found == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    enum tma_error_code code =
        partial ? TMA_OK : cli_find_out(&questions, scenario, result, found, error);
    const struct tma_findings findings = cli_findings_of(&questions, found, partial);
    if (code == TMA_OK)
        cli_write_report(scenario, digests, result, &findings, partial, options->common.format,
                         out);
    tma_release(found);
    return code;
}

static int run_scenario(const struct run_options *options, const struct tma_scenario *scenario) {
    struct outputs outputs;
    struct tma_kernel_place place = {0, 0};
    if (scenario->program != NULL)
        scenario->program->kernel.unbounded = options->yes;
    struct tma_error error = {0};
    struct tma_digests digests;
    struct tma_result *result = tma_allocate(1, sizeof *result);
    bool ready = result != NULL && tma_scenario_digest(scenario, &digests);
    if (!ready)
        cli_error("out of memory");
    if (!ready || !open_outputs(options, scenario, &outputs)) {
        tma_release(result);
        return CLI_ERROR;
    }
    enum tma_error_code code =
        simulate(options, scenario, &digests, &outputs, result, &place, &error);
    bool interrupted = code == TMA_ERROR_INTERRUPTED;
    if (code == TMA_OK || interrupted)
        code =
            report(options, scenario, &digests, result, interrupted, outputs.report.file, &error);
    if (code != TMA_OK)
        cli_print_run_error(options->common.operands.items[0], scenario, &place, &error);
    tma_release(result);
    bool kept = close_outputs(&outputs, code == TMA_OK, interrupted);
    if (code != TMA_OK)
        return cli_error_status(code);
    return !kept ? CLI_ERROR : interrupted ? CLI_INTERRUPTED : CLI_OK;
}

static int run(const struct cli_options *options) {
    const struct run_options *own = (const struct run_options *)options;
    struct tma_scenario scenario;
    int status = CLI_ERROR;
    if (own->why && own->no_why) {
        cli_error("run: --why and --no-why exclude each other");
        return CLI_ERROR;
    }
    if (!cli_draws_allowed(own->draws))
        return CLI_ERROR;
    bool read = cli_scenario_read(options, &scenario);
    if (read)
        status = run_scenario(own, &scenario);
    tma_scenario_free(&scenario);
    return status;
}

static const struct cli_option options[] = {
    CLI_OPTION_SET,
    CLI_OPTION_MACHINE_ARCHITECTURE,
    CLI_OPTION_FORMAT(&tma_report_format_names),
    CLI_OPTION_OUTPUT,
    {.name = "--trace",
     .value = "FILE",
     .kind = CLI_TEXT,
     .offset = offsetof(struct run_options, trace),
     .help = "write a trace to FILE: one line for each event"},
    {.name = "--timeline",
     .value = "FILE",
     .kind = CLI_TEXT,
     .offset = offsetof(struct run_options, timeline),
     .help = "write a timeline to FILE: Chrome trace events, which ui.perfetto.dev opens"},
    {.name = "--trace-limit",
     .value = "BYTES",
     .kind = CLI_COUNT,
     .offset = offsetof(struct run_options, trace_limit),
     .help =
         "end the trace where it would be longer (default 2000000000; 0: no limit), and say what\n"
         "was dropped"},
    {.name = "--why",
     .kind = CLI_FLAG,
     .offset = offsetof(struct run_options, why),
     .help = "find out what limits the run: run it again with one thing relieved at a time.\n"
             "This is the default for short runs"},
    {.name = "--no-why",
     .kind = CLI_FLAG,
     .offset = offsetof(struct run_options, no_why),
     .help = "run the scenario only once"},
    CLI_OPTION_QUIET,
    {.name = "--draws",
     .value = "N",
     .kind = CLI_COUNT,
     .offset = offsetof(struct run_options, draws),
     .help = "also run with the seeds (topology.draw) 1 to N, and report the median, the least\n"
             "and the most cycles; what saves less than launches differ is then no saving"},
    {.name = "--yes",
     .kind = CLI_FLAG,
     .offset = offsetof(struct run_options, yes),
     .help = "run a kernel even if it has more than 10^9 operations"},
};

const struct cli_verb cli_run = {
    .name = "run",
    .operands = "SCENARIO.yaml",
    .takes_scenario = true,
    .summary = "Simulate a scenario and report cycles, bandwidth, cache hits and bank conflicts.",
    .details = "Ctrl-C ends the run with a report of what was done, without a trace or a timeline.",
    .statuses = "0 done, 2 error, 3 the simulated program deadlocks or faults, 130 interrupted",
    .min_operands = 1,
    .max_operands = 1,
    .options = options,
    .options_bytes = sizeof(struct run_options),
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
