/* A FIFO of requests that wait for room in a queue: a ring that grows. Internal to dram/. */
#ifndef TMA_MEMORY_DRAM_REQUEST_FIFO_H
#define TMA_MEMORY_DRAM_REQUEST_FIFO_H

#include "memory/dram/state.h"

/* Doubles the ring. False when out of memory. */
bool tma_dram_fifo_grow(struct tma_dram_fifo *fifo);

/* Appends a request. False when out of memory. */
static inline bool tma_dram_fifo_put(struct tma_dram_fifo *fifo,
                                     const struct tma_dram_request *request) {
    if (fifo->count == fifo->capacity && !tma_dram_fifo_grow(fifo))
        return false;
    fifo->requests[(fifo->first + fifo->count) & (fifo->capacity - 1)] = *request;
    fifo->count++;
    __builtin_prefetch(&fifo->requests[(fifo->first + fifo->count) & (fifo->capacity - 1)], 1);
    return true;
}

/* The first request of a FIFO that has some. */
static inline const struct tma_dram_request *tma_dram_fifo_first(const struct tma_dram_fifo *fifo) {
    return &fifo->requests[fifo->first];
}

/* Takes the first request, and prefetches those behind it into the host's caches. */
static inline struct tma_dram_request tma_dram_fifo_take(struct tma_dram_fifo *fifo) {
    enum { AHEAD = 4 };
    const struct tma_dram_request request = fifo->requests[fifo->first];
    __builtin_prefetch(&fifo->requests[(fifo->first + AHEAD) & (fifo->capacity - 1)], 1);
    fifo->first = (fifo->first + 1) & (fifo->capacity - 1);
    fifo->count--;
    return request;
}

#endif
