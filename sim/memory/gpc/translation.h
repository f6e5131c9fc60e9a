/* Translation of addresses. Each CPC has a TLB, and the GPU has one behind them; an entry covers
 * tlb.block bytes. A request whose block the TLB of its CPC lacks waits there, others pass it. What
 * a TLB has once, it keeps: on an H100, loads spread over 54 GiB find all translations in the TLB
 * of a CPC. Internal to gpc/, but for gpcs.h. */
#pragma once

#include "memory/gpc/gpc_state.h"

/* A request of an SM reaches the TLB of its CPC. */
struct tma_handover tma_gpc_translate(struct tma_core *core, struct tma_gpcs *gpcs,
                                      uint32_t packet);
