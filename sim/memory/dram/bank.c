#include "memory/dram/bank.h"

#include "memory/core/sectors.h"
#include "memory/dram/refresh.h"

/* The slot of an activation at the end of a refresh: rows that wait for the same refresh open one
 * after the other. */
static uint64_t slot_after(struct tma_dram_channel *channel, uint64_t end_ticks,
                           uint64_t distance_ticks) {
    if (channel->refresh_end_ticks != end_ticks)
        channel->reactivate_ticks = channel->refresh_end_ticks = end_ticks;
    uint64_t slot = channel->reactivate_ticks;
    channel->reactivate_ticks += distance_ticks;
    return slot;
}

void tma_dram_activate(struct tma_dram *dram, struct tma_dram_channel *channel, uint32_t number,
                       uint64_t row, uint64_t ticks) {
    struct tma_dram_bank *bank = &channel->banks[number];
    uint64_t activate = tma_later(ticks, channel->activate_ticks);
    if (bank->activated)
        activate = tma_later(activate,
                             dram->trp_ticks + tma_later(bank->activated_ticks + dram->tras_ticks,
                                                         bank->precharge_ticks));
    const uint64_t use = dram->trcd_ticks + dram->data_ticks[TMA_SECTORS];
    /* The bank's next refresh is still that which would close its last row. */
    struct tma_refresh refresh = {.start_ticks = bank->closes_ticks};
    if (activate + use > refresh.start_ticks)
        refresh = dram->refresh->next(dram, channel, number, activate);
    if (activate + use > refresh.start_ticks) {
        activate = slot_after(channel, refresh.end_ticks, dram->trrd_ticks);
        refresh = dram->refresh->next(dram, channel, number, refresh.end_ticks);
    } else {
        channel->activate_ticks = activate + dram->trrd_ticks;
    }
    bank->row = row;
    bank->activated = true;
    bank->activated_ticks = activate;
    bank->opened_ticks = activate + dram->trcd_ticks;
    bank->closes_ticks = refresh.start_ticks;
}
