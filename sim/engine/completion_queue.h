/* The queue of completions that are known and that warps have not seen yet, in the order in which
 * warps see them.
 *
 * A warp that waits on an mbarrier looks at it every tma.wake_interval_cycles: it sees a completion
 * at the next multiple of that, the visible cycle. */
#pragma once

#include "memory/system.h"

struct tma_visible_completion {
    uint64_t visible_cycle;
    uint64_t
        order; /* of operations of an SM that end in the same cycle, from which chance decides */
    struct tma_completion completion;
};

struct tma_completion_queue {
    struct tma_visible_completion *heap; /* owned: the first one at index 0 */
    size_t count, capacity;
    uint32_t interval_cycles; /* 0: every cycle */
    uint32_t seed;            /* decides between slots of an SM; 0: the first slot first */
};

/* An empty queue for a machine. */
struct tma_completion_queue tma_completion_queue_of(const struct tma_machine *machine);
void tma_completion_queue_free(struct tma_completion_queue *queue);

/* False when out of memory. */
bool tma_completion_queue_push(struct tma_completion_queue *queue,
                               const struct tma_completion *completion, uint64_t order);

/* Removes the first completion. The queue must not be empty. */
struct tma_visible_completion tma_completion_queue_pop(struct tma_completion_queue *queue);

/* The visible cycle of the first completion; UINT64_MAX if the queue is empty. */
static inline uint64_t tma_completion_queue_first(const struct tma_completion_queue *queue) {
    return queue->count == 0 ? UINT64_MAX : queue->heap[0].visible_cycle;
}
