/* DRAM schedulers (memory/policies.h lists them): in which order a channel's bus moves the data of
 * its requests. */
#ifndef TMA_MEMORY_DRAM_SCHEDULER_H
#define TMA_MEMORY_DRAM_SCHEDULER_H

#include "memory/dram/state.h"

struct tma_dram_scheduler_policy {
    /* A read of `sectors` arrives at `cycle`; it has to open a row, or not. Returns the cycle at
     * which the bus has moved the data. */
    uint64_t (*read)(const struct tma_dram *dram, struct tma_dram_channel *channel,
                     uint32_t sectors, bool opens_row, uint64_t cycle);

    /* A write of `sectors` arrives at `cycle`. */
    void (*write)(const struct tma_dram *dram, struct tma_dram_channel *channel, uint32_t sectors,
                  bool opens_row, uint64_t cycle);
};

#define TMA_DECLARE_SCHEDULER(name)                                                                \
    extern const struct tma_dram_scheduler_policy tma_dram_scheduler_##name;
TMA_DRAM_SCHEDULERS(TMA_DECLARE_SCHEDULER)
#undef TMA_DECLARE_SCHEDULER

/* The functions of a scheduler. */
const struct tma_dram_scheduler_policy *
tma_dram_scheduler_policy(enum tma_dram_scheduler scheduler);

#endif
