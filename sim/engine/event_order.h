/* Events in their stable order. They are known in another one: what a TMA unit did is known when
 * its operation completes. So they wait here until nothing earlier can come. */
#ifndef TMA_ENGINE_EVENT_ORDER_H
#define TMA_ENGINE_EVENT_ORDER_H

#include <stdbool.h>

#include "engine/event.h"

struct tma_event_order;

/* NULL where there is no memory. The sink is copied. */
struct tma_event_order *tma_event_order_new(const struct tma_event_sink *sink);
void tma_event_order_free(struct tma_event_order *order);

/* False when out of memory. */
bool tma_event_order_add(struct tma_event_order *order, const struct tma_event *event);

/* An operation was issued: until it is closed, events from its cycle on may come. Issues come in
 * order of cycles; the number given is what closes it. False when out of memory. */
bool tma_event_order_open(struct tma_event_order *order, uint64_t cycle, uint64_t *number);
void tma_event_order_close(struct tma_event_order *order, uint64_t number);

/* Gives the sink all events before `cycle` that no open operation can come ahead of. */
void tma_event_order_flush(struct tma_event_order *order, uint64_t cycle);

#endif
