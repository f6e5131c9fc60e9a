/* Each channel refreshes all of its banks at once, at regular intervals, with a random phase of its
 * own. */
#include "memory/core/random.h"
#include "memory/dram/refresh.h"

static uint64_t phase(const struct tma_machine *machine, uint32_t channel) {
    uint32_t interval = machine->dram.refresh_interval_cycles;
    if (interval == 0)
        return 0;
    return tma_mix64(tma_mix64(machine->topology.seed) + channel + 1) % interval;
}

static uint64_t available(const struct tma_dram *dram, const struct tma_dram_channel *channel,
                          uint64_t cycle) {
    uint32_t refresh_cycles = dram->machine->dram.refresh_cycles;
    if (dram->machine->dram.refresh_interval_cycles == 0)
        return cycle;
    uint64_t since = tma_modulo(cycle + channel->refresh_phase, &dram->by_refresh);
    return since < refresh_cycles ? cycle + refresh_cycles - since : cycle;
}

const struct tma_refresh_policy tma_refresh_staggered = {phase, available};
