/* tmasim run: one scenario, its report and its trace. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cli/complain.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "engine/run.h"
#include "report/report.h"
#include "scenario/describe.h"
#include "trace/trace.h"

enum { MAX_FIELDS = 1024 };

/* Files are opened before the run, so that an unwritable one is known at once. */
struct outputs {
    struct cli_output report, trace;
    bool tracing;
};

static bool open_outputs(const struct cli_options *options, struct outputs *outputs) {
    *outputs = (struct outputs){.tracing = options->trace != NULL};
    if (outputs->tracing && options->output != NULL &&
        strcmp(options->output, options->trace) == 0) {
        cli_complain("--output and --trace name the same file: %s", options->trace);
        return false;
    }
    if (!cli_output_open(&outputs->report, options->output))
        return false;
    if (!outputs->tracing || cli_output_open(&outputs->trace, options->trace))
        return true;
    cli_output_close(&outputs->report, false);
    return false;
}

/* The trace first: standard output, where the reader may go away, comes last. */
static bool close_outputs(struct outputs *outputs, bool keep) {
    bool good = !outputs->tracing || cli_output_close(&outputs->trace, keep);
    return cli_output_close(&outputs->report, keep && good) && good;
}

/* The resolved scenario as the trace's header has it. */
struct fields {
    struct tma_trace_field items[MAX_FIELDS];
    size_t count;
};

static void add_field(void *context, const char *key, const char *value) {
    struct fields *fields = context;
    assert(fields->count < MAX_FIELDS);
    fields->items[fields->count++] = (struct tma_trace_field){strdup(key), strdup(value)};
}

static void free_fields(struct fields *fields) {
    for (size_t i = 0; i < fields->count; i++) {
        free((char *)fields->items[i].key);
        free((char *)fields->items[i].value);
    }
}

static enum tma_error_code simulate(const struct tma_scenario *scenario, FILE *trace,
                                    struct tma_result *result, struct tma_error *error) {
    if (trace == NULL)
        return tma_run(&scenario->machine, &scenario->workload, NULL, result, error);
    struct fields fields = {.count = 0};
    tma_scenario_describe(scenario, add_field, &fields);
    struct tma_trace_header header = {scenario->name, fields.items, fields.count};
    struct tma_trace_writer *writer = tma_trace_writer_open(trace, &header, error);
    enum tma_error_code code = TMA_ERROR_MEMORY;
    if (writer != NULL) {
        struct tma_event_sink sink = tma_trace_writer_sink(writer);
        code = tma_run(&scenario->machine, &scenario->workload, &sink, result, error);
        enum tma_error_code closed = tma_trace_writer_close(writer, code == TMA_OK ? error : NULL);
        code = code == TMA_OK ? closed : code;
    }
    free_fields(&fields);
    return code;
}

/* What the machine can do at best. */
static struct tma_report_limits limits_of(const struct tma_machine *machine) {
    return (struct tma_report_limits){
        .sm_bytes_per_cycle = machine->crossbar.sm_port_bytes_per_kcycle / 1000.0,
        .l2_bytes_per_cycle =
            machine->topology.gpc_count * (machine->crossbar.gpc_port_bytes_per_kcycle / 1000.0),
        .dram_bytes_per_cycle = (double)tma_machine_dram_bytes_per_kcycle(machine) / 1000.0,
    };
}

static enum tma_error_code report(const struct tma_scenario *scenario, int format, FILE *file,
                                  const struct tma_result *result, struct tma_error *error) {
    struct tma_report_input input = {
        .scenario = scenario->name,
        .machine = &scenario->machine,
        .workload = &scenario->workload,
        .result = result,
        .map_names = scenario->map_names,
        .limits = limits_of(&scenario->machine),
    };
    const char *name = tma_name_of(&tma_report_format_names, format);
    return tma_report_format(name)->write(file, &input, error);
}

static int run_scenario(const struct cli_options *options, const struct tma_scenario *scenario) {
    struct outputs outputs;
    struct tma_error error = {0};
    struct tma_result *result = calloc(1, sizeof *result);
    if (result == NULL || !open_outputs(options, &outputs)) {
        free(result);
        return CLI_BAD_INPUT;
    }
    enum tma_error_code code = simulate(scenario, outputs.trace.file, result, &error);
    if (code == TMA_OK)
        code = report(scenario, options->format, outputs.report.file, result, &error);
    if (code != TMA_OK)
        cli_complain("%s: %s", scenario->name, error.text);
    free(result);
    bool kept = close_outputs(&outputs, code == TMA_OK);
    if (code != TMA_OK)
        return cli_status_of(code);
    return kept ? CLI_OK : CLI_BAD_INPUT;
}

static int run(const struct cli_options *options) {
    return cli_with_scenario(options, run_scenario);
}

static const struct cli_option options[] = {
    CLI_OPTION_SET,
    CLI_OPTION_MACHINE_ARCHITECTURE,
    CLI_OPTION_FORMAT(&tma_report_format_names),
    CLI_OPTION_OUTPUT,
    {"--trace", NULL, "FILE", CLI_TEXT, offsetof(struct cli_options, trace), NULL,
     "write one line for each event there"},
};

const struct cli_verb cli_run = {
    .name = "run",
    .operands = "SCENARIO.yaml",
    .summary = "Simulates a scenario and reports cycles, bandwidth, caches and bank conflicts.",
    .details = "exit status: 0 done, 2 bad input or output, 3 the simulated program deadlocks or "
               "faults",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
