#include "engine/observe/tracer.h"

#include <string.h>

#include "base/allocation.h"
#include "base/array.h"

bool tma_tracer_create(struct tma_tracer *tracer, const struct tma_event_sink *sink) {
    *tracer = (struct tma_tracer){.order = sink == NULL ? NULL : tma_event_order_new(sink)};
    return sink == NULL || tracer->order != NULL;
}

void tma_tracer_free(struct tma_tracer *tracer) {
    tma_event_order_free(tracer->order);
    tma_release(tracer->late);
    *tracer = (struct tma_tracer){0};
}

static void add(struct tma_tracer *tracer, uint64_t cycle, struct tma_event_source source,
                enum tma_event_kind kind, const uint64_t figures[TMA_EVENT_FIGURES]) {
    struct tma_event event = {.cycle = cycle,
                              .sm = source.sm,
                              .cta = source.cta,
                              .slot = source.slot,
                              .kind = kind,
                              .figures = {figures[0], figures[1], figures[2], figures[3]}};
    if (!tma_event_order_add(tracer->order, &event))
        tracer->out_of_memory = true;
}

#define FIGURES(...) ((const uint64_t[TMA_EVENT_FIGURES]){__VA_ARGS__})

void tma_trace_start(struct tma_tracer *tracer, uint64_t cycle, struct tma_event_source source) {
    if (tma_tracer_is_on(tracer))
        add(tracer, cycle, source, TMA_EVENT_CTA_START, FIGURES(0));
}

void tma_trace_end(struct tma_tracer *tracer, uint64_t cycle, struct tma_event_source source,
                   uint64_t cta_cycles) {
    if (tma_tracer_is_on(tracer))
        add(tracer, cycle, source, TMA_EVENT_CTA_END, FIGURES(cta_cycles));
}

uint64_t tma_trace_issue(struct tma_tracer *tracer, uint64_t cycle, struct tma_event_source source,
                         uint32_t number, uint32_t map) {
    uint64_t window = 0;
    if (!tma_tracer_is_on(tracer))
        return 0;
    if (!tma_event_order_open(tracer->order, cycle, &window))
        tracer->out_of_memory = true;
    add(tracer, cycle, source, TMA_EVENT_ISSUE, FIGURES(number, map));
    return window;
}

/* What L2 fetched is known: nothing else of the operation is to come. */
static void end_operation(struct tma_tracer *tracer, struct tma_event_source source,
                          uint32_t number, uint64_t window, const struct tma_late_fills *fills) {
    if (fills->fills > 0)
        add(tracer, fills->cycle, source, TMA_EVENT_L2_FILL,
            FIGURES(number, fills->fills, fills->fill_sectors, fills->miss_sectors));
    tma_event_order_close(tracer->order, window);
}

/* The operation of a report. NULL when out of memory. */
static struct tma_late_operation *find_late(struct tma_tracer *tracer, uint64_t number) {
    while (tracer->late_done + tracer->late_count < number) {
        if (!TMA_GROW(tracer->late, tracer->late_count, tracer->late_capacity)) {
            tracer->out_of_memory = true;
            return NULL;
        }
        tracer->late[tracer->late_count++] = (struct tma_late_operation){0};
    }
    return &tracer->late[number - tracer->late_done - 1];
}

/* Ends a late operation if both its completion and its fills are known. Forgets the first ones, now
 * and then, where these have all ended. */
static void end_late(struct tma_tracer *tracer, struct tma_late_operation *late) {
    size_t done = 0;
    if (!late->completed || !late->filled)
        return;
    end_operation(tracer, (struct tma_event_source){late->sm, late->cta, late->slot}, late->number,
                  late->window, &late->fills);
    while (done < tracer->late_count && tracer->late[done].completed && tracer->late[done].filled)
        done++;
    if (done < tracer->late_count / 2 + 1)
        return;
    tracer->late_count -= done;
    tracer->late_done += done;
    memmove(tracer->late, tracer->late + done, tracer->late_count * sizeof *tracer->late);
}

void tma_trace_completion(struct tma_tracer *tracer, const struct tma_completion *completion,
                          struct tma_event_source source, uint32_t number, uint64_t window,
                          uint32_t descriptor) {
    if (!tma_tracer_is_on(tracer))
        return;
    add(tracer, completion->cycle, source, TMA_EVENT_ARRIVAL,
        FIGURES(number, completion->bytes, completion->cycle - completion->issue_cycle));
    if (completion->copied)
        return;
    if (completion->descriptor_cycles > 0)
        add(tracer, completion->start_cycle, source, TMA_EVENT_TENSORMAP,
            FIGURES(number, descriptor, completion->descriptor_cycles));
    add(tracer, completion->rows_cycle, source, TMA_EVENT_ROWS,
        FIGURES(number, completion->rows, completion->requests, completion->rows_out_of_bounds));
    if (completion->late_fills > 0) {
        struct tma_late_operation *late = find_late(tracer, completion->late_fills);
        if (late == NULL)
            return;
        late->completed = true;
        late->sm = source.sm;
        late->cta = source.cta;
        late->slot = source.slot;
        late->number = number;
        late->window = window;
        end_late(tracer, late);
        return;
    }
    const struct tma_late_fills fills = {.cycle = completion->fill_cycle,
                                         .fills = completion->fills,
                                         .fill_sectors = completion->fill_sectors,
                                         .miss_sectors = completion->miss_sectors};
    end_operation(tracer, source, number, window, &fills);
}

void tma_trace_late_fills(struct tma_tracer *tracer, struct tma_memory *memory) {
    struct tma_late_fills fills;
    while (tma_tracer_is_on(tracer) && tma_memory_take_fills(memory, &fills)) {
        struct tma_late_operation *late = find_late(tracer, fills.number);
        if (late == NULL)
            return;
        late->filled = true;
        late->fills = fills;
        end_late(tracer, late);
    }
}

void tma_trace_phase(struct tma_tracer *tracer, uint64_t cycle, struct tma_event_source source,
                     uint64_t phase, uint64_t bytes) {
    if (tma_tracer_is_on(tracer))
        add(tracer, cycle, source, TMA_EVENT_MBARRIER, FIGURES(phase, bytes));
}

void tma_trace_consumer(struct tma_tracer *tracer, uint64_t cycle, struct tma_event_source source,
                        uint32_t consumer, uint64_t passes,
                        const struct tma_consumer_report *report) {
    if (tma_tracer_is_on(tracer))
        add(tracer, cycle, source, TMA_EVENT_CONSUME,
            FIGURES(consumer, passes * report->instructions, passes * report->wavefronts,
                    passes * (report->wavefronts - report->ideal_wavefronts)));
}

void tma_tracer_flush(struct tma_tracer *tracer, uint64_t cycle) {
    if (tma_tracer_is_on(tracer))
        tma_event_order_flush(tracer->order, cycle);
}
