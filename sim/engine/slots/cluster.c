#include "engine/slots/cluster.h"

static const struct tma_stage_operation *operation_of(const struct tma_slot_cta *cta,
                                                      uint32_t index) {
    return &cta->program->workload->operations[index];
}

/* The same slot of another CTA of the cluster. */
static struct tma_slot *peer_of(const struct tma_slot *slot, uint32_t rank) {
    return &((struct tma_slot_cta *)tma_cta_peer(&slot->cta->base, rank))->slots[slot->index];
}

/* Bytes that an operation completes on each mbarrier. */
static uint64_t transaction_bytes(const struct tma_workload *workload,
                                  const struct tma_stage_operation *stage) {
    struct tma_operation operation = stage->operation;
    struct tma_row_stream rows;
    struct tma_operation_size size;
    tma_walk_coordinates(stage, workload, 0, 0, operation.coordinates);
    enum tma_error_code code =
        tma_rows_begin(&rows, &workload->maps[stage->map], &operation, &size, NULL);
    return code == TMA_OK ? size.transaction_bytes : 0;
}

void tma_cluster_join(struct tma_slot_cta *cta) {
    const struct tma_workload *workload = cta->program->workload;
    cta->expect_bytes = workload->expect_bytes;
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        const struct tma_stage_operation *operation = operation_of(cta, i);
        uint32_t mask = operation->operation.cta_mask;
        bool receives = tma_rank_receives(operation, cta->base.rank);
        cta->expect_operations += receives;
        if (mask == 0)
            continue;
        if (tma_rank_issues(operation, cta->base.rank))
            cta->receivers |= (uint16_t)mask;
        if (receives)
            cta->issuers |= (uint16_t)(mask & -mask);
        else
            cta->expect_bytes -= transaction_bytes(workload, operation);
    }
}

/* The slot's release begins at `cycle`. The slot then arrives on the empty barriers of the CTAs
 * that loaded its tiles. */
static void arrive(const struct tma_slot *slot, uint64_t cycle) {
    struct tma_simulation *simulation = slot->cta->base.simulation;
    const struct tma_machine *machine = simulation->machine;
    for (uint32_t left = slot->cta->issuers; left != 0; left &= left - 1) {
        struct tma_slot *issuer = peer_of(slot, (uint32_t)__builtin_ctz(left));
        uint64_t way = issuer == slot ? 0 : machine->tma.cluster_arrive_cycles;
        uint64_t arrival = cycle + machine->tma.cluster_release_cycles + way;
        if (tma_empty_barrier_arrive(&issuer->empty, arrival) && issuer->state == TMA_SLOT_RELEASED)
            tma_actor_signal(&simulation->actors, issuer->number);
    }
}

void tma_cluster_release(struct tma_slot *slot, uint64_t now) {
    struct tma_slot_cta *cta = slot->cta;
    if (cta->issuers == 0)
        return;
    /* Loads of this very cycle are not waited for: they may have been issued after the release. */
    for (uint32_t i = 0; i < cta->program->workload->depth; i++)
        if (cta->slots[i].in_flight > 0 && cta->slots[i].issued_cycle < now)
            slot->release_waits |= UINT64_C(1) << i;
    if (slot->release_waits == 0)
        arrive(slot, now);
    else
        cta->releasing |= UINT64_C(1) << slot->index;
}

void tma_cluster_landed(struct tma_slot *slot, uint64_t cycle) {
    struct tma_slot_cta *cta = slot->cta;
    for (uint64_t left = cta->releasing; left != 0; left &= left - 1) {
        struct tma_slot *waiting = &cta->slots[__builtin_ctzll(left)];
        waiting->release_waits &= ~(UINT64_C(1) << slot->index);
        if (waiting->release_waits != 0)
            continue;
        cta->releasing &= ~(UINT64_C(1) << waiting->index);
        arrive(waiting, cycle > waiting->free_cycle ? cycle : waiting->free_cycle);
    }
}
