/* Refresh policies (memory/policies.h lists them): which banks are not available, and when. A
 * refresh closes the rows of the banks that it refreshes. */
#pragma once

#include "memory/dram/state.h"

/* The bank takes no command from `start` to `end`. */
struct tma_refresh {
    uint64_t start_ticks, end_ticks;
};

struct tma_refresh_policy {
    /* The first refresh of a bank that ends after `ticks`. UINT64_MAX: none. */
    struct tma_refresh (*next)(const struct tma_dram *dram, const struct tma_dram_channel *channel,
                               uint32_t bank, uint64_t ticks);
};

#define TMA_DECLARE_REFRESH(name) extern const struct tma_refresh_policy tma_refresh_##name;
TMA_REFRESH_POLICIES(TMA_DECLARE_REFRESH)
#undef TMA_DECLARE_REFRESH

/* The functions of a policy. */
const struct tma_refresh_policy *tma_refresh_policy(enum tma_refresh_kind refresh);

/* Cold start: DRAM was busy until shortly before cycle 0 (dram.idle_before), and halts some time
 * within dram.halt_interval. Until then refreshes are as far apart as the load has left them. */
void tma_refresh_follow_load(struct tma_dram *dram);

/* Of a sequence of refreshes, one in each interval (dram.trefi), `offset` after its beginning: the
 * first that ends after `ticks`. The offset is less than two intervals. */
static inline struct tma_refresh tma_refresh_after(const struct tma_dram *dram,
                                                   uint64_t offset_ticks, uint64_t ticks) {
    enum { AHEAD = 3 }; /* intervals that time is ahead of the sequence, so that none is negative */
    const uint64_t interval = dram->trefi_ticks, length = dram->trfc_ticks;
    uint64_t now = ticks + AHEAD * interval;
    uint64_t number = tma_divide(now - offset_ticks - length, &dram->by_refresh) + 1;
    uint64_t end = offset_ticks + number * interval + length - AHEAD * interval;
    return (struct tma_refresh){end > length ? end - length : 0, end};
}
