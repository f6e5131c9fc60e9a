/* A response passes a link and the response port of its GPC. Internal to gpc/. */
#ifndef TMA_MEMORY_GPC_RESPONSE_PORT_H
#define TMA_MEMORY_GPC_RESPONSE_PORT_H

#include "memory/gpc/gpc_state.h"

/* A response enters the link to its GPC's port. Returns the cycle at which it has passed the port.
 */
static inline uint64_t tma_response_port_serve(struct tma_gpcs *gpcs,
                                               const struct tma_packet *packet, uint64_t cycle) {
    struct tma_response_port *responses = &gpcs->ports[packet->gpc];
    uint64_t *link = &responses->link_free_ticks[packet->server.slice / TMA_GROUP_SLICES];
    uint32_t sectors = tma_sector_count(packet->sectors);
    *link = tma_later(*link, cycle * TMA_TICKS) + sectors * gpcs->link_sector_ticks;
    tma_port_serve(&responses->port, cycle, sectors * gpcs->sector_ticks);
    return tma_ticks_to_cycle(tma_later(*link, responses->port.free_ticks));
}

#endif
