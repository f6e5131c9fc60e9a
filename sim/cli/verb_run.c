/* tmasim run: simulates a scenario and writes its report and its trace. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "base/array.h"
#include "base/limits.h"
#include "cli/draws_option.h"
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
#include "report/report.h"
#include "scenario/describe.h"
#include "trace/trace.h"

/* Experiments run without being asked for up to this much work (tma_run_work) of the scenario: they
 * take a dozen times as long as the scenario itself, which is about two seconds. */
enum { MOST_WORK = 250000 };

struct run_options {
    struct cli_options common;
    const char *trace; /* NULL: no trace */
    struct cli_count trace_limit;
    bool why, no_why;
    bool yes; /* any number of operations */
    struct cli_count draws;
};

struct outputs {
    struct cli_output report, trace;
    bool tracing;
};

/* Opens the files before the run, so that an unwritable path fails at once. */
static bool open_outputs(const struct run_options *options, const struct tma_scenario *scenario,
                         struct outputs *outputs) {
    *outputs = (struct outputs){.tracing = options->trace != NULL};
    if (!cli_output_spares(options->trace, options->common.operands.items[0]) ||
        !cli_output_spares(options->trace, scenario->gpu_path))
        return false;
    if (cli_output_is_file(options->common.output, options->trace)) {
        cli_error("--output and --trace name the same file: %s", options->trace);
        return false;
    }
    if (!cli_output_open(&outputs->report, options->common.output))
        return false;
    if (!outputs->tracing || cli_output_open(&outputs->trace, options->trace))
        return true;
    cli_output_close(&outputs->report, false);
    return false;
}

/* Closes the trace first: the report may go to a pipe whose reader has gone. The trace of a run
 * that was interrupted is not whole, and its report says that it is partial. */
static bool close_outputs(struct outputs *outputs, bool keep, bool interrupted) {
    bool good = !outputs->tracing || cli_output_close(&outputs->trace, keep && !interrupted);
    return cli_output_close(&outputs->report, keep && good) && good;
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

/* Shows how far the run is, until an interrupt ends it. */
static bool look(void *context, const struct tma_run_state *state) {
    struct cli_progress *progress = context;
    progress->total = progress->total_work = state->total_operations;
    progress->done = progress->done_work = state->operations;
    progress->cycles = state->cycle;
    cli_progress_show(progress);
    return !cli_interrupted();
}

static enum tma_error_code run_watched(const struct tma_scenario *scenario, bool quiet,
                                       const struct tma_event_sink *sink, struct tma_result *result,
                                       struct tma_error *error) {
    struct cli_progress progress = {.unit = "operations"};
    struct tma_watch watch = {.look = look, .context = &progress};
    cli_interrupts_hold(true);
    cli_progress_begin(&progress, quiet);
    enum tma_error_code code =
        tma_run_watched(&scenario->machine, &scenario->workload, sink, &watch, result, error);
    cli_progress_clear(&progress);
    cli_interrupts_hold(false);
    /* The interrupt that came after the last look ends the command, too: it tries no experiments.
     */
    return code == TMA_OK && cli_interrupted() ? TMA_ERROR_INTERRUPTED : code;
}

/* Fails if the kernel has more operations than anyone means to wait for. */
static enum tma_error_code check_operations(const struct tma_kernel *kernel,
                                            struct tma_kernel_place *place,
                                            struct tma_error *error) {
    uint32_t most;
    uint64_t operations = tma_kernel_known_operations(kernel, &most);
    if (kernel->unbounded || operations <= TMA_MAX_KERNEL_OPERATIONS)
        return TMA_OK;
    *place =
        (struct tma_kernel_place){kernel->statements[most].line, kernel->statements[most].column};
    return tma_fail(error, TMA_ERROR_ARGUMENT,
                    "the kernel has %" PRIu64
                    " TMA operations, most of them here; more than %" PRIu64
                    " need the option --yes",
                    operations, TMA_MAX_KERNEL_OPERATIONS);
}

static enum tma_error_code run_engine(const struct tma_scenario *scenario, bool quiet,
                                      const struct tma_event_sink *sink, struct tma_result *result,
                                      struct tma_kernel_place *place, struct tma_error *error) {
    if (scenario->program == NULL)
        return run_watched(scenario, quiet, sink, result, error);
    enum tma_error_code code = check_operations(&scenario->program->kernel, place, error);
    if (code != TMA_OK)
        return code;
    return tma_kernel_run(&scenario->machine, &scenario->program->kernel, sink, result, place,
                          error);
}

static void report_drops(const struct tma_trace_header *header, struct tma_trace_drops drops) {
    if (drops.events > 0)
        cli_note("the trace ends at its limit of %" PRIu64 " bytes: %" PRIu64
                 " events, from cycle %" PRIu64 " on, were dropped (--trace-limit)",
                 header->limit_bytes, drops.events, drops.from_cycle);
}

static enum tma_error_code simulate(const struct run_options *options,
                                    const struct tma_scenario *scenario, FILE *trace,
                                    struct tma_result *result, struct tma_kernel_place *place,
                                    struct tma_error *error) {
    bool quiet = options->common.quiet;
    if (trace == NULL)
        return run_engine(scenario, quiet, NULL, result, place, error);
    struct fields fields = {.count = 0};
    struct kernel_names *names = tma_allocate(1, sizeof *names);
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
        code = run_engine(scenario, quiet, &sink, result, place, error);
        if (code == TMA_OK)
            report_drops(&header, tma_trace_writer_drops(writer));
        enum tma_error_code closed = tma_trace_writer_close(writer, code == TMA_OK ? error : NULL);
        code = code == TMA_OK ? closed : code;
    }
    free_fields(&fields);
    tma_release(names);
    return code;
}

