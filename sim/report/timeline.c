#include "report/timeline.h"

#include <inttypes.h>

#include "base/version.h"
#include "engine/roles/statement_label.h"
#include "report/clock_figures.h"

/* The nanosecond in which a cycle begins. Viewers have whole nanoseconds: slices that follow each
 * other still do so when both of their ends are rounded down. */
static uint64_t nanosecond(const struct tma_timeline_events *events, uint64_t cycle) {
    return cycle / events->clock_mhz * 1000 + cycle % events->clock_mhz * 1000 / events->clock_mhz;
}

static void write_time(struct tma_timeline_events *events, const char *key, uint64_t nanoseconds) {
    tma_json_decimal(&events->json, key, (double)nanoseconds / 1000, 3);
}

/* Begins an event with what all have. `track` is the thread; NULL for counters. */
static void begin_event(struct tma_timeline_events *events, const char *name, const char *phase,
                        const char *process, const char *track, uint64_t cycle) {
    struct tma_json *json = &events->json;
    tma_json_begin_line(json, NULL);
    tma_json_string(json, "name", name);
    tma_json_string(json, "cat", events->category);
    tma_json_string(json, "ph", phase);
    tma_json_string(json, "pid", process);
    if (track != NULL)
        tma_json_string(json, "tid", track);
    write_time(events, "ts", nanosecond(events, cycle));
}

void tma_timeline_begin_slice(struct tma_timeline_events *events, const char *name,
                              const char *process, const char *track, uint64_t start,
                              uint64_t end) {
    begin_event(events, name, "X", process, track, start);
    write_time(events, "dur", nanosecond(events, end) - nanosecond(events, start));
    tma_json_begin_line(&events->json, "args");
}

void tma_timeline_end_event(struct tma_timeline_events *events) {
    tma_json_end_object(&events->json);
    tma_json_end_object(&events->json);
}

unsigned tma_unit_lines_take(struct tma_unit_lines *lines, uint32_t sm, uint32_t cta,
                             uint64_t start, uint64_t end) {
    unsigned line = 0;
    if (lines->sm != sm || lines->cta != cta)
        *lines = (struct tma_unit_lines){.sm = sm, .cta = cta};
    while (line < TMA_UNIT_LINES - 1 && lines->ends[line] > start)
        line++;
    lines->ends[line] = end;
    return line;
}

enum { NAME_BYTES = 160 };

struct timeline {
    struct tma_timeline_events events;
    const struct tma_timeline_input *input;
};

/* --- What CTAs, slots, roles and TMA units do --- */

/* The first warp of a role among those of its CTA. */
static uint32_t first_warp(const struct tma_kernel *kernel, uint32_t role) {
    uint32_t warp = 0;
    for (uint32_t i = 0; i < role; i++)
        warp += kernel->roles[i].warps;
    return warp;
}

static void name_track(const struct timeline *timeline, const struct tma_span *span,
                       char track[NAME_BYTES]) {
    const struct tma_kernel *kernel = timeline->input->kernel;
    if (span->kind == TMA_SPAN_CTA)
        snprintf(track, NAME_BYTES, "CTA");
    else if (kernel == NULL)
        snprintf(track, NAME_BYTES, "warp %" PRIu32 " slot (line 0)", span->slot);
    else
        snprintf(track, NAME_BYTES, "warp %" PRIu32 " %s (line 0)", first_warp(kernel, span->slot),
                 kernel->roles[span->slot].name);
}

static const char *name_of(const struct tma_span *span) {
    static const char *const operations[] = {[TMA_LOAD] = "load",
                                             [TMA_STORE] = "store",
                                             [TMA_REDUCE] = "reduction",
                                             [TMA_PREFETCH] = "prefetch"};
    switch (span->kind) {
    case TMA_SPAN_SLOT:
        return tma_cause_text((enum tma_cause)span->cause);
    case TMA_SPAN_ROLE:
        return tma_role_cause_text((enum tma_role_cause)span->cause);
    case TMA_SPAN_OPERATION:
        return operations[span->cause];
    case TMA_SPAN_TENSOR:
        return "product";
    case TMA_SPAN_PIPES:
        return "instructions";
    case TMA_SPAN_CTA:
    case TMA_SPAN_KIND_COUNT:
        break;
    }
    return "CTA";
}

static const char *key_of(const struct tma_span *span) {
    switch (span->kind) {
    case TMA_SPAN_SLOT:
        return tma_cause_key((enum tma_cause)span->cause);
    case TMA_SPAN_ROLE:
        return tma_role_cause_key((enum tma_role_cause)span->cause);
    case TMA_SPAN_OPERATION:
        return "tma_unit";
    case TMA_SPAN_TENSOR:
        return "tensor_cores";
    case TMA_SPAN_PIPES:
        return "pipes";
    case TMA_SPAN_CTA:
    case TMA_SPAN_KIND_COUNT:
        break;
    }
    return "cta";
}

/* The name of a slice: the statement of a role and what its time went to, or the role whose
 * statement a unit carries out. */
