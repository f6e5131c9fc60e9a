#include "engine/runtime.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/allocation.h"
#include "engine/memory_actor.h"
#include "engine/module.h"
#include "engine/program.h"
#include "engine/warm_l2.h"

/* SimGrid clears the stack of an actor before the actor runs. The scheduler needs less than 4 KiB.
 */
enum { SCHEDULER_STACK_KIB = 16, MEMORY_STACK_KIB = 256 };

bool tma_simulation_create(struct tma_simulation *simulation, const struct tma_event_sink *sink,
                           uint32_t causes, struct tma_result *result) {
    simulation->completions = tma_completion_queue_of(simulation->machine);
    if (!tma_accounting_create(&simulation->accounting, simulation->machine, simulation->cta_count,
                               result))
        return false;
    simulation->accounting.quarter = simulation->total_operations / 4;
    return tma_tracer_create(&simulation->tracer, sink) &&
           tma_observer_create(&simulation->observer, simulation->watch, causes);
}

void tma_simulation_free(struct tma_simulation *simulation) {
    tma_sampling_free(&simulation->sampling);
    tma_observer_free(&simulation->observer);
    tma_tracer_free(&simulation->tracer);
    tma_accounting_free(&simulation->accounting);
    tma_completion_queue_free(&simulation->completions);
    tma_issue_queue_free(&simulation->issues);
    tma_actors_free(&simulation->actors);
    tma_memory_free(simulation->memory);
    tma_release(simulation->lane_rows.rows);
    tma_places_free(simulation);
}

/* Whether the run is sampled. Fails where that is asked for together with events, which would have
 * gaps. */
static bool samples(struct tma_simulation *simulation, const struct tma_event_sink *sink) {
    const struct tma_watch *watch = simulation->watch;
    if (watch == NULL || watch->sampling == TMA_SAMPLING_NONE)
        return false;
    if (sink != NULL) {
        tma_simulation_fail(simulation, TMA_ERROR_ARGUMENT,
                            "a sampled run leaves parts out: it has no events");
        return false;
    }
    bool long_enough =
        watch->sampling != TMA_SAMPLING_LONG || simulation->total_bytes > TMA_LONG_RUN_BYTES;
    simulation->accounting.result->sampled = (struct tma_sampled){
        .asked = true, .whole = long_enough ? TMA_WHOLE_NO_REASON : TMA_WHOLE_SHORT};
    return long_enough;
}

/* Loads the engine, and reserves it for this run; the caller releases it. Returns NULL where that
 * fails, which stops the run. */
static const struct tma_engine_module *reserve(struct tma_simulation *simulation) {
    const struct tma_engine_module *module;
    const char *text = "";
    simulation->code = tma_module_load(&module, &simulation->error);
    if (simulation->code != TMA_OK)
        return NULL;
    enum tma_error_code code = module->reserve(&text);
    if (code == TMA_OK)
        return module;
    tma_simulation_fail(simulation, code, text);
    return NULL;
}

struct tma_wait tma_simulation_step(struct tma_simulation *simulation, uint32_t actor,
                                    uint64_t now) {
    uint32_t scheduler = tma_scheduler_actor(simulation);
    struct tma_wait wait = actor < scheduler    ? simulation->program->step(simulation, actor, now)
                           : actor == scheduler ? tma_schedule_ctas(simulation, now)
                                                : tma_memory_actor_step(simulation, now);
    tma_actor_wait(&simulation->actors, actor, wait);
    return wait;
}

/* What SimGrid calls: scripts/instructions-per-request knows it by its name. */
static struct tma_wait step_any_actor(void *context, uint32_t actor, uint64_t now) {
    return tma_simulation_step(context, actor, now);
}

static unsigned describe(void *context, uint32_t actor, char name[TMA_ACTOR_NAME_BYTES]) {
    const struct tma_simulation *simulation = context;
    if (actor < tma_scheduler_actor(simulation)) {
        simulation->program->name(simulation, actor, name);
        return simulation->program->stack_kib;
    }
    bool schedules = actor == tma_scheduler_actor(simulation);
    snprintf(name, TMA_ACTOR_NAME_BYTES, "%s", schedules ? "cta_scheduler" : "memory");
    return schedules ? SCHEDULER_STACK_KIB : MEMORY_STACK_KIB;
}

