#include "engine/roles/kernel_first_tiles.h"

#include <string.h>

#include "engine/roles/program_cursor.h"
#include "engine/roles/statement_operation.h"

/* Statements of a role that are looked at: its first times around. */
enum { MOST_STEPS = 100000 };

/* The operations so far, in the order of their statements. */
struct found {
    const struct tma_kernel *kernel;
    struct tma_workload *workload;
    uint32_t statements[TMA_MAX_STAGE_OPERATIONS]; /* by operation of the workload */
};

/* The number of the operation of a statement, or of the first one behind it. */
static uint32_t number_of(const struct found *found, uint32_t statement) {
    uint32_t number = 0;
    while (number < found->workload->operation_count && found->statements[number] < statement)
        number++;
    return number;
}

static bool has(const struct found *found, uint32_t number, uint32_t statement) {
    return number < found->workload->operation_count && found->statements[number] == statement;
}

static uint32_t shared_offset(const struct tma_kernel *kernel,
                              const struct tma_statement *statement) {
    if (statement->operation.direction == TMA_PREFETCH)
        return 0;
    return statement->ring != TMA_NO_RING ? kernel->rings[statement->ring].shared_offset
                                          : kernel->buffers[statement->buffer].shared_offset;
}

/* Makes room for operation `number`; the last one goes where there is none left. */
static void make_room(struct found *found, uint32_t number) {
    struct tma_workload *workload = found->workload;
    if (workload->operation_count < TMA_MAX_STAGE_OPERATIONS)
        workload->operation_count++;
    for (uint32_t i = workload->operation_count - 1; i > number; i--) {
        workload->operations[i] = workload->operations[i - 1];
        found->statements[i] = found->statements[i - 1];
    }
}

/* The CTA executes an operation: it counts where this is the first time. */
static enum tma_error_code add_operation(struct found *found, struct tma_program_cursor *cursor,
                                         struct tma_error *error) {
    const struct tma_kernel *kernel = found->kernel;
    const struct tma_statement *statement = cursor->statement;
    uint32_t index = (uint32_t)(statement - kernel->statements), number = number_of(found, index);
    struct tma_stage_operation stage = {
        .map = statement->map,
        .walk = {.order = TMA_WALK_FIXED, .tiles = {1, 1, 1, 1, 1}},
    };
    uint32_t map_index;
    if (has(found, number, index) || number == TMA_MAX_STAGE_OPERATIONS)
        return TMA_OK;
    if (!tma_statement_operation(kernel, statement, tma_cursor_place(cursor)->variables,
                                 &stage.operation, &map_index, error))
        return error->code;
    stage.operation.shared_address += shared_offset(kernel, statement);
    memcpy(stage.walk.start, stage.operation.coordinates, sizeof stage.walk.start);
    make_room(found, number);
    found->workload->operations[number] = stage;
    found->statements[number] = index;
    return TMA_OK;
}

static enum tma_error_code walk_role(struct found *found, uint32_t role, struct tma_error *error) {
    struct tma_program_cursor cursor;
    enum tma_cursor_state state = TMA_CURSOR_STATEMENT;
    enum tma_error_code code = TMA_OK;
    tma_cursor_begin(&cursor, found->kernel, role, 0);
    while (code == TMA_OK && cursor.steps < MOST_STEPS &&
           (state = tma_cursor_next_statement(&cursor)) == TMA_CURSOR_STATEMENT)
        if (cursor.statement->kind == TMA_STATEMENT_OPERATION)
            code = add_operation(found, &cursor, error);
    return state == TMA_CURSOR_FAILED ? tma_fail(error, cursor.code, "role %s: %s",
                                                 found->kernel->roles[role].name, cursor.error.text)
                                      : code;
}

static void add_consumers(const struct found *found) {
    struct tma_workload *workload = found->workload;
    for (uint32_t i = 0; i < found->kernel->statement_count; i++) {
        const struct tma_statement *statement = &found->kernel->statements[i];
        if (statement->kind != TMA_STATEMENT_COMPUTE || statement->work != TMA_WORK_CONSUMER ||
            workload->consumer_count == TMA_MAX_CONSUMERS)
            continue;
        uint32_t number = number_of(found, statement->consumer.operation);
        if (!has(found, number, statement->consumer.operation))
            continue;
        struct tma_consumer *consumer = &workload->consumers[workload->consumer_count++];
        *consumer = statement->consumer;
        consumer->operation = number;
    }
}

enum tma_error_code tma_kernel_first_tiles(const struct tma_kernel *kernel,
                                           struct tma_workload *workload, struct tma_error *error) {
    struct found found = {.kernel = kernel, .workload = workload};
    enum tma_error_code code = TMA_OK;
    workload->operation_count = workload->consumer_count = 0;
    workload->cta_count = workload->iterations = workload->depth = 1;
    workload->stage_bytes = kernel->shared_bytes;
    workload->shared_base_bytes = 0;
    for (uint32_t role = 0; role < kernel->role_count && code == TMA_OK; role++)
        code = walk_role(&found, role, error);
    if (code == TMA_OK)
        add_consumers(&found);
    return code;
}
