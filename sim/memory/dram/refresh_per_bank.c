/* REFpb: a channel refreshes its banks in turn, at even distances, and each of them once in an
 * interval. The others go on meanwhile. */
#include "memory/dram/refresh.h"

static struct tma_refresh next(const struct tma_dram *dram, const struct tma_dram_channel *channel,
                               uint32_t bank, uint64_t ticks) {
    uint64_t turn = dram->trefi_ticks * bank / dram->machine->dram.banks;
    uint64_t offset = channel->refresh_phase_ticks + turn;
    return tma_refresh_after(dram, offset < dram->trefi_ticks ? offset : offset - dram->trefi_ticks,
                             ticks);
}

const struct tma_refresh_policy tma_refresh_per_bank = {next};
