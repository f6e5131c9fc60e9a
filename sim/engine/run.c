#include "engine/run.h"

#include <assert.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/platform.h"
#include "engine/simulation.h"
#include "memory/core/address_map.h"
#include "tensormap/types.h"

void tma_simulation_fail(struct simulation *simulation, enum tma_error_code code,
                         const char *text) {
    if (simulation->code == TMA_OK)
        simulation->code = tma_fail(&simulation->error, code, "%s", text);
}

static enum tma_error_code check_cluster(const struct tma_machine *machine,
                                         const struct tma_workload *workload,
                                         struct tma_error *error) {
    uint32_t ctas = tma_cluster_ctas(workload), masks = 0, sms[TMA_MAX_SMS];
    for (uint32_t i = 0; i < workload->operation_count; i++)
        masks |= workload->operations[i].operation.cta_mask;
    if (ctas > TMA_MAX_CLUSTER || (ctas & (ctas - 1)) != 0 || workload->cta_count % ctas != 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "clusters of %u CTAs in a grid of %u; allowed: 1, 2, 4, 8 and 16, of which "
                        "the grid is a multiple",
                        ctas, workload->cta_count);
    if (masks >> ctas != 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "cta_mask is 0x%x; a cluster has ranks 0 to %u",
                        masks, ctas - 1);
    if (masks != 0 && workload->depth > TMA_MAX_CLUSTER_DEPTH)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "depth is %u; with multicast loads, allowed: 1 to %d", workload->depth,
                        TMA_MAX_CLUSTER_DEPTH);
    if (ctas > workload->sm_count || tma_machine_place_clusters(machine, ctas, 1, sms) == 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "a cluster of %u CTAs does not fit on %u SMs with those of a GPC", ctas,
                        workload->sm_count);
    return TMA_OK;
}

/* What is not modelled is refused, so that nothing is answered wrongly. */
static enum tma_error_code check(const struct tma_machine *machine,
                                 const struct tma_workload *workload, struct tma_error *error) {
    if (workload->operation_count == 0 || workload->operation_count > TMA_MAX_STAGE_OPERATIONS)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "a stage has %u operations; allowed: 1 to %d",
                        workload->operation_count, TMA_MAX_STAGE_OPERATIONS);
    if (workload->cta_count == 0 || workload->iterations == 0 || workload->depth == 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "CTAs, iterations and depth are at least 1");
    if (tma_workload_descriptor(workload, workload->map_count, 0) > TMA_MAX_DESCRIPTORS)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "more than %d tensor maps",
                        TMA_MAX_DESCRIPTORS - 1);
    if (workload->sm_count == 0 || workload->sm_count > machine->sm_count)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "%u SMs; allowed: 1 to %u", workload->sm_count,
                        machine->sm_count);
    return check_cluster(machine, workload, error);
}

/* One pass of each consumer over its tile, in each slot: addresses differ, and with them the banks.
 */
static enum tma_error_code measure_consumers(struct simulation *simulation) {
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
                return simulation->code = code;
            simulation->reports[s * workload->consumer_count + c] =
                tma_consumer_measure(consumer, &tile);
        }
    for (uint32_t c = 0; c < workload->consumer_count; c++)
        simulation->result->consumers[c].tile = simulation->reports[c];
    return TMA_OK;
}

static void create_slot(struct simulation *simulation, struct sm *sm, uint32_t index) {
    struct slot *slot = &sm->slots[index];
    *slot = (struct slot){.simulation = simulation,
                          .sm = sm,
                          .index = index,
                          .start = sg_sem_init(0),
                          .arrived = sg_sem_init(0),
                          .mbarrier = {.completed = sg_sem_init(0)}};
}

/* SimGrid takes stack sizes in KiB, and clears an actor's stack before it runs: those of slots and
 * SMs, which are many and need less than 4 KiB, are small. */
enum { SMALL_STACK_KIB = 16, LARGE_STACK_KIB = 256 };

static void start_actor(sg_host_t host, const char *name, unsigned stack_kib, xbt_main_func_t body,
                        void *data) {
    sg_actor_t actor = sg_actor_init(name, host);
    sg_actor_set_stacksize(actor, stack_kib);
    sg_actor_set_data(actor, data);
    sg_actor_start(actor, body, 0, NULL);
}

