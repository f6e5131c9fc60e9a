/* REFab: a channel refreshes all of its banks at once, so its bus stands still meanwhile. */
#include "memory/dram/refresh.h"

static struct tma_refresh next(const struct tma_dram *dram, const struct tma_dram_channel *channel,
                               uint32_t bank, uint64_t ticks) {
    (void)bank;
    return tma_refresh_after(dram, channel->refresh_phase_ticks, ticks);
}

const struct tma_refresh_policy tma_refresh_all_banks = {next};
