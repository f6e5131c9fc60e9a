/* The queue of operations that slots have issued, on their way to the memory system. Slots issue
 * ahead of time and in any order. The queue sorts operations by cycle, SM, slot and number. */
#ifndef TMA_ENGINE_ISSUE_QUEUE_H
#define TMA_ENGINE_ISSUE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tma_queued_issue {
    uint64_t cycle;  /* of the instruction */
    uint32_t sm;     /* number of the SM */
    uint32_t slot;   /* number of the slot in the grid (grid.h) */
    uint32_t number; /* of the operation in its CTA: iteration * operations of a stage + index; of a
                        kernel with roles, in its role */
    uint32_t record; /* of a kernel with roles: index of the operation in the pool of its role */
};

/* All zero: an empty queue. A heap: roles issue many operations far ahead of others, which would
 * all move in a sorted list. */
struct tma_issue_queue {
    struct tma_queued_issue *heap; /* owned: the first one at index 0 */
    size_t count, capacity;
};

void tma_issue_queue_free(struct tma_issue_queue *queue);

/* False when out of memory. */
bool tma_issue_queue_push(struct tma_issue_queue *queue, const struct tma_queued_issue *issue);

/* Removes the first operation. The queue must not be empty. */
struct tma_queued_issue tma_issue_queue_pop(struct tma_issue_queue *queue);

/* The cycle of the first operation; UINT64_MAX if the queue is empty. */
static inline uint64_t tma_issue_queue_first(const struct tma_issue_queue *queue) {
    return queue->count == 0 ? UINT64_MAX : queue->heap[0].cycle;
}

#endif
