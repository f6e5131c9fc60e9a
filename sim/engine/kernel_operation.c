#include "engine/kernel_operation.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/allocation.h"
#include "base/array.h"
#include "engine/kernel_end.h"
#include "engine/kernel_failure.h"
#include "engine/kernel_race.h"
#include "engine/kernel_ring.h"
#include "engine/relieved_wavefronts.h"
#include "engine/statement_operation.h"
#include "placement/rows.h"

static uint32_t index_of(const struct tma_kernel *kernel, const struct tma_statement *statement) {
    return (uint32_t)(statement - kernel->statements);
}

uint32_t tma_kernel_descriptor(const struct tma_kernel *kernel, uint32_t map, uint32_t index) {
    return tma_descriptor_number(kernel->arrays, kernel->map_places, kernel->map_count, map, index);
}

/* Bytes that come to the CTA of rank `to` from the loads of a ring in the statements from `first`
 * to `end`, if the CTA of rank `from` executes them. Stops at the ring's next ACQUIRE: *done. */
static bool add_bytes(const struct tma_kernel_engine *engine, uint32_t first, uint32_t end,
                      uint8_t ring, uint32_t from, uint32_t to, int64_t *variables, int64_t *bytes,
                      bool *done, struct tma_error *error) {
    const struct tma_kernel *kernel = engine->kernel;
    for (uint32_t i = first; i < end && !*done; i = kernel->statements[i].end) {
        const struct tma_statement *statement = &kernel->statements[i];
        int64_t value, limit, step = 1;
        switch (statement->kind) {
        case TMA_STATEMENT_ACQUIRE:
            *done = statement->ring == ring;
            break;
        case TMA_STATEMENT_OPERATION:
            if (statement->ring != ring || statement->operation.direction != TMA_LOAD)
                break;
            if (!tma_value_at(&statement->cta_mask, variables, &value, error))
                return false;
            if (value == 0 ? from == to : (value >> to & 1) != 0)
                *bytes += engine->facts[i].bytes;
            break;
        case TMA_STATEMENT_IF:
            if (!tma_value_at(&statement->condition, variables, &value, error))
                return false;
            {
                uint32_t other = statement->otherwise > i ? statement->otherwise : statement->end;
                if (!add_bytes(engine, value != 0 ? i + 1 : other,
                               value != 0 ? other : statement->end, ring, from, to, variables,
                               bytes, done, error))
                    return false;
            }
            break;
        case TMA_STATEMENT_FOR:
            if (!tma_value_at(&statement->from, variables, &value, error) ||
                !tma_value_at(&statement->to, variables, &limit, error) ||
                !tma_value_at(&statement->step, variables, &step, error))
                return false;
            for (; value < limit && step > 0 && !*done; value += step) {
                variables[statement->variable] = value;
                if (!add_bytes(engine, i + 1, statement->end, ring, from, to, variables, bytes,
                               done, error))
                    return false;
            }
            break;
        default:
            break;
        }
    }
    return true;
}

/* What the acquire itself says; -1 where the run stops. */
static int64_t expected_bytes(struct tma_role_state *role, const struct tma_statement *acquire) {
    struct tma_error error;
    int64_t bytes;
    if (!tma_value_at(&acquire->expect, tma_cursor_place(&role->cursor)->variables, &bytes,
                      &error)) {
        tma_role_fail(role, acquire, error.code, error.text);
        return -1;
    }
    if (bytes < 0 || bytes >= INT64_C(1) << 20) {
        tma_role_fail(role, acquire, TMA_ERROR_ARGUMENT,
                      "it expects a number of bytes that is not below 2^20, as mbarriers need it");
        return -1;
    }
    return bytes;
}

