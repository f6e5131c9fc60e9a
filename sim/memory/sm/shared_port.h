/* The shared-memory port of an SM: one wavefront of 128 bytes after the other, for the accesses of
 * warps and for the operands of matrix products.
 *
 * The tensor cores read operands ahead of a product, and need them only by its end. So an access
 * goes first as long as the operands are still read in time; when the port has no time left over,
 * accesses and operands take turns in the order in which they ask. */
#ifndef TMA_MEMORY_SM_SHARED_PORT_H
#define TMA_MEMORY_SM_SHARED_PORT_H

#include "memory/core/port.h"

struct tma_shared_port {
    struct tma_port accesses;    /* of warps alone */
    struct tma_port all;         /* accesses and operands */
    uint64_t operands_end_cycle; /* of the product that ends last */
};

/* A warp asks at `cycle` for `ticks` of the port. Returns the cycle at which its access ends. */
static inline uint64_t tma_shared_port_access(struct tma_shared_port *port, uint64_t cycle,
                                              uint64_t ticks) {
    uint64_t own_turn = tma_port_serve(&port->accesses, cycle, ticks);
    uint64_t last_turn = tma_port_serve(&port->all, cycle, ticks);
    if (last_turn <= port->operands_end_cycle)
        return own_turn;
    port->accesses.free_ticks = port->all.free_ticks;
    return last_turn;
}

/* A product asks at `cycle` for operands that take `ticks` of the port, and would else end at
 * `end`. Returns the cycle at which it ends. */
static inline uint64_t tma_shared_port_read_operands(struct tma_shared_port *port, uint64_t cycle,
                                                     uint64_t ticks, uint64_t end) {
    uint64_t read = tma_port_serve(&port->all, cycle, ticks);
    end = tma_later(read, end);
    if (end > port->operands_end_cycle)
        port->operands_end_cycle = end;
    return end;
}

#endif
