/* Clusters: CTAs that run at the same time on SMs of one GPC, and load for each other. Each CTA
 * waits on an mbarrier of its own for its copy of what is multicast to it. When it is done with a
 * tile it arrives on another mbarrier of the CTA that issued the load
 * (mbarrier.arrive.release.cluster), which fills the slot again when all have. A release waits for
 * the loads that its own SM has in flight. */
#include <assert.h>
#include <stdlib.h>

#include "engine/simulation.h"

static const struct tma_stage_operation *stage_of(const struct simulation *simulation,
                                                  uint32_t index) {
    return &simulation->workload->operations[index];
}

/* The same slot of another CTA of the cluster. */
static struct slot *peer(const struct slot *slot, uint32_t rank) {
    struct sm *first = slot->sm - slot->sm->rank;
    return &first[rank].slots[slot->index];
}

/* Bytes that a load completes on each mbarrier. */
static uint64_t load_bytes(const struct simulation *simulation, uint32_t index) {
    const struct tma_stage_operation *stage = stage_of(simulation, index);
    struct tma_operation operation = stage->operation;
    struct tma_row_stream rows;
    struct tma_operation_size size;
    tma_walk_coordinates(stage, simulation->workload, 0, 0, operation.coordinates);
    enum tma_error_code code =
        tma_rows_begin(&rows, &simulation->workload->maps[stage->map], &operation, &size, NULL);
    return code == TMA_OK ? size.transaction_bytes : 0;
}

/* Who loads for this SM, for whom it does, and what it expects. */
static void join(struct simulation *simulation, struct sm *sm) {
    sm->expect_bytes = simulation->workload->expect_bytes;
    for (uint32_t i = 0; i < simulation->workload->operation_count; i++) {
        const struct tma_stage_operation *stage = stage_of(simulation, i);
        uint32_t mask = stage->operation.cta_mask;
        if (mask == 0)
            continue;
        if (tma_rank_issues(stage, sm->rank))
            sm->receivers |= (uint16_t)mask;
        if (tma_rank_receives(stage, sm->rank))
            sm->issuers |= (uint16_t)(mask & -mask);
        else
            sm->expect_bytes -= load_bytes(simulation, i);
    }
}

uint32_t tma_workload_place(const struct tma_machine *machine, const struct tma_workload *workload,
                            uint32_t sms[TMA_MAX_SMS]) {
    uint32_t ctas = tma_cluster_ctas(workload);
    uint32_t count =
        workload->cta_count < workload->sm_count ? workload->cta_count : workload->sm_count;
    if (ctas > 1)
        return ctas * tma_machine_place_clusters(machine, ctas, count / ctas, sms);
    tma_machine_place(machine, count, sms);
    return count;
}

bool tma_cluster_place(struct simulation *simulation) {
    const struct tma_workload *workload = simulation->workload;
    uint32_t numbers[TMA_MAX_SMS];
    uint64_t launches[TMA_MAX_SMS];
    simulation->sm_count = tma_workload_place(simulation->machine, workload, numbers);
    tma_machine_launch(simulation->machine, numbers, simulation->sm_count,
                       tma_cluster_ctas(workload), launches);
    simulation->sms = calloc(simulation->sm_count, sizeof *simulation->sms);
    for (uint32_t i = 0; simulation->sms != NULL && i < simulation->sm_count; i++) {
        struct sm *sm = &simulation->sms[i];
        *sm = (struct sm){.simulation = simulation,
                          .number = numbers[i],
                          .rank = i % tma_cluster_ctas(workload),
                          .launch_cycle = launches[i],
                          .slots = calloc(workload->depth, sizeof *sm->slots)};
        if (sm->slots == NULL)
            return false;
        join(simulation, sm);
    }
    return simulation->sms != NULL;
}

uint32_t tma_cluster_copies(const struct slot *slot, uint32_t operation, uint32_t *sms) {
    const struct tma_stage_operation *stage = stage_of(slot->simulation, operation);
    uint32_t count = 0;
    if (stage->operation.cta_mask == 0)
        return 0;
    for (uint32_t rank = 0; rank < tma_cluster_ctas(slot->simulation->workload); rank++)
        if (rank != slot->sm->rank && tma_rank_receives(stage, rank))
            sms[count++] = peer(slot, rank)->sm->number;
    return count;
}

/* The slot's release begins at `cycle`: behind it, it arrives where its tiles were loaded. */
static void arrive(const struct slot *slot, uint64_t cycle) {
    const struct tma_machine *machine = slot->simulation->machine;
    for (uint32_t left = slot->sm->issuers; left != 0; left &= left - 1) {
        struct slot *issuer = peer(slot, (uint32_t)__builtin_ctz(left));
        uint64_t way = issuer == slot ? 0 : machine->tma.cluster_arrive_cycles;
        uint64_t arrival = cycle + machine->tma.cluster_release_cycles + way;
        if (arrival > issuer->arrived_cycle)
            issuer->arrived_cycle = arrival;
        assert(issuer->arrivals_due > 0);
        if (--issuer->arrivals_due > 0)
            continue;
        slot->simulation->awake++;
        sg_sem_release(issuer->arrived);
    }
}

void tma_cluster_release(struct slot *slot) {
    struct sm *sm = slot->sm;
    if (sm->issuers == 0)
        return;
    for (uint32_t i = 0; i < slot->simulation->workload->depth; i++)
        if (sm->slots[i].in_flight > 0)
            slot->release_waits |= UINT64_C(1) << i;
    if (slot->release_waits == 0)
        arrive(slot, tma_simulation_now(slot->simulation));
    else
        sm->releasing |= UINT64_C(1) << slot->index;
}

void tma_cluster_landed(struct slot *slot, uint64_t cycle) {
    struct sm *sm = slot->sm;
    for (uint64_t left = sm->releasing; left != 0; left &= left - 1) {
        struct slot *waiting = &sm->slots[__builtin_ctzll(left)];
        waiting->release_waits &= ~(UINT64_C(1) << slot->index);
        if (waiting->release_waits != 0)
            continue;
        sm->releasing &= ~(UINT64_C(1) << waiting->index);
        arrive(waiting, cycle);
    }
}
