#include "engine/kernel_run.h"

#include <assert.h>
#include <stdio.h>

#include "base/allocation.h"
#include "engine/kernel_check.h"
#include "engine/kernel_costs.h"
#include "engine/kernel_grid.h"
#include "engine/kernel_memory.h"
#include "engine/kernel_operation.h"
#include "engine/kernel_role.h"
#include "engine/kernel_sampling.h"
#include "engine/kernel_warm_start.h"
#include "engine/module.h"
#include "engine/sample_plan.h"

enum { SMALL_STACK_KIB = 32, LARGE_STACK_KIB = 256 };

static struct tma_wait step_role(void *machine, uint64_t now) {
    return tma_role_step(machine, now);
}

static struct tma_wait step_scheduler(void *machine, uint64_t now) {
    return tma_kernel_schedule(machine, now);
}

static struct tma_wait step_memory(void *machine, uint64_t now) {
    return tma_kernel_memory_step(machine, now);
}

static bool create_actors(struct tma_kernel_engine *engine,
                          const struct tma_engine_module *module) {
    struct tma_simulation *simulation = &engine->simulation;
    uint32_t roles = engine->cta_places * engine->kernel->role_count;
    if (!tma_actors_create(&simulation->actors, roles + 2, module->signal))
        return false;
    struct tma_actor *actors = simulation->actors.items;
    for (uint32_t i = 0; i < roles; i++)
        actors[i] = (struct tma_actor){.step = step_role, .machine = &engine->roles[i]};
    engine->scheduler_actor = roles;
    engine->memory_actor = roles + 1;
    actors[roles] = (struct tma_actor){.step = step_scheduler, .machine = engine};
    actors[roles + 1] = (struct tma_actor){.step = step_memory, .machine = engine};
    engine->completions = tma_completion_queue_of(&engine->machine);
    return true;
}

static struct tma_wait step(void *context, uint32_t actor, uint64_t now) {
    struct tma_kernel_engine *engine = context;
    return tma_actor_step(&engine->simulation.actors, actor, now);
}

static unsigned describe(void *context, uint32_t actor, char name[TMA_ACTOR_NAME_BYTES]) {
    const struct tma_kernel_engine *engine = context;
    if (actor < engine->scheduler_actor) {
        const struct tma_role_state *role = &engine->roles[actor];
        snprintf(name, TMA_ACTOR_NAME_BYTES, "place%u.%.14s", role->cta->place,
                 engine->kernel->roles[role->index].name);
        return SMALL_STACK_KIB;
    }
    bool schedules = actor == engine->scheduler_actor;
    snprintf(name, TMA_ACTOR_NAME_BYTES, "%s", schedules ? "cta_scheduler" : "memory");
    return schedules ? SMALL_STACK_KIB : LARGE_STACK_KIB;
}

/* Every actor has ended, or waits for ever. */
static void check_end(struct tma_kernel_engine *engine) {
    char text[100];
    const struct tma_kernel_sampling *sampling = &engine->sampling;
    uint64_t ended = engine->simulation.accounting.ended_ctas;
    if (sampling->unit == TMA_SAMPLED_CTAS)
        ended += sampling->sampler.skipped;
    snprintf(text, sizeof text, "the run stopped when %llu of %u CTAs had ended",
             (unsigned long long)ended, engine->kernel->cta_count);
    if (ended != engine->kernel->cta_count)
        tma_simulation_fail(&engine->simulation, TMA_ERROR_DEADLOCK, text);
}

static double busy(uint64_t ticks, uint64_t cycles, uint32_t servers) {
    return cycles == 0 ? 0 : (double)(ticks / TMA_TICKS) / ((double)cycles * (double)servers);
}

/* Whether no unit of an SM was busy for longer than the run. */
static bool units_fit(const struct tma_kernel_engine *engine) {
    uint64_t ticks = engine->simulation.accounting.last_cycle * TMA_TICKS;
    for (uint32_t i = 0; i < engine->sm_count; i++) {
        const struct tma_kernel_sm *sm = &engine->sms[i];
        if (sm->tensor.busy_ticks > ticks || sm->alu.busy_ticks > ticks ||
            sm->sfu.busy_ticks > ticks)
            return false;
    }
    return true;
}

