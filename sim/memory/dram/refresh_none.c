/* No channel ever refreshes. */
#include "memory/dram/refresh.h"

static uint64_t phase(const struct tma_machine *machine, uint32_t channel) {
    (void)machine;
    (void)channel;
    return 0;
}

static uint64_t available(const struct tma_dram *dram, const struct tma_dram_channel *channel,
                          uint64_t cycle) {
    (void)dram;
    (void)channel;
    return cycle;
}

const struct tma_refresh_policy tma_refresh_none = {phase, available};