static void name_slice(const struct timeline *timeline, const struct tma_span *span,
                       char name[NAME_BYTES]) {
    const struct tma_timeline_input *input = timeline->input;
    char label[NAME_BYTES / 2];
    if (span->place.statement == 0) {
        snprintf(name, NAME_BYTES, "%s", name_of(span));
        return;
    }
    tma_statement_label(input->kernel, input->map_names, &span->place, label, sizeof label);
    if (span->kind == TMA_SPAN_ROLE)
        snprintf(name, NAME_BYTES, "%s: %s", label, key_of(span));
    else
        snprintf(name, NAME_BYTES, "%s: %s", input->kernel->roles[span->slot].name, label);
}

/* The process and the thread of a slice. */
static void name_place(const struct timeline *timeline, const struct tma_span *span,
                       struct tma_unit_lines lines[TMA_SPAN_KIND_COUNT], char process[NAME_BYTES],
                       char track[NAME_BYTES]) {
    const char *scenario = timeline->input->scenario;
    if (span->kind == TMA_SPAN_TENSOR) {
        snprintf(process, NAME_BYTES, "%s Core%" PRIu32 " tensor cores", scenario, span->sm);
        snprintf(track, NAME_BYTES, "tensor cores");
    } else if (span->kind == TMA_SPAN_OPERATION || span->kind == TMA_SPAN_PIPES) {
        const char *unit = span->kind == TMA_SPAN_PIPES ? "FMA, ALU, SFU" : "TMA unit";
        snprintf(process, NAME_BYTES, "%s Core%" PRIu32 " %s", scenario, span->sm, unit);
        snprintf(track, NAME_BYTES, "%s (line %u)", unit,
                 tma_unit_lines_take(&lines[span->kind], span->sm, 0, span->start_cycle,
                                     span->end_cycle));
    } else {
        snprintf(process, NAME_BYTES, "%s Core%" PRIu32 " CTA%" PRIu32, scenario, span->sm,
                 span->cta);
        name_track(timeline, span, track);
    }
}

static void write_spans(struct timeline *timeline) {
    const struct tma_span_sample *spans = timeline->input->spans;
    struct tma_unit_lines lines[TMA_SPAN_KIND_COUNT];
    struct tma_json *json = &timeline->events.json;
    for (int kind = 0; kind < TMA_SPAN_KIND_COUNT; kind++)
        lines[kind] = (struct tma_unit_lines){.sm = UINT32_MAX};
    for (size_t i = 0; i < spans->count; i++) {
        const struct tma_span *span = &spans->items[i];
        char process[NAME_BYTES], track[NAME_BYTES], name[NAME_BYTES];
        name_place(timeline, span, lines, process, track);
        name_slice(timeline, span, name);
        tma_timeline_begin_slice(&timeline->events, name, process, track, span->start_cycle,
                                 span->end_cycle);
        tma_json_string(json, "key", key_of(span));
        tma_json_unsigned(json, "start_cycle", span->start_cycle);
        tma_json_unsigned(json, "cycles", span->end_cycle - span->start_cycle);
        if (span->kind >= TMA_SPAN_OPERATION)
            tma_json_unsigned(json, "cta", span->cta);
        if (span->kind == TMA_SPAN_OPERATION) {
            tma_json_string(json, "direction", name_of(span));
            tma_json_unsigned(json, "bytes", span->bytes);
        }
        if (span->place.statement > 0)
            tma_json_unsigned(json, "line",
                              timeline->input->kernel->statements[span->place.statement - 1].line);
        tma_timeline_end_event(&timeline->events);
    }
}

/* --- Servers: how busy they are in each window --- */

/* Servers that share a track: L2 partitions and stacks of DRAM. */
struct track_group {
    enum tma_server kind;
    const char *process, *track; /* names; the number of the group follows */
    uint32_t groups;
};

/* Writes the slices of a group: each as long as its servers are busy in the window, on average. */
static void write_group(struct timeline *timeline, const struct track_group *group,
                        uint32_t number) {
    const struct tma_series *series = timeline->input->series;
    struct tma_json *json = &timeline->events.json;
    uint32_t all = series->servers[group->kind];
    uint32_t first = all * number / group->groups, end = all * (number + 1) / group->groups;
    char process[NAME_BYTES], track[NAME_BYTES], name[NAME_BYTES];
    snprintf(process, sizeof process, "%s %s", timeline->input->scenario, group->process);
    snprintf(track, sizeof track, "%s %" PRIu32, group->track, number);
    for (uint32_t window = 0; window < series->windows && end > first; window++) {
        uint64_t ticks = 0, start = window * series->window_cycles;
        uint64_t cycles = series->cycles - start < series->window_cycles ? series->cycles - start
                                                                         : series->window_cycles;
        for (uint32_t i = first; i < end; i++)
            ticks += tma_series_busy_ticks(series, window, group->kind, i);
        if (ticks == 0)
            continue;
        uint64_t busy = ticks / (end - first) / TMA_SERIES_TICKS;
        snprintf(name, sizeof name, "%" PRIu64 " %% busy", busy * 100 / cycles / 10 * 10);
        tma_timeline_begin_slice(&timeline->events, name, process, track, start,
                                 start + (busy > 0 ? busy : 1));
        tma_json_string(json, "key", tma_server_key(group->kind));
        tma_json_unsigned(json, "servers", end - first);
        tma_json_unsigned(json, "window_cycles", cycles);
        tma_json_decimal(json, "busy_cycles", (double)ticks / TMA_SERIES_TICKS, 6);
        tma_timeline_end_event(&timeline->events);
    }
}

