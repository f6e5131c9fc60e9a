/* The store unit's turn, for which the load unit makes way. Internal to sm/. */
#ifndef TMA_MEMORY_SM_STORE_TURN_H
#define TMA_MEMORY_SM_STORE_TURN_H

#include "memory/sm/sms.h"

/* Wakes the unit of an SM in this cycle. */
static inline struct tma_handover tma_store_unit_wake_now(struct tma_sms *sms, uint32_t sm,
                                                          uint64_t cycle) {
    sms->store_units[sm].scheduled = true;
    sms->store_units[sm].wake_cycle = cycle;
    return (struct tma_handover){sm, TMA_WAKE_STORE_UNIT, cycle};
}

/* Whether the unit can make a packet at `cycle`. */
static inline bool tma_store_unit_is_ready(const struct tma_store_unit *unit, uint64_t cycle) {
    return unit->head != TMA_NONE && unit->credits > 0 &&
           tma_ticks_to_cycle(unit->clock_ticks) <= cycle;
}

#endif
