#include "engine/roles/kernel_operation.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/allocation.h"
#include "engine/lane_accesses.h"
#include "engine/relieved_wavefronts.h"
#include "engine/roles/kernel_race.h"
#include "engine/roles/kernel_state.h"
#include "engine/roles/statement_operation.h"
#include "placement/rows.h"

static uint32_t index_of(const struct tma_kernel *kernel, const struct tma_statement *statement) {
    return (uint32_t)(statement - kernel->statements);
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
        case TMA_STATEMENT_EXCHANGE:
            if (statement->ring != ring || !tma_statement_sends(statement))
                break;
            if (!tma_value_at(&statement->peer, variables, &value, error) ||
                !tma_exchanged_bytes(statement, variables, &limit, error))
                return false;
            *bytes += value == to ? limit : 0;
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
        case TMA_STATEMENT_TILES:
        case TMA_STATEMENT_AHEAD:
        TMA_PLAIN_STATEMENTS:
        case TMA_STATEMENT_EXIT:
        case TMA_STATEMENT_KIND_COUNT:
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
    for (uint32_t from = 0; from < engine->simulation.cluster_ctas; from++) {
        bool done = false;
        for (uint32_t v = 0; v < TMA_MAX_VARIABLES; v++)
            variables[v] = place->variables[v];
        variables[TMA_VARIABLE_RANK] = from;
        variables[TMA_VARIABLE_CTA] += (int64_t)from - cta->base.rank;
        if (!add_bytes(engine, index + 1, end, acquire->ring, from, cta->base.rank, variables,
                       &bytes, &done, &error)) {
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
            statement->kind == TMA_STATEMENT_TILES ||
            (statement->ring == ring && tma_statement_sends(statement)))
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
    const struct tma_tensor_map *map = &kernel->maps[statement->map];
    tma_go_inside_box(map, &operation);
    enum tma_error_code code = tma_rows_begin(&rows, map, &operation, &size, &error);
    if (code != TMA_OK) {
        engine->failed = statement;
        tma_simulation_fail(&engine->simulation, code, error.text);
        return code;
    }
    engine->facts[index].bytes = size.transaction_bytes;
    engine->facts[index].footprint_bytes = size.shared_footprint_bytes;
    engine->facts[index].pieces = tma_statement_pieces(kernel, statement);
    if (tma_lanes_carry(statement->lanes.by))
        engine->facts[index].instructions = tma_lane_instructions(&statement->lanes, &size);
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

/* The stage that an operation of the role touches: the one that it acquired last for what it loads,
 * the current one for what it stores. False where it must not. */
static bool find_stage(struct tma_role_state *role, const struct tma_statement *statement,
                       uint32_t *stage) {
    const struct tma_ring_use *use = &role->rings[statement->ring];
    uint32_t depth = role->cursor.kernel->rings[statement->ring].depth;
    bool loads = statement->operation.direction == TMA_LOAD;
    if (loads || use->waited == 0) {
        if (use->acquired == 0)
            return tma_role_fail(role, statement, TMA_ERROR_FAULT,
                                 loads ? "it loads into a stage that it has not acquired"
                                       : "it stores from a stage that it has not waited for");
        *stage = (uint32_t)((use->acquired - 1) % depth);
        const struct tma_stage *filled = tma_stage_of(role->cta, statement->ring, *stage);
        if (!loads && filled->full_phases * depth < use->acquired - *stage &&
            filled->full_bytes != 0)
            return tma_role_fail(role, statement, TMA_ERROR_FAULT,
                                 "it stores from a stage that is still being filled");
        return true;
    }
    *stage = (uint32_t)((use->waited - 1) % depth);
    if (use->released == use->waited && !role->cta->rings[statement->ring].never_released)
        return tma_role_fail(role, statement, TMA_ERROR_FAULT,
                             "it stores from a stage that it has released");
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
    uint32_t mask = operation->base.operation.cta_mask;
    if (operation->statement->operation.direction != TMA_LOAD)
        return;
    for (mask = mask == 0 ? 1u << cta->base.rank : mask; mask != 0; mask &= mask - 1)
        tma_stage_load(&cta->cluster->ctas[__builtin_ctz(mask)], operation->statement->ring,
                       operation->stage, operation->phase);
}

/* Fills in the coordinates of an operation, and of one of its pieces the row. False where the run
 * stops. */
static bool find_coordinates(struct tma_role_state *role, const struct tma_statement *statement,
                             uint32_t piece, struct tma_issued *issued) {
    const struct tma_kernel *kernel = role->cursor.kernel;
    const int64_t *variables = tma_cursor_place(&role->cursor)->variables;
    struct tma_error error;
    if (!tma_statement_operation(kernel, statement, variables, &issued->operation,
                                 &issued->map_index, &error) ||
        !tma_value_at(&statement->entry, variables, &issued->entry, &error))
        return tma_role_fail(role, statement, error.code, error.text);
    if (statement->lanes.by != TMA_BY_BULK)
        return true; /* lanes have all rows of the tile */
    if (statement->lanes.rows == NULL) {
        issued->operation.coordinates[1] += (int32_t)piece;
    } else if (tma_lane_row_at(&statement->lanes, issued->entry + piece,
                               &issued->operation.coordinates[1], &error) != TMA_OK) {
        return tma_role_fail(role, statement, error.code, error.text);
    }
    const struct tma_statement_facts *facts =
        &role->cta->engine->facts[index_of(kernel, statement)];
    issued->operation.shared_address += piece * (facts->footprint_bytes / facts->pieces);
    return true;
}

static bool issue_piece(struct tma_role_state *role, const struct tma_statement *statement,
                        uint32_t stage, uint32_t piece) {
    struct tma_kernel_cta *cta = role->cta;
    struct tma_kernel_engine *engine = cta->engine;
    const struct tma_kernel *kernel = engine->kernel;
    const struct tma_statement_facts *facts = &engine->facts[index_of(kernel, statement)];
    enum tma_direction direction = statement->operation.direction;
    bool in_registers = statement->lanes.by == TMA_BY_WARPS;
    struct tma_kernel_operation *operation = tma_operation_new(&cta->base, role->number);
    if (operation == NULL)
        return false;
    struct tma_issued *issued = &operation->base;
    operation->statement = statement;
    operation->stage = stage;
    operation->group = tma_statement_reads(statement) ? role->reads_issued : role->groups_committed;
    issued->number = role->operations++;
    issued->place = tma_role_span_place(role, TMA_ROLE_ISSUE);
    issued->map = statement->map;
    issued->slot = role->index;
    issued->warp = role->number % 256;
    issued->cta_stays = in_registers ? tma_statement_reads(statement) : direction != TMA_PREFETCH;
    issued->lanes = statement->lanes;
    issued->one_row = facts->pieces > 1;
    if (!find_coordinates(role, statement, piece, issued))
        return false;
    if (direction != TMA_PREFETCH && !in_registers)
        issued->operation.shared_address +=
            statement->ring != TMA_NO_RING ? kernel->rings[statement->ring].shared_offset +
                                                 stage * kernel->rings[statement->ring].stage_bytes
                                           : kernel->buffers[statement->buffer].shared_offset;
    if (tma_writes_tensor(direction) && !in_registers) {
        role->groups[role->groups_committed % TMA_MAX_GROUPS].pending++;
        role->group_open = true;
    }
    if (direction != TMA_PREFETCH && !in_registers) {
        operation->phase = fill_phase(role, statement);
        tma_race_issue(role, operation, facts->footprint_bytes / facts->pieces);
        expect_load(role, operation);
    }
    if (++engine->issued_operations > TMA_MAX_KERNEL_OPERATIONS && !kernel->unbounded)
        tma_role_fail(role, statement, TMA_ERROR_ARGUMENT, "more than 10^9 operations");
    tma_operation_issue(&cta->base, issued, role->cycle);
    return true;
}

uint64_t tma_role_lane_cycles(const struct tma_role_state *role, uint64_t instructions) {
    const struct tma_kernel_engine *engine = role->cta->engine;
    uint32_t warps = engine->kernel->roles[role->index].warps;
    uint32_t schedulers = warps < TMA_SCHEDULERS ? warps : TMA_SCHEDULERS;
    return (instructions + schedulers - 1) / schedulers * engine->machine.core.lsu_cycles;
}

bool tma_role_begin_read(struct tma_role_state *role, const struct tma_statement *statement) {
    while (role->reads_complete < role->reads_issued &&
           role->reads[role->reads_complete % TMA_MAX_GROUPS].pending == 0)
        role->reads_complete++;
    if (role->reads_issued - role->reads_complete >= TMA_MAX_GROUPS)
        return tma_role_fail(role, statement, TMA_ERROR_UNSUPPORTED,
                             "more loads of warps in flight than the model follows");
    role->reads[role->reads_issued % TMA_MAX_GROUPS] = (struct tma_store_group){1, 0};
    return true;
}

uint64_t tma_role_issue(struct tma_role_state *role, const struct tma_statement *statement) {
    struct tma_kernel_engine *engine = role->cta->engine;
    const struct tma_statement_facts *facts = &engine->facts[index_of(engine->kernel, statement)];
    uint32_t stage = 0;
    if (statement->ring != TMA_NO_RING && statement->operation.direction != TMA_PREFETCH &&
        !find_stage(role, statement, &stage))
        return 0;
    if (tma_statement_reads(statement) && !tma_role_begin_read(role, statement))
        return 0;
    for (uint32_t piece = 0; piece < facts->pieces; piece++)
        if (!issue_piece(role, statement, stage, piece))
            return 0;
    role->reads_issued += tma_statement_reads(statement);
    if (tma_lanes_carry(statement->lanes.by))
        return tma_role_lane_cycles(role, facts->instructions);
    /* The lanes of a warp issue their copies one after the other. */
    return (uint64_t)facts->pieces * engine->machine.warp.issue_cycles;
}

void tma_role_describe_operation(struct tma_simulation *simulation,
                                 const struct tma_issued *operation, char *text, size_t size) {
    struct tma_kernel_engine *engine = tma_kernel_engine_of(simulation);
    if (engine->failed == NULL)
        engine->failed = ((const struct tma_kernel_operation *)operation)->statement;
    snprintf(text, size, "CTA %u, role %s", operation->cta,
             engine->kernel->roles[operation->slot].name);
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

/* A load into registers of the role is complete. */
static void complete_read(struct tma_role_state *role, uint64_t number, uint64_t cycle) {
    struct tma_store_group *read = &role->reads[number % TMA_MAX_GROUPS];
    assert(read->pending > 0);
    read->pending--;
    read->cycle = cycle;
    if (role->phase == TMA_ROLE_WAITS_LOADS)
        tma_actor_signal(&role->cta->engine->simulation.actors, role->number);
}

void tma_role_complete(struct tma_simulation *simulation, struct tma_issued *issued,
                       struct tma_cta *base, const struct tma_completion *completion,
                       uint64_t cycle) {
    const struct tma_kernel_operation *operation = (struct tma_kernel_operation *)issued;
    struct tma_kernel_cta *cta = (struct tma_kernel_cta *)base;
    struct tma_role_state *role = &tma_kernel_engine_of(simulation)->roles[issued->actor];
    if (tma_statement_sends(operation->statement)) {
        tma_stage_complete(cta, operation->statement->ring, operation->stage, operation->phase,
                           completion->bytes, cycle);
        return;
    }
    enum tma_direction direction = issued->operation.direction;
    uint32_t mask = issued->operation.cta_mask;
    if (issued->lanes.by == TMA_BY_WARPS) {
        if (tma_statement_reads(operation->statement))
            complete_read(role, operation->group, completion->cycle);
        return;
    }
    if (issued->lanes.by == TMA_BY_CP_ASYNC) /* the lanes' arrival follows their copies */
        cycle += simulation->machine->warp.arrive_latency_cycles;
    if (direction == TMA_LOAD && (mask == 0 || (mask >> base->rank & 1) != 0))
        tma_stage_complete(cta, operation->statement->ring, operation->stage, operation->phase,
                           completion->bytes, cycle);
    if (tma_writes_tensor(direction))
        complete_store(role, operation->group, cycle);
}
