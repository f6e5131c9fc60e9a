#include "report/span_sample.h"

#include <stdlib.h>

#include "base/allocation.h"

bool tma_span_sample_create(struct tma_span_sample *sample, size_t capacity) {
    *sample = (struct tma_span_sample){.sm_step = 1, .capacity = capacity};
    sample->items = tma_allocate(capacity, sizeof *sample->items);
    return sample->items != NULL;
}

void tma_span_sample_free(struct tma_span_sample *sample) {
    tma_release(sample->items);
    *sample = (struct tma_span_sample){0};
}

/* Drops the spans of every second SM that is there. False, and nothing changes, where none would
 * stay. */
static bool drop_half(struct tma_span_sample *sample) {
    uint32_t step = 2 * sample->sm_step;
    size_t kept = 0;
    for (size_t i = 0; i < sample->count; i++)
        kept += sample->items[i].sm % step == 0;
    if (kept == 0 || step == 0)
        return false;
    sample->sm_step = step;
    kept = 0;
    for (size_t i = 0; i < sample->count; i++)
        if (sample->items[i].sm % step == 0)
            sample->items[kept++] = sample->items[i];
    sample->count = kept;
    return true;
}

static void add(void *context, const struct tma_span *span) {
    struct tma_span_sample *sample = context;
    if (!sample->kinds[span->kind])
        return;
    while (span->sm % sample->sm_step == 0 && sample->count == sample->capacity && !sample->cut)
        sample->cut = !drop_half(sample);
    if (span->sm % sample->sm_step == 0 && sample->count < sample->capacity)
        sample->items[sample->count++] = *span;
}

static void restart(void *context) {
    struct tma_span_sample *sample = context;
    sample->count = 0;
    sample->sm_step = 1;
    sample->cut = false;
}

struct tma_span_sink tma_span_sample_sink(struct tma_span_sample *sample) {
    return (struct tma_span_sink){add, restart, sample};
}

static int compare(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

static int by_place(const void *left, const void *right) {
    const struct tma_span *a = left, *b = right;
    bool of_unit = a->kind >= TMA_SPAN_OPERATION && b->kind == a->kind;
    const uint64_t keys[][2] = {{a->kind, b->kind},
                                {a->sm, b->sm},
                                {of_unit ? a->start_cycle : 0, of_unit ? b->start_cycle : 0},
                                {a->cta, b->cta},
                                {a->slot, b->slot},
                                {a->start_cycle, b->start_cycle},
                                {a->end_cycle, b->end_cycle},
                                {a->cause, b->cause},
                                {a->bytes, b->bytes}};
    int order = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && order == 0; i++)
        order = compare(keys[i][0], keys[i][1]);
    return order;
}

void tma_span_sample_sort(struct tma_span_sample *sample) {
    if (sample->count > 0)
        qsort(sample->items, sample->count, sizeof *sample->items, by_place);
}
