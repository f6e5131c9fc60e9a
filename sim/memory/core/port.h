/* A FIFO port: the server that stands for a crossbar port, a pipeline of an L2 slice, or a data
 * bus. It serves one client at a time, in order of arrival.
 *
 * Time is kept in ticks of 1/1024 cycle. Ticks are integers, so every machine computes the same,
 * and fine enough for rates such as 128 bytes at 106 bytes per cycle. */
#pragma once

#include <stdint.h>

enum { TMA_TICKS = 1024 /* per cycle */ };

struct tma_port {
    uint64_t free_ticks; /* when the port has served all clients that have arrived */
    uint64_t busy_ticks; /* total service time */
};

/* The later and the earlier of two times. */
static inline uint64_t tma_later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static inline uint64_t tma_earlier(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static inline uint64_t tma_millicycles_to_ticks(uint64_t millicycles) {
    return millicycles * TMA_TICKS / 1000;
}

/* A time in the clock of another part of the GPU, in ticks of the SM clock. */
static inline uint64_t tma_picoseconds_to_ticks(uint64_t picoseconds, uint64_t sm_clock_mhz) {
    return picoseconds * sm_clock_mhz * TMA_TICKS / 1000000;
}

/* How long a unit takes for some work of which it does `rate` in a cycle; 0: it takes no time. */
static inline uint64_t tma_work_to_ticks(uint64_t work, uint32_t rate) {
    return rate == 0 ? 0 : (work * TMA_TICKS + rate - 1) / rate;
}

/* The first whole cycle at or after a time. */
static inline uint64_t tma_ticks_to_cycle(uint64_t ticks) {
    return (ticks + TMA_TICKS - 1) / TMA_TICKS;
}

/* A client arrives at `cycle` and takes `service_ticks`. Returns the cycle at which its service
 * ends. */
static inline uint64_t tma_port_serve(struct tma_port *port, uint64_t cycle,
                                      uint64_t service_ticks) {
    uint64_t start = cycle * TMA_TICKS;
    if (port->free_ticks > start)
        start = port->free_ticks;
    port->free_ticks = start + service_ticks;
    port->busy_ticks += service_ticks;
    return tma_ticks_to_cycle(port->free_ticks);
}

/* Back-pressure: the port takes no client before `cycle`. The time until then is not busy time. */
static inline void tma_port_stall(struct tma_port *port, uint64_t cycle) {
    if (port->free_ticks < cycle * TMA_TICKS)
        port->free_ticks = cycle * TMA_TICKS;
}
