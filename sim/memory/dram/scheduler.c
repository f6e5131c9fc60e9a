#include "memory/dram/scheduler.h"

/* FR-FCFS: the request goes first whose data the bus can move first. Among those that are ready, it
 * is the one that was ready first. Requests for an open row bypass those for other rows of the bank
 * at most dram.bypass times (channel.c). As long as one rank has requests whose rows are open, the
 * other ranks wait. */

static uint32_t fr_fcfs_window(const struct tma_machine *machine) {
    return machine->dram.queue;
}

/* The first choice among `count` bank groups from `from` on. */
struct first_choice {
    uint32_t group;
    uint64_t start_ticks, ready_ticks;
};

static struct first_choice first_of(const struct tma_dram_channel *channel,
                                    const struct tma_dram_queue *queue, uint32_t from,
                                    uint32_t count, uint64_t free_ticks) {
    struct first_choice best = {from, UINT64_MAX, UINT64_MAX};
    for (uint32_t group = from; group < from + count; group++) {
        uint64_t ready = queue->first_ready_ticks[group];
        uint64_t start = tma_dram_start_ticks(channel, queue, group, free_ticks);
        if (start > best.start_ticks || (start == best.start_ticks && ready >= best.ready_ticks))
            continue;
        best = (struct first_choice){group, start, ready};
    }
    return best;
}

static uint32_t fr_fcfs_pick(const struct tma_dram *dram, const struct tma_dram_channel *channel,
                             const struct tma_dram_queue *queue, uint64_t free_ticks,
                             uint64_t *start_ticks) {
    const uint32_t groups = dram->rank_groups;
    struct first_choice best = first_of(channel, queue, channel->rank * groups, groups, free_ticks);
    if (best.ready_ticks > free_ticks && dram->groups > groups) {
        struct first_choice any = first_of(channel, queue, 0, dram->groups, free_ticks);
        if (best.ready_ticks > any.start_ticks)
            best = any;
    }
    *start_ticks = best.start_ticks;
    return best.group;
}

const struct tma_dram_scheduler_policy tma_dram_scheduler_fr_fcfs = {fr_fcfs_window, fr_fcfs_pick};

/* FCFS: a channel serves its requests in order of arrival. The next one opens its row when the bus
 * moves the data of the one before. */

static uint32_t fcfs_window(const struct tma_machine *machine) {
    (void)machine;
    return 1;
}

static uint32_t fcfs_pick(const struct tma_dram *dram, const struct tma_dram_channel *channel,
                          const struct tma_dram_queue *queue, uint64_t free_ticks,
                          uint64_t *start_ticks) {
    uint32_t group = 0;
    while (group + 1 < dram->groups && queue->first_ready_ticks[group] == UINT64_MAX)
        group++;
    *start_ticks = tma_dram_start_ticks(channel, queue, group, free_ticks);
    return group;
}

const struct tma_dram_scheduler_policy tma_dram_scheduler_fcfs = {fcfs_window, fcfs_pick};

#define POLICY(name) &tma_dram_scheduler_##name,
static const struct tma_dram_scheduler_policy *const policies[] = {TMA_DRAM_SCHEDULERS(POLICY)};

const struct tma_dram_scheduler_policy *
tma_dram_scheduler_policy(enum tma_dram_scheduler scheduler) {
    return policies[scheduler];
}
