/* When each CTA of a run was on which SM: a sink of spans that keeps a bounded number of them. */
#ifndef TMA_REPORT_CTA_SPANS_H
#define TMA_REPORT_CTA_SPANS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/span.h"

/* At most so many are kept. Where there are more, only those of every second SM stay, then of every
 * fourth, and so on. */
enum { TMA_MOST_CTA_SPANS = 4096 };

struct tma_cta_spans {
    struct tma_span *items; /* owned */
    size_t count;
    uint32_t sm_step;  /* CTAs of SMs 0, sm_step, 2 * sm_step ... are there */
    bool out_of_range; /* those of SM 0 alone were too many: the first ones are there */
};

/* False when out of memory. */
bool tma_cta_spans_create(struct tma_cta_spans *spans);
void tma_cta_spans_free(struct tma_cta_spans *spans);

/* A sink that adds to the spans. */
struct tma_span_sink tma_cta_spans_sink(struct tma_cta_spans *spans);

#endif