static void summarise(struct tma_kernel_engine *engine) {
    struct tma_simulation *simulation = &engine->simulation;
    if (simulation->code == TMA_OK)
        tma_kernel_end_operations(engine);
    if (!tma_observe_drain(&simulation->observer, simulation->memory))
        tma_simulation_out_of_memory(simulation);
    struct tma_memory_counters counters = tma_memory_count(simulation->memory);
    struct tma_sm sms[TMA_MAX_SMS];
    uint64_t units[TMA_TALLY_UNIT_COUNT];
    for (uint32_t i = 0; i < engine->sm_count; i++)
        sms[i] = (struct tma_sm){.number = engine->sms[i].number};
    tma_kernel_unit_ticks(engine, units);
    tma_kernel_sampling_end(engine, &counters, units);
    tma_account_run(&simulation->accounting, &counters, sms, engine->sm_count, engine->cta_places);
    assert(simulation->code != TMA_OK ||
           (units_fit(engine) &&
            tma_memory_is_conserved(simulation->memory, simulation->accounting.last_cycle)));
    struct tma_result *result = engine->result;
    tma_observe_end(&simulation->observer, simulation->memory,
                    result->memory_cycles - simulation->accounting.skipped.cycles,
                    simulation->accounting.latencies);
    result->busy_shared += busy(units[TMA_TALLY_OPERANDS], result->cycles, engine->sm_count);
    result->busy_tensor = busy(units[TMA_TALLY_TENSOR], result->cycles, engine->sm_count);
    result->busy_alu = busy(units[TMA_TALLY_ALU], result->cycles, engine->sm_count);
    result->busy_sfu = busy(units[TMA_TALLY_SFU], result->cycles, engine->sm_count);
    result->role_count = engine->kernel->role_count;
    result->ctas_per_sm = engine->ctas_per_sm;
    tma_trace_late_fills(&simulation->tracer, simulation->memory);
    tma_tracer_flush(&simulation->tracer, UINT64_MAX);
}

static void extend(uint64_t *end, uint64_t cycle) {
    if (cycle > *end)
        *end = cycle;
}

/* Roles execute ahead of time, so that the part ends with what the last of them has done. The CTAs
 * that have not ended are in no wave. */
static void summarise_part(struct tma_kernel_engine *engine) {
    uint64_t *end = &engine->simulation.accounting.last_cycle;
    for (uint32_t i = 0; i < engine->cta_places * engine->kernel->role_count; i++)
        extend(end, engine->roles[i].cycle);
    for (uint32_t i = 0; i < engine->sm_count; i++) {
        extend(end, tma_ticks_to_cycle(engine->sms[i].tensor.free_ticks));
        extend(end, tma_ticks_to_cycle(engine->sms[i].alu.free_ticks));
        extend(end, tma_ticks_to_cycle(engine->sms[i].sfu.free_ticks));
        extend(end, tma_memory_operands_end(engine->simulation.memory, engine->sms[i].number));
    }
    summarise(engine);
    engine->result->waves = (struct tma_waves){0};
}

/* Runs the simulation; the caller has reserved the engine. */
static void simulate(struct tma_kernel_engine *engine, const struct tma_engine_module *module) {
    static const struct tma_engine_core core = {
        .step = step, .describe = describe, .allocate = tma_allocate, .release = tma_release};
    struct tma_simulation *simulation = &engine->simulation;
    simulation->code = tma_memory_create(&simulation->memory, &engine->machine, &simulation->error);
    if (simulation->code != TMA_OK)
        return;
    if (tma_tracer_is_on(&simulation->tracer))
        tma_memory_report_fills(simulation->memory);
    tma_kernel_warm_start(engine);
    if (simulation->code != TMA_OK)
        return;
    if (!create_actors(engine, module) || !module->run(&core, engine, simulation->actors.count))
        tma_simulation_out_of_memory(simulation);
    check_end(engine);
    if (simulation->code == TMA_OK)
        summarise(engine);
    else if (simulation->code == TMA_ERROR_INTERRUPTED)
        summarise_part(engine);
}

