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
    uint32_t number; /* of the operation in its CTA: iteration * operations of a stage + index */
};

/* All zero: an empty queue. */
struct tma_issue_queue {
    struct tma_queued_issue *items; /* owned, sorted */
    size_t count, capacity;
};

void tma_issue_queue_free(struct tma_issue_queue *queue);

/* False when out of memory. */
bool tma_issue_queue_push(struct tma_issue_queue *queue, const struct tma_queued_issue *issue);

/* Counts the operations at the head of the queue that were issued before `cycle`. */
size_t tma_issue_queue_count_before(const struct tma_issue_queue *queue, uint64_t cycle);

/* Removes the first `count` operations. */
void tma_issue_queue_remove(struct tma_issue_queue *queue, size_t count);

#endif
