/* The pool of transfers. Internal to sm/. */
#pragma once

#include "memory/sm/sms.h"

/* Takes a transfer from the pool, with fill counts of zero. TMA_NONE when out of memory, which the
 * core notes. Pointers to transfers are invalid afterwards: the pool may have moved. */
uint32_t tma_transfer_new(struct tma_core *core, struct tma_sms *sms);

/* A transfer completes at `cycle`. It returns to the pool with its last packet. */
void tma_transfer_complete(struct tma_core *core, struct tma_sms *sms, uint32_t transfer,
                           uint64_t cycle);

/* A packet of a transfer is done. */
void tma_transfer_drop(struct tma_sms *sms, uint32_t transfer);
