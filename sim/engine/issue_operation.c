#include "engine/issue_operation.h"

#include <stdio.h>

#include "engine/cluster.h"

static const struct tma_stage_operation *stage_of(const struct tma_workload *workload,
                                                  uint32_t number) {
    return &workload->operations[number % workload->operation_count];
}

uint32_t tma_slot_descriptor(const struct tma_slot *slot, uint32_t number) {
    const struct tma_workload *workload = slot->cta->simulation->workload;
    const struct tma_stage_operation *stage = stage_of(workload, number);
    uint32_t index =
        tma_walk_map_index(stage, workload, slot->cta->number, number / workload->operation_count);
    return tma_workload_descriptor(workload, stage->map, index);
}

/* The tag of an operation identifies it: number of the slot in the grid, number of the operation in
 * the CTA. */
static uint64_t make_tag(const struct tma_queued_issue *issue) {
    return (uint64_t)issue->slot << 32 | issue->number;
}

/* An operation completes on the issuing slot's mbarrier. A multicast copy completes on the mbarrier
 * of the same slot of another CTA. */
struct tma_slot *tma_completion_slot(const struct tma_grid *grid,
                                     const struct tma_completion *completion) {
    struct tma_slot *slot = &grid->slots[completion->tag >> 32];
    if (!completion->copied)
        return slot;
    struct tma_cta *cta = slot->cta->cluster->ctas;
    while (cta->sm->number != completion->sm)
        cta++;
    return &cta->slots[slot->index];
}

/* Positions an operation before its first row; false where it faults. */
static bool begin_rows(const struct tma_slot *slot, const struct tma_queued_issue *issue,
                       const struct tma_tensor_map *map, struct tma_row_stream *rows,
                       struct tma_operation_size *size) {
    struct tma_simulation *simulation = slot->cta->simulation;
    const struct tma_workload *workload = simulation->workload;
    const struct tma_stage_operation *stage = stage_of(workload, issue->number);
    struct tma_operation operation = stage->operation;
    struct tma_error error;
    tma_walk_coordinates(stage, workload, slot->cta->number,
                         issue->number / workload->operation_count, operation.coordinates);
    operation.shared_address += workload->shared_base_bytes + slot->index * workload->stage_bytes;
    enum tma_error_code code = tma_rows_begin(rows, map, &operation, size, &error);
    if (code == TMA_OK)
        return true;
    char text[TMA_ERROR_TEXT_BYTES];
    snprintf(text, sizeof text, "cycle %llu, SM %u, CTA %u, operation %u: %.300s",
             (unsigned long long)issue->cycle, issue->sm, slot->cta->number, issue->number,
             error.text);
    tma_simulation_fail(simulation, code, text);
    return false;
}

void tma_issue_operation(struct tma_grid *grid, struct tma_simulation *simulation,
                         const struct tma_queued_issue *issue) {
    const struct tma_workload *workload = simulation->workload;
    struct tma_slot *slot = &grid->slots[issue->slot];
    uint32_t index = issue->number % workload->operation_count;
    const struct tma_stage_operation *stage = &workload->operations[index];
    struct tma_tensor_map map =
        tma_walk_map(stage, workload, slot->cta->number, issue->number / workload->operation_count);
    struct tma_row_stream rows;
    struct tma_operation_size size;
    if (!begin_rows(slot, issue, &map, &rows, &size))
        return;
    uint32_t copies[TMA_MAX_CLUSTER], copy_count = tma_cluster_copies(slot, index, copies);
    struct tma_issue operation = {.cycle = issue->cycle,
                                  .tag = make_tag(issue),
                                  .sm = issue->sm,
                                  .direction = stage->operation.direction,
                                  .warp = slot->index,
                                  .map = &map,
                                  .descriptor = tma_slot_descriptor(slot, issue->number),
                                  .rows = &rows,
                                  .size = &size,
                                  .copies = copies,
                                  .copy_count = copy_count};
    if (!tma_memory_issue(simulation->memory, &operation))
        tma_simulation_out_of_memory(simulation);
    slot->windows[index] =
        tma_trace_issue(&simulation->tracer, issue->cycle,
                        tma_cta_event_source(slot->cta, slot->index), issue->number, stage->map);
}