static void simulate_alone(struct tma_kernel_engine *engine) {
    const struct tma_engine_module *module = tma_simulation_reserve(&engine->simulation);
    if (module == NULL)
        return;
    simulate(engine, module);
    module->release();
}

static bool create(struct tma_kernel_engine *engine, const struct tma_event_sink *sink,
                   struct tma_result *result) {
    struct tma_simulation *simulation = &engine->simulation;
    const struct tma_kernel *kernel = engine->kernel;
    engine->result = result;
    engine->facts = tma_allocate(kernel->statement_count, sizeof *engine->facts);
    return tma_accounting_create(&simulation->accounting, &engine->machine, NULL, kernel->cta_count,
                                 result) &&
           tma_tracer_create(&simulation->tracer, sink) &&
           tma_observer_create(&simulation->observer, simulation->watch,
                               kernel->role_count * TMA_ROLE_CAUSE_COUNT) &&
           engine->facts != NULL && tma_kernel_grid_create(engine);
}

static void release(struct tma_kernel_engine *engine) {
    struct tma_simulation *simulation = &engine->simulation;
    tma_completion_queue_free(&engine->completions);
    tma_kernel_sampling_free(engine);
    tma_kernel_grid_free(engine);
    for (uint32_t i = 0; engine->facts != NULL && i < engine->kernel->statement_count; i++)
        tma_release(engine->facts[i].reports);
    tma_release(engine->facts);
    tma_simulation_free(simulation);
}

static void run_engine(struct tma_kernel_engine *engine, const struct tma_cta_work *work,
                       const struct tma_event_sink *sink, struct tma_result *result) {
    struct tma_simulation *simulation = &engine->simulation;
    simulation->total_operations = work->operations * engine->kernel->cta_count;
    simulation->total_bytes = work->bytes * engine->kernel->cta_count;
    if (!create(engine, sink, result))
        tma_simulation_out_of_memory(simulation);
    else if (simulation->code == TMA_OK)
        tma_kernel_find_facts(engine);
    if (simulation->code == TMA_OK && tma_simulation_samples(simulation, sink) &&
        !tma_kernel_sampling_begin(engine, simulation->watch->sampling))
        tma_simulation_out_of_memory(simulation);
    if (simulation->code == TMA_OK)
        simulate_alone(engine);
}

enum tma_error_code tma_kernel_run_watched(const struct tma_machine *machine,
                                           const struct tma_kernel *kernel,
                                           const struct tma_event_sink *sink,
                                           const struct tma_watch *watch, struct tma_result *result,
                                           struct tma_kernel_place *place,
                                           struct tma_error *error) {
    struct tma_cta_work work;
    struct tma_watch whole;
    enum tma_error_code code = tma_kernel_check_and_count(machine, kernel, &work, place, error);
    if (code != TMA_OK)
        return code;
    struct tma_kernel_engine *engine = tma_allocate(1, sizeof *engine);
    if (engine == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    engine->machine = tma_kernel_machine(machine, kernel);
    engine->kernel = kernel;
    engine->simulation.machine = &engine->machine;
    engine->simulation.watch = watch;
    run_engine(engine, &work, sink, result);
    code = engine->simulation.code;
    if (code != TMA_OK && error != NULL)
        *error = engine->simulation.error;
    if (code != TMA_OK && place != NULL) {
        *place = (struct tma_kernel_place){0};
        if (engine->failed != NULL) {
            place->line = engine->failed->line;
            place->column = engine->failed->column;
        }
    }
    release(engine);
    tma_release(engine);
    if (code != TMA_OK || !tma_sample_is_rough(result, watch, &whole))
        return code;
    code = tma_kernel_run_watched(machine, kernel, sink, &whole, result, place, error);
    result->sampled = (struct tma_sampled){.asked = true, .whole = TMA_WHOLE_ROUGH};
    return code;
}

enum tma_error_code tma_kernel_run(const struct tma_machine *machine,
                                   const struct tma_kernel *kernel,
                                   const struct tma_event_sink *sink, struct tma_result *result,
                                   struct tma_kernel_place *place, struct tma_error *error) {
    return tma_kernel_run_watched(machine, kernel, sink, NULL, result, place, error);
}
