/* A GPC's cache of tensor maps. Internal to gpc/, but for gpcs.h. */
#pragma once

#include "memory/gpc/gpc_state.h"

/* An SM asks for a tensor map. */
struct tma_handover tma_gpc_receive_descriptor_request(struct tma_core *core, struct tma_gpcs *gpcs,
                                                       uint32_t packet, uint64_t cycle);

/* L2 responds with a tensor map. */
struct tma_handover tma_gpc_receive_descriptor(struct tma_core *core, struct tma_gpcs *gpcs,
                                               uint32_t packet, uint64_t cycle);
