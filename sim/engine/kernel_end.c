#include "engine/kernel_end.h"

#include <assert.h>

static void end_cta(struct tma_kernel_cta *cta) {
    struct tma_kernel_engine *engine = cta->engine;
    struct tma_kernel_cluster *cluster = cta->cluster;
    uint64_t cycles = cta->end_cycle - cta->start_cycle;
    const struct tma_event_source source = {cta->sm->number, cta->number, 0};
    tma_account_cta(&engine->simulation.accounting, cycles, cta->end_cycle);
    tma_observe_cta(&engine->simulation.observer, source, cta->start_cycle, cta->end_cycle);
    tma_trace_end(&engine->simulation.tracer, cta->end_cycle, source, cycles);
    uint64_t free_cycle = cta->end_cycle + engine->machine.warp.launch_cycles;
    if (free_cycle > cluster->free_cycle)
        cluster->free_cycle = free_cycle;
    if (--cluster->running_ctas == 0)
        tma_actor_signal(&engine->simulation.actors, engine->scheduler_actor);
}

static void extend(struct tma_kernel_cta *cta, uint64_t cycle) {
    if (cycle > cta->end_cycle)
        cta->end_cycle = cycle;
}

void tma_kernel_end_role(struct tma_kernel_cta *cta, uint64_t cycle) {
    extend(cta, cycle);
    assert(cta->running_roles > 0);
    if (--cta->running_roles == 0 && cta->in_flight == 0)
        end_cta(cta);
}

void tma_kernel_end_operation(struct tma_kernel_cta *cta, uint64_t cycle) {
    assert(cta->in_flight > 0);
    if (--cta->in_flight > 0 || cta->running_roles > 0)
        return;
    extend(cta, cycle);
    end_cta(cta);
}