static void write_kernel_report(const struct tma_scenario *scenario, int format,
                                const struct tma_result *result, FILE *out) {
    struct tma_kernel_report_input input = {
        .scenario = scenario->name,
        .machine = &scenario->machine,
        .kernel = &scenario->program->kernel,
        .result = result,
        .map_names = scenario->map_names,
    };
    tma_kernel_report_write(&input, format, out);
}

/* An error of a kernel is at a place of the scenario. */
static void print_error(const struct run_options *options, const struct tma_scenario *scenario,
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

/* What a report needs, besides the result of the scenario. */
struct run_findings {
    struct tma_launches launches;
    struct tma_experiments experiments;
    bool tried, too_long;
};

static void show_progress(void *context, uint64_t cycles, size_t tried, size_t total) {
    struct cli_progress *progress = context;
    progress->cycles += cycles;
    progress->done = progress->done_work = tried;
    progress->total = progress->total_work = total;
    cli_progress_show(progress);
}

static enum tma_error_code find_out(const struct run_options *options,
                                    const struct tma_scenario *scenario,
                                    const struct tma_result *result, struct run_findings *findings,
                                    struct tma_error *error) {
    struct cli_progress progress = {.unit = "experiments"};
    const struct tma_experiment_observer observer = {show_progress, &progress};
    const struct tma_experiment_subject subject = {&scenario->machine, &tma_pipeline_kind,
                                                   &scenario->workload, scenario->map_names,
                                                   &observer};
    uint32_t draws = options->draws.value;
    enum tma_error_code code = TMA_OK;
    findings->too_long = tma_run_work(result) * (draws > 0 ? draws : 1) > MOST_WORK;
    cli_progress_begin(&progress, options->common.quiet);
    findings->tried = options->why || (!options->no_why && !findings->too_long);
    if (findings->tried)
        code = tma_experiments_run(&subject, result, draws, &findings->experiments, error);
    else if (draws > 0)
        code = tma_launch(&subject, draws, &findings->launches, error);
    cli_progress_clear(&progress);
    if (findings->tried)
        findings->launches = findings->experiments.before;
    return code;
}

static enum tma_error_code report(const struct run_options *options,
                                  const struct tma_scenario *scenario,
                                  const struct tma_result *result, bool partial, FILE *out,
                                  struct tma_error *error) {
    if (scenario->program != NULL) {
        write_kernel_report(scenario, options->common.format, result, out);
        return TMA_OK;
    }
    struct run_findings *findings = tma_allocate(1, sizeof *findings);
    if (findings == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    enum tma_error_code code =
        partial ? TMA_OK : find_out(options, scenario, result, findings, error);
    struct tma_report_input input = {
        .scenario = scenario->name,
        .machine = &scenario->machine,
        .workload = &scenario->workload,
        .result = result,
        .map_names = scenario->map_names,
        .limits = tma_report_limits_of(&scenario->machine, result),
        .experiments = findings->tried ? &findings->experiments : NULL,
        .partial = partial,
        .too_long = findings->too_long && !options->no_why,
        .draws = options->draws.value > 0 ? &findings->launches : NULL,
    };
    if (code == TMA_OK)
        tma_report_write(&input, options->common.format, out);
    tma_release(findings);
    return code;
}

static int run_scenario(const struct run_options *options, const struct tma_scenario *scenario) {
    struct outputs outputs;
    struct tma_kernel_place place = {0, 0};
    if (scenario->program != NULL)
        scenario->program->kernel.unbounded = options->yes;
    struct tma_error error = {0};
    struct tma_result *result = tma_allocate(1, sizeof *result);
    if (result == NULL)
        cli_error("out of memory");
    if (result == NULL || !open_outputs(options, scenario, &outputs)) {
        tma_release(result);
        return CLI_ERROR;
    }
    enum tma_error_code code =
        simulate(options, scenario, outputs.trace.file, result, &place, &error);
    bool interrupted = code == TMA_ERROR_INTERRUPTED;
    if (code == TMA_OK || interrupted)
        code = report(options, scenario, result, interrupted, outputs.report.file, &error);
    if (code != TMA_OK)
        print_error(options, scenario, &place, &error);
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
    bool tries = own->why || own->draws.value > 0;
    if (read && tries && scenario.program != NULL)
        cli_error("run: --why and --draws take scenarios with a workload, not a kernel");
    else if (read)
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
    .details = "Ctrl-C ends the run with a report of what was done, without a trace.",
    .statuses = "0 done, 2 error, 3 the simulated program deadlocks or faults, 130 interrupted",
    .min_operands = 1,
    .max_operands = 1,
    .options = options,
    .options_bytes = sizeof(struct run_options),
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
