#include "memory/dram/request_fifo.h"

#include "base/allocation.h"
#include "base/array.h"

enum { FIRST_REQUESTS = 64 };

bool tma_dram_fifo_grow(struct tma_dram_fifo *fifo) {
    uint32_t capacity = fifo->capacity == 0 ? FIRST_REQUESTS : 2 * fifo->capacity;
    struct tma_dram_request *requests = tma_allocate_lines(capacity, sizeof *requests);
    if (requests == NULL)
        return false;
    for (uint32_t i = 0; i < fifo->count; i++)
        requests[i] = fifo->requests[(fifo->first + i) & (fifo->capacity - 1)];
    tma_release(fifo->requests);
    fifo->requests = requests;
    fifo->capacity = capacity;
    fifo->first = 0;
    return true;
}