int64_t tma_acquired_bytes(struct tma_role_state *role, const struct tma_statement *acquire) {
    struct tma_kernel_cta *cta = role->cta;
    struct tma_kernel_engine *engine = cta->engine;
    uint32_t index = index_of(engine->kernel, acquire);
    if (acquire->expects)
        return expected_bytes(role, acquire);
    if (engine->facts[index].acquired_bytes >= 0)
        return engine->facts[index].acquired_bytes;
    const struct tma_program_place *place = tma_cursor_place(&role->cursor);
    uint32_t end = place->depth > 0 ? place->frames[place->depth - 1].end
                                    : engine->kernel->roles[role->index].end;
    int64_t variables[TMA_MAX_VARIABLES], bytes = 0;
    struct tma_error error;
    for (uint32_t from = 0; from < engine->cluster_ctas; from++) {
        bool done = false;
        for (uint32_t v = 0; v < TMA_MAX_VARIABLES; v++)
            variables[v] = place->variables[v];
        variables[TMA_VARIABLE_RANK] = from;
        variables[TMA_VARIABLE_CTA] += (int64_t)from - cta->rank;
        if (!add_bytes(engine, index + 1, end, acquire->ring, from, cta->rank, variables, &bytes,
                       &done, &error)) {
            tma_role_fail(role, acquire, error.code, error.text);
            return -1;
        }
    }
    return bytes;
}

/* Whether the bytes after an ACQUIRE are always the same: its loads follow it directly, with no
 * multicast. Then *bytes has them. */
static bool are_constant(const struct tma_kernel_engine *engine, uint32_t acquire, int64_t *bytes) {
    const struct tma_kernel *kernel = engine->kernel;
    uint8_t ring = kernel->statements[acquire].ring;
    *bytes = 0;
    for (uint32_t i = acquire + 1; i < kernel->statement_count; i++) {
        const struct tma_statement *statement = &kernel->statements[i];
        if (statement->kind == TMA_STATEMENT_IF || statement->kind == TMA_STATEMENT_FOR ||
            statement->kind == TMA_STATEMENT_TILES)
            return false;
        if (statement->kind == TMA_STATEMENT_ACQUIRE && statement->ring == ring)
            return true;
        if (statement->kind == TMA_STATEMENT_OPERATION && statement->ring == ring &&
            statement->operation.direction == TMA_LOAD) {
            if (statement->cta_mask.expression != NULL || statement->cta_mask.constant != 0)
                return false;
            *bytes += engine->facts[i].bytes;
        }
        /* The end of the innermost body around both. */
        for (uint32_t b = 0; b < acquire; b++)
            if (kernel->statements[b].end == i + 1 && kernel->statements[b].end > b + 1)
                return true;
    }
    return true;
}

static enum tma_error_code find_operation(struct tma_kernel_engine *engine, uint32_t index) {
    const struct tma_kernel *kernel = engine->kernel;
    const struct tma_statement *statement = &kernel->statements[index];
    struct tma_operation operation = statement->operation;
    struct tma_operation_size size;
    struct tma_row_stream rows;
    struct tma_error error;
    /* The size of an operation does not depend on its coordinates, which may fault at 0. */
    const struct tma_tensor_map *map = &kernel->maps[statement->map];
    for (int d = 0; d < TMA_MAX_RANK; d++)
        operation.coordinates[d] =
            operation.access == TMA_ACCESS_IM2COL && d > 0 && d < (int)map->rank - 1
                ? map->lower_corner[map->rank - 2 - (uint32_t)d]
                : 0;
    enum tma_error_code code = tma_rows_begin(&rows, map, &operation, &size, &error);
    if (code != TMA_OK) {
        engine->failed = statement;
        tma_simulation_fail(&engine->simulation, code, error.text);
        return code;
    }
    engine->facts[index].bytes = size.transaction_bytes;
    engine->facts[index].footprint_bytes = size.shared_footprint_bytes;
    return TMA_OK;
}

