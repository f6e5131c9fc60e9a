/* The GPCs: what the SMs of a GPC share on their way to L2 and back. A GPC has a coalescer with
 * MSHRs, a response port with links from groups of L2 slices, and a cache of tensor maps.
 *
 * system.c alone includes this header from outside the folder. */
#pragma once

#include "memory/gpc/gpc_state.h"

/* Translation of addresses. Each CPC has a TLB, and the GPU has one behind them; an entry covers
 * tlb.block bytes. A request whose block the TLB of its CPC lacks waits there, others pass it. What
 * a TLB has once, it keeps: on an H100, loads spread over 54 GiB find all translations in the TLB
 * of a CPC., but for gpcs.h. */

/* A request of an SM reaches the TLB of its CPC. */
struct tma_handover tma_gpc_translate(struct tma_core *core, struct tma_gpcs *gpcs,
                                      uint32_t packet);

/* A GPC's cache of tensor maps., but for gpcs.h. */

/* An SM asks for a tensor map. */
struct tma_handover tma_gpc_receive_descriptor_request(struct tma_core *core, struct tma_gpcs *gpcs,
                                                       uint32_t packet, uint64_t cycle);

/* L2 responds with a tensor map. */
struct tma_handover tma_gpc_receive_descriptor(struct tma_core *core, struct tma_gpcs *gpcs,
                                               uint32_t packet, uint64_t cycle);

/* The coalescers of L2., but for gpcs.h. */

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

/* Fails with TMA_ERROR_MEMORY. tma_gpcs_free may be called after a failure. */
enum tma_error_code tma_gpcs_create(struct tma_gpcs *gpcs, struct tma_core *core,
                                    struct tma_error *error);
void tma_gpcs_free(struct tma_gpcs *gpcs);

/* A response of L2 enters the link to the response port. */
struct tma_handover tma_gpc_receive_response(struct tma_core *core, struct tma_gpcs *gpcs,
                                             uint32_t packet, uint64_t cycle);

/* Cycles for which the response ports were busy, summed over GPCs. */
uint64_t tma_gpcs_busy_cycles(const struct tma_gpcs *gpcs);
