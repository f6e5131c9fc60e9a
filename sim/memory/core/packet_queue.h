/* A FIFO queue of packets that wait for a component: a list through `next_waiting`. A packet may be
 * put with its destination, as an event (core.h), which says where it goes without a look at it. */
#pragma once

#include "memory/core/core.h"

/* Empty when all zero. */
struct tma_packet_queue {
    uint32_t first, last; /* as they were put; they mean nothing where there are none */
    uint32_t count;
};

static inline void tma_packet_queue_put(struct tma_core *core, struct tma_packet_queue *queue,
                                        uint32_t event) {
    if (queue->count++ == 0)
        queue->first = event;
    else
        tma_packet_at(core, tma_event_number(queue->last))->next_waiting = event;
    queue->last = event;
}

/* Takes what was put first into a queue that is not empty, and prefetches the next packet into the
 * host's caches. */
static inline uint32_t tma_packet_queue_take(const struct tma_core *core,
                                             struct tma_packet_queue *queue) {
    uint32_t event = queue->first;
    queue->first = tma_packet_at(core, tma_event_number(event))->next_waiting;
    if (--queue->count > 0)
        __builtin_prefetch(tma_packet_at(core, tma_event_number(queue->first)), 1);
    return event;
}
