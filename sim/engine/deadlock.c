#include "engine/deadlock.h"

#include <stdio.h>

enum { SLOT_TEXT_BYTES = 160 };

/* When the last operation completed, as a warp sees it, or the last slot issued its stage. */
static uint64_t last_cycle(const struct tma_grid *grid, uint64_t completed_cycle) {
    uint64_t last = completed_cycle;
    for (uint32_t i = 0; i < grid->slot_count; i++)
        if (grid->slots[i].free_cycle > last)
            last = grid->slots[i].free_cycle;
    return last;
}

void tma_fail_deadlock(struct tma_simulation *simulation, const struct tma_grid *grid,
                       uint64_t completed_cycle) {
    char text[TMA_ERROR_TEXT_BYTES];
    size_t used =
        (size_t)snprintf(text, sizeof text, "deadlock at cycle %llu: nothing is in flight",
                         (unsigned long long)last_cycle(grid, completed_cycle));
    uint32_t waiting = 0, named = 0;
    for (uint32_t i = 0; i < grid->slot_count; i++) {
        const struct tma_slot *slot = &grid->slots[i];
        const struct tma_mbarrier *mbarrier = &slot->mbarrier;
        if (slot->state != TMA_SLOT_LOADING)
            continue;
        waiting++;
        if (used + SLOT_TEXT_BYTES > sizeof text)
            continue;
        named++;
        used += (size_t)snprintf(
            text + used, sizeof text - used,
            "; SM %u CTA %u slot %u waits for phase %llu of its mbarrier: %llu bytes expected, "
            "%llu arrived",
            slot->cta->sm->number, slot->cta->number, slot->index,
            (unsigned long long)mbarrier->phase, (unsigned long long)mbarrier->expected_bytes,
            (unsigned long long)mbarrier->arrived_bytes);
    }
    if (waiting > named)
        snprintf(text + used, sizeof text - used, "; and %u more", waiting - named);
    tma_simulation_fail(simulation, TMA_ERROR_DEADLOCK, text);
}
