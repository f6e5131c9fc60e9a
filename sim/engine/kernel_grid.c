#include "engine/kernel_grid.h"

#include <assert.h>
#include <stdlib.h>

#include "base/allocation.h"
#include "engine/kernel_race.h"
#include "engine/kernel_ring.h"
#include "engine/kernel_role.h"
#include "engine/kernel_units.h"
#include "memory/topology.h"

/* CTAs of the first wave fill all SMs once before an SM gets a second one. */
uint32_t tma_kernel_place_ctas(const struct tma_machine *machine, const struct tma_kernel *kernel,
                               uint32_t *sms, uint32_t capacity) {
    uint32_t ctas = tma_kernel_cluster_ctas(kernel),
             per_sm = tma_kernel_ctas_per_sm(machine, kernel);
    uint32_t limit = kernel->sm_count > 0 && kernel->sm_count < machine->sm_count
                         ? kernel->sm_count
                         : machine->sm_count;
    uint32_t placed = 0;
    for (uint32_t layer = 0; layer < per_sm && placed < kernel->cta_count; layer++) {
        uint32_t left = kernel->cta_count - placed, count = left < limit ? left : limit;
        if (placed + count > capacity)
            break;
        if (ctas > 1)
            count = ctas * tma_machine_place_clusters(machine, ctas, count / ctas, sms + placed);
        else if (kernel->cluster_ctas == 1)
            tma_machine_place_shared(machine, count, sms + placed);
        else
            tma_machine_place(machine, count, sms + placed);
        if (count == 0)
            break;
        placed += count;
    }
    return placed;
}

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
    variables[TMA_VARIABLE_CLUSTER] = engine->cluster_ctas;
    if (!tma_value_at(value, variables, &mask, &engine->simulation.error)) {
        engine->simulation.code = engine->simulation.error.code;
        return 0;
    }
    if (mask < 0 || mask >> engine->cluster_ctas != 0) {
        tma_simulation_fail(&engine->simulation, TMA_ERROR_ARGUMENT,
                            "a release arrives at ranks that the cluster does not have");
        return 0;
    }
    return mask == 0 ? 1u << rank : (uint32_t)mask;
}