/* Measures a consumer's pass over the tile in each stage: addresses differ, and with them banks. */
static enum tma_error_code find_consumer(struct tma_kernel_engine *engine, uint32_t index,
                                         uint32_t number) {
    const struct tma_kernel *kernel = engine->kernel;
    const struct tma_statement *compute = &kernel->statements[index];
    const struct tma_statement *load = &kernel->statements[compute->consumer.operation];
    uint32_t depth = load->ring == TMA_NO_RING ? 1 : kernel->rings[load->ring].depth;
    struct tma_consumer_report *reports = tma_allocate(depth, sizeof *reports);
    if (reports == NULL) {
        tma_simulation_out_of_memory(&engine->simulation);
        return TMA_ERROR_MEMORY;
    }
    engine->facts[index].reports = reports;
    engine->facts[index].consumer = number;
    for (uint32_t s = 0; s < depth; s++) {
        struct tma_tile tile;
        struct tma_error error;
        enum tma_error_code code = tma_statement_tile(kernel, load, s, &tile, &error);
        if (code == TMA_OK)
            code = tma_consumer_check(&compute->consumer, &tile, &error);
        if (code != TMA_OK) {
            engine->failed = compute;
            tma_simulation_fail(&engine->simulation, code, error.text);
            return code;
        }
        reports[s] = tma_consumer_measure(&compute->consumer, &tile);
        reports[s].wavefronts = tma_relieved_wavefronts(kernel->relieved.wavefronts, &reports[s]);
    }
    if (number < TMA_MAX_CONSUMERS)
        engine->result->consumers[number].tile = reports[0];
    return TMA_OK;
}

enum tma_error_code tma_kernel_find_facts(struct tma_kernel_engine *engine) {
    const struct tma_kernel *kernel = engine->kernel;
    enum tma_error_code code = TMA_OK;
    uint32_t consumers = 0;
    for (uint32_t i = 0; i < kernel->statement_count && code == TMA_OK; i++) {
        const struct tma_statement *statement = &kernel->statements[i];
        if (statement->kind == TMA_STATEMENT_OPERATION)
            code = find_operation(engine, i);
        else if (statement->kind == TMA_STATEMENT_COMPUTE && statement->work == TMA_WORK_CONSUMER)
            code = find_consumer(engine, i, consumers++);
    }
    for (uint32_t i = 0; i < kernel->statement_count && code == TMA_OK; i++) {
        int64_t bytes;
        if (kernel->statements[i].kind == TMA_STATEMENT_ACQUIRE)
            engine->facts[i].acquired_bytes = are_constant(engine, i, &bytes) ? bytes : -1;
    }
    return code;
}

/* Takes a free record of the pool. UINT32_MAX when out of memory. */
static uint32_t new_operation(struct tma_operation_pool *pool) {
    if (pool->free != UINT32_MAX) {
        uint32_t number = pool->free;
        pool->free = pool->items[number].next_free;
        return number;
    }
    struct tma_kernel_operation *items =
        tma_array_grow(pool->items, pool->count, &pool->capacity, sizeof *items);
    if (items == NULL)
        return UINT32_MAX;
    pool->items = items;
    return (uint32_t)pool->count++;
}

/* The stage that an operation of the role touches: the one that it acquired last for what it loads,
 * the current one for what it stores. False where it must not. */
static bool find_stage(struct tma_role_state *role, const struct tma_statement *statement,
                       uint32_t *stage) {
    const struct tma_ring_use *use = &role->rings[statement->ring];
    uint32_t depth = role->cursor.kernel->rings[statement->ring].depth;
    bool loads = statement->operation.direction == TMA_LOAD;
    if (loads || use->waited == 0) {
        if (use->acquired == 0) {
            tma_role_fail(role, statement, TMA_ERROR_FAULT,
                          loads ? "it loads into a stage that it has not acquired"
                                : "it stores from a stage that it has not waited for");
            return false;
        }
        *stage = (uint32_t)((use->acquired - 1) % depth);
        const struct tma_stage *filled = tma_stage_of(role->cta, statement->ring, *stage);
        if (!loads && filled->full_phases * depth < use->acquired - *stage &&
            filled->full_bytes != 0) {
            tma_role_fail(role, statement, TMA_ERROR_FAULT,
                          "it stores from a stage that is still being filled");
            return false;
        }
        return true;
    }
    *stage = (uint32_t)((use->waited - 1) % depth);
    if (use->released == use->waited && !role->cta->rings[statement->ring].never_released) {
        tma_role_fail(role, statement, TMA_ERROR_FAULT,
                      "it stores from a stage that it has released");
        return false;
    }
    return true;
}

/* The phase of the stage's full mbarrier on which a load completes. */
static uint64_t fill_phase(const struct tma_role_state *role,
                           const struct tma_statement *statement) {
    if (statement->operation.direction != TMA_LOAD)
        return 0;
    return (role->rings[statement->ring].acquired - 1) /
           role->cursor.kernel->rings[statement->ring].depth;
}

