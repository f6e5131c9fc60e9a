/* Reads at a slice: the step after a fill. Internal to l2/. */
#pragma once

#include "memory/l2/slice.h"

/* The home has the sectors that a read lacked at `ready`. Sends the data back. */
struct tma_handover tma_read_filled(struct tma_core *core, struct tma_l2 *l2, uint32_t packet,
                                    uint64_t ready);

/* The same for packets that wait for a line of their home: a list, the newest first. */
void tma_read_answer(struct tma_core *core, struct tma_l2 *l2, uint32_t waiting, uint64_t ready);
