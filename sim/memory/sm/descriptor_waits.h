/* An SM's cache of tensor maps, and the waits of its TMA units for tensor maps. Internal to sm/. */
#pragma once

#include "memory/sm/sms.h"

/* Whether a transfer, the next one of a TMA unit that can begin at `free_cycle`, has its tensor
 * map. If not, its GPC is asked for it; ask again at the cycle that tma_descriptor_cycle returns.
 */
bool tma_descriptor_ready(struct tma_core *core, struct tma_sms *sms,
                          struct tma_descriptor_wait *waits, uint32_t transfer, uint64_t free_cycle,
                          uint64_t cycle);

/* The cycle at which the tensor map of a waiting transfer is available: 0 where it does not wait,
 * UINT64_MAX where the cycle is not known yet. */
uint64_t tma_descriptor_cycle(const struct tma_descriptor_wait *waits, uint32_t transfer);

/* The tensor map of a waiting transfer will be available at `cycle`. */
void tma_descriptor_arrive(struct tma_descriptor_wait *waits, uint32_t transfer, uint64_t cycle);

/* Fetches the tensor map of the transfer behind the next one ahead of time. */
void tma_descriptor_look_ahead(struct tma_core *core, struct tma_sms *sms,
                               struct tma_descriptor_wait *waits, uint32_t transfer);
