/* FR-FCFS: the request goes first whose data the bus can move first. Among those that are ready, it
 * is the one that was ready first. Requests for an open row bypass those for other rows of the bank
 * at most dram.bypass times (channel.c). */
#include "memory/dram/scheduler.h"

static uint32_t window(const struct tma_machine *machine) {
    return machine->dram.queue;
}

static uint32_t pick(const struct tma_dram *dram, const struct tma_dram_channel *channel,
                     const struct tma_dram_queue *queue, uint64_t free_ticks,
                     uint64_t *start_ticks) {
    uint32_t best = 0;
    uint64_t earliest = UINT64_MAX, best_ready = UINT64_MAX;
    for (uint32_t group = 0; group < dram->groups; group++) {
        uint64_t ready = queue->first_ready_ticks[group];
        uint64_t start = tma_dram_start_ticks(channel, queue, group, free_ticks);
        if (start > earliest || (start == earliest && ready >= best_ready))
            continue;
        best = group;
        earliest = start;
        best_ready = ready;
    }
    *start_ticks = earliest;
    return best;
}

const struct tma_dram_scheduler_policy tma_dram_scheduler_fr_fcfs = {window, pick};
