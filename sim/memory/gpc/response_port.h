/* The response port of a GPC, and the links that lead to it: one from each group of slices of the
 * GPC's partition. Internal to gpc/. */
#ifndef TMA_MEMORY_GPC_RESPONSE_PORT_H
#define TMA_MEMORY_GPC_RESPONSE_PORT_H

#include "memory/gpc/gpc_state.h"

/* Sectors enter the link from a packet's slice to its GPC's port. Returns when they have passed it.
 */
static inline uint64_t tma_link_pass_ticks(const struct tma_gpcs *gpcs,
                                           const struct tma_packet *packet, uint64_t cycle,
                                           uint32_t sectors) {
    uint32_t group = packet->location.server / TMA_GROUP_SLICES;
    uint64_t *free_ticks = &gpcs->link_free_ticks[packet->gpc * gpcs->link_count + group];
    *free_ticks = tma_later(*free_ticks, cycle * TMA_TICKS) + sectors * gpcs->link_sector_ticks;
    return *free_ticks;
}

/* A response enters the link to its GPC's port. Returns the cycle at which it has passed the port.
 */
static inline uint64_t tma_response_port_serve(struct tma_gpcs *gpcs,
                                               const struct tma_packet *packet, uint64_t cycle) {
    struct tma_port *port = &gpcs->ports[packet->gpc];
    uint32_t sectors = tma_sector_count(packet->sectors);
    uint64_t passed_link = tma_link_pass_ticks(gpcs, packet, cycle, sectors);
    tma_port_serve(port, cycle, sectors * gpcs->sector_ticks);
    return tma_ticks_to_cycle(tma_later(passed_link, port->free_ticks));
}

#endif
