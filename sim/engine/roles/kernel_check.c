#include "engine/roles/kernel_check.h"

#include <inttypes.h>
#include <stdio.h>

#include "engine/roles/mma.h"
#include "engine/roles/program_cursor.h"
#include "engine/roles/statement_operation.h"
#include "engine/slots/workload_check.h"
#include "memory/core/address_map.h"
#include "memory/topology.h"
#include "placement/rows.h"

/* Statements that the check walks through to count what one CTA does. */
#define MOST_STEPS UINT64_C(2000000)

struct checker {
    const struct tma_machine *machine;
    const struct tma_kernel *kernel;
    struct tma_kernel_place place;
    bool misused; /* its statements do together what they must not */
    struct tma_error *error;
};

static void at_statement(struct checker *checker, const struct tma_statement *statement) {
    checker->place = (struct tma_kernel_place){statement->line, statement->column, NULL};
}

static void at_ring(struct checker *checker, const struct tma_ring *ring) {
    checker->place = (struct tma_kernel_place){ring->line, ring->column, NULL};
}

static void at_key(struct checker *checker, const char *key) {
    checker->place = (struct tma_kernel_place){0, 0, key};
}

static enum tma_error_code check_counts(struct checker *checker) {
    const struct tma_kernel *kernel = checker->kernel;
    uint32_t maps = 0, cluster = tma_kernel_cluster_ctas(kernel);
    if (kernel->cta_count == 0)
        return tma_fail(checker->error, TMA_ERROR_ARGUMENT, "a grid of 0 CTAs; allowed: 1 or more");
    if (kernel->role_count == 0 || kernel->role_count > TMA_MAX_ROLES)
        return tma_fail(checker->error, TMA_ERROR_ARGUMENT, "%u roles; allowed: 1 to %d",
                        kernel->role_count, TMA_MAX_ROLES);
    for (uint32_t i = 0; i < kernel->map_count; i++)
        maps += tma_array_maps(&kernel->arrays[i]);
    if (maps >= TMA_MAX_DESCRIPTORS)
        return tma_fail(checker->error, TMA_ERROR_ARGUMENT, "more than %d tensor maps",
                        TMA_MAX_DESCRIPTORS - 1);
    if (cluster > TMA_MAX_CLUSTER || (cluster & (cluster - 1)) != 0 ||
        kernel->cta_count % cluster != 0)
        return tma_fail(checker->error, TMA_ERROR_ARGUMENT,
                        "clusters of %u CTAs in a grid of %u; allowed: 1, 2, 4, 8 and 16, of which "
                        "the grid is a multiple",
                        cluster, kernel->cta_count);
    if (kernel->sm_count > checker->machine->sm_count)
        return tma_fail(checker->error, TMA_ERROR_ARGUMENT, "%u SMs; allowed: 1 to %u",
                        kernel->sm_count, checker->machine->sm_count);
    for (uint32_t i = 0; i < kernel->ring_count; i++) {
        if (kernel->rings[i].depth >= 1 && kernel->rings[i].depth <= TMA_MAX_RING_DEPTH)
            continue;
        at_ring(checker, &kernel->rings[i]);
        return tma_fail(checker->error, TMA_ERROR_ARGUMENT,
                        "ring %s has %u stages; allowed: 1 to %d", kernel->rings[i].name,
                        kernel->rings[i].depth, TMA_MAX_RING_DEPTH);
    }
    return TMA_OK;
}

static enum tma_error_code check_occupancy(struct checker *checker) {
    const struct tma_machine *machine = checker->machine;
    const struct tma_kernel *kernel = checker->kernel;
    uint32_t threads = tma_kernel_threads(kernel), fit = tma_kernel_ctas_per_sm(machine, kernel);
    at_key(checker, "roles");
    if (threads > machine->sm.cta_threads)
        return tma_fail(checker->error, TMA_ERROR_ARGUMENT,
                        "the roles of a CTA have %u threads; the machine allows %u", threads,
                        machine->sm.cta_threads);
    at_key(checker, "rings");
    if (kernel->shared_bytes > machine->shared_memory_cta_bytes)
        return tma_fail(checker->error, TMA_ERROR_ARGUMENT,
                        "a CTA takes %u bytes of shared memory; the machine allows %u",
                        kernel->shared_bytes, machine->shared_memory_cta_bytes);
    at_key(checker, "registers");
    if (fit == 0)
        return tma_fail(checker->error, TMA_ERROR_ARGUMENT,
                        "no CTA fits on an SM: %u threads of %u registers; the SM has %u registers",
                        threads, kernel->registers, machine->sm.registers);
    at_key(checker, "ctas_per_sm");
    if (kernel->ctas_per_sm > fit)
        return tma_fail(checker->error, TMA_ERROR_ARGUMENT,
                        "%u CTAs on an SM; with %u threads, %u registers a thread and %u bytes of "
                        "shared memory, %u fit",
                        kernel->ctas_per_sm, threads, kernel->registers, kernel->shared_bytes, fit);
    return TMA_OK;
}