/* Each CTA that releases to another one counts among the arrivals there. */
static void join_releases(struct tma_kernel_engine *engine) {
    for (uint32_t r = 0; r < engine->kernel->ring_count; r++)
        for (uint32_t c = 0; c < engine->cluster_count; c++) {
            struct tma_kernel_cta *ctas = engine->clusters[c].ctas;
            uint32_t releasing = ctas[0].rings[r].arrivals;
            for (uint32_t i = 0; i < engine->cluster_ctas; i++) {
                ctas[i].rings[r].release_mask = release_mask(engine, r, i);
                ctas[i].rings[r].arrivals = 0;
            }
            for (uint32_t i = 0; i < engine->cluster_ctas; i++)
                for (uint32_t to = 0; to < engine->cluster_ctas; to++)
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
    cta->place = place;
    cta->cluster = &engine->clusters[place / engine->cluster_ctas];
    cta->rank = place % engine->cluster_ctas;
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
    for (uint32_t i = 0; i < kernel->role_count; i++) {
        cta->roles[i] = (struct tma_role_state){
            .cta = cta, .index = order[i], .number = place * kernel->role_count + i};
        engine->pools[cta->roles[i].number].free = UINT32_MAX;
    }
    join_rings(engine, cta);
}

static bool uses_units(const struct tma_kernel *kernel, uint32_t role) {
    for (uint32_t i = kernel->roles[role].first; i < kernel->roles[role].end; i++)
        if (kernel->statements[i].kind == TMA_STATEMENT_COMPUTE &&
            kernel->statements[i].work != TMA_WORK_CYCLES)
            return true;
    return false;
}

/* CTA i of the first wave runs on sms[i]. */
static bool allocate(struct tma_kernel_engine *engine, uint32_t places) {
    const struct tma_kernel *kernel = engine->kernel;
    uint32_t roles = places * kernel->role_count;
    for (uint32_t r = 0; r < kernel->ring_count; r++)
        engine->stage_count += kernel->rings[r].depth;
    engine->sms = tma_allocate(engine->machine.sm_count, sizeof *engine->sms);
    engine->clusters = tma_allocate(engine->cluster_count, sizeof *engine->clusters);
    engine->ctas = tma_allocate(places, sizeof *engine->ctas);
    engine->pools = tma_allocate(roles, sizeof *engine->pools);
    engine->roles = tma_allocate(roles, sizeof *engine->roles);
    engine->requests = tma_allocate(roles, sizeof *engine->requests);
    engine->fetched = tma_allocate((size_t)engine->machine.sm_count * kernel->statement_count,
                                   sizeof *engine->fetched);
    engine->stages = tma_allocate((size_t)places * engine->stage_count, sizeof *engine->stages);
    return engine->sms != NULL && engine->clusters != NULL && engine->ctas != NULL &&
           engine->pools != NULL && engine->roles != NULL && engine->requests != NULL &&
           engine->fetched != NULL && engine->stages != NULL;
}

/* The clusters of the first wave start as the GPCs launch them; CTA i runs on sms[i]. */
static bool launch(struct tma_kernel_engine *engine, const uint32_t *sms) {
    uint32_t ctas = engine->cluster_ctas, warps = tma_kernel_threads(engine->kernel) / 32;
    uint64_t *cycles = tma_allocate(engine->cta_places, sizeof *cycles);
    if (cycles == NULL)
        return false;
    tma_machine_launch(&engine->machine, sms, engine->cta_places, ctas, warps, cycles);
    for (uint32_t c = 0; c < engine->cluster_count; c++) {
        engine->clusters[c].ctas = &engine->ctas[c * ctas];
        engine->clusters[c].free_cycle = cycles[c * ctas];
    }
    tma_release(cycles);
    return true;
}

bool tma_kernel_grid_create(struct tma_kernel_engine *engine) {
    enum { CAPACITY = TMA_MAX_SMS * 64 };
    const struct tma_kernel *kernel = engine->kernel;
    uint32_t *sms = tma_allocate(CAPACITY, sizeof *sms), users = 0;
    if (sms == NULL)
        return false;
    engine->cluster_ctas = tma_kernel_cluster_ctas(kernel);
    engine->ctas_per_sm = tma_kernel_ctas_per_sm(&engine->machine, kernel);
    uint32_t places = tma_kernel_place_ctas(&engine->machine, kernel, sms, CAPACITY);
    if (places == 0) {
        tma_simulation_fail(&engine->simulation, TMA_ERROR_ARGUMENT,
                            "no SM, or no GPC, has room for the kernel's CTAs");
        tma_release(sms);
        return true;
    }
    engine->cta_places = places;
    engine->cluster_count = places / engine->cluster_ctas;
    if (!allocate(engine, places)) {
        tma_release(sms);
        return false;
    }
    if (!launch(engine, sms)) {
        tma_release(sms);
        return false;
    }
    for (uint32_t i = 0; i < places; i++) {
        uint32_t at = 0;
        while (at < engine->sm_count && engine->sms[at].number != sms[i])
            at++;
        if (at == engine->sm_count)
            engine->sms[engine->sm_count++].number = sms[i];
        create_cta(engine, i);
        engine->ctas[i].sm = &engine->sms[at];
    }
    tma_release(sms);
    for (uint32_t role = 0; role < kernel->role_count; role++)
        users += uses_units(kernel, role);
    engine->shares_units = users * engine->ctas_per_sm > 1;
    uint32_t each = engine->ctas_per_sm * kernel->role_count, used = 0;
    for (uint32_t s = 0; s < engine->sm_count; s++) {
        uint32_t ctas = 0;
        for (uint32_t i = 0; i < places; i++)
            ctas += engine->ctas[i].sm == &engine->sms[s];
        assert(ctas * kernel->role_count <= each);
        engine->sms[s].cta_places = ctas;
        engine->sms[s].fetched = engine->fetched + (size_t)s * kernel->statement_count;
        engine->sms[s].poll_cycles = (uint64_t)(ctas - 1) * (tma_kernel_threads(kernel) / 32) *
                                     engine->machine.tma.poll_millicycles / TMA_SCHEDULERS / 1000;
        engine->sms[s].requests = engine->requests + used;
        used += ctas * kernel->role_count;
    }
    join_releases(engine);
    engine->next_tile = kernel->cta_count;
    return tma_races_create(engine);
}

void tma_kernel_grid_free(struct tma_kernel_engine *engine) {
    tma_races_free(engine);
    for (uint32_t c = 0; engine->clusters != NULL && c < engine->cluster_count; c++)
        tma_release(engine->clusters[c].tiles);
    uint32_t roles = engine->cta_places * engine->kernel->role_count;
    for (uint32_t i = 0; engine->pools != NULL && i < roles; i++)
        tma_release(engine->pools[i].items);
    tma_release(engine->sms);
    tma_release(engine->clusters);
    tma_release(engine->ctas);
    tma_release(engine->pools);
    tma_release(engine->roles);
    tma_release(engine->requests);
    tma_release(engine->fetched);
    tma_release(engine->stages);
}

/* Starts the next CTAs in the places of a cluster. */
static void start_cluster(struct tma_kernel_engine *engine, struct tma_kernel_cluster *cluster,
                          uint64_t now) {
    const struct tma_kernel *kernel = engine->kernel;
    uint64_t start = now > cluster->free_cycle ? now : cluster->free_cycle;
    cluster->running_ctas = engine->cluster_ctas;
    cluster->tile_count = 0;
    cluster->requests_tile = false;
    for (uint32_t i = 0; i < engine->cluster_ctas; i++) {
        struct tma_kernel_cta *cta = &cluster->ctas[i];
        cta->number = engine->next_cta++;
        cta->start_cycle = cta->end_cycle = start;
        cta->running_roles = kernel->role_count;
        cta->in_flight = 0;
        for (uint32_t b = 0; b < kernel->barrier_count; b++) {
            cta->barriers[b].arrived = 0;
            cta->barriers[b].last_cycle = 0;
        }
        tma_rings_start(cta);
        tma_trace_start(&engine->simulation.tracer, start,
                        (struct tma_event_source){cta->sm->number, cta->number, 0});
    }
    tma_races_start(cluster);
    for (uint32_t i = 0; i < engine->cluster_ctas; i++)
        for (uint32_t r = 0; r < kernel->role_count; r++)
            tma_role_start(&cluster->ctas[i].roles[r], start + engine->machine.warp.start_cycles);
}

struct tma_wait tma_kernel_schedule(struct tma_kernel_engine *engine, uint64_t now) {
    if (tma_simulation_is_over(&engine->simulation))
        return tma_wait_nothing();
    engine->scheduler_waits = !engine->scheduler_waits;
    if (engine->scheduler_waits)
        return tma_wait_cycle_end(now);
    if (engine->tiles_requested)
        tma_serve_tiles(engine, now);
    uint32_t running = 0;
    for (uint32_t c = 0; c < engine->cluster_count; c++) {
        struct tma_kernel_cluster *cluster = &engine->clusters[c];
        if (cluster->running_ctas == 0 && engine->next_cta < engine->kernel->cta_count)
            start_cluster(engine, cluster, now);
        running += cluster->running_ctas > 0;
    }
    if (running > 0)
        return tma_wait_signal();
    engine->simulation.finished = true;
    tma_actors_signal_all(&engine->simulation.actors);
    return tma_wait_nothing();
}
