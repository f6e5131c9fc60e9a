/* What happens at an SM: a heap, the first event first. */
#include "base/array.h"
#include "base/heap.h"
#include "core/core_sm.h"

static bool before(const struct tma_core_event *a, const struct tma_core_event *b) {
    return a->cycle != b->cycle ? a->cycle < b->cycle : a->number < b->number;
}

void tma_core_add_event(struct tma_core_sm *sm, const struct tma_core_event *event) {
    if (!TMA_GROW(sm->events, sm->event_count, sm->event_capacity)) {
        sm->run->out_of_memory = true;
        return;
    }
    struct tma_core_event added = *event;
    added.number = sm->run->numbers++;
    TMA_HEAP_PUSH(sm->events, sm->event_count, &added, before);
    sm->event_count++;
    if (added.cycle < sm->next_cycle)
        sm->next_cycle = added.cycle;
}

struct tma_core_event tma_core_pop_event(struct tma_core_sm *sm) {
    struct tma_core_event first = sm->events[0];
    sm->event_count--;
    TMA_HEAP_DROP_FIRST(struct tma_core_event, sm->events, sm->event_count, before);
    return first;
}
