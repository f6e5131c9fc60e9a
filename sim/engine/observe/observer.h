/* Records the time series and the spans of a run, if the caller wants them. It observes: the state
 * machines tell it what they do, and it calls none of them. Without a series and a sink of spans,
 * each call is one test. */
#pragma once

#include "engine/observe/histogram.h"
#include "engine/observe/series.h"
#include "engine/observe/tracer.h"
#include "engine/watch.h"
#include "memory/core/port.h"
#include "placement/operation.h"

/* All zero: it records nothing. */
struct tma_observer {
    struct tma_series *series;           /* borrowed, or NULL */
    const struct tma_span_sink *spans;   /* borrowed, or NULL */
    uint64_t *busy_ticks;                /* owned: of each server when the last sample was taken, */
    struct tma_memory_counters counters; /* the counters, */
    uint64_t sampled_cycle;              /* and the cycle */
};

/* Starts to record what `watch`, which may be NULL, asks for. The slots, or the roles, have
 * cause_count causes. False when out of memory. */
bool tma_observer_create(struct tma_observer *observer, const struct tma_watch *watch,
                         uint32_t cause_count);
void tma_observer_free(struct tma_observer *observer);

/* As tma_memory_advance and tma_memory_drain, with samples where windows end. False when out of
 * memory. */
bool tma_observe_advance(struct tma_observer *observer, struct tma_memory *memory, uint64_t until);
bool tma_observe_drain(struct tma_observer *observer, struct tma_memory *memory);

/* A CTA ran from `start` to `end`. */
void tma_observe_cta(struct tma_observer *observer, struct tma_event_source source, uint64_t start,
                     uint64_t end);

/* A slot has spent `cycles` cycles for each cause, one cause after the other, from `start` on. */
void tma_observe_slot(struct tma_observer *observer, struct tma_event_source source, uint64_t start,
                      const uint64_t cycles[TMA_CAUSE_COUNT]);

/* Whether somebody wants spans, so that their places are worth finding. */
static inline bool tma_observes_spans(const struct tma_observer *observer) {
    return observer->spans != NULL;
}

/* A role spent the cycles from `start` to `end` for a cause, at a place of its program. */
void tma_observe_role(struct tma_observer *observer, struct tma_event_source source,
                      enum tma_role_cause cause, uint64_t start, uint64_t end,
                      const struct tma_span_place *place);

/* A unit of an SM, TMA_SPAN_TENSOR or TMA_SPAN_PIPES, works for a role from `start` to `end`. */
void tma_observe_work(struct tma_observer *observer, enum tma_span_kind kind,
                      struct tma_event_source source, uint64_t start, uint64_t end,
                      const struct tma_span_place *place);

/* An operation, or a copy of it, has completed. */
void tma_observe_completion(struct tma_observer *observer, struct tma_event_source source,
                            enum tma_direction direction, const struct tma_completion *completion,
                            const struct tma_span_place *place);

/* A stage was full from `start` to `end`. */
void tma_observe_full_stage(struct tma_observer *observer, uint64_t start, uint64_t end);

/* A unit of an SM (TMA_SERIES_TENSOR_TICKS and the like) was busy until `end_ticks`. */
void tma_observe_unit(struct tma_observer *observer, enum tma_series_figure figure,
                      uint64_t end_ticks, uint64_t busy_ticks);

/* The run has ended after `cycles` cycles, and had these latencies. */
void tma_observe_end(struct tma_observer *observer, const struct tma_memory *memory,
                     uint64_t cycles, const struct tma_histogram *latencies);
