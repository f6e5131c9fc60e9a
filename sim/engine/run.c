#include "engine/run.h"

#include <assert.h>
#include <stdio.h>

#include "base/allocation.h"
#include "engine/cta_scheduler.h"
#include "engine/memory_actor.h"
#include "engine/module.h"
#include "engine/relieved_wavefronts.h"
#include "engine/sample_plan.h"
#include "engine/slot_sampling.h"
#include "engine/warm_l2.h"
#include "engine/workload_check.h"
#include "placement/rows.h"

/* A run while it lasts. */
struct run {
    struct tma_simulation simulation;
    struct tma_grid grid;
    struct tma_cta_scheduler scheduler;
    struct tma_memory_actor memory_actor;
    bool samples;
    struct tma_slot_sampling sampling;
};

/* SimGrid clears the stack of an actor before the actor runs. Slots, which are many, and the CTA
 * scheduler need less than 4 KiB. */
enum { SMALL_STACK_KIB = 16, LARGE_STACK_KIB = 256 };

/* Measures one pass of each consumer over its tile in each slot: addresses differ from slot to
 * slot, and with them the banks. */
static enum tma_error_code measure_consumers(struct tma_simulation *simulation,
                                             struct tma_result *result) {
    const struct tma_workload *workload = simulation->workload;
    for (uint32_t s = 0; s < workload->depth; s++)
        for (uint32_t c = 0; c < workload->consumer_count; c++) {
            const struct tma_consumer *consumer = &workload->consumers[c];
            struct tma_tile tile;
            enum tma_error_code code =
                tma_workload_tile(workload, s, consumer->operation, &tile, &simulation->error);
            if (code == TMA_OK)
                code = tma_consumer_check(consumer, &tile, &simulation->error);
            if (code != TMA_OK)
                return code;
            struct tma_consumer_report *report =
                &simulation->reports[s * workload->consumer_count + c];
            *report = tma_consumer_measure(consumer, &tile);
            report->wavefronts = tma_relieved_wavefronts(workload->wavefronts, report);
        }
    for (uint32_t c = 0; c < workload->consumer_count; c++)
        result->consumers[c].tile = *tma_consumer_report_of(simulation, 0, c);
    return TMA_OK;
}

static struct tma_wait step_slot(void *machine, uint64_t now) {
    return tma_slot_step(machine, now);
}

static struct tma_wait step_scheduler(void *machine, uint64_t now) {
    return tma_cta_scheduler_step(machine, now);
}

static struct tma_wait step_memory(void *machine, uint64_t now) {
    return tma_memory_actor_step(machine, now);
}

/* Gives each actor its state machine. Numbers are those of grid.h. */
static bool create_actors(struct run *run, const struct tma_engine_module *module) {
    struct tma_simulation *simulation = &run->simulation;
    uint32_t slots = run->grid.slot_count;
    if (!tma_actors_create(&simulation->actors, slots + 2, module->signal))
        return false;
    struct tma_actor *actors = simulation->actors.items;
    for (uint32_t i = 0; i < slots; i++)
        actors[i] = (struct tma_actor){.step = step_slot, .machine = &run->grid.slots[i]};
    actors[slots] = (struct tma_actor){.step = step_scheduler, .machine = &run->scheduler};
    actors[slots + 1] = (struct tma_actor){.step = step_memory, .machine = &run->memory_actor};
    run->scheduler = (struct tma_cta_scheduler){.simulation = simulation, .grid = &run->grid};
    run->memory_actor = tma_memory_actor_of(simulation, &run->grid);
    if (!run->samples)
        return true;
    run->memory_actor.sampling = &run->sampling;
    return tma_slot_sampling_begin(&run->sampling, simulation->watch->sampling, simulation,
                                   &run->grid, &run->scheduler);
}

static struct tma_wait step(void *context, uint32_t actor, uint64_t now) {
    struct run *run = context;
    return tma_actor_step(&run->simulation.actors, actor, now);
}

static unsigned describe(void *context, uint32_t actor, char name[TMA_ACTOR_NAME_BYTES]) {
    const struct run *run = context;
    if (actor < run->grid.slot_count) {
        const struct tma_slot *slot = &run->grid.slots[actor];
        snprintf(name, TMA_ACTOR_NAME_BYTES, "sm%u.slot%u", slot->cta->sm->number, slot->index);
        return SMALL_STACK_KIB;
    }
    bool schedules = actor == run->grid.slot_count;
    snprintf(name, TMA_ACTOR_NAME_BYTES, "%s", schedules ? "cta_scheduler" : "memory");
    return schedules ? SMALL_STACK_KIB : LARGE_STACK_KIB;
}

/* Every actor has ended, or waits for ever. */
static void check_end(struct run *run) {
    struct tma_simulation *simulation = &run->simulation;
    char text[100];
    uint64_t ended = simulation->accounting.ended_ctas;
    if (run->sampling.skips_ctas)
        ended += run->sampling.sampler.skipped;
    snprintf(text, sizeof text, "the run stopped when %llu of %u CTAs had ended",
             (unsigned long long)ended, simulation->workload->cta_count);
    if (ended != simulation->workload->cta_count)
        tma_simulation_fail(simulation, TMA_ERROR_DEADLOCK, text);
}

