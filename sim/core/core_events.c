/* What happens at an SM: a heap, the first event first. */
#include "base/array.h"
#include "core/core_sm.h"

static bool before(const struct tma_core_event *a, const struct tma_core_event *b) {
    return a->cycle != b->cycle ? a->cycle < b->cycle : a->number < b->number;
}

bool tma_core_add_event(struct tma_core_sm *sm, const struct tma_core_event *event) {
    struct tma_core_event *events =
        tma_array_grow(sm->events, sm->event_count, &sm->event_capacity, sizeof *events);
    if (events == NULL) {
        sm->run->out_of_memory = true;
        return false;
    }
    sm->events = events;
    size_t at = sm->event_count++;
    struct tma_core_event added = *event;
    added.number = sm->run->numbers++;
    for (; at > 0 && before(&added, &events[(at - 1) / 2]); at = (at - 1) / 2)
        events[at] = events[(at - 1) / 2];
    events[at] = added;
    if (added.cycle < sm->next_cycle)
        sm->next_cycle = added.cycle;
    return true;
}

struct tma_core_event tma_core_pop_event(struct tma_core_sm *sm) {
    struct tma_core_event *events = sm->events, first = events[0], last = events[--sm->event_count];
    size_t at = 0, count = sm->event_count;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count)
            break;
        if (child + 1 < count && before(&events[child + 1], &events[child]))
            ++child;
        if (!before(&events[child], &last))
            break;
        events[at] = events[child];
        at = child;
    }
    if (count > 0)
        events[at] = last;
    return first;
}
