/* No bank ever refreshes. */
#include "memory/dram/refresh.h"

static struct tma_refresh next(const struct tma_dram *dram, const struct tma_dram_channel *channel,
                               uint32_t bank, uint64_t ticks) {
    (void)dram;
    (void)channel;
    (void)bank;
    (void)ticks;
    return (struct tma_refresh){UINT64_MAX, UINT64_MAX};
}

const struct tma_refresh_policy tma_refresh_none = {next};