static void summarise(struct run *run) {
    struct tma_simulation *simulation = &run->simulation;
    if (!tma_observe_drain(&simulation->observer, simulation->memory))
        tma_simulation_out_of_memory(simulation);
    struct tma_memory_counters counters = tma_memory_count(simulation->memory);
    if (run->memory_actor.sampling != NULL)
        tma_slot_sampling_end(&run->sampling, &counters);
    tma_account_run(&simulation->accounting, &counters, run->grid.sms, run->grid.sm_count,
                    run->grid.sm_count);
    const struct tma_accounting *accounting = &simulation->accounting;
    tma_observe_end(&simulation->observer, simulation->memory,
                    accounting->result->memory_cycles - accounting->skipped.cycles,
                    accounting->latencies);
    assert(simulation->code != TMA_OK ||
           tma_memory_is_conserved(simulation->memory, simulation->accounting.last_cycle));
    tma_trace_late_fills(&simulation->tracer, simulation->memory);
    tma_tracer_flush(&simulation->tracer, UINT64_MAX);
}

/* The CTAs that have not ended are in no wave. */
static void summarise_part(struct run *run) {
    summarise(run);
    run->simulation.accounting.result->waves = (struct tma_waves){0};
}

/* Runs the simulation; the caller has reserved the engine. */
static void simulate(struct run *run, const struct tma_engine_module *module) {
    static const struct tma_engine_core core = {
        .step = step, .describe = describe, .allocate = tma_allocate, .release = tma_release};
    struct tma_simulation *simulation = &run->simulation;
    simulation->code =
        tma_memory_create(&simulation->memory, simulation->machine, &simulation->error);
    if (simulation->code != TMA_OK)
        return;
    if (tma_tracer_is_on(&simulation->tracer))
        tma_memory_report_fills(simulation->memory);
    if (!simulation->workload->cold)
        tma_warm_up(simulation, &run->grid);
    else if (!simulation->workload->profiled)
        tma_memory_follow_load(simulation->memory);
    tma_leave_descriptors(simulation);
    if (!create_actors(run, module) || !module->run(&core, run, simulation->actors.count))
        tma_simulation_out_of_memory(simulation);
    check_end(run);
    if (simulation->code == TMA_OK)
        summarise(run);
    else if (simulation->code == TMA_ERROR_INTERRUPTED)
        summarise_part(run);
}

static void simulate_alone(struct run *run) {
    const struct tma_engine_module *module = tma_simulation_reserve(&run->simulation);
    if (module == NULL)
        return;
    simulate(run, module);
    module->release();
}

/* Allocates what a run needs, except for the memory system and the actors. False when out of
 * memory. */
static bool create(struct run *run, const struct tma_event_sink *sink, struct tma_result *result) {
    struct tma_simulation *simulation = &run->simulation;
    const struct tma_workload *workload = simulation->workload;
    simulation->reports =
        tma_allocate((size_t)workload->depth * TMA_MAX_CONSUMERS, sizeof *simulation->reports);
    return tma_accounting_create(&simulation->accounting, simulation->machine, workload,
                                 workload->cta_count, result) &&
           tma_tracer_create(&simulation->tracer, sink) &&
           tma_observer_create(&simulation->observer, simulation->watch, TMA_CAUSE_COUNT) &&
           simulation->reports != NULL && tma_grid_create(&run->grid, simulation);
}

static void release(struct run *run) {
    struct tma_simulation *simulation = &run->simulation;
    tma_memory_actor_free(&run->memory_actor);
    tma_slot_sampling_free(&run->sampling);
    tma_grid_free(&run->grid);
    tma_simulation_free(simulation);
}

/* The bytes of the boxes of all operations. */
static uint64_t bytes_of(const struct tma_workload *workload) {
    uint64_t stage = 0;
    for (uint32_t i = 0; i < workload->operation_count; i++)
        stage += tma_moved_bytes(&workload->maps[workload->operations[i].map],
                                 &workload->operations[i].operation);
    return stage * workload->cta_count * workload->iterations;
}

enum tma_error_code tma_run_watched(const struct tma_machine *machine,
                                    const struct tma_workload *workload,
                                    const struct tma_event_sink *sink,
                                    const struct tma_watch *watch, struct tma_result *result,
                                    struct tma_error *error) {
    enum tma_error_code code = tma_workload_check(machine, workload, error);
    if (code != TMA_OK)
        return code;
    struct run run = {.simulation = {.machine = machine, .workload = workload, .watch = watch}};
    struct tma_simulation *simulation = &run.simulation;
    if (!create(&run, sink, result))
        tma_simulation_out_of_memory(simulation);
    else
        simulation->code = measure_consumers(simulation, result);
    simulation->total_bytes = bytes_of(workload);
    run.samples = simulation->code == TMA_OK && tma_simulation_samples(simulation, sink);
    if (simulation->code == TMA_OK)
        simulate_alone(&run);
    release(&run);
    if (simulation->code != TMA_OK && error != NULL)
        *error = simulation->error;
    struct tma_watch whole;
    if (simulation->code != TMA_OK || !tma_sample_is_rough(result, watch, &whole))
        return simulation->code;
    code = tma_run_watched(machine, workload, sink, &whole, result, error);
    result->sampled = (struct tma_sampled){.asked = true, .whole = TMA_WHOLE_ROUGH};
    return code;
}

enum tma_error_code tma_run(const struct tma_machine *machine, const struct tma_workload *workload,
                            const struct tma_event_sink *sink, struct tma_result *result,
                            struct tma_error *error) {
    return tma_run_watched(machine, workload, sink, NULL, result, error);
}