/* Keeps the first report. */
static void report_use(void *context, const struct tma_kernel_place *place, const char *text) {
    struct checker *checker = context;
    if (checker->misused)
        return;
    checker->misused = true;
    checker->place = *place;
    tma_fail(checker->error, TMA_ERROR_ARGUMENT, "%s", text);
}

static enum tma_error_code check_use(struct checker *checker) {
    at_key(checker, NULL);
    if (!tma_kernel_check_use(checker->kernel, report_use, checker))
        return tma_fail(checker->error, TMA_ERROR_MEMORY, "out of memory");
    return checker->misused ? TMA_ERROR_ARGUMENT : TMA_OK;
}

/* The shapes of wgmma (PTX ISA, 9.7.14: m64nNk16 and its kin), for types that it has: 64 rows, a
 * multiple of 8 columns, 32 bytes of K. A shape that varies is not checked. */
static enum tma_error_code check_mma(struct checker *checker, const struct tma_statement *statement,
                                     const struct tma_role *owner) {
    static const char *const names[] = {"m", "n", "k"};
    if (statement->type == TMA_MMA_FP64) /* mma.sync, in smaller steps */
        return tma_mma_check_operands(checker->kernel, statement, checker->error);
    if (statement->type == TMA_MMA_NIBBLE && checker->machine->sm.mma_nibble == 0)
        return tma_fail(
            checker->error, TMA_ERROR_ARGUMENT,
            "the tensor cores of %s multiply no 4-bit types (sm.mma_nibble); expected a "
            "type of 8 bits or more, or another gpu",
            checker->machine->name);
    if (owner->warps % TMA_WARP_GROUP_WARPS != 0)
        return tma_fail(checker->error, TMA_ERROR_ARGUMENT,
                        "role %s multiplies with %u warps; a wgmma is executed by warp groups: "
                        "expected a multiple of %d",
                        owner->name, owner->warps, TMA_WARP_GROUP_WARPS);
    const int64_t units[] = {TMA_MMA_ROWS, TMA_MMA_COLUMN_STEP,
                             TMA_MMA_K_BYTES * 8 / tma_mma_element_bits(statement->type)};
    for (int i = 0; i < 3; i++) {
        int64_t value;
        if (tma_value_is_constant(&statement->amount[i], &value) &&
            (value < 0 || value % units[i] != 0))
            return tma_fail(checker->error, TMA_ERROR_ARGUMENT,
                            "%s of the mma is %lld; expected a multiple of %lld, as wgmma has it",
                            names[i], (long long)value, (long long)units[i]);
    }
    return tma_mma_check_operands(checker->kernel, statement, checker->error);
}

static enum tma_error_code check_statement(struct checker *checker, uint32_t index, uint32_t role) {
    const struct tma_kernel *kernel = checker->kernel;
    const struct tma_statement *statement = &kernel->statements[index];
    at_statement(checker, statement);
    if (statement->kind >= TMA_STATEMENT_KIND_COUNT || statement->end <= index ||
        statement->end > kernel->roles[role].end)
        return tma_fail(checker->error, TMA_ERROR_ARGUMENT, "statement %u has no proper end",
                        index);
    bool needs_ring =
        statement->kind == TMA_STATEMENT_ACQUIRE || statement->kind == TMA_STATEMENT_WAIT ||
        statement->kind == TMA_STATEMENT_RELEASE || statement->kind == TMA_STATEMENT_SIGNAL;
    if (needs_ring ? statement->ring >= kernel->ring_count
                   : statement->kind == TMA_STATEMENT_OPERATION && statement->ring != TMA_NO_RING &&
                         statement->ring >= kernel->ring_count)
        return tma_fail(checker->error, TMA_ERROR_ARGUMENT, "ring %u of %u", statement->ring,
                        kernel->ring_count);
    if (statement->kind == TMA_STATEMENT_BARRIER && statement->barrier >= kernel->barrier_count)
        return tma_fail(checker->error, TMA_ERROR_ARGUMENT, "barrier %u of %u", statement->barrier,
                        kernel->barrier_count);
    if (statement->kind == TMA_STATEMENT_COMPUTE && statement->work == TMA_WORK_MMA)
        return check_mma(checker, statement, &kernel->roles[role]);
    if (statement->kind != TMA_STATEMENT_OPERATION)
        return TMA_OK;
    if (statement->map >= kernel->map_count)
        return tma_fail(checker->error, TMA_ERROR_ARGUMENT, "tensor map %u of %u", statement->map,
                        kernel->map_count);
    if (statement->lanes.by == TMA_BY_WARPS)
        return TMA_OK;
    if (statement->ring == TMA_NO_RING && statement->operation.direction == TMA_LOAD)
        return tma_fail(checker->error, TMA_ERROR_ARGUMENT,
                        "a load fills a stage of a ring, on whose mbarrier it completes");
    if (statement->ring == TMA_NO_RING && tma_writes_tensor(statement->operation.direction) &&
        statement->buffer >= kernel->buffer_count)
        return tma_fail(checker->error, TMA_ERROR_ARGUMENT, "buffer %u of %u", statement->buffer,
                        kernel->buffer_count);
    return TMA_OK;
}

