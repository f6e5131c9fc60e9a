/* Writes at the home slice of their line. Internal to l2/. */
#ifndef TMA_MEMORY_L2_WRITES_H
#define TMA_MEMORY_L2_WRITES_H

#include "memory/l2/slice.h"

/* A write takes effect in `way` of its home (-1: none), after the fill that a reduction needs. */
struct tma_handover tma_write_commit(struct tma_core *core, struct tma_l2 *l2, uint32_t packet,
                                     int way, bool used_dram);

#endif
