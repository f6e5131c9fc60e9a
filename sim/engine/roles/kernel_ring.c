#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "engine/expected_bytes.h"
#include "engine/roles/kernel_race.h"
#include "engine/roles/kernel_state.h"

void tma_rings_start(struct tma_kernel_cta *cta) {
    const struct tma_kernel *kernel = cta->engine->kernel;
    for (uint32_t r = 0; r < kernel->ring_count; r++)
        for (uint32_t s = 0; s < kernel->rings[r].depth; s++)
            cta->rings[r].stages[s] = (struct tma_stage){.full_missing = cta->rings[r].producers,
                                                         .empty_missing = cta->rings[r].arrivals};
}

/* Wakes the roles of the CTA that wait for a phase of a stage. */
static void wake(struct tma_kernel_cta *cta, enum tma_role_phase phase, uint32_t ring,
                 uint32_t stage) {
    struct tma_kernel_engine *engine = cta->engine;
    for (uint32_t i = 0; i < engine->kernel->role_count; i++) {
        struct tma_role_state *role = &cta->roles[i];
        if (role->phase == phase && role->waiting->ring == ring && role->wait_stage == stage)
            tma_actor_signal(&engine->simulation.actors, role->number);
    }
}

static void fail_expected(struct tma_kernel_cta *cta, uint32_t ring, uint32_t index,
                          uint64_t phase) {
    struct tma_kernel_engine *engine = cta->engine;
    char text[TMA_ERROR_TEXT_BYTES];
    for (uint32_t i = 0; i < engine->kernel->statement_count; i++) {
        const struct tma_statement *acquire = &engine->kernel->statements[i];
        if (acquire->kind == TMA_STATEMENT_ACQUIRE && acquire->ring == ring &&
            engine->simulation.code == TMA_OK)
            engine->failed = acquire;
    }
    snprintf(text, sizeof text, "CTA %u, stage %u of ring %s, phase %" PRIu64 ": %s",
             cta->base.number, index, engine->kernel->rings[ring].name, phase, TMA_FEWER_EXPECTED);
    tma_simulation_fail(&engine->simulation, TMA_ERROR_DEADLOCK, text);
}

/* Ends the current phase of a full stage, if nothing is missing. */
static void check_full(struct tma_kernel_cta *cta, uint32_t ring, uint32_t index) {
    struct tma_stage *stage = tma_stage_of(cta, ring, index);
    if (stage->full_missing > 0 || stage->full_bytes > 0)
        return;
    if (stage->full_bytes < 0 || stage->loads[stage->full_phases % 2] > 0) {
        fail_expected(cta, ring, index, stage->full_phases);
        return;
    }
    stage->full_cycle = stage->phase_cycle;
    tma_trace_phase(&cta->engine->simulation.tracer, stage->full_cycle,
                    (struct tma_event_source){cta->sm->number, cta->base.number,
                                              cta->rings[ring].first_stage + index},
                    stage->full_phases, stage->phase_bytes);
    tma_race_end_full(cta, ring, index);
    stage->full_phases++;
    stage->full_missing = cta->rings[ring].producers;
    stage->phase_bytes = 0;
    wake(cta, TMA_ROLE_WAITS_FULL, ring, index);
}

void tma_stage_expect(struct tma_kernel_cta *cta, uint32_t ring, uint32_t index, int64_t bytes,
                      bool arrives, uint64_t cycle) {
    struct tma_stage *stage = tma_stage_of(cta, ring, index);
    stage->full_bytes += bytes;
    if (arrives) {
        assert(stage->full_missing > 0);
        stage->full_missing--;
        stage->phase_cycle = tma_later(stage->phase_cycle, cycle);
    }
    check_full(cta, ring, index);
}

void tma_stage_load(struct tma_kernel_cta *cta, uint32_t ring, uint32_t index, uint64_t phase) {
    struct tma_stage *stage = tma_stage_of(cta, ring, index);
    stage->loads[phase % 2]++;
    if (stage->full_phases > phase)
        fail_expected(cta, ring, index, phase);
}

void tma_stage_complete(struct tma_kernel_cta *cta, uint32_t ring, uint32_t index, uint64_t phase,
                        uint64_t bytes, uint64_t cycle) {
    struct tma_stage *stage = tma_stage_of(cta, ring, index);
    assert(stage->loads[phase % 2] > 0);
    stage->loads[phase % 2]--;
    stage->full_bytes -= (int64_t)bytes;
    stage->phase_bytes += bytes;
    stage->phase_cycle = tma_later(stage->phase_cycle, cycle);
    check_full(cta, ring, index);
}

void tma_stage_release(struct tma_kernel_cta *cta, uint32_t ring, uint32_t index, uint64_t cycle) {
    struct tma_stage *stage = tma_stage_of(cta, ring, index);
    if (cta->rings[ring].arrivals == 0)
        return;
    stage->empty_last_cycle = tma_later(stage->empty_last_cycle, cycle);
    assert(stage->empty_missing > 0);
    if (--stage->empty_missing > 0)
        return;
    stage->empty_missing = cta->rings[ring].arrivals;
    stage->empty_cycle = stage->empty_last_cycle;
    tma_observe_full_stage(&cta->engine->simulation.observer, stage->full_cycle,
                           stage->empty_cycle);
    tma_race_end_empty(cta, ring, index);
    stage->empty_phases++;
    wake(cta, TMA_ROLE_WAITS_EMPTY, ring, index);
}
