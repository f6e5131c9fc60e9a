/* REFpb: a channel refreshes its banks in turn, at even distances, and each of them once in an
 * interval. The others go on meanwhile. The banks of a group follow each other: rows that lie one
 * behind the other are in banks of different groups, which refresh far apart. */
#include "memory/dram/refresh.h"

static struct tma_refresh next(const struct tma_dram *dram, const struct tma_dram_channel *channel,
                               uint32_t bank, uint64_t ticks) {
    uint32_t banks = dram->machine->dram.banks, groups = dram->groups;
    uint32_t place = bank % groups * (banks / groups) + bank / groups;
    uint64_t turn = dram->trefi_ticks * place / banks;
    uint64_t offset = channel->refresh_phase_ticks + turn;
    return tma_refresh_after(dram, offset < dram->trefi_ticks ? offset : offset - dram->trefi_ticks,
                             ticks);
}

const struct tma_refresh_policy tma_refresh_per_bank = {next};
