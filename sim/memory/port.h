/* A FIFO server: what a crossbar port, a slice or a data bus is. It serves one client at a time, in
 * the order in which they arrive. Time is kept in ticks of 1/1024 cycle, so that 128 bytes at 106
 * bytes a cycle is exact enough, and integer, so that every machine agrees. */
#ifndef TMA_MEMORY_PORT_H
#define TMA_MEMORY_PORT_H

#include <stdint.h>

enum { TMA_TICKS = 1024 };

struct tma_port {
    uint64_t free_ticks; /* when it has served all that came */
    uint64_t busy_ticks; /* time spent serving */
};

static inline uint64_t tma_millicycles_to_ticks(uint64_t millicycles) {
    return millicycles * TMA_TICKS / 1000;
}

/* The first whole cycle that is not before a time. */
static inline uint64_t tma_ticks_to_cycle(uint64_t ticks) {
    return (ticks + TMA_TICKS - 1) / TMA_TICKS;
}

/* A client arrives at `cycle` and takes `service_ticks`: gives the cycle at which it has been
 * served. */
static inline uint64_t tma_port_serve(struct tma_port *port, uint64_t cycle,
                                      uint64_t service_ticks) {
    uint64_t start = cycle * TMA_TICKS;
    if (port->free_ticks > start)
        start = port->free_ticks;
    port->free_ticks = start + service_ticks;
    port->busy_ticks += service_ticks;
    return tma_ticks_to_cycle(port->free_ticks);
}

#endif
