/* What warps, tensor cores and TMA units of a launch do from cycle to cycle, as spans: for pictures
 * of it. Spans of one track do not overlap, except for those of TMA units. They come in no order.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tma_core_track {
    TMA_TRACK_WARPS,  /* the first warp of a warp group waits */
    TMA_TRACK_TENSOR, /* the tensor cores of the SM compute a product of a warp group */
    TMA_TRACK_TMA     /* an operation of the SM's TMA unit, from its issue to its completion */
};

struct tma_core_span {
    enum tma_core_track track;
    uint32_t sm, cta, group; /* group of four warps in the CTA */
    uint32_t instruction;    /* index in module->instructions */
    uint32_t stall;          /* WARPS: enum tma_core_stall */
    bool store;              /* TMA */
    uint64_t start_cycle, end_cycle;
};

/* Spans of every `sm_step`-th SM. */
struct tma_core_timeline {
    struct tma_core_span *spans; /* owned */
    size_t count, most;          /* where there are more, half of the SMs go */
    uint32_t sm_step;
};

/* False when out of memory. Call tma_core_timeline_free in either case. */
bool tma_core_timeline_create(struct tma_core_timeline *timeline, size_t most);
void tma_core_timeline_free(struct tma_core_timeline *timeline);

void tma_core_timeline_add(struct tma_core_timeline *timeline, const struct tma_core_span *span);

/* By SM, CTA, track, group and start. */
void tma_core_timeline_sort(struct tma_core_timeline *timeline);
