/* Refresh policies (memory/policies.h lists them): which banks are not available, and when. A
 * refresh closes the rows of the banks that it refreshes. */
#ifndef TMA_MEMORY_DRAM_REFRESH_H
#define TMA_MEMORY_DRAM_REFRESH_H

#include "memory/core/random.h"
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

/* A sequence of refreshes: one in each interval (dram.trefi), `offset` after its beginning, and up
 * to `slack` later, by a time that differs from interval to interval but is the same in all
 * sequences.
 */
struct tma_refresh_sequence {
    uint64_t offset_ticks; /* less than two intervals */
    uint64_t slack_ticks;  /* at most an interval less dram.trfc */
};

/* The first refresh of a sequence that ends after `ticks`. */
static inline struct tma_refresh tma_refresh_after(const struct tma_dram *dram,
                                                   struct tma_refresh_sequence sequence,
                                                   uint64_t ticks) {
    enum { AHEAD = 4 }; /* intervals that time is ahead of the sequence, so that none is negative */
    const uint64_t interval = dram->trefi_ticks, length = dram->trfc_ticks;
    uint64_t now = ticks + AHEAD * interval, slack = sequence.slack_ticks, start, number;
    /* a refresh that has ended, with the longest delay */
    number = tma_divide(now - sequence.offset_ticks - length - slack, &dram->by_refresh);
    do {
        uint64_t random = tma_mix64(dram->refresh_seed + ++number) >> 32;
        start = sequence.offset_ticks + number * interval + (random * slack >> 32);
    } while (start + length <= now);
    uint64_t end = start + length - AHEAD * interval;
    return (struct tma_refresh){end > length ? end - length : 0, end};
}

#endif
