#include "engine/observe/event_order.h"

#include "base/allocation.h"
#include "base/array.h"
#include "base/heap.h"

/* While the window is open, events of `cycle` and later ones may be added. */
struct operation_window {
    uint64_t cycle; /* of the operation's issue */
    bool closed;
};

struct tma_event_order {
    struct tma_event_sink sink;
    struct tma_event *heap; /* owned: the earliest event at index 0 */
    size_t count, capacity;
    struct operation_window *windows; /* owned: a ring, from the earliest open window on */
    size_t first, window_count, window_capacity;
    uint64_t first_number; /* number of windows[first] */
};

struct tma_event_order *tma_event_order_new(const struct tma_event_sink *sink) {
    struct tma_event_order *order = tma_allocate(1, sizeof *order);
    if (order != NULL)
        order->sink = *sink;
    return order;
}

void tma_event_order_free(struct tma_event_order *order) {
    if (order == NULL)
        return;
    TMA_RELEASE(order->heap, order->windows, order);
}

/* The order of event.h. */
static bool before(const struct tma_event *a, const struct tma_event *b) {
    if (a->cycle != b->cycle)
        return a->cycle < b->cycle;
    if (a->sm != b->sm)
        return a->sm < b->sm;
    if (a->cta != b->cta)
        return a->cta < b->cta;
    if (a->slot != b->slot)
        return a->slot < b->slot;
    if (a->kind != b->kind)
        return a->kind < b->kind;
    for (int i = 0; i < TMA_EVENT_FIGURES - 1; i++)
        if (a->figures[i] != b->figures[i])
            return a->figures[i] < b->figures[i];
    return a->figures[TMA_EVENT_FIGURES - 1] < b->figures[TMA_EVENT_FIGURES - 1];
}

bool tma_event_order_add(struct tma_event_order *order, const struct tma_event *event) {
    if (!TMA_GROW(order->heap, order->count, order->capacity))
        return false;
    TMA_HEAP_PUSH(order->heap, order->count, event, before);
    order->count++;
    return true;
}

static void drop_first(struct tma_event_order *order) {
    order->count--;
    TMA_HEAP_DROP_FIRST(struct tma_event, order->heap, order->count, before);
}

static bool grow_windows(struct tma_event_order *order) {
    size_t capacity = order->window_capacity == 0 ? 256 : 2 * order->window_capacity;
    struct operation_window *windows = tma_allocate(capacity, sizeof *windows);
    if (windows == NULL)
        return false;
    for (size_t i = 0; i < order->window_count; i++)
        windows[i] = order->windows[(order->first + i) % order->window_capacity];
    tma_release(order->windows);
    order->windows = windows;
    order->window_capacity = capacity;
    order->first = 0;
    return true;
}

bool tma_event_order_open(struct tma_event_order *order, uint64_t cycle, uint64_t *number) {
    if (order->window_count == order->window_capacity && !grow_windows(order))
        return false;
    size_t at = (order->first + order->window_count) % order->window_capacity;
    order->windows[at] = (struct operation_window){.cycle = cycle};
    *number = order->first_number + order->window_count++;
    return true;
}

void tma_event_order_close(struct tma_event_order *order, uint64_t number) {
    size_t offset = (size_t)(number - order->first_number);
    order->windows[(order->first + offset) % order->window_capacity].closed = true;
    while (order->window_count > 0 && order->windows[order->first].closed) {
        order->first = (order->first + 1) % order->window_capacity;
        order->first_number++;
        order->window_count--;
    }
}

void tma_event_order_flush(struct tma_event_order *order, uint64_t cycle) {
    bool all = cycle == UINT64_MAX; /* no further event can be added */
    if (!all && order->window_count > 0 && order->windows[order->first].cycle < cycle)
        cycle = order->windows[order->first].cycle;
    while (order->count > 0 && order->heap[0].cycle < cycle) {
        order->sink.event(order->sink.context, &order->heap[0]);
        drop_first(order);
    }
}
