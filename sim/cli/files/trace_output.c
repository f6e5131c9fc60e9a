#include "cli/files/trace_output.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/allocation.h"
#include "base/array.h"
#include "base/version.h"
#include "cli/messages.h"
#include "scenario/describe.h"
#include "scenario/kernel_program.h"
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
