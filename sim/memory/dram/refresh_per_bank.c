/* REFpb: a channel refreshes its banks in turn, dram.trrefd apart, and each of them once in an
 * interval. The other banks go on meanwhile. The banks of a group follow each other. */
#include "memory/dram/refresh.h"

static struct tma_refresh next(const struct tma_dram *dram, const struct tma_dram_channel *channel,
                               uint32_t bank, uint64_t ticks) {
    uint32_t turn = bank % dram->groups * dram->group_banks + bank / dram->groups;
    uint64_t offset = turn * dram->trrefd_ticks;
    if (ticks < dram->halt_ticks) {
        struct tma_refresh refresh =
            tma_refresh_after(dram, channel->moved_phase_ticks + offset, ticks);
        if (refresh.start_ticks < dram->halt_ticks)
            return refresh;
    }
    return tma_refresh_after(dram, channel->refresh_phase_ticks + offset, ticks);
}

const struct tma_refresh_policy tma_refresh_per_bank = {next};
