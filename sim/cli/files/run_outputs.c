#include "cli/files/run_outputs.h"

#include <inttypes.h>
#include <string.h>

#include "base/allocation.h"
#include "base/array.h"
#include "base/version.h"
#include "cli/messages.h"
#include "difference/statistics.h"
#include "report/report.h"
#include "report/timeline.h"
#include "scenario/block_yaml.h"
#include "scenario/describe.h"
#include "scenario/kernel_program.h"
#include "scenario/origin.h"
#include "scenario/tree.h"
#include "trace/trace.h"

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

enum tma_error_code cli_trace_run(const struct cli_trace *trace,
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

bool cli_timeline_create(struct cli_timeline *timeline, struct tma_series *series,
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

void cli_timeline_free(struct cli_timeline *timeline) {
    tma_span_sample_free(&timeline->spans);
}

void cli_timeline_write(struct cli_timeline *timeline, const struct tma_scenario *scenario,
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
enum tma_error_code cli_statistics_write(const struct cli_report *report, FILE *out,
                                         struct tma_error *error) {
    struct cli_report figures = *report;
    struct tma_diagnostics list = {0};
    struct tma_variant variant = {0};
    char *text = NULL;
    size_t length = 0;
    int json = 0;
    figures.series = NULL;
    FILE *memory = tma_open_text(&text, &length);
    bool good = memory != NULL && tma_value_of(&tma_report_format_names, "json", &json);
    if (good)
        cli_report_write(&figures, json, memory);
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

bool cli_resolved_write(const struct tma_scenario *scenario, FILE *out) {
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
