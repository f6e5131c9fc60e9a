/* Refresh policies (memory/policies.h lists them): when a channel is not available. */
#ifndef TMA_MEMORY_DRAM_REFRESH_H
#define TMA_MEMORY_DRAM_REFRESH_H

#include "memory/dram/state.h"

struct tma_refresh_policy {
    /* Cycles from the begin of a refresh of a channel to cycle 0. */
    uint64_t (*phase)(const struct tma_machine *machine, uint32_t channel);

    /* The first cycle from `cycle` on at which a channel is available. */
    uint64_t (*available)(const struct tma_dram *dram, const struct tma_dram_channel *channel,
                          uint64_t cycle);
};

#define TMA_DECLARE_REFRESH(name) extern const struct tma_refresh_policy tma_refresh_##name;
TMA_REFRESH_POLICIES(TMA_DECLARE_REFRESH)
#undef TMA_DECLARE_REFRESH

/* The functions of a policy. */
const struct tma_refresh_policy *tma_refresh_policy(enum tma_refresh refresh);

#endif
