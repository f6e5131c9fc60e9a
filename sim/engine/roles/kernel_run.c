#include "engine/roles/kernel_run.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/allocation.h"
#include "engine/roles/kernel_check.h"
#include "engine/roles/kernel_costs.h"
#include "engine/roles/kernel_operation.h"
#include "engine/roles/kernel_race.h"
#include "engine/roles/kernel_state.h"
#include "engine/runtime.h"
#include "engine/sampling/sample_plan.h"
#include "memory/topology.h"

/* The CTAs of a kernel on their SMs: where they run, and which one is next. */

/* The part that each role has in each ring, from the statements. */
static void join_rings(struct tma_kernel_engine *engine, struct tma_kernel_cta *cta) {
    const struct tma_kernel *kernel = engine->kernel;
    for (uint32_t r = 0; r < kernel->ring_count; r++) {
        struct tma_ring_state *ring = &cta->rings[r];
        uint32_t fills = 0, releases = 0, waits = 0;
        for (uint32_t role = 0; role < kernel->role_count; role++) {
            uint32_t fill = 0, release = 0, wait = 0;
            for (uint32_t i = kernel->roles[role].first; i < kernel->roles[role].end; i++) {
                const struct tma_statement *statement = &kernel->statements[i];
                if (statement->ring != r)
                    continue;
                fill |= statement->kind == TMA_STATEMENT_ACQUIRE;
                release |= statement->kind == TMA_STATEMENT_RELEASE;
                wait |= statement->kind == TMA_STATEMENT_WAIT;
                ring->signalled |= statement->kind == TMA_STATEMENT_SIGNAL;
            }
            fills |= fill << role;
            releases |= release << role;
            waits |= wait << role;
        }
        ring->producers = (uint32_t)__builtin_popcount(fills);
        ring->arrivals = (uint32_t)__builtin_popcount(releases);
        ring->never_released = releases == 0;
        ring->own = ring->producers == 1 && fills == releases && fills == waits &&
                    kernel->rings[r].release_mask.expression == NULL &&
                    kernel->rings[r].release_mask.constant == 0;
    }
}

/* The ranks that a release of the CTA arrives at; 0 where the expression fails. */
static uint32_t release_mask(struct tma_kernel_engine *engine, uint32_t ring, uint32_t rank) {
    const struct tma_value *value = &engine->kernel->rings[ring].release_mask;
    int64_t variables[TMA_MAX_VARIABLES] = {0}, mask;
    variables[TMA_VARIABLE_RANK] = rank;
    variables[TMA_VARIABLE_CTAS] = engine->kernel->cta_count;
    variables[TMA_VARIABLE_CLUSTER] = engine->simulation.cluster_ctas;
    if (!tma_value_at(value, variables, &mask, &engine->simulation.error)) {
        engine->simulation.code = engine->simulation.error.code;
        return 0;
    }
    if (mask < 0 || mask >> engine->simulation.cluster_ctas != 0) {
        tma_simulation_fail(&engine->simulation, TMA_ERROR_ARGUMENT,
                            "a release arrives at ranks that the cluster does not have");
        return 0;
    }
    return mask == 0 ? 1u << rank : (uint32_t)mask;
}

/* Each CTA that releases to another one counts among the arrivals there. */
static void join_releases(struct tma_kernel_engine *engine) {
    for (uint32_t r = 0; r < engine->kernel->ring_count; r++)
        for (uint32_t c = 0; c < engine->simulation.cluster_count; c++) {
            struct tma_kernel_cta *ctas = engine->clusters[c].ctas;
            uint32_t releasing = ctas[0].rings[r].arrivals;
            for (uint32_t i = 0; i < engine->simulation.cluster_ctas; i++) {
                ctas[i].rings[r].release_mask = release_mask(engine, r, i);
                ctas[i].rings[r].arrivals = 0;
            }
            for (uint32_t i = 0; i < engine->simulation.cluster_ctas; i++)
                for (uint32_t to = 0; to < engine->simulation.cluster_ctas; to++)
                    if (ctas[i].rings[r].release_mask >> to & 1)
                        ctas[to].rings[r].arrivals += releasing;
        }
}

/* What a named barrier waits for. */
static struct tma_barrier_state barrier_of(const struct tma_kernel *kernel, uint32_t barrier) {
    uint32_t roles = 0, expected = kernel->barriers[barrier].arrivals;
    bool all_wait = true;
    for (uint32_t role = 0; role < kernel->role_count; role++) {
        bool comes = false;
        for (uint32_t i = kernel->roles[role].first; i < kernel->roles[role].end; i++) {
            if (kernel->statements[i].kind != TMA_STATEMENT_BARRIER ||
                kernel->statements[i].barrier != barrier)
                continue;
            comes = true;
            all_wait &= !kernel->statements[i].arrive_only;
        }
        roles += comes;
    }
    if (expected == 0)
        expected = roles;
    return (struct tma_barrier_state){.expected = expected,
                                      .gathers = all_wait && expected == roles};
}