static enum tma_error_code check_depth(struct checker *checker, uint32_t role) {
    const struct tma_kernel *kernel = checker->kernel;
    uint32_t ends[TMA_MAX_LOOP_DEPTH], depth = 0;
    for (uint32_t i = kernel->roles[role].first; i < kernel->roles[role].end; i++) {
        while (depth > 0 && ends[depth - 1] <= i)
            depth--;
        if (kernel->statements[i].end == i + 1)
            continue;
        if (depth == TMA_MAX_LOOP_DEPTH - 1) {
            at_statement(checker, &kernel->statements[i]);
            return tma_fail(checker->error, TMA_ERROR_ARGUMENT,
                            "more than %d loops and branches inside each other",
                            TMA_MAX_LOOP_DEPTH - 1);
        }
        ends[depth++] = kernel->statements[i].end;
    }
    return TMA_OK;
}

static void add_operation(const struct tma_kernel *kernel, const struct tma_statement *statement,
                          struct tma_cta_work *work) {
    work->operations += tma_statement_pieces(kernel, statement);
    work->bytes += tma_moved_bytes(&kernel->maps[statement->map], &statement->operation);
}

/* Walks through the programs of the first CTA. */
static enum tma_error_code walk_cta(struct checker *checker, struct tma_program_cursor *cursor,
                                    struct tma_cta_work *work) {
    const struct tma_kernel *kernel = checker->kernel;
    for (uint32_t role = 0; role < kernel->role_count; role++) {
        enum tma_cursor_state state = TMA_CURSOR_STATEMENT;
        tma_cursor_begin(cursor, kernel, role, 0);
        while (cursor->steps <= MOST_STEPS &&
               (state = tma_cursor_next_statement(cursor)) == TMA_CURSOR_STATEMENT)
            if (cursor->statement->kind == TMA_STATEMENT_OPERATION)
                add_operation(kernel, cursor->statement, work);
        if (state != TMA_CURSOR_FAILED)
            continue;
        if (cursor->statement != NULL)
            at_statement(checker, cursor->statement);
        return tma_fail(checker->error, cursor->code, "role %s: %s", kernel->roles[role].name,
                        cursor->error.text);
    }
    return TMA_OK;
}

enum tma_error_code tma_kernel_check_and_count(const struct tma_machine *machine,
                                               const struct tma_kernel *kernel,
                                               struct tma_cta_work *work,
                                               struct tma_kernel_place *place,
                                               struct tma_error *error) {
    struct checker checker = {.machine = machine, .kernel = kernel, .error = error};
    struct tma_program_cursor cursor;
    *work = (struct tma_cta_work){0};
    enum tma_error_code code = tma_maps_check(kernel->maps, kernel->map_count, error);
    if (code == TMA_OK)
        code = check_counts(&checker);
    if (code == TMA_OK)
        code = check_occupancy(&checker);
    for (uint32_t role = 0; code == TMA_OK && role < kernel->role_count; role++) {
        for (uint32_t i = kernel->roles[role].first; code == TMA_OK && i < kernel->roles[role].end;
             i++)
            code = check_statement(&checker, i, role);
        if (code == TMA_OK)
            code = check_depth(&checker, role);
    }
    if (code == TMA_OK)
        code = check_use(&checker);
    if (code == TMA_OK)
        code = tma_kernel_check_operations(kernel, "the option --yes of tmasim run", &checker.place,
                                           error);
    if (code == TMA_OK)
        code = walk_cta(&checker, &cursor, work);
    if (code != TMA_OK && place != NULL)
        *place = checker.place;
    return code;
}

enum tma_error_code tma_kernel_check(const struct tma_machine *machine,
                                     const struct tma_kernel *kernel,
                                     struct tma_kernel_place *place, struct tma_error *error) {
    struct tma_cta_work work;
    return tma_kernel_check_and_count(machine, kernel, &work, place, error);
}
