/* REFpb: a channel refreshes its banks in turn, dram.trrefd apart, and each of them once in an
 * interval. Such a round leaves some of the interval over: it begins at any time within that. The
 * other banks go on meanwhile. The banks of a group follow each other. */
#include "memory/dram/refresh.h"

static struct tma_refresh next(const struct tma_dram *dram, const struct tma_dram_channel *channel,
                               uint32_t bank, uint64_t ticks) {
    uint32_t place = bank % dram->groups * dram->group_banks + bank / dram->groups;
    struct tma_refresh_sequence sequence = {
        .offset_ticks = channel->refresh_phase_ticks + place * dram->trrefd_ticks,
        .slack_ticks = dram->refresh_slack_ticks,
    };
    return tma_refresh_after(dram, sequence, ticks);
}

const struct tma_refresh_policy tma_refresh_per_bank = {next};