/* The load will complete on mbarriers of the CTAs that get its tile. */
static void expect_load(const struct tma_role_state *role,
                        const struct tma_kernel_operation *operation) {
    struct tma_kernel_cta *cta = role->cta;
    uint32_t mask = operation->operation.cta_mask;
    if (operation->statement->operation.direction != TMA_LOAD)
        return;
    for (mask = mask == 0 ? 1u << cta->rank : mask; mask != 0; mask &= mask - 1)
        tma_stage_load(&cta->cluster->ctas[__builtin_ctz(mask)], operation->statement->ring,
                       operation->stage, operation->phase);
}

uint64_t tma_role_issue(struct tma_role_state *role, const struct tma_statement *statement) {
    struct tma_kernel_cta *cta = role->cta;
    struct tma_kernel_engine *engine = cta->engine;
    const struct tma_kernel *kernel = engine->kernel;
    struct tma_operation_pool *pool = &engine->pools[role->number];
    uint32_t stage = 0;
    struct tma_error error;
    if (statement->ring != TMA_NO_RING && statement->operation.direction != TMA_PREFETCH &&
        !find_stage(role, statement, &stage))
        return 0;
    uint32_t index = new_operation(pool);
    if (index == UINT32_MAX) {
        tma_simulation_out_of_memory(&engine->simulation);
        return 0;
    }
    struct tma_kernel_operation *operation = &pool->items[index];
    *operation = (struct tma_kernel_operation){.role = role,
                                               .statement = statement,
                                               .stage = stage,
                                               .number = role->operations++,
                                               .cta = cta->number,
                                               .left = 1,
                                               .group = role->groups_committed};
    if (!tma_statement_operation(kernel, statement, tma_cursor_place(&role->cursor)->variables,
                                 &operation->operation, &operation->map_index, &error)) {
        tma_role_fail(role, statement, error.code, error.text);
        return 0;
    }
    if (statement->operation.direction != TMA_PREFETCH)
        operation->operation.shared_address +=
            statement->ring != TMA_NO_RING ? kernel->rings[statement->ring].shared_offset +
                                                 stage * kernel->rings[statement->ring].stage_bytes
                                           : kernel->buffers[statement->buffer].shared_offset;
    if (tma_writes_tensor(statement->operation.direction)) {
        role->groups[role->groups_committed % TMA_MAX_GROUPS].pending++;
        role->group_open = true;
    }
    if (statement->operation.direction != TMA_PREFETCH) {
        operation->phase = fill_phase(role, statement);
        tma_race_issue(role, operation, engine->facts[index_of(kernel, statement)].footprint_bytes);
        expect_load(role, operation);
        cta->in_flight++;
    }
    if (++engine->issued_operations > TMA_MAX_KERNEL_OPERATIONS && !kernel->unbounded)
        tma_role_fail(role, statement, TMA_ERROR_ARGUMENT, "more than 10^9 operations");
    struct tma_queued_issue issue = {.cycle = role->cycle,
                                     .sm = cta->sm->number,
                                     .slot = role->number,
                                     .number = operation->number,
                                     .record = index};
    if (!tma_issue_queue_push(&engine->simulation.issues, &issue))
        tma_simulation_out_of_memory(&engine->simulation);
    return engine->machine.warp.issue_cycles;
}

static void fault(struct tma_kernel_operation *operation, uint64_t cycle, enum tma_error_code code,
                  const char *text) {
    struct tma_kernel_engine *engine = operation->role->cta->engine;
    char message[TMA_ERROR_TEXT_BYTES];
    snprintf(message, sizeof message, "cycle %" PRIu64 ", CTA %u, role %s, operation %u: %.300s",
             cycle, operation->cta, engine->kernel->roles[operation->role->index].name,
             operation->number, text);
    if (engine->simulation.code == TMA_OK)
        engine->failed = operation->statement;
    tma_simulation_fail(&engine->simulation, code, message);
}

