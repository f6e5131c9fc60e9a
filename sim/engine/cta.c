#include "engine/cta.h"

#include <assert.h>

void tma_cta_start(struct tma_cta *cta, uint32_t number, uint32_t slots, uint64_t cycle) {
    cta->number = number;
    cta->running_slots = slots;
    cta->start_cycle = cta->end_cycle = cycle;
    tma_trace_start(&cta->simulation->tracer, cycle, tma_cta_event_source(cta, 0));
}

void tma_cta_end_slot(struct tma_cta *cta) {
    struct tma_simulation *simulation = cta->simulation;
    struct tma_cluster *cluster = cta->cluster;
    assert(cta->running_slots > 0 && cluster->running_ctas > 0);
    if (--cta->running_slots > 0)
        return;
    uint64_t cycles = cta->end_cycle - cta->start_cycle;
    tma_account_cta(&simulation->accounting, cycles, cta->end_cycle);
    tma_observe_cta(&simulation->observer, tma_cta_event_source(cta, 0), cta->start_cycle,
                    cta->end_cycle);
    tma_trace_end(&simulation->tracer, cta->end_cycle, tma_cta_event_source(cta, 0), cycles);
    if (--cluster->running_ctas == 0)
        tma_actor_signal(&simulation->actors, cluster->scheduler);
}
