#include "report/cta_spans.h"

#include "base/allocation.h"
#include "memory/machine.h"

bool tma_cta_spans_create(struct tma_cta_spans *spans) {
    *spans = (struct tma_cta_spans){.sm_step = 1};
    spans->items = tma_allocate(TMA_MOST_CTA_SPANS, sizeof *spans->items);
    return spans->items != NULL;
}

void tma_cta_spans_free(struct tma_cta_spans *spans) {
    tma_release(spans->items);
    *spans = (struct tma_cta_spans){0};
}

/* Drops the CTAs of every second SM that is there. */
static void drop_half(struct tma_cta_spans *spans) {
    size_t kept = 0;
    spans->sm_step *= 2;
    for (size_t i = 0; i < spans->count; i++)
        if (spans->items[i].sm % spans->sm_step == 0)
            spans->items[kept++] = spans->items[i];
    spans->count = kept;
}

static void add(void *context, const struct tma_span *span) {
    struct tma_cta_spans *spans = context;
    if (span->kind != TMA_SPAN_CTA || span->sm % spans->sm_step != 0)
        return;
    while (spans->count == TMA_MOST_CTA_SPANS && spans->sm_step < TMA_MAX_SMS)
        drop_half(spans);
    if (spans->count == TMA_MOST_CTA_SPANS)
        spans->out_of_range = true;
    else if (span->sm % spans->sm_step == 0)
        spans->items[spans->count++] = *span;
}

struct tma_span_sink tma_cta_spans_sink(struct tma_cta_spans *spans) {
    return (struct tma_span_sink){add, spans};
}