/* Every actor has ended, or waits for ever. */
static void check_end(struct tma_simulation *simulation) {
    char text[100];
    uint64_t ended =
        simulation->accounting.ended_ctas + tma_sampling_skipped_ctas(&simulation->sampling);
    snprintf(text, sizeof text, "the run stopped when %" PRIu64 " of %" PRIu64 " CTAs had ended",
             ended, simulation->cta_count);
    if (ended != simulation->cta_count)
        tma_simulation_fail(simulation, TMA_ERROR_DEADLOCK, text);
}

static void summarise(struct tma_simulation *simulation) {
    const struct tma_program *program = simulation->program;
    const struct tma_accounting *accounting = &simulation->accounting;
    uint64_t units[TMA_TALLY_UNIT_COUNT] = {0};
    if (!tma_observe_drain(&simulation->observer, simulation->memory))
        tma_simulation_out_of_memory(simulation);
    struct tma_memory_counters counters = tma_memory_count(simulation->memory);
    if (program->count_units != NULL)
        program->count_units(simulation, units);
    tma_sampling_end(simulation, &counters, units);
    tma_account_run(&simulation->accounting, &counters, simulation->sms, simulation->sm_count,
                    simulation->place_count);
    tma_observe_end(&simulation->observer, simulation->memory,
                    accounting->result->memory_cycles - accounting->skipped.cycles,
                    accounting->latencies);
    assert(simulation->code != TMA_OK ||
           tma_memory_is_conserved(simulation->memory, accounting->last_cycle));
    if (program->summarise != NULL)
        program->summarise(simulation, units);
    tma_trace_late_fills(&simulation->tracer, simulation->memory);
    tma_tracer_flush(&simulation->tracer, UINT64_MAX);
}

/* Actors execute ahead of time, so that the part ends with what the last of them has done. The CTAs
 * that have not ended are in no wave. */
static void summarise_part(struct tma_simulation *simulation) {
    uint64_t *end = &simulation->accounting.last_cycle;
    if (simulation->program->end_of_part != NULL) {
        uint64_t cycle = simulation->program->end_of_part(simulation);
        *end = cycle > *end ? cycle : *end;
    }
    summarise(simulation);
    simulation->accounting.result->waves = (struct tma_waves){0};
}

/* The caller has reserved the engine. */
static void simulate(struct tma_simulation *simulation, const struct tma_engine_module *module) {
    static const struct tma_engine_core core = {.step = step_any_actor,
                                                .describe = describe,
                                                .allocate = tma_allocate,
                                                .release = tma_release};
    simulation->code =
        tma_memory_create(&simulation->memory, simulation->machine, &simulation->error);
    if (simulation->code != TMA_OK)
        return;
    if (tma_tracer_is_on(&simulation->tracer))
        tma_memory_report_fills(simulation->memory);
    if (simulation->has_lanes)
        tma_memory_carve_out(simulation->memory, simulation->sm_shared_bytes);
    tma_warm_start(simulation);
    if (simulation->code != TMA_OK)
        return;
    if (!tma_actors_create(&simulation->actors, tma_program_actors(simulation) + 2,
                           module->signal) ||
        !module->run(&core, simulation, simulation->actors.count))
        tma_simulation_out_of_memory(simulation);
    check_end(simulation);
    if (simulation->code == TMA_OK)
        tma_memory_actor_end(simulation);
    if (simulation->code == TMA_OK)
        summarise(simulation);
    else if (simulation->code == TMA_ERROR_INTERRUPTED)
        summarise_part(simulation);
}

void tma_simulation_run(struct tma_simulation *simulation, const struct tma_event_sink *sink) {
    if (simulation->code == TMA_OK && samples(simulation, sink) &&
        !tma_sampling_begin(simulation, simulation->watch->sampling))
        tma_simulation_out_of_memory(simulation);
    if (simulation->code != TMA_OK)
        return;
    const struct tma_engine_module *module = reserve(simulation);
    if (module == NULL)
        return;
    simulate(simulation, module);
    module->release();
}
