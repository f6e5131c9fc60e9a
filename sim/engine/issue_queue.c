#include "engine/issue_queue.h"

#include "base/allocation.h"
#include "base/array.h"
#include "base/heap.h"

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
    TMA_HEAP_PUSH(heap, queue->count, issue, issued_before);
    queue->count++;
    return true;
}

struct tma_queued_issue tma_issue_queue_pop(struct tma_issue_queue *queue) {
    struct tma_queued_issue first = queue->heap[0];
    queue->count--;
    TMA_HEAP_DROP_FIRST(struct tma_queued_issue, queue->heap, queue->count, issued_before);
    return first;
}
