/* Spans of a run (engine/observe/span.h), of which a bounded number is kept: for pictures. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/observe/span.h"

/* Where there are too many spans, only those of every second SM stay, then of every fourth, and so
 * on. An SM that stays has all of its spans. */
struct tma_span_sample {
    struct tma_span *items; /* owned */
    size_t count, capacity;
    bool kinds[TMA_SPAN_KIND_COUNT]; /* that are kept */
    uint32_t sm_step;                /* SMs whose numbers are multiples of it stay */
    bool cut;                        /* those of one SM were too many: the first ones are there */
};

/* An empty sample of at most `capacity` spans, of no kind yet. False when out of memory. */
bool tma_span_sample_create(struct tma_span_sample *sample, size_t capacity);
void tma_span_sample_free(struct tma_span_sample *sample);

/* A sink that adds to the sample. */
struct tma_span_sink tma_span_sample_sink(struct tma_span_sample *sample);

/* Sorts the spans by kind, SM, CTA, slot and time, those of TMA operations by kind, SM and time: so
 * their order does not depend on that in which they came. */
void tma_span_sample_sort(struct tma_span_sample *sample);
