#include "core/core_timeline.h"

#include <stdlib.h>

#include "base/allocation.h"

bool tma_core_timeline_create(struct tma_core_timeline *timeline, size_t most) {
    *timeline = (struct tma_core_timeline){
        .spans = tma_allocate(most, sizeof *timeline->spans), .most = most, .sm_step = 1};
    return timeline->spans != NULL;
}

void tma_core_timeline_free(struct tma_core_timeline *timeline) {
    tma_release(timeline->spans);
    timeline->spans = NULL;
}

static void drop_sms(struct tma_core_timeline *timeline) {
    size_t kept = 0;
    timeline->sm_step *= 2;
    for (size_t i = 0; i < timeline->count; ++i)
        if (timeline->spans[i].sm % timeline->sm_step == 0)
            timeline->spans[kept++] = timeline->spans[i];
    timeline->count = kept;
}

void tma_core_timeline_add(struct tma_core_timeline *timeline, const struct tma_core_span *span) {
    enum { MOST_STEP = 1 << 16 };
    while (timeline->count == timeline->most && timeline->sm_step < MOST_STEP)
        drop_sms(timeline);
    if (timeline->count < timeline->most && span->sm % timeline->sm_step == 0)
        timeline->spans[timeline->count++] = *span;
}

static int order(const void *a, const void *b) {
    const struct tma_core_span *x = a, *y = b;
    const uint64_t keys[][2] = {{x->sm, y->sm},
                                {x->cta, y->cta},
                                {x->track, y->track},
                                {x->group, y->group},
                                {x->start_cycle, y->start_cycle},
                                {x->end_cycle, y->end_cycle},
                                {x->instruction, y->instruction}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

void tma_core_timeline_sort(struct tma_core_timeline *timeline) {
    qsort(timeline->spans, timeline->count, sizeof *timeline->spans, order);
}
