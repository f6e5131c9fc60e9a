/* Sorts events. The engine learns of them in another order: it knows what a TMA unit did for an
 * operation only when the operation completes. Events wait here until no earlier one can be added.
 */
#pragma once

#include <stdbool.h>

#include "engine/observe/event.h"

struct tma_event_order;

/* A sorter that passes events on to the sink, which is copied. NULL when out of memory. */
struct tma_event_order *tma_event_order_new(const struct tma_event_sink *sink);
void tma_event_order_free(struct tma_event_order *order);

/* Adds an event. False when out of memory. */
bool tma_event_order_add(struct tma_event_order *order, const struct tma_event *event);

/* Opens a window for an operation that is issued at `cycle`: events of that cycle and later ones
 * may be added until the window is closed. *number identifies the window. Calls are in order of
 * cycles. False when out of memory. */
bool tma_event_order_open(struct tma_event_order *order, uint64_t cycle, uint64_t *number);

/* Closes a window. */
void tma_event_order_close(struct tma_event_order *order, uint64_t number);

/* Passes on the events before `cycle` and before the first open window; with UINT64_MAX, all. */
void tma_event_order_flush(struct tma_event_order *order, uint64_t cycle);
