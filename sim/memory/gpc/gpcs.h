/* The GPCs: what the SMs of a GPC share on their way to L2 and back. A GPC has a coalescer with
 * MSHRs, a response port with links from groups of L2 slices, and a cache of tensor maps.
 *
 * system.c alone includes this header from outside the folder. */
#pragma once

#include "memory/gpc/coalescer.h"
#include "memory/gpc/descriptor_fetches.h"
#include "memory/gpc/gpc_state.h"
#include "memory/gpc/translation.h"

/* Fails with TMA_ERROR_MEMORY. tma_gpcs_free may be called after a failure. */
enum tma_error_code tma_gpcs_create(struct tma_gpcs *gpcs, struct tma_core *core,
                                    struct tma_error *error);
void tma_gpcs_free(struct tma_gpcs *gpcs);

/* A response of L2 enters the link to the response port. */
struct tma_handover tma_gpc_receive_response(struct tma_core *core, struct tma_gpcs *gpcs,
                                             uint32_t packet, uint64_t cycle);

/* Cycles for which the response ports were busy, summed over GPCs. */
uint64_t tma_gpcs_busy_cycles(const struct tma_gpcs *gpcs);
