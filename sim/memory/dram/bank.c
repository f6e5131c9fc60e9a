#include "memory/dram/bank.h"

#include "memory/core/sectors.h"
#include "memory/dram/refresh.h"

/* The first time from `ticks` on that is at least tRRD from the activations of all other banks. An
 * activation that waits for its bank does not hold up others: these fit before it. */
static uint64_t free_slot(const struct tma_dram *dram, const struct tma_dram_channel *channel,
                          uint32_t number, uint64_t ticks) {
    const uint64_t trrd = dram->trrd_ticks, span = trrd == 0 ? 0 : 2 * trrd - 1;
    const uint64_t *activated = channel->activated_ticks,
                   *end = activated + dram->machine->dram.banks;
    const uint64_t *own = activated + number;
    bool fits = ticks >= channel->last_activation_ticks + trrd;
    while (!fits) {
        fits = true;
        for (const uint64_t *other = activated; other < end; other++)
            if (ticks + trrd - 1 - *other < span && other != own) { /* less than tRRD apart */
                ticks = *other + trrd;
                fits = false;
            }
    }
    return ticks;
}

void tma_dram_activate(struct tma_dram *dram, struct tma_dram_channel *channel, uint32_t number,
                       uint64_t row, uint64_t ticks) {
    struct tma_dram_bank *bank = &channel->banks[number];
    uint64_t *activated = &channel->activated_ticks[number];
    uint64_t activate = ticks;
    if (*activated != TMA_NEVER_ACTIVATED) {
        uint64_t precharge = tma_later(*activated + dram->tras_ticks, bank->precharge_ticks);
        activate = tma_later(ticks, precharge + dram->trp_ticks);
    }
    activate = free_slot(dram, channel, number, activate);
    const uint64_t use = dram->trcd_ticks + dram->data_ticks[TMA_SECTORS];
    /* The bank's next refresh is still that which would close its last row. */
    struct tma_refresh refresh = {.start_ticks = bank->closes_ticks};
    if (activate + use > refresh.start_ticks)
        refresh = dram->refresh->next(dram, channel, number, activate);
    if (activate + use > refresh.start_ticks) {
        activate = free_slot(dram, channel, number, refresh.end_ticks);
        refresh = dram->refresh->next(dram, channel, number, refresh.end_ticks);
    }
    *activated = activate;
    channel->last_activation_ticks = tma_later(channel->last_activation_ticks, activate);
    bank->row = row;
    bank->opened_ticks = activate + dram->trcd_ticks;
    bank->closes_ticks = refresh.start_ticks;
}
