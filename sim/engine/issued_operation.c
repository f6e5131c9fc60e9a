#include "engine/issued_operation.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "base/array.h"
#include "base/heap.h"
#include "engine/lane_accesses.h"
#include "engine/program.h"

void tma_issue_queue_free(struct tma_issue_queue *queue) {
    tma_release(queue->heap);
    *queue = (struct tma_issue_queue){0};
}

static bool issued_before(const struct tma_queued_issue *a, const struct tma_queued_issue *b) {
    if (a->cycle != b->cycle)
        return a->cycle < b->cycle;
    if (a->sm != b->sm)
        return a->sm < b->sm;
    if (a->actor != b->actor)
        return a->actor < b->actor;
    return a->number < b->number;
}

bool tma_issue_queue_push(struct tma_issue_queue *queue, const struct tma_queued_issue *issue) {
    if (!TMA_GROW(queue->heap, queue->count, queue->capacity))
        return false;
    TMA_HEAP_PUSH(queue->heap, queue->count, issue, issued_before);
    queue->count++;
    return true;
}

struct tma_queued_issue tma_issue_queue_pop(struct tma_issue_queue *queue) {
    struct tma_queued_issue first = queue->heap[0];
    queue->count--;
    TMA_HEAP_DROP_FIRST(struct tma_queued_issue, queue->heap, queue->count, issued_before);
    return first;
}

static struct tma_issued *at(const struct tma_simulation *simulation, uint32_t actor,
                             uint32_t record) {
    return (struct tma_issued *)(simulation->pools[actor].items +
                                 record * simulation->program->operation_bytes);
}

/* Takes a free record of the pool. UINT32_MAX when out of memory. */
static uint32_t take_record(struct tma_simulation *simulation, uint32_t actor) {
    struct tma_operation_pool *pool = &simulation->pools[actor];
    if (pool->free != UINT32_MAX) {
        uint32_t record = pool->free;
        pool->free = at(simulation, actor, record)->next_free;
        return record;
    }
    if (!tma_array_grow(&pool->items, pool->count, &pool->capacity,
                        simulation->program->operation_bytes))
        return UINT32_MAX;
    return (uint32_t)pool->count++;
}

void *tma_operation_new(struct tma_cta *cta, uint32_t actor) {
    struct tma_simulation *simulation = cta->simulation;
    uint32_t record = take_record(simulation, actor);
    if (record == UINT32_MAX) {
        tma_simulation_out_of_memory(simulation);
        return NULL;
    }
    struct tma_issued *operation = at(simulation, actor, record);
    memset(operation, 0, simulation->program->operation_bytes);
    operation->actor = actor;
    operation->record = operation->order = record;
    operation->cta = cta->number;
    operation->left = 1;
    return operation;
}

void tma_operation_issue(struct tma_cta *cta, const struct tma_issued *operation, uint64_t cycle) {
    const struct tma_queued_issue issue = {.cycle = cycle,
                                           .sm = cta->sm->number,
                                           .actor = operation->actor,
                                           .number = operation->number,
                                           .record = operation->record};
    cta->in_flight += operation->cta_stays;
    if (!tma_issue_queue_push(&cta->simulation->issues, &issue))
        tma_simulation_out_of_memory(cta->simulation);
}

static void fault(struct tma_simulation *simulation, const struct tma_issued *operation,
                  uint64_t cycle, enum tma_error_code code, const char *text) {
    char who[TMA_ERROR_TEXT_BYTES / 2], message[TMA_ERROR_TEXT_BYTES];
    simulation->program->describe(simulation, operation, who, sizeof who);
    snprintf(message, sizeof message, "cycle %" PRIu64 ", %.150s, operation %u: %.300s", cycle, who,
             operation->number, text);
    tma_simulation_fail(simulation, code, message);
}

/* Hands over what goes to the shared memory of another SM. */
static void hand_over_distant(struct tma_simulation *simulation, struct tma_issued *operation,
                              const struct tma_queued_issue *issue) {
    uint64_t tag = (uint64_t)issue->actor << 32 | issue->record;
    struct tma_row_stream rows;
    struct tma_operation_size size;
    struct tma_error error;
    const struct tma_operation store = {.direction = TMA_STORE, .access = TMA_ACCESS_TILE};
    if (tma_lanes_carry(operation->lanes.by)) {
        if (!tma_lanes_hand_over_distant(simulation, operation, issue->cycle, tag, issue->sm))
            tma_simulation_out_of_memory(simulation);
        return;
    }
    const struct tma_tensor_map map =
        tma_map_of_bytes(operation->operation.shared_address, operation->bytes);
    enum tma_error_code code = tma_rows_begin(&rows, &map, &store, &size, &error);
    if (code != TMA_OK) {
        fault(simulation, operation, issue->cycle, code, error.text);
        return;
    }
    if (!tma_memory_issue(simulation->memory, &(struct tma_issue){.cycle = issue->cycle,
                                                                  .tag = tag,
                                                                  .sm = issue->sm,
                                                                  .direction = TMA_STORE,
                                                                  .warp = operation->warp,
                                                                  .map = &map,
                                                                  .rows = &rows,
                                                                  .size = &size,
                                                                  .distant = true,
                                                                  .peer = operation->peer}))
        tma_simulation_out_of_memory(simulation);
}

