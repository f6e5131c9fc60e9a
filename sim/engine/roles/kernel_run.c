#include "engine/roles/kernel_run.h"

#include <assert.h>
#include <stdio.h>

#include "base/allocation.h"
#include "engine/roles/kernel_check.h"
#include "engine/roles/kernel_costs.h"
#include "engine/roles/kernel_failure.h"
#include "engine/roles/kernel_grid.h"
#include "engine/roles/kernel_operation.h"
#include "engine/roles/kernel_role.h"
#include "engine/roles/kernel_sampling.h"
#include "engine/roles/kernel_units.h"
#include "engine/roles/kernel_warm_start.h"
#include "engine/runtime.h"
#include "engine/sampling/sample_plan.h"

static struct tma_wait step(struct tma_simulation *simulation, uint32_t actor, uint64_t now) {
    return tma_role_step(&tma_kernel_engine_of(simulation)->roles[actor], now);
}

static void name(const struct tma_simulation *simulation, uint32_t actor,
                 char text[TMA_ACTOR_NAME_BYTES]) {
    const struct tma_kernel_engine *engine = tma_kernel_engine_of(simulation);
    const struct tma_role_state *role = &engine->roles[actor];
    snprintf(text, TMA_ACTOR_NAME_BYTES, "place%u.%.14s", role->cta->base.place,
             engine->kernel->roles[role->index].name);
}

static uint64_t last_cycle(const struct tma_simulation *simulation, uint32_t actor) {
    return tma_kernel_engine_of(simulation)->roles[actor].cycle;
}

static void count_units(const struct tma_simulation *simulation,
                        uint64_t units[TMA_TALLY_UNIT_COUNT]) {
    for (uint32_t i = 0; i < simulation->sm_count; i++) {
        const struct tma_kernel_sm *sm = &tma_kernel_engine_of(simulation)->sms[i];
        units[TMA_TALLY_TENSOR] += sm->tensor.busy_ticks;
        for (int p = 0; p < TMA_UNIT_COUNT; p++)
            units[TMA_TALLY_FMA + p] += sm->pipes.busy_ticks[p];
        units[TMA_TALLY_OPERANDS] += tma_memory_operand_ticks(simulation->memory, sm->number);
        for (int p = TMA_UNIT_FMA; p <= TMA_UNIT_SFU; p++)
            units[TMA_TALLY_FMA_OVERLAP + p] +=
                tma_earlier(sm->pipes.beside_parts[p] / TMA_PIPE_SPEED, sm->pipes.busy_ticks[p]);
    }
}

/* A role adds its statements to the result when it ends. */
static uint64_t count_statements(const struct tma_simulation *simulation) {
    const struct tma_kernel_engine *engine = tma_kernel_engine_of(simulation);
    uint64_t statements = 0;
    for (uint32_t i = 0; i < tma_program_actors(simulation); i++)
        if (engine->roles[i].phase != TMA_ROLE_IDLE)
            statements += engine->roles[i].cursor.steps;
    return statements;
}

static double busy(uint64_t ticks, uint64_t cycles, uint32_t servers) {
    return cycles == 0 ? 0 : (double)(ticks / TMA_TICKS) / ((double)cycles * (double)servers);
}

/* Whether no unit of an SM was busy for longer than the run. */
static bool units_fit(const struct tma_kernel_engine *engine) {
    uint64_t ticks = engine->simulation.accounting.last_cycle * TMA_TICKS;
    for (uint32_t i = 0; i < engine->simulation.sm_count; i++) {
        const struct tma_kernel_sm *sm = &engine->sms[i];
        if (sm->tensor.busy_ticks > ticks)
            return false;
        for (int p = 0; p < TMA_UNIT_COUNT; p++)
            if (sm->pipes.busy_ticks[p] > ticks)
                return false;
    }
    return true;
}

static void summarise(struct tma_simulation *simulation,
                      const uint64_t units[TMA_TALLY_UNIT_COUNT]) {
    const struct tma_kernel_engine *engine = tma_kernel_engine_of(simulation);
    struct tma_result *result = engine->result;
    uint32_t sms = simulation->sm_count;
    assert(simulation->code != TMA_OK || units_fit(engine));
    result->busy_shared += busy(units[TMA_TALLY_OPERANDS], result->cycles, sms);
    result->busy_tensor = busy(units[TMA_TALLY_TENSOR], result->cycles, sms);
    result->busy_fma = busy(units[TMA_TALLY_FMA], result->cycles, sms);
    result->busy_alu = busy(units[TMA_TALLY_ALU], result->cycles, sms);
    result->busy_sfu = busy(units[TMA_TALLY_SFU], result->cycles, sms);
    result->busy_issue = busy(units[TMA_TALLY_ISSUE], result->cycles, sms);
    result->overlap_fma = busy(units[TMA_TALLY_FMA_OVERLAP], result->cycles, sms);
    result->overlap_alu = busy(units[TMA_TALLY_ALU_OVERLAP], result->cycles, sms);
    result->overlap_sfu = busy(units[TMA_TALLY_SFU_OVERLAP], result->cycles, sms);
    result->role_count = engine->kernel->role_count;
    result->ctas_per_sm = engine->ctas_per_sm;
}

static void extend(uint64_t *end, uint64_t cycle) {
    if (cycle > *end)
        *end = cycle;
}

/* The instructions that have begun run to their end. */
static void extend_by_pipes(uint64_t *end, const struct tma_kernel_sm *sm) {
    for (uint32_t i = 0; i < sm->pipes.count; i++)
        extend(end, tma_pipes_end(&sm->pipes, tma_kernel_products(sm), sm->pipes.jobs[i].number));
}

