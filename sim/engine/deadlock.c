#include "engine/deadlock.h"

#include <stdio.h>

#include "engine/expected_bytes.h"

enum { SLOT_TEXT_BYTES = 160 };

/* When the last operation completed, as a warp sees it, or the last slot issued its stage. */
static uint64_t last_cycle(const struct tma_grid *grid, uint64_t completed_cycle) {
    uint64_t last = completed_cycle;
    for (uint32_t i = 0; i < grid->slot_count; i++)
        if (grid->slots[i].free_cycle > last)
            last = grid->slots[i].free_cycle;
    return last;
}

/* What hardware does where a phase has all of its operations, and other bytes than it expects;
 * NULL: no phase has. */
static const char *what_is_expected(const struct tma_grid *grid) {
    for (uint32_t i = 0; i < grid->slot_count; i++) {
        const struct tma_mbarrier *mbarrier = &grid->slots[i].mbarrier;
        if (grid->slots[i].state == TMA_SLOT_LOADING && mbarrier->pending_operations == 0 &&
            mbarrier->arrived_bytes != mbarrier->expected_bytes)
            return mbarrier->arrived_bytes > mbarrier->expected_bytes ? TMA_FEWER_EXPECTED
                                                                      : TMA_MORE_EXPECTED;
    }
    return NULL;
}

void tma_fail_deadlock(struct tma_simulation *simulation, const struct tma_grid *grid,
                       uint64_t completed_cycle) {
    char text[TMA_ERROR_TEXT_BYTES];
    size_t used =
        (size_t)snprintf(text, sizeof text, "deadlock at cycle %llu: nothing is in flight",
                         (unsigned long long)last_cycle(grid, completed_cycle));
    uint32_t waiting = 0, named = 0;
    const char *why = what_is_expected(grid);
    if (why != NULL)
        used += (size_t)snprintf(text + used, sizeof text - used, "; %s", why);
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