void tma_operation_hand_over(struct tma_simulation *simulation) {
    const struct tma_queued_issue issue = tma_issue_queue_pop(&simulation->issues);
    const struct tma_program_maps *maps = &simulation->maps;
    struct tma_issued *operation = at(simulation, issue.actor, issue.record);
    if (operation->distant) {
        hand_over_distant(simulation, operation, &issue);
        return;
    }
    struct tma_cta *cta = tma_cta_at(simulation, issue.actor / simulation->cta_actors);
    struct tma_tensor_map map = maps->maps[operation->map];
    struct tma_row_stream rows;
    struct tma_operation_size size;
    struct tma_error error;
    uint64_t tag = (uint64_t)issue.actor << 32 | issue.record;
    enum tma_error_code code = TMA_OK;
    if (tma_lanes_carry(operation->lanes.by)) {
        operation->window =
            tma_trace_issue(&simulation->tracer, issue.cycle,
                            (struct tma_event_source){issue.sm, operation->cta, operation->slot},
                            operation->number, operation->map);
        code = tma_lanes_hand_over(simulation, operation, issue.cycle, tag, issue.sm, &error);
        if (code == TMA_ERROR_MEMORY)
            tma_simulation_out_of_memory(simulation);
        else if (code != TMA_OK)
            fault(simulation, operation, issue.cycle, code, error.text);
        return;
    }
    if (operation->one_row)
        map.box_dim[1] = 1;
    map.global_address += maps->arrays[operation->map].pitch_bytes * operation->map_index;
    code = tma_rows_begin(&rows, &map, &operation->operation, &size, &error);
    if (code != TMA_OK) {
        fault(simulation, operation, issue.cycle, code, error.text);
        return;
    }
    uint32_t copies[TMA_MAX_CLUSTER], copy_count = 0;
    /* A multicast load that leaves out the CTA that issues it is simulated as one that does not:
     * its bytes then complete nothing there. */
    for (uint32_t left = operation->operation.cta_mask & ~(1u << cta->rank); left != 0;
         left &= left - 1)
        copies[copy_count++] = tma_cta_peer(cta, (uint32_t)__builtin_ctz(left))->sm->number;
    operation->left = 1 + copy_count;
    struct tma_issue request = {
        .cycle = issue.cycle,
        .tag = tag,
        .sm = issue.sm,
        .direction = operation->operation.direction,
        .warp = operation->warp,
        .map = &map,
        .policy = operation->lanes.policy,
        .descriptor =
            operation->lanes.by == TMA_BY_BULK
                ? 0
                : tma_program_descriptor(simulation, operation->map, operation->map_index),
        .rows = &rows,
        .size = &size,
        .copies = copies,
        .copy_count = copy_count};
    if (!tma_memory_issue(simulation->memory, &request))
        tma_simulation_out_of_memory(simulation);
    operation->window =
        tma_trace_issue(&simulation->tracer, issue.cycle,
                        (struct tma_event_source){issue.sm, operation->cta, operation->slot},
                        operation->number, operation->map);
}

struct tma_issued *tma_operation_of(const struct tma_simulation *simulation,
                                    const struct tma_completion *completion) {
    return at(simulation, (uint32_t)(completion->tag >> 32), (uint32_t)completion->tag);
}

/* Those that observe the run learn of a completion in the shared memory of a CTA. (The CTA that
 * issued a prefetch may have ended.) */
static void observe(struct tma_simulation *simulation, const struct tma_issued *operation,
                    const struct tma_completion *completion, uint32_t cta) {
    enum tma_direction direction = operation->operation.direction;
    const struct tma_event_source source = {completion->sm, cta, operation->slot};
    tma_account_completion(&simulation->accounting, direction, completion);
    simulation->accounting.result->counters.lane_operations += tma_lanes_carry(operation->lanes.by);
    tma_observe_completion(&simulation->observer, source, direction, completion, &operation->place);
    if (tma_tracer_is_on(&simulation->tracer))
        tma_trace_completion(
            &simulation->tracer, completion, source, operation->number, operation->window,
            tma_program_descriptor(simulation, operation->map, operation->map_index));
}

void tma_operation_complete(struct tma_simulation *simulation,
                            const struct tma_completion *completion, uint64_t cycle) {
    struct tma_issued *operation = tma_operation_of(simulation, completion);
    struct tma_operation_pool *pool = &simulation->pools[operation->actor];
    struct tma_cta *issuer = tma_cta_at(simulation, operation->actor / simulation->cta_actors);
    struct tma_cta *cta = issuer;
    for (uint32_t rank = 0; completion->copied && cta->sm->number != completion->sm; rank++)
        cta = tma_cta_peer(issuer, rank);
    if (!operation->distant)
        observe(simulation, operation, completion, cta == issuer ? operation->cta : cta->number);
    uint32_t record = operation->record;
    bool done = --operation->left == 0, cta_stays = operation->cta_stays;
    simulation->program->complete(simulation, operation, cta, completion, cycle);
    if (!done)
        return;
    at(simulation, (uint32_t)(completion->tag >> 32), record)->next_free = pool->free;
    pool->free = record;
    if (cta_stays)
        tma_cta_end_operation(issuer, cycle);
}
