#include "memory/dram/refresh.h"

#include <math.h>

#include "memory/core/random.h"

/* REFpb: a channel refreshes its banks in turn, dram.trrefd apart, and each of them once in an
 * interval. The other banks go on meanwhile. The banks of a group follow each other. */

static struct tma_refresh next_per_bank(const struct tma_dram *dram,
                                        const struct tma_dram_channel *channel, uint32_t bank,
                                        uint64_t ticks) {
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

const struct tma_refresh_policy tma_refresh_per_bank = {next_per_bank};

/* REFab: a channel refreshes all of its banks at once, so its bus stands still meanwhile. */

static struct tma_refresh next_all_banks(const struct tma_dram *dram,
                                         const struct tma_dram_channel *channel, uint32_t bank,
                                         uint64_t ticks) {
    (void)bank;
    return tma_refresh_after(dram, channel->refresh_phase_ticks, ticks);
}

const struct tma_refresh_policy tma_refresh_all_banks = {next_all_banks};

/* No bank ever refreshes. */

static struct tma_refresh next_none(const struct tma_dram *dram,
                                    const struct tma_dram_channel *channel, uint32_t bank,
                                    uint64_t ticks) {
    (void)dram;
    (void)channel;
    (void)bank;
    (void)ticks;
    return (struct tma_refresh){UINT64_MAX, UINT64_MAX};
}

const struct tma_refresh_policy tma_refresh_none = {next_none};

#define POLICY(name) &tma_refresh_##name,
static const struct tma_refresh_policy *const policies[] = {TMA_REFRESH_POLICIES(POLICY)};

const struct tma_refresh_policy *tma_refresh_policy(enum tma_refresh_kind refresh) {
    return policies[refresh];
}

/* A number of a normal distribution (the sum of eight uniform ones), in 1/65536 of its standard
 * deviation. */
static int64_t normal(uint64_t random) {
    const int64_t scale = 80265; /* 65536 / sqrt(8 / 12): of a sum of numbers of 16 bits */
    uint64_t more = tma_mix64(random);
    int64_t sum = -4 * 65536;
    for (uint32_t bit = 0; bit < 64; bit += 16)
        sum += (int64_t)(random >> bit & 0xffff) + (int64_t)(more >> bit & 0xffff);
    return sum * scale / 65536;
}

/* Under load, refreshes of the slices come apart, like a random walk: moves those of each slice's
 * channels, all banks alike, by a random time of this standard deviation. */
static void move_refreshes(struct tma_dram *dram, uint64_t deviation_ticks) {
    const int64_t interval = (int64_t)dram->trefi_ticks;
    for (uint32_t i = 0; i < dram->machine->dram.channels; i++) {
        struct tma_dram_channel *channel = &dram->channels[i];
        uint64_t slice = tma_divide(i, &dram->by_slice_channels);
        int64_t drift =
            normal(tma_mix64(~dram->refresh_seed - slice)) * (int64_t)deviation_ticks / 65536;
        int64_t phase = ((int64_t)channel->refresh_phase_ticks + drift) % interval;
        channel->moved_phase_ticks = (uint64_t)(phase < 0 ? phase + interval : phase);
    }
}

void tma_refresh_follow_load(struct tma_dram *dram) {
    const struct tma_machine *machine = dram->machine;
    const uint64_t mhz = machine->sm_clock_mhz, interval = machine->dram.halt_interval_ps;
    const uint64_t idle = machine->dram.idle_before_ps, purpose = UINT64_C(0x68616c74); /* "halt" */
    if (machine->topology.seed == 0 || interval == 0)
        return;
    uint64_t until_halt = tma_random(machine->topology.seed, purpose) % interval;
    if (until_halt < idle)
        return; /* DRAM has halted since the load ended */
    double loaded_us = (double)(interval - until_halt) / 1e6;
    double drift_ps = (double)machine->dram.refresh_drift_ps * sqrt(loaded_us);
    dram->halt_ticks = tma_picoseconds_to_ticks(until_halt - idle, mhz);
    move_refreshes(dram, tma_picoseconds_to_ticks((uint64_t)drift_ps, mhz));
}