void tma_kernel_hand_over(struct tma_kernel_engine *engine, const struct tma_queued_issue *issue) {
    const struct tma_kernel *kernel = engine->kernel;
    struct tma_role_state *role = &engine->roles[issue->slot];
    struct tma_kernel_cta *cta = role->cta;
    struct tma_kernel_operation *operation = &engine->pools[role->number].items[issue->record];
    const struct tma_statement *statement = operation->statement;
    struct tma_tensor_map map = kernel->maps[statement->map];
    struct tma_row_stream rows;
    struct tma_operation_size size;
    struct tma_error error;
    map.global_address += kernel->arrays[statement->map].pitch_bytes * operation->map_index;
    enum tma_error_code code = tma_rows_begin(&rows, &map, &operation->operation, &size, &error);
    if (code != TMA_OK) {
        fault(operation, issue->cycle, code, error.text);
        return;
    }
    uint32_t copies[TMA_MAX_CLUSTER], copy_count = 0, mask = operation->operation.cta_mask;
    /* A multicast load that leaves out the CTA that issues it is simulated as one that does not:
     * its bytes then complete nothing there. */
    for (uint32_t left = mask & ~(1u << cta->rank); left != 0; left &= left - 1)
        copies[copy_count++] = cta->cluster->ctas[__builtin_ctz(left)].sm->number;
    operation->left = 1 + copy_count;
    struct tma_issue request = {
        .cycle = issue->cycle,
        .tag = (uint64_t)role->number << 32 | issue->record,
        .sm = issue->sm,
        .direction = statement->operation.direction,
        .warp = issue->slot % 256,
        .map = &map,
        .descriptor = tma_kernel_descriptor(kernel, statement->map, operation->map_index),
        .rows = &rows,
        .size = &size,
        .copies = copies,
        .copy_count = copy_count};
    if (!tma_memory_issue(engine->simulation.memory, &request))
        tma_simulation_out_of_memory(&engine->simulation);
    operation->window =
        tma_trace_issue(&engine->simulation.tracer, issue->cycle,
                        (struct tma_event_source){issue->sm, operation->cta, role->index},
                        operation->number, statement->map);
}

/* A store of the role has completed, as its warp sees at `cycle`. */
static void complete_store(struct tma_role_state *role, uint64_t group, uint64_t cycle) {
    struct tma_store_group *stores = &role->groups[group % TMA_MAX_GROUPS];
    assert(stores->pending > 0);
    stores->pending--;
    if (cycle > stores->cycle)
        stores->cycle = cycle;
    /* A role waits for the last store of a group. */
    if (role->phase == TMA_ROLE_WAITS_STORES && stores->pending == 0)
        tma_actor_signal(&role->cta->engine->simulation.actors, role->number);
}

void tma_kernel_complete(struct tma_kernel_engine *engine, const struct tma_completion *completion,
                         uint64_t cycle) {
    uint32_t index = (uint32_t)completion->tag;
    struct tma_operation_pool *pool = &engine->pools[completion->tag >> 32];
    struct tma_kernel_operation *operation = &pool->items[index];
    struct tma_role_state *role = operation->role;
    const struct tma_statement *statement = operation->statement;
    struct tma_kernel_cta *issuer = role->cta, *cta = issuer;
    enum tma_direction direction = statement->operation.direction;
    tma_account_completion(&engine->simulation.accounting, direction, completion);
    if (completion->copied)
        for (cta = issuer->cluster->ctas; cta->sm->number != completion->sm;)
            cta++;
    const struct tma_event_source source = {
        completion->sm, cta == issuer ? operation->cta : cta->number, role->index};
    tma_observe_completion(&engine->simulation.observer, source, direction, completion);
    if (tma_tracer_is_on(&engine->simulation.tracer))
        tma_trace_completion(
            &engine->simulation.tracer, completion, source, operation->number, operation->window,
            tma_kernel_descriptor(engine->kernel, statement->map, operation->map_index));
    uint32_t mask = operation->operation.cta_mask;
    if (direction == TMA_LOAD && (mask == 0 || (mask >> cta->rank & 1) != 0))
        tma_stage_complete(cta, statement->ring, operation->stage, operation->phase,
                           completion->bytes, cycle);
    if (tma_writes_tensor(direction))
        complete_store(role, operation->group, cycle);
    if (--operation->left > 0)
        return;
    operation->next_free = pool->free;
    pool->free = index;
    if (direction != TMA_PREFETCH)
        tma_kernel_end_operation(issuer, cycle);
}
