#include "engine/kernel_check.h"

#include <inttypes.h>
#include <stdio.h>

#include "engine/mma.h"
#include "engine/program_cursor.h"
#include "engine/workload_check.h"
#include "memory/core/address_map.h"
#include "memory/topology.h"
#include "placement/rows.h"

/* Statements that the check walks through to count what one CTA does. */
#define MOST_STEPS UINT64_C(2000000)

struct checker {
    const struct tma_machine *machine;
    const struct tma_kernel *kernel;
    struct tma_kernel_place place;
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

/* What the statements of one role do with one ring. */
struct ring_part {
    bool acquires, waits, releases, signals, loads;
};

static struct ring_part part_in(const struct tma_kernel *kernel, uint32_t role, uint32_t ring) {
    struct ring_part part = {0};
    for (uint32_t i = kernel->roles[role].first; i < kernel->roles[role].end; i++) {
        const struct tma_statement *statement = &kernel->statements[i];
        if (statement->ring != ring)
            continue;
        part.acquires |= statement->kind == TMA_STATEMENT_ACQUIRE;
        part.waits |= statement->kind == TMA_STATEMENT_WAIT;
        part.releases |= statement->kind == TMA_STATEMENT_RELEASE;
        part.signals |= statement->kind == TMA_STATEMENT_SIGNAL;
        part.loads |= statement->kind == TMA_STATEMENT_OPERATION &&
                      statement->operation.direction == TMA_LOAD;
    }
    return part;
}

/* The first statement of a kind for a ring in a role. */
static const struct tma_statement *find(const struct tma_kernel *kernel, uint32_t role,
                                        enum tma_statement_kind kind, uint32_t ring) {
    for (uint32_t i = kernel->roles[role].first; i < kernel->roles[role].end; i++)
        if (kernel->statements[i].kind == kind && kernel->statements[i].ring == ring)
            return &kernel->statements[i];
    return NULL;
}

static enum tma_error_code check_ring(struct checker *checker, uint32_t ring) {
    const struct tma_kernel *kernel = checker->kernel;
    const char *name = kernel->rings[ring].name;
    bool acquired = false;
    for (uint32_t role = 0; role < kernel->role_count; role++)
        acquired |= part_in(kernel, role, ring).acquires;
    for (uint32_t role = 0; role < kernel->role_count; role++) {
        struct ring_part part = part_in(kernel, role, ring);
        if (part.waits && !acquired) {
            at_statement(checker, find(kernel, role, TMA_STATEMENT_WAIT, ring));
            return tma_fail(checker->error, TMA_ERROR_ARGUMENT,
                            "role %s waits for stages of ring %s, which no role acquires and fills",
                            kernel->roles[role].name, name);
        }
        if (part.releases && !part.waits) {
            at_statement(checker, find(kernel, role, TMA_STATEMENT_RELEASE, ring));
            return tma_fail(checker->error, TMA_ERROR_ARGUMENT,
                            "role %s releases stages of ring %s, for which it does not wait",
                            kernel->roles[role].name, name);
        }
        if (part.loads && !part.acquires) {
            at_statement(checker, find(kernel, role, TMA_STATEMENT_OPERATION, ring));
            return tma_fail(checker->error, TMA_ERROR_ARGUMENT,
                            "role %s loads into ring %s, of which it acquires no stage",
                            kernel->roles[role].name, name);
        }
    }
    return TMA_OK;
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

static uint64_t saturating_product(uint64_t a, uint64_t b) {
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* How often a loop goes around in all CTAs together, on average: at least 1 where that depends on
 * variables. */
static uint64_t times_around(const struct tma_kernel *kernel,
                             const struct tma_statement *statement) {
    int64_t a, b;
    uint64_t steps = tma_loop_steps(statement);
    if (steps > 0)
        return steps;
    if (statement->kind == TMA_STATEMENT_TILES && statement->schedule != TMA_TILES_ONE &&
        tma_value_is_constant(&statement->tiles_m, &a) &&
        tma_value_is_constant(&statement->tiles_n, &b) && a > 0 && b > 0) {
        uint64_t tiles = saturating_product((uint64_t)a, (uint64_t)b) / kernel->cta_count;
        return tiles > 0 ? tiles : 1;
    }
    return 1;
}

/* Operations of one CTA in the statements from `first` to `end`; counts
 * loops by times_around. The operations of branches do not count. */
static uint64_t count_operations(const struct tma_kernel *kernel, uint32_t first, uint32_t end) {
    uint64_t sum = 0;
    for (uint32_t i = first; i < end; i = kernel->statements[i].end) {
        const struct tma_statement *statement = &kernel->statements[i];
        uint64_t count = statement->kind == TMA_STATEMENT_OPERATION;
        if (statement->end > i + 1 && statement->kind != TMA_STATEMENT_IF)
            count = saturating_product(times_around(kernel, statement),
                                       count_operations(kernel, i + 1, statement->end));
        if (__builtin_add_overflow(sum, count, &sum))
            return UINT64_MAX;
    }
    return sum;
}

static enum tma_error_code check_operations(struct checker *checker) {
    const struct tma_kernel *kernel = checker->kernel;
    uint64_t count = 0;
    at_key(checker, NULL);
    for (uint32_t role = 0; role < kernel->role_count; role++)
        if (__builtin_add_overflow(
                count, count_operations(kernel, kernel->roles[role].first, kernel->roles[role].end),
                &count))
            count = UINT64_MAX;
    count = saturating_product(count, kernel->cta_count);
    if (count > TMA_MAX_KERNEL_OPERATIONS && !kernel->unbounded)
        return tma_fail(checker->error, TMA_ERROR_ARGUMENT,
                        "more than 10^9 operations: %s%" PRIu64 " in all CTAs",
                        count == UINT64_MAX ? "at least " : "", count);
    return TMA_OK;
}

/* What one CTA does in its rings and barriers. */
struct cta_totals {
    uint64_t acquired[TMA_MAX_RINGS], waited[TMA_MAX_ROLES][TMA_MAX_RINGS];
    uint64_t released[TMA_MAX_RINGS]; /* by the role that releases least */
    struct tma_cta_work work;
    uint64_t arrivals[TMA_MAX_NAMED_BARRIERS];
    bool whole; /* the walk came to the end of all programs */
};

static void add_operation(const struct tma_kernel *kernel, const struct tma_statement *statement,
                          struct tma_cta_work *work) {
    work->operations++;
    work->bytes += tma_moved_bytes(&kernel->maps[statement->map], &statement->operation);
}

/* Walks through the programs of the first CTA; dynamic tiles are those of a persistent one. */
static enum tma_error_code walk_cta(struct checker *checker, struct tma_program_cursor *cursor,
                                    struct cta_totals *totals) {
    const struct tma_kernel *kernel = checker->kernel;
    totals->whole = true;
    for (uint32_t r = 0; r < kernel->ring_count; r++)
        totals->released[r] = UINT64_MAX;
    for (uint32_t role = 0; role < kernel->role_count; role++) {
        uint64_t released[TMA_MAX_RINGS] = {0};
        tma_cursor_begin(cursor, kernel, role, 0);
        for (bool more = true; more;) {
            const struct tma_statement *statement;
            if (cursor->steps > MOST_STEPS) {
                totals->whole = false;
                break;
            }
            switch (tma_cursor_next(cursor)) {
            case TMA_CURSOR_STATEMENT:
                statement = cursor->statement;
                if (statement->kind == TMA_STATEMENT_ACQUIRE)
                    totals->acquired[statement->ring]++;
                else if (statement->kind == TMA_STATEMENT_WAIT)
                    totals->waited[role][statement->ring]++;
                else if (statement->kind == TMA_STATEMENT_RELEASE)
                    released[statement->ring]++;
                else if (statement->kind == TMA_STATEMENT_OPERATION)
                    add_operation(kernel, statement, &totals->work);
                else if (statement->kind == TMA_STATEMENT_BARRIER)
                    totals->arrivals[statement->barrier]++;
                break;
            case TMA_CURSOR_TILE:
                tma_cursor_give_tile(cursor, cursor->tile_index * kernel->cta_count);
                break;
            case TMA_CURSOR_END:
                more = false;
                break;
            case TMA_CURSOR_FAILED:
                if (cursor->statement != NULL)
                    at_statement(checker, cursor->statement);
                return tma_fail(checker->error, cursor->code, "role %s: %s",
                                kernel->roles[role].name, cursor->error.text);
            }
        }
        for (uint32_t r = 0; r < kernel->ring_count; r++)
            if (part_in(kernel, role, r).releases && released[r] < totals->released[r])
                totals->released[r] = released[r];
    }
    return TMA_OK;
}

static enum tma_error_code check_totals(struct checker *checker, const struct cta_totals *totals) {
    const struct tma_kernel *kernel = checker->kernel;
    at_key(checker, NULL);
    if (!totals->whole)
        return TMA_OK;
    for (uint32_t r = 0; r < kernel->ring_count; r++) {
        const struct tma_ring *ring = &kernel->rings[r];
        if (totals->released[r] == UINT64_MAX && totals->acquired[r] > ring->depth) {
            at_ring(checker, ring);
            return tma_fail(checker->error, TMA_ERROR_ARGUMENT,
                            "ring %s has %u stages, of which a CTA acquires %" PRIu64
                            ", and no role releases one",
                            ring->name, ring->depth, totals->acquired[r]);
        }
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
    struct cta_totals totals = {.whole = true};
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
    for (uint32_t r = 0; code == TMA_OK && r < kernel->ring_count; r++)
        code = check_ring(&checker, r);
    if (code == TMA_OK)
        code = check_operations(&checker);
    if (code == TMA_OK)
        code = walk_cta(&checker, &cursor, &totals);
    if (code == TMA_OK)
        code = check_totals(&checker, &totals);
    *work = totals.work;
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
