#include "engine/issue_queue.h"

#include <string.h>

#include "base/allocation.h"
#include "base/array.h"

void tma_issue_queue_free(struct tma_issue_queue *queue) {
    tma_release(queue->items);
    *queue = (struct tma_issue_queue){0};
}

static bool issued_before(const struct tma_queued_issue *a, const struct tma_queued_issue *b) {
    if (a->cycle != b->cycle)
        return a->cycle < b->cycle;
    if (a->sm != b->sm)
        return a->sm < b->sm;
    if (a->slot != b->slot)
        return a->slot < b->slot;
    return a->number < b->number;
}

/* Insertion from the end: operations come nearly in order. */
bool tma_issue_queue_push(struct tma_issue_queue *queue, const struct tma_queued_issue *issue) {
    struct tma_queued_issue *items =
        tma_array_grow(queue->items, queue->count, &queue->capacity, sizeof *items);
    if (items == NULL)
        return false;
    queue->items = items;
    size_t at = queue->count++;
    for (; at > 0 && issued_before(issue, &items[at - 1]); at--)
        items[at] = items[at - 1];
    items[at] = *issue;
    return true;
}

size_t tma_issue_queue_count_before(const struct tma_issue_queue *queue, uint64_t cycle) {
    size_t count = 0;
    while (count < queue->count && queue->items[count].cycle < cycle)
        count++;
    return count;
}

void tma_issue_queue_remove(struct tma_issue_queue *queue, size_t count) {
    if (count == 0)
        return;
    queue->count -= count;
    memmove(queue->items, queue->items + count, queue->count * sizeof *queue->items);
}
