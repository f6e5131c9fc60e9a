/* REFpb: a channel refreshes its banks in turn, dram.trrefd apart, and each of them once in an
 * interval. The other banks go on meanwhile. The banks of a group follow each other.
 *
 * Under load, refreshes of the slices, and of the banks of a slice, come apart, like a random walk.
 * When DRAM halts, they come together again. */
#include "memory/core/random.h"
#include "memory/dram/refresh.h"

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

/* How far the load has moved the refreshes of a slice's channels. */
static int64_t drift_ticks(const struct tma_dram *dram, const struct tma_dram_channel *channel) {
    uint64_t slice = tma_divide((uint64_t)(channel - dram->channels), &dram->by_slice_channels);
    return normal(tma_mix64(~dram->refresh_seed - slice)) * (int64_t)dram->refresh_drift_ticks /
           65536;
}

static struct tma_refresh next(const struct tma_dram *dram, const struct tma_dram_channel *channel,
                               uint32_t bank, uint64_t ticks) {
    uint32_t turn = bank % dram->groups * dram->group_banks + bank / dram->groups;
    uint64_t offset = channel->refresh_phase_ticks + turn * dram->trrefd_ticks;
    if (ticks < dram->halt_ticks) {
        int64_t interval = (int64_t)dram->trefi_ticks;
        int64_t drifted = ((int64_t)offset + drift_ticks(dram, channel)) % interval;
        uint64_t moved = (uint64_t)(drifted < 0 ? drifted + interval : drifted);
        struct tma_refresh refresh = tma_refresh_after(dram, moved, ticks);
        if (refresh.start_ticks < dram->halt_ticks)
            return refresh;
    }
    return tma_refresh_after(dram, offset, ticks);
}

const struct tma_refresh_policy tma_refresh_per_bank = {next};
