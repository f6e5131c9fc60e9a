#include "engine/cta.h"

#include <assert.h>

#include "base/allocation.h"
#include "engine/program.h"
#include "engine/simulation.h"
#include "memory/topology.h"

struct tma_cta *tma_cta_at(const struct tma_simulation *simulation, uint32_t place) {
    return (struct tma_cta *)((char *)simulation->ctas + place * simulation->program->cta_bytes);
}

struct tma_cta *tma_cta_peer(const struct tma_cta *cta, uint32_t rank) {
    return tma_cta_at(cta->simulation, cta->cluster->first_place + rank);
}

/* The SM of that number, which may be new. */
static struct tma_sm *find_sm(struct tma_simulation *simulation, uint32_t number) {
    uint32_t at = 0;
    while (at < simulation->sm_count && simulation->sms[at].number != number)
        at++;
    if (at == simulation->sm_count)
        simulation->sms[simulation->sm_count++].number = number;
    return &simulation->sms[at];
}

bool tma_places_create(struct tma_simulation *simulation, const uint32_t *sms, uint32_t count,
                       uint32_t cluster_ctas, uint32_t warps, uint32_t actors) {
    uint64_t *launches = tma_allocate(count, sizeof *launches);
    simulation->place_count = count;
    simulation->cluster_ctas = cluster_ctas;
    simulation->cluster_count = count / cluster_ctas;
    simulation->cta_actors = actors;
    simulation->sms = tma_allocate(count, sizeof *simulation->sms);
    simulation->ctas = tma_allocate(count, simulation->program->cta_bytes);
    simulation->clusters = tma_allocate(simulation->cluster_count, sizeof *simulation->clusters);
    simulation->pools = tma_allocate((size_t)count * actors, sizeof *simulation->pools);
    if (launches == NULL || simulation->sms == NULL || simulation->ctas == NULL ||
        simulation->clusters == NULL || simulation->pools == NULL) {
        tma_release(launches);
        return false;
    }
    tma_machine_launch(simulation->machine, sms, count, cluster_ctas, warps, launches);
    for (uint32_t c = 0; c < simulation->cluster_count; c++)
        simulation->clusters[c] = (struct tma_cluster){.first_place = c * cluster_ctas,
                                                       .free_cycle = launches[c * cluster_ctas]};
    tma_release(launches);
    for (uint32_t i = 0; i < count; i++) {
        struct tma_cta *cta = tma_cta_at(simulation, i);
        *cta = (struct tma_cta){.simulation = simulation,
                                .cluster = &simulation->clusters[i / cluster_ctas],
                                .sm = find_sm(simulation, sms[i]),
                                .place = i,
                                .rank = i % cluster_ctas};
        cta->sm->cta_places++;
    }
    for (uint32_t i = 0; i < count * actors; i++)
        simulation->pools[i].free = UINT32_MAX;
    return true;
}

void tma_places_free(struct tma_simulation *simulation) {
    for (uint32_t i = 0;
         simulation->pools != NULL && i < simulation->place_count * simulation->cta_actors; i++)
        tma_release(simulation->pools[i].items);
    TMA_RELEASE(simulation->pools, simulation->clusters, simulation->ctas, simulation->sms);
}

static void end_if_done(struct tma_cta *cta) {
    struct tma_simulation *simulation = cta->simulation;
    struct tma_cluster *cluster = cta->cluster;
    if (cta->running_actors > 0 || cta->in_flight > 0)
        return;
    assert(cluster->running_ctas > 0);
    uint64_t cycles = cta->end_cycle - cta->start_cycle;
    struct tma_event_source source = tma_cta_event_source(cta, 0);
    tma_account_cta(&simulation->accounting, cycles, cta->end_cycle);
    tma_observe_cta(&simulation->observer, source, cta->start_cycle, cta->end_cycle);
    tma_trace_end(&simulation->tracer, cta->end_cycle, source, cycles);
    uint64_t free_cycle = cta->end_cycle + simulation->relaunch_cycles;
    if (free_cycle > cluster->free_cycle)
        cluster->free_cycle = free_cycle;
    if (--cluster->running_ctas == 0)
        tma_actor_signal(&simulation->actors, tma_scheduler_actor(simulation));
}

void tma_cta_end_actor(struct tma_cta *cta) {
    assert(cta->running_actors > 0);
    cta->running_actors--;
    end_if_done(cta);
}

void tma_cta_end_operation(struct tma_cta *cta, uint64_t cycle) {
    assert(cta->in_flight > 0);
    cta->in_flight--;
    if (cta->running_actors == 0)
        tma_cta_extend(cta, cycle);
    end_if_done(cta);
}

/* Starts the next CTAs on a cluster: at the end of cycle `now`, or when the cluster is free. All
 * CTAs of the cluster have their numbers before the first one does anything, since it may end at
 * once. */
static void start_cluster(struct tma_simulation *simulation, struct tma_cluster *cluster,
                          uint64_t now) {
    uint64_t start = now > cluster->free_cycle ? now : cluster->free_cycle;
    cluster->running_ctas = simulation->cluster_ctas;
    for (uint32_t rank = 0; rank < simulation->cluster_ctas; rank++) {
        struct tma_cta *cta = tma_cta_at(simulation, cluster->first_place + rank);
        cta->number = (uint32_t)simulation->next_cta++;
        cta->running_actors = cta->in_flight = 0;
        cta->start_cycle = cta->end_cycle = start;
        tma_trace_start(&simulation->tracer, start, tma_cta_event_source(cta, 0));
    }
    for (uint32_t rank = 0; rank < simulation->cluster_ctas; rank++)
        simulation->program->start(tma_cta_at(simulation, cluster->first_place + rank));
}

struct tma_wait tma_schedule_ctas(struct tma_simulation *simulation, uint64_t now) {
    uint32_t running = 0;
    if (tma_simulation_is_over(simulation))
        return tma_wait_nothing();
    simulation->scheduler_waits = !simulation->scheduler_waits;
    if (simulation->scheduler_waits)
        return tma_wait_cycle_end(now);
    if (simulation->program->end_cycle != NULL)
        simulation->program->end_cycle(simulation, now);
    for (uint32_t i = 0; i < simulation->cluster_count; i++) {
        struct tma_cluster *cluster = &simulation->clusters[i];
        while (cluster->running_ctas == 0 && simulation->next_cta < simulation->cta_count)
            start_cluster(simulation, cluster, now);
        running += cluster->running_ctas > 0;
    }
    if (running > 0)
        return tma_wait_signal();
    simulation->finished = true;
    tma_actors_signal_all(&simulation->actors);
    return tma_wait_nothing();
}
