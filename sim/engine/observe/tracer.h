/* Records the events of a run, if the caller wants a trace. It observes: the state machines tell it
 * what they do, and it calls none of them. */
#pragma once

#include "banks/consumer.h"
#include "engine/observe/event_order.h"
#include "memory/system.h"

/* An operation whose fills end late (tma_completion.late_fills). */
struct tma_late_operation {
    bool completed, filled;
    uint32_t sm, cta, slot, number;
    uint64_t window;
    struct tma_late_fills fills;
};

/* All zero: no trace. */
struct tma_tracer {
    struct tma_event_order *order;   /* owned; NULL without a trace */
    bool out_of_memory;              /* events were lost */
    struct tma_late_operation *late; /* owned: by number of the report, from `late_done` + 1 on */
    size_t late_count, late_capacity;
    uint64_t late_done; /* the reports up to this number have been used */
};

/* Where an event happens. */
struct tma_event_source {
    uint32_t sm, cta, slot;
};

/* sink may be NULL. False when out of memory. */
bool tma_tracer_create(struct tma_tracer *tracer, const struct tma_event_sink *sink);
void tma_tracer_free(struct tma_tracer *tracer);

static inline bool tma_tracer_is_on(const struct tma_tracer *tracer) {
    return tracer->order != NULL;
}

/* Records that a CTA starts at `cycle`, or ends there, `cta_cycles` after its start. */
void tma_trace_start(struct tma_tracer *tracer, uint64_t cycle, struct tma_event_source source);
void tma_trace_end(struct tma_tracer *tracer, uint64_t cycle, struct tma_event_source source,
                   uint64_t cta_cycles);

/* Records that operation `number` of a CTA is issued, which uses tensor map `map` of the workload.
 * Gives the number of the window that this opens (event_order.h), or 0 without a trace. */
uint64_t tma_trace_issue(struct tma_tracer *tracer, uint64_t cycle, struct tma_event_source source,
                         uint32_t number, uint32_t map);

/* Records the completion of operation `number` of a CTA, and closes its window, which is what
 * tma_trace_issue gave. `descriptor` is the number of its tensor map among all of the workload's. A
 * copy by multicast has only an arrival. */
void tma_trace_completion(struct tma_tracer *tracer, const struct tma_completion *completion,
                          struct tma_event_source source, uint32_t number, uint64_t window,
                          uint32_t descriptor);

/* Records that phase number `phase` of a slot's mbarrier completes with so many bytes. */
void tma_trace_phase(struct tma_tracer *tracer, uint64_t cycle, struct tma_event_source source,
                     uint64_t phase, uint64_t bytes);

/* Records that a consumer ends `passes` passes over a tile; the report is that of one pass. */
void tma_trace_consumer(struct tma_tracer *tracer, uint64_t cycle, struct tma_event_source source,
                        uint32_t consumer, uint64_t passes,
                        const struct tma_consumer_report *report);

/* Takes the reports of late fills from the memory system, which closes the windows of their
 * operations. */
void tma_trace_late_fills(struct tma_tracer *tracer, struct tma_memory *memory);

/* Passes on the events before `cycle`, in their order; with UINT64_MAX, all. */
void tma_tracer_flush(struct tma_tracer *tracer, uint64_t cycle);
