/* DRAM schedulers (memory/policies.h lists them): which of its requests a channel serves next. */
#pragma once

#include "memory/dram/state.h"

struct tma_dram_scheduler_policy {
    /* How many requests of a queue it chooses from: these may open their rows. */
    uint32_t (*window)(const struct tma_machine *machine);

    /* Chooses the bank group whose first request the bus serves next, of a queue that has some. The
     * bus is free from `free_ticks` on. *start_ticks is when the bus can move the data. */
    uint32_t (*pick)(const struct tma_dram *dram, const struct tma_dram_channel *channel,
                     const struct tma_dram_queue *queue, uint64_t free_ticks,
                     uint64_t *start_ticks);
};

#define TMA_DECLARE_SCHEDULER(name)                                                                \
    extern const struct tma_dram_scheduler_policy tma_dram_scheduler_##name;
TMA_DRAM_SCHEDULERS(TMA_DECLARE_SCHEDULER)
#undef TMA_DECLARE_SCHEDULER

/* The functions of a scheduler. */
const struct tma_dram_scheduler_policy *
tma_dram_scheduler_policy(enum tma_dram_scheduler scheduler);

/* The bus can move the data of the first request for a bank group from here on: it is free, the row
 * is open, and the bank group takes a column command. UINT64_MAX: the group has no request. */
static inline uint64_t tma_dram_start_ticks(const struct tma_dram_channel *channel,
                                            const struct tma_dram_queue *queue, uint32_t group,
                                            uint64_t free_ticks) {
    uint64_t ready = queue->first_ready_ticks[group], column = channel->group_ticks[group];
    uint64_t start = tma_later(ready, free_ticks);
    return tma_later(column, start);
}
