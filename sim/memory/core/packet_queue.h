/* A FIFO queue of packets that wait for a component: a list through `next_waiting`. */
#ifndef TMA_MEMORY_CORE_PACKET_QUEUE_H
#define TMA_MEMORY_CORE_PACKET_QUEUE_H

#include "memory/core/core.h"

/* Empty when all zero. */
struct tma_packet_queue {
    uint32_t first, last; /* packets; they mean nothing where there are none */
    uint32_t count;
};

static inline void tma_packet_queue_put(struct tma_core *core, struct tma_packet_queue *queue,
                                        uint32_t packet) {
    if (queue->count++ == 0)
        queue->first = packet;
    else
        tma_packet_at(core, queue->last)->next_waiting = packet;
    queue->last = packet;
}

/* Takes the first packet of a queue that has some. */
static inline uint32_t tma_packet_queue_take(const struct tma_core *core,
                                             struct tma_packet_queue *queue) {
    uint32_t packet = queue->first;
    queue->first = tma_packet_at(core, packet)->next_waiting;
    queue->count--;
    return packet;
}

#endif