static void write_servers(struct timeline *timeline) {
    const struct tma_machine *machine = timeline->input->machine;
    const struct track_group groups[] = {
        {TMA_SERVER_GPC_PORT, "GPC ports", "GPC", machine->topology.gpc_count},
        {TMA_SERVER_L2_SLICE, "L2", "partition", machine->l2.partitions},
        {TMA_SERVER_DRAM_CHANNEL, "DRAM", "stack", machine->dram.stacks}};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        for (uint32_t number = 0; number < groups[i].groups; number++)
            write_group(timeline, &groups[i], number);
}

/* --- Counters --- */

struct counter {
    enum tma_series_figure figure;
    const char *name, *unit;
    double scale; /* of the figure divided by the window's cycles */
};

static void write_counter(struct timeline *timeline, const struct counter *counter) {
    const struct tma_series *series = timeline->input->series;
    char process[NAME_BYTES];
    snprintf(process, sizeof process, "%s counters", timeline->input->scenario);
    if (tma_series_total(series, counter->figure) == 0)
        return;
    for (uint32_t window = 0; window <= series->windows; window++) {
        uint64_t start = window * series->window_cycles, figure = 0, cycles = 1;
        if (window < series->windows) {
            figure = tma_series_figure(series, window, counter->figure);
            cycles = series->cycles - start < series->window_cycles ? series->cycles - start
                                                                    : series->window_cycles;
        } else {
            start = series->cycles; /* back to zero at the end */
        }
        begin_event(&timeline->events, counter->name, "C", process, NULL, start);
        tma_json_begin_line(&timeline->events.json, "args");
        tma_json_decimal(&timeline->events.json, counter->unit,
                         (double)figure * counter->scale / (double)cycles, 3);
        tma_timeline_end_event(&timeline->events);
    }
}

static void write_counters(struct timeline *timeline) {
    double sector = 32.0 * (double)timeline->events.clock_mhz / 1000;
    const struct counter counters[] = {
        {TMA_SERIES_FLIGHT_BYTE_CYCLES, "bytes in flight", "bytes", 1},
        {TMA_SERIES_SM_READ_SECTORS, "bandwidth, L2 to SMs", "GB/s", sector},
        {TMA_SERIES_SM_WRITE_SECTORS, "bandwidth, SMs to L2", "GB/s", sector},
        {TMA_SERIES_DRAM_READ_SECTORS, "bandwidth, DRAM reads", "GB/s", sector},
        {TMA_SERIES_DRAM_WRITE_SECTORS, "bandwidth, DRAM writes", "GB/s", sector},
        {TMA_SERIES_FULL_STAGE_CYCLES, "full stages", "stages", 1},
        {TMA_SERIES_FLIGHT_CYCLES, "operations in flight", "operations", 1},
        {TMA_SERIES_CTA_CYCLES, "CTAs", "CTAs", 1}};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        write_counter(timeline, &counters[i]);
}

/* What the file is of, and what it leaves out. */
static void write_other_data(struct timeline *timeline) {
    const struct tma_timeline_input *input = timeline->input;
    struct tma_json *json = &timeline->events.json;
    tma_json_begin_line(json, "otherData");
    tma_json_string(json, "tmasim", TMA_VERSION);
    tma_json_string(json, "scenario", input->scenario);
    tma_json_string(json, "machine", input->machine->name);
    tma_json_unsigned(json, "clock_mhz", timeline->events.clock_mhz);
    TMA_JSON_COUNTS(json, input->result, cycles, memory_cycles, slot_cycles);
    tma_json_unsigned(json, "sm_step", input->spans->sm_step);
    tma_json_bool(json, "complete", input->spans->sm_step == 1 && !input->spans->cut);
    tma_json_end_object(json);
}

void tma_timeline_write(const struct tma_timeline_input *input, FILE *out) {
    uint32_t clock_mhz = input->machine->sm_clock_mhz;
    if (input->kernel != NULL)
        clock_mhz = tma_kernel_clock_mhz(input->machine, input->kernel, input->result);
    struct timeline timeline = {.events = {.json = {.out = out},
                                           .category = input->scenario,
                                           .clock_mhz = clock_mhz > 0 ? clock_mhz : 1},
                                .input = input};
    tma_json_begin_object(&timeline.events.json, NULL);
    tma_json_string(&timeline.events.json, "displayTimeUnit", "ns");
    write_other_data(&timeline);
    tma_json_begin_array(&timeline.events.json, "traceEvents");
    write_counters(&timeline);
    write_servers(&timeline);
    write_spans(&timeline);
    tma_json_end_array(&timeline.events.json);
    tma_json_end_object(&timeline.events.json);
}
