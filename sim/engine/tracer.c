#include "engine/tracer.h"

bool tma_tracer_create(struct tma_tracer *tracer, const struct tma_event_sink *sink) {
    *tracer = (struct tma_tracer){.order = sink == NULL ? NULL : tma_event_order_new(sink)};
    return sink == NULL || tracer->order != NULL;
}

void tma_tracer_free(struct tma_tracer *tracer) {
    tma_event_order_free(tracer->order);
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
    if (completion->fills > 0)
        add(tracer, completion->fill_cycle, source, TMA_EVENT_L2_FILL,
            FIGURES(number, completion->fills, completion->fill_sectors, completion->miss_sectors));
    tma_event_order_close(tracer->order, window);
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
