/* The response port of a GPC. Internal to gpc/. */
#ifndef TMA_MEMORY_GPC_RESPONSE_PORT_H
#define TMA_MEMORY_GPC_RESPONSE_PORT_H

#include "memory/gpc/gpc_state.h"

/* A response arrives at its GPC's port. Returns the cycle at which it has passed the port. */
static inline uint64_t tma_response_port_serve(struct tma_gpcs *gpcs,
                                               const struct tma_packet *packet, uint64_t cycle) {
    return tma_port_serve(&gpcs->ports[packet->gpc], cycle,
                          tma_sector_count(packet->sectors) * gpcs->sector_ticks);
}

#endif
