/* The coalescers of L2. Internal to gpc/, but for gpcs.h. */
#pragma once

#include "memory/gpc/gpc_state.h"

/* A read passes the coalescer on its way to L2. */
struct tma_handover tma_gpc_receive_load(struct tma_core *core, struct tma_gpcs *gpcs,
                                         uint32_t packet, uint64_t cycle);

/* The response to a load passes the GPC's port, at `passed`. */
void tma_coalescer_respond(struct tma_gpcs *gpcs, const struct tma_packet *packet, uint32_t id,
                           uint64_t passed);

/* Passes on the response of a load, which passed the port at `passed`, to the loads that were
 * merged into it. */
void tma_coalescer_deliver_merged(struct tma_core *core, struct tma_gpcs *gpcs,
                                  const struct tma_packet *first, uint64_t cycle, uint64_t passed);
