/* FCFS: a channel serves its requests in order of arrival. The next one opens its row when the bus
 * moves the data of the one before. */
#include "memory/dram/scheduler.h"

static uint32_t window(const struct tma_machine *machine) {
    (void)machine;
    return 1;
}

static uint32_t pick(const struct tma_dram *dram, const struct tma_dram_channel *channel,
                     const struct tma_dram_queue *queue, uint64_t free_ticks,
                     uint64_t *start_ticks) {
    uint32_t group = 0;
    while (group + 1 < dram->groups && queue->first_ready_ticks[group] == UINT64_MAX)
        group++;
    *start_ticks = tma_dram_start_ticks(channel, queue, group, free_ticks);
    return group;
}

const struct tma_dram_scheduler_policy tma_dram_scheduler_fcfs = {window, pick};