static void create_cta(struct tma_kernel_engine *engine, uint32_t place) {
    const struct tma_kernel *kernel = engine->kernel;
    struct tma_kernel_cta *cta = &engine->ctas[place];
    cta->engine = engine;
    cta->cluster = &engine->clusters[place / engine->simulation.cluster_ctas];
    cta->sm = &engine->sms[cta->base.sm - engine->simulation.sms];
    cta->roles = &engine->roles[(size_t)place * kernel->role_count];
    cta->stages = &engine->stages[(size_t)place * engine->stage_count];
    uint32_t stage = 0;
    for (uint32_t r = 0; r < kernel->ring_count; r++) {
        cta->rings[r].stages = cta->stages + stage;
        cta->rings[r].first_stage = stage;
        stage += kernel->rings[r].depth;
    }
    for (uint32_t b = 0; b < kernel->barrier_count; b++)
        cta->barriers[b] = barrier_of(kernel, b);
    uint32_t order[TMA_MAX_ROLES];
    tma_kernel_role_order(kernel, order);
    for (uint32_t i = 0; i < kernel->role_count; i++)
        cta->roles[i] = (struct tma_role_state){
            .cta = cta, .index = order[i], .number = place * kernel->role_count + i};
    join_rings(engine, cta);
}

static bool uses_units(const struct tma_kernel *kernel, uint32_t role) {
    for (uint32_t i = kernel->roles[role].first; i < kernel->roles[role].end; i++)
        if (kernel->statements[i].kind == TMA_STATEMENT_COMPUTE &&
            kernel->statements[i].work != TMA_WORK_CYCLES)
            return true;
    return false;
}

/* Allocates what the kernel's own part of the places needs. */
static bool allocate(struct tma_kernel_engine *engine) {
    const struct tma_kernel *kernel = engine->kernel;
    const struct tma_simulation *simulation = &engine->simulation;
    uint32_t places = simulation->place_count, roles = places * kernel->role_count;
    for (uint32_t r = 0; r < kernel->ring_count; r++)
        engine->stage_count += kernel->rings[r].depth;
    engine->ctas = simulation->ctas;
    engine->sms = tma_allocate(simulation->sm_count, sizeof *engine->sms);
    engine->clusters = tma_allocate(simulation->cluster_count, sizeof *engine->clusters);
    engine->roles = tma_allocate(roles, sizeof *engine->roles);
    engine->requests = tma_allocate(roles, sizeof *engine->requests);
    engine->jobs = tma_allocate((size_t)2 * roles, sizeof *engine->jobs);
    engine->fetched = tma_allocate((size_t)simulation->sm_count * kernel->statement_count,
                                   sizeof *engine->fetched);
    engine->stages = tma_allocate((size_t)places * engine->stage_count, sizeof *engine->stages);
    return engine->sms != NULL && engine->clusters != NULL && engine->roles != NULL &&
           engine->requests != NULL && engine->jobs != NULL && engine->fetched != NULL &&
           engine->stages != NULL;
}

/* Makes the simulation's places. False when out of memory, or where the kernel does not fit: then
 * the simulation has the error. */
static bool create_places(struct tma_kernel_engine *engine) {
    const struct tma_kernel *kernel = engine->kernel;
    struct tma_simulation *simulation = &engine->simulation;
    struct tma_grid grid = {.ctas = kernel->cta_count,
                            .cluster_ctas = kernel->cluster_ctas,
                            .ctas_per_sm = tma_kernel_ctas_per_sm(&engine->machine, kernel),
                            .sms = kernel->sm_count};
    uint32_t *sms = tma_allocate(TMA_MAX_PLACES, sizeof *sms);
    if (sms == NULL)
        return false;
    uint32_t places = tma_machine_place_wave(&engine->machine, &grid, sms);
    if (places == 0)
        tma_simulation_fail(simulation, TMA_ERROR_ARGUMENT,
                            "no SM, or no GPC, has room for the kernel's CTAs");
    bool good =
        places > 0 && tma_places_create(simulation, sms, places, tma_kernel_cluster_ctas(kernel),
                                        tma_kernel_threads(kernel) / 32, kernel->role_count);
    tma_release(sms);
    return good;
}

static void create_sms(struct tma_kernel_engine *engine) {
    const struct tma_kernel *kernel = engine->kernel;
    uint32_t warps = tma_kernel_threads(kernel) / 32, used = 0;
    for (uint32_t s = 0; s < engine->simulation.sm_count; s++) {
        const struct tma_sm *place = &engine->simulation.sms[s];
        uint32_t roles = place->cta_places * kernel->role_count;
        assert(place->cta_places <= engine->ctas_per_sm);
        engine->sms[s] = (struct tma_kernel_sm){
            .number = place->number,
            .cta_places = place->cta_places,
            .fetched = engine->fetched + (size_t)s * kernel->statement_count,
            .poll_cycles = ((uint64_t)(place->cta_places - 1) * warps *
                                engine->machine.tma.poll_millicycles / 1000 +
                            (warps - 1) * engine->machine.warp.poll_cycles) /
                           TMA_SCHEDULERS,
            .requests = engine->requests + used,
            .pipes = {.first = engine->machine.core.first_percent * 1024 / 100,
                      .jobs = engine->jobs + (size_t)2 * used,
                      .ahead = engine->jobs + (size_t)2 * used + roles}};
        used += roles;
    }
}

