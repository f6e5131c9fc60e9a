/* Loads that arrive at the coalescer, for its tests. */
#pragma once

#include "memory/core/core.h"

/* A load of an SM that was sent at `sent_cycle`. Returns its packet. */
static inline uint32_t new_coalesced_load(struct tma_core *core, uint32_t sm, uint64_t line,
                                          uint32_t sectors, uint64_t sent_cycle) {
    uint32_t id = tma_packet_new(core);
    struct tma_packet *packet = tma_packet_at(core, id);
    *packet = (struct tma_packet){.line = line,
                                  .sent_cycle = sent_cycle,
                                  .merged = TMA_NONE,
                                  .kind = TMA_PACKET_LOAD,
                                  .coalesces = true,
                                  .sectors = sectors & 15u,
                                  .sm = (uint8_t)sm,
                                  .gpc = core->sm_gpc[sm] & 15u};
    tma_locate_read(core, packet, &core->gpc_sides[packet->gpc]);
    return id;
}
