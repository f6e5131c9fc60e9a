/* DRAM as a component: it receives packets of L2 slices. system.c alone includes this header from
 * outside the folder. */
#pragma once

#include "memory/core/core.h"
#include "memory/dram/channel.h"

/* A read goes back to its slice with the data once its channel has served it; a write-back ends
 * here. */
struct tma_handover tma_dram_receive(struct tma_core *core, struct tma_dram *dram, uint32_t packet,
                                     uint64_t cycle);

/* A write asks when its channel takes further writes. */
struct tma_handover tma_dram_receive_credit(struct tma_core *core, struct tma_dram *dram,
                                            uint32_t packet, uint64_t cycle);

/* A channel serves requests. */
struct tma_handover tma_dram_wake(struct tma_core *core, struct tma_dram *dram, uint32_t channel);

/* Prefetches into the host's caches what a channel needs when it wakes up. */
__attribute__((always_inline)) static inline void tma_dram_prefetch(const struct tma_dram *dram,
                                                                    uint32_t number) {
    const struct tma_dram_fifo *outside = &dram->channels[number].queues[TMA_DRAM_READS].outside;
    if (outside->count > 0)
        __builtin_prefetch(&outside->requests[outside->first], 1);
}

/* Cycles for which the data buses were busy, summed over channels. */
uint64_t tma_dram_busy_cycles(const struct tma_dram *dram);