static void create_actors(struct simulation *simulation, sg_host_t host) {
    char name[64];
    uint32_t depth = simulation->workload->depth;
    for (uint32_t i = 0; i < simulation->sm_count; i++) {
        struct sm *sm = &simulation->sms[i];
        sm->done = sg_sem_init(0);
        for (uint32_t s = 0; s < depth; s++) {
            create_slot(simulation, sm, s);
            snprintf(name, sizeof name, "sm%u.slot%u", sm->number, s);
            start_actor(host, name, SMALL_STACK_KIB, tma_slot_actor, &sm->slots[s]);
        }
        if (sm->rank > 0)
            continue;
        snprintf(name, sizeof name, "sm%u", sm->number);
        start_actor(host, name, SMALL_STACK_KIB, tma_sm_actor, sm);
    }
    simulation->running_sms = simulation->sm_count / tma_cluster_ctas(simulation->workload);
    simulation->awake = simulation->running_sms + simulation->sm_count * depth;
    start_actor(host, "memory", LARGE_STACK_KIB, tma_keeper_actor, simulation);
}

static void destroy_semaphores(struct simulation *simulation) {
    for (uint32_t i = 0; i < simulation->sm_count; i++) {
        sg_sem_destroy(simulation->sms[i].done);
        for (uint32_t s = 0; s < simulation->workload->depth; s++) {
            sg_sem_destroy(simulation->sms[i].slots[s].start);
            sg_sem_destroy(simulation->sms[i].slots[s].arrived);
            sg_sem_destroy(simulation->sms[i].slots[s].mbarrier.completed);
        }
    }
}

static void simulate(struct simulation *simulation, sg_host_t host) {
    simulation->epoch = tma_platform_cycle();
    create_actors(simulation, host);
    simgrid_run();
    destroy_semaphores(simulation);
}

/* Everything that a run needs; false when out of memory. */
static bool allocate(struct simulation *simulation, const struct tma_event_sink *sink) {
    const struct tma_workload *workload = simulation->workload;
    simulation->reports =
        calloc((size_t)workload->depth * TMA_MAX_CONSUMERS, sizeof *simulation->reports);
    simulation->latencies = tma_histogram_new();
    simulation->cta_cycles = calloc(workload->cta_count, sizeof *simulation->cta_cycles);
    if (sink != NULL)
        simulation->events = tma_event_order_new(sink);
    if (simulation->reports == NULL || simulation->latencies == NULL ||
        simulation->cta_cycles == NULL || (sink != NULL && simulation->events == NULL))
        return false;
    return tma_cluster_place(simulation);
}

static void release(struct simulation *simulation) {
    for (uint32_t i = 0; simulation->sms != NULL && i < simulation->sm_count; i++)
        free(simulation->sms[i].slots);
    free(simulation->sms);
    free(simulation->reports);
    free(simulation->cta_cycles);
    free(simulation->issues);
    free(simulation->completions);
    tma_histogram_free(simulation->latencies);
    tma_event_order_free(simulation->events);
    tma_memory_free(simulation->memory);
}

static void summarise(struct simulation *simulation) {
    struct tma_result *result = simulation->result;
    if (!tma_memory_drain(simulation->memory))
        tma_simulation_fail(simulation, TMA_ERROR_MEMORY, "out of memory");
    result->cycles = simulation->last_cycle;
    result->cta_cycles =
        tma_distribution_of(simulation->cta_cycles, (size_t)simulation->ended_ctas);
    result->latency_cycles = tma_histogram_distribution(simulation->latencies);
    for (int cause = 0; cause < TMA_CAUSE_COUNT; cause++)
        result->slot_cycles += result->cause_cycles[cause];
    tma_account_memory(simulation);
    if (simulation->events != NULL)
        tma_event_order_flush(simulation->events, UINT64_MAX);
}

/* From a simulation that is allocated to its result. */
static void run(struct simulation *simulation) {
    sg_host_t host = NULL;
    if (measure_consumers(simulation) != TMA_OK)
        return;
    simulation->code = tma_platform_start(&host, &simulation->error);
    if (simulation->code == TMA_OK)
        simulation->code =
            tma_memory_create(&simulation->memory, simulation->machine, &simulation->error);
    if (simulation->code != TMA_OK)
        return;
    if (!simulation->workload->cold)
        tma_warm_up(simulation);
    tma_leave_descriptors(simulation);
    simulate(simulation, host);
    if (simulation->code == TMA_OK)
        summarise(simulation);
}

enum tma_error_code tma_run(const struct tma_machine *machine, const struct tma_workload *workload,
                            const struct tma_event_sink *sink, struct tma_result *result,
                            struct tma_error *error) {
    enum tma_error_code code = check(machine, workload, error);
    if (code != TMA_OK)
        return code;
    *result = (struct tma_result){0};
    struct simulation simulation = {.machine = machine, .workload = workload, .result = result};
    if (allocate(&simulation, sink))
        run(&simulation);
    else
        tma_simulation_fail(&simulation, TMA_ERROR_MEMORY, "out of memory");
    release(&simulation);
    if (simulation.code != TMA_OK && error != NULL)
        *error = simulation.error;
    return simulation.code;
}
