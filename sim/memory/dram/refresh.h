/* Refresh policies (memory/policies.h lists them): which banks are not available, and when. A
 * refresh closes the rows of the banks that it refreshes. */
#ifndef TMA_MEMORY_DRAM_REFRESH_H
#define TMA_MEMORY_DRAM_REFRESH_H

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

/* The first refresh that ends after `ticks`, where refreshes begin every dram.trefi, the one at
 * `offset` among them. */
static inline struct tma_refresh tma_refresh_after(const struct tma_dram *dram, uint64_t offset,
                                                   uint64_t ticks) {
    /* `ticks` less the end of a refresh that ended a whole interval earlier */
    uint64_t interval = dram->trefi_ticks, ended = offset + dram->trfc_ticks;
    uint64_t since = tma_modulo(ticks + 2 * interval - ended, &dram->by_refresh);
    uint64_t end = ticks - since + interval;
    return (struct tma_refresh){end > dram->trfc_ticks ? end - dram->trfc_ticks : 0, end};
}

#endif
