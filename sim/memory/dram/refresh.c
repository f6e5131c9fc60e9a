#include "memory/dram/refresh.h"

#include <math.h>

#include "memory/core/random.h"

#define POLICY(name) &tma_refresh_##name,
static const struct tma_refresh_policy *const policies[] = {TMA_REFRESH_POLICIES(POLICY)};

const struct tma_refresh_policy *tma_refresh_policy(enum tma_refresh_kind refresh) {
    return policies[refresh];
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
    dram->refresh_drift_ticks = tma_picoseconds_to_ticks((uint64_t)drift_ps, mhz);
}
