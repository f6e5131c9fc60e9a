#include "engine/completion_queue.h"

#include "base/allocation.h"
#include "base/array.h"
#include "base/heap.h"
#include "memory/core/address_map.h"

struct tma_completion_queue tma_completion_queue_of(const struct tma_machine *machine) {
    return (struct tma_completion_queue){.interval_cycles = machine->tma.wake_interval_cycles,
                                         .seed = machine->topology.seed};
}

void tma_completion_queue_free(struct tma_completion_queue *queue) {
    tma_release(queue->heap);
    *queue = (struct tma_completion_queue){0};
}

/* The order: visible cycle, then SM, then the cycle in which the phase ended. Warps of one SM whose
 * phases end in the same cycle come in a random order that the seed gives. */
static bool before(const struct tma_completion_queue *queue, const struct tma_visible_completion *a,
                   const struct tma_visible_completion *b) {
    uint64_t visible = a->visible_cycle;
    if (visible != b->visible_cycle)
        return visible < b->visible_cycle;
    if (a->completion.sm != b->completion.sm)
        return a->completion.sm < b->completion.sm;
    if (a->completion.cycle != b->completion.cycle)
        return a->completion.cycle < b->completion.cycle;
    if (queue->seed == 0)
        return a->order < b->order;
    return tma_random(queue->seed, a->order ^ visible) <
           tma_random(queue->seed, b->order ^ visible);
}

#define SEEN_BEFORE(a, b) before(queue, a, b)

bool tma_completion_queue_push(struct tma_completion_queue *queue,
                               const struct tma_completion *completion, uint64_t order) {
    if (!TMA_GROW(queue->heap, queue->count, queue->capacity))
        return false;
    struct tma_visible_completion *heap = queue->heap;
    uint32_t interval = queue->interval_cycles;
    struct tma_visible_completion item = {
        .visible_cycle = completion->cycle, .order = order, .completion = *completion};
    if (interval > 0)
        item.visible_cycle = (completion->cycle + interval - 1) / interval * interval;
    TMA_HEAP_PUSH(heap, queue->count, &item, SEEN_BEFORE);
    queue->count++;
    return true;
}

struct tma_visible_completion tma_completion_queue_pop(struct tma_completion_queue *queue) {
    struct tma_visible_completion first = queue->heap[0];
    queue->count--;
    TMA_HEAP_DROP_FIRST(struct tma_visible_completion, queue->heap, queue->count, SEEN_BEFORE);
    return first;
}