/* Makes SMs, clusters, CTAs, roles and rings. False when out of memory, or where the kernel does
 * not fit: then the simulation has the error. */
static bool kernel_grid_create(struct tma_kernel_engine *engine) {
    const struct tma_kernel *kernel = engine->kernel;
    uint32_t users = 0;
    engine->ctas_per_sm = tma_kernel_ctas_per_sm(&engine->machine, kernel);
    engine->simulation.sm_shared_bytes =
        (uint64_t)engine->ctas_per_sm * (kernel->shared_bytes + engine->machine.sm.reserved_bytes);
    if (!create_places(engine) || !allocate(engine))
        return false;
    create_sms(engine);
    for (uint32_t c = 0; c < engine->simulation.cluster_count; c++)
        engine->clusters[c].ctas = &engine->ctas[c * engine->simulation.cluster_ctas];
    for (uint32_t i = 0; i < engine->simulation.place_count; i++)
        create_cta(engine, i);
    for (uint32_t role = 0; role < kernel->role_count; role++)
        users += uses_units(kernel, role);
    engine->shares_units = users * engine->ctas_per_sm > 1;
    join_releases(engine);
    engine->next_tile = kernel->cta_count;
    return tma_races_create(engine);
}

static void kernel_grid_free(struct tma_kernel_engine *engine) {
    tma_races_free(engine);
    for (uint32_t c = 0; engine->clusters != NULL && c < engine->simulation.cluster_count; c++)
        tma_release(engine->clusters[c].tiles);
    TMA_RELEASE(engine->sms, engine->clusters, engine->roles, engine->requests, engine->jobs,
                engine->fetched, engine->stages);
}

/* The races of a cluster begin anew with its first CTA. */
static void kernel_start_cta(struct tma_cta *base) {
    struct tma_kernel_cta *cta = (struct tma_kernel_cta *)base;
    const struct tma_kernel_engine *engine = cta->engine;
    const struct tma_kernel *kernel = engine->kernel;
    base->running_actors = kernel->role_count;
    for (uint32_t b = 0; b < kernel->barrier_count; b++) {
        cta->barriers[b].arrived = 0;
        cta->barriers[b].last_cycle = 0;
    }
    tma_rings_start(cta);
    if (base->rank == 0) {
        cta->cluster->tile_count = 0;
        cta->cluster->requests_tile = false;
        tma_races_start(cta->cluster);
    }
    for (uint32_t r = 0; r < kernel->role_count; r++)
        tma_role_start(&cta->roles[r], base->start_cycle + engine->machine.warp.start_cycles);
}

static void kernel_end_cycle(struct tma_simulation *simulation, uint64_t now) {
    struct tma_kernel_engine *engine = tma_kernel_engine_of(simulation);
    if (engine->tiles_requested)
        tma_serve_tiles(engine, now);
}

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

static uint64_t end_of_part(const struct tma_simulation *simulation) {
    const struct tma_kernel_engine *engine = tma_kernel_engine_of(simulation);
    uint64_t end = 0;
    for (uint32_t i = 0; i < tma_program_actors(simulation); i++)
        end = tma_later(end, engine->roles[i].cycle);
    for (uint32_t i = 0; i < simulation->sm_count; i++) {
        end = tma_later(end, tma_ticks_to_cycle(engine->sms[i].tensor.free_ticks));
        const struct tma_kernel_sm *sm = &engine->sms[i];
        for (uint32_t job = 0; job < sm->pipes.count; job++) /* what has begun runs to its end */
            end = tma_later(end, tma_pipes_end(&sm->pipes, tma_kernel_products(sm),
                                               sm->pipes.jobs[job].number));
        end = tma_later(end, tma_memory_operands_end(simulation->memory, engine->sms[i].number));
    }
    return end;
}

static const struct tma_program roles = {.cta_bytes = sizeof(struct tma_kernel_cta),
                                         .operation_bytes = sizeof(struct tma_kernel_operation),
                                         .stack_kib = 32,
                                         .start = kernel_start_cta,
                                         .step = step,
                                         .complete = tma_role_complete,
                                         .end_cycle = kernel_end_cycle,
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
                                         .sampled = &tma_sampled_kernel};

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
           engine->facts != NULL && kernel_grid_create(engine);
}

static void release(struct tma_kernel_engine *engine) {
    kernel_grid_free(engine);
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