static uint64_t end_of_part(const struct tma_simulation *simulation) {
    const struct tma_kernel_engine *engine = tma_kernel_engine_of(simulation);
    uint64_t end = 0;
    for (uint32_t i = 0; i < tma_program_actors(simulation); i++)
        extend(&end, engine->roles[i].cycle);
    for (uint32_t i = 0; i < simulation->sm_count; i++) {
        extend(&end, tma_ticks_to_cycle(engine->sms[i].tensor.free_ticks));
        extend_by_pipes(&end, &engine->sms[i]);
        extend(&end, tma_memory_operands_end(simulation->memory, engine->sms[i].number));
    }
    return end;
}

static const struct tma_program roles = {.cta_bytes = sizeof(struct tma_kernel_cta),
                                         .operation_bytes = sizeof(struct tma_kernel_operation),
                                         .stack_kib = 32,
                                         .start = tma_kernel_start_cta,
                                         .step = step,
                                         .complete = tma_role_complete,
                                         .end_cycle = tma_kernel_end_cycle,
                                         .name = name,
                                         .describe = tma_role_describe_operation,
                                         .describe_wait = tma_role_describe_wait,
                                         .explain_deadlock = tma_roles_explain_deadlock,
                                         .last_cycle = last_cycle,
                                         .warm_up = tma_kernel_warm_up,
                                         .count_units = count_units,
                                         .count_statements = count_statements,
                                         .end_of_part = end_of_part,
                                         .summarise = summarise,
                                         .walk_bytes = tma_kernel_walk_bytes,
                                         .wave_window = tma_kernel_wave_window,
                                         .plan_inside = tma_kernel_plan_inside,
                                         .cluster_progress = tma_kernel_cluster_progress,
                                         .most_to_cut = tma_kernel_most_to_cut};

static bool create(struct tma_kernel_engine *engine, const struct tma_event_sink *sink,
                   struct tma_result *result) {
    const struct tma_kernel *kernel = engine->kernel;
    engine->result = result;
    for (uint32_t i = 0; i < kernel->statement_count; i++)
        engine->simulation.has_lanes |= (kernel->statements[i].kind == TMA_STATEMENT_OPERATION ||
                                         kernel->statements[i].kind == TMA_STATEMENT_EXCHANGE) &&
                                        tma_lanes_carry(kernel->statements[i].lanes.by);
    engine->facts = tma_allocate(kernel->statement_count, sizeof *engine->facts);
    for (uint32_t i = 0; i < kernel->flag_count; i++)
        if ((engine->flags[i] = tma_allocate(kernel->flags[i].count, sizeof **engine->flags)) ==
            NULL)
            return false;
    return tma_simulation_create(&engine->simulation, sink,
                                 kernel->role_count * TMA_ROLE_CAUSE_COUNT, result) &&
           engine->facts != NULL && tma_kernel_grid_create(engine);
}

static void release(struct tma_kernel_engine *engine) {
    tma_kernel_grid_free(engine);
    for (uint32_t i = 0; engine->facts != NULL && i < engine->kernel->statement_count; i++)
        tma_release(engine->facts[i].reports);
    tma_release(engine->facts);
    for (uint32_t i = 0; i < TMA_MAX_FLAGS; i++)
        tma_release(engine->flags[i]);
    tma_simulation_free(&engine->simulation);
}

static void run_engine(struct tma_kernel_engine *engine, const struct tma_event_sink *sink,
                       struct tma_result *result) {
    struct tma_simulation *simulation = &engine->simulation;
    if (!create(engine, sink, result))
        tma_simulation_out_of_memory(simulation);
    else if (simulation->code == TMA_OK)
        tma_kernel_find_facts(engine);
    tma_simulation_run(simulation, sink);
}

enum tma_error_code tma_kernel_run_watched(const struct tma_machine *machine,
                                           const struct tma_kernel *kernel,
                                           const struct tma_event_sink *sink,
                                           const struct tma_watch *watch, struct tma_result *result,
                                           struct tma_kernel_place *place,
                                           struct tma_error *error) {
    struct tma_cta_work work;
    struct tma_watch whole;
    struct tma_sampled sampled;
    /* What is left out would add to no flag. */
    if (watch != NULL && kernel->flag_count > 0) {
        whole = *watch;
        whole.sampling = TMA_SAMPLING_NONE;
        watch = &whole;
    }
    enum tma_error_code code = tma_kernel_check_and_count(machine, kernel, &work, place, error);
    if (code != TMA_OK)
        return code;
    struct tma_kernel_engine *engine = tma_allocate(1, sizeof *engine);
    if (engine == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    engine->machine = tma_kernel_machine(machine, kernel);
    engine->kernel = kernel;
    engine->simulation =
        (struct tma_simulation){.program = &roles,
                                .state = engine,
                                .machine = &engine->machine,
                                .maps = {kernel->maps, kernel->arrays, kernel->map_places,
                                         kernel->map_count, kernel->cold, kernel->profiled},
                                .cta_count = kernel->cta_count,
                                .relaunch_cycles = engine->machine.warp.launch_cycles,
                                .total_operations = work.operations * kernel->cta_count,
                                .total_bytes = work.bytes * kernel->cta_count,
                                .watch = watch};
    run_engine(engine, sink, result);
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
    if (code != TMA_OK || !tma_sample_is_rough(result, watch, &whole, &sampled))
        return code;
    code = tma_kernel_run_watched(machine, kernel, sink, &whole, result, place, error);
    result->sampled = sampled;
    return code;
}

enum tma_error_code tma_kernel_run(const struct tma_machine *machine,
                                   const struct tma_kernel *kernel,
                                   const struct tma_event_sink *sink, struct tma_result *result,
                                   struct tma_kernel_place *place, struct tma_error *error) {
    return tma_kernel_run_watched(machine, kernel, sink, NULL, result, place, error);
}
