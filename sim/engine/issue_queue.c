#include "engine/issue_queue.h"

#include "base/allocation.h"
#include "base/array.h"

void tma_issue_queue_free(struct tma_issue_queue *queue) {
    tma_release(queue->heap);
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

bool tma_issue_queue_push(struct tma_issue_queue *queue, const struct tma_queued_issue *issue) {
    struct tma_queued_issue *heap =
        tma_array_grow(queue->heap, queue->count, &queue->capacity, sizeof *heap);
    if (heap == NULL)
        return false;
    queue->heap = heap;
    size_t at = queue->count++;
    for (; at > 0 && issued_before(issue, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = *issue;
    return true;
}

struct tma_queued_issue tma_issue_queue_pop(struct tma_issue_queue *queue) {
    struct tma_queued_issue *heap = queue->heap, first = heap[0];
    size_t count = --queue->count, at = 0;
    struct tma_queued_issue moved = heap[count];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count)
            break;
        if (child + 1 < count && issued_before(&heap[child + 1], &heap[child]))
            child++;
        if (!issued_before(&heap[child], &moved))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
    return first;
}
