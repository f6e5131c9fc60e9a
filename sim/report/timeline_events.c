#include "report/timeline_events.h"

/* The nanosecond in which a cycle begins. Viewers have whole nanoseconds: slices that follow each
 * other still do so when both of their ends are rounded down. */
static uint64_t nanosecond(const struct tma_timeline_events *events, uint64_t cycle) {
    return cycle / events->clock_mhz * 1000 + cycle % events->clock_mhz * 1000 / events->clock_mhz;
}

static void write_time(struct tma_timeline_events *events, const char *key, uint64_t nanoseconds) {
    tma_json_decimal(&events->json, key, (double)nanoseconds / 1000, 3);
}

void tma_timeline_begin_event(struct tma_timeline_events *events, const char *name,
                              const char *phase, const char *process, const char *track,
                              uint64_t cycle) {
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
    tma_timeline_begin_event(events, name, "X", process, track, start);
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
