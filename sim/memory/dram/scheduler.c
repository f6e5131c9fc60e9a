#include "memory/dram/scheduler.h"

#define POLICY(name) &tma_dram_scheduler_##name,
static const struct tma_dram_scheduler_policy *const policies[] = {TMA_DRAM_SCHEDULERS(POLICY)};

const struct tma_dram_scheduler_policy *
tma_dram_scheduler_policy(enum tma_dram_scheduler scheduler) {
    return policies[scheduler];
}
