#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "engine/roles/kernel_check.h"
#include "engine/roles/statement_operation.h"

/* How the roles use a ring: the first statement of each kind, or NONE. */
struct ring_use {
    uint32_t acquire, fill, wait, release;
};

enum { NONE = UINT32_MAX };

static struct ring_use use_of(const struct tma_kernel *kernel, uint32_t first, uint32_t end,
                              uint8_t ring) {
    struct ring_use use = {NONE, NONE, NONE, NONE};
    for (uint32_t i = end; i-- > first;) {
        const struct tma_statement *statement = &kernel->statements[i];
        if (statement->ring != ring)
            continue;
        if (statement->kind == TMA_STATEMENT_ACQUIRE)
            use.acquire = i;
        else if (statement->kind == TMA_STATEMENT_WAIT)
            use.wait = i;
        else if (statement->kind == TMA_STATEMENT_RELEASE)
            use.release = i;
        else if (tma_statement_fills(statement))
            use.fill = i;
    }
    return use;
}

struct use_checker {
    const struct tma_kernel *kernel;
    tma_use_report *report;
    void *context;
};

static void diagnose_at(const struct use_checker *checker, uint32_t line, uint32_t column,
                        const char *format, va_list arguments) {
    char text[TMA_ERROR_TEXT_BYTES];
    const struct tma_kernel_place place = {.line = line, .column = column};
    vsnprintf(text, sizeof text, format, arguments);
    checker->report(checker->context, &place, text);
}

__attribute__((format(printf, 3, 4))) static void
diagnose(const struct use_checker *checker, uint32_t index, const char *format, ...) {
    const struct tma_statement *statement = &checker->kernel->statements[index];
    va_list arguments;
    va_start(arguments, format);
    diagnose_at(checker, statement->line, statement->column, format, arguments);
    va_end(arguments);
}

__attribute__((format(printf, 3, 4))) static void diagnose_ring(const struct use_checker *checker,
                                                                const struct tma_ring *ring,
                                                                const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    diagnose_at(checker, ring->line, ring->column, format, arguments);
    va_end(arguments);
}

static bool number(const struct tma_value *value, uint64_t *result) {
    *result = value->constant < 0 ? 0 : (uint64_t)value->constant;
    return value->expression == NULL;
}

/* How often CTA 0 runs the body of a loop, or on average all do. Returns false if that depends on
 * variables. */
static bool trip_count(const struct tma_kernel *kernel, const struct tma_statement *loop,
                       bool average, uint64_t *count) {
    uint64_t m, n;
    *count = 1;
    if (loop->once)
        return true;
    if (loop->kind == TMA_STATEMENT_FOR) {
        if (loop->from.expression != NULL || loop->to.expression != NULL ||
            loop->step.expression != NULL || loop->step.constant <= 0)
            return false;
        uint64_t step = (uint64_t)loop->step.constant;
        uint64_t span = loop->to.constant > loop->from.constant
                            ? (uint64_t)loop->to.constant - (uint64_t)loop->from.constant
                            : 0;
        *count = span / step + (span % step != 0);
        return true;
    }
    if (!number(&loop->tiles_m, &m) || !number(&loop->tiles_n, &n) ||
        __builtin_mul_overflow(m, n, count) || (loop->schedule == TMA_TILES_DYNAMIC && !average))
        return false;
    if (loop->schedule == TMA_TILES_ONE)
        *count = *count > 0;
    else
        *count = *count / kernel->cta_count + (*count % kernel->cta_count != 0);
    return true;
}

/* How often CTA 0 runs a statement, at most UINT32_MAX. Returns false if that depends on variables.
 * On average of all CTAs, a loop that does counts once. */
static bool run_count(const struct tma_kernel *kernel, uint32_t first, uint32_t index, bool average,
                      uint64_t *count) {
    *count = 1;
    for (uint32_t i = first; i < index; i++) {
        const struct tma_statement *outer = &kernel->statements[i];
        uint64_t trips;
        if (outer->end <= index)
            continue;
        if (outer->kind == TMA_STATEMENT_IF)
            return false;
        if (outer->kind != TMA_STATEMENT_FOR && outer->kind != TMA_STATEMENT_TILES)
            continue;
        if (!trip_count(kernel, outer, average, &trips)) {
            if (!average)
                return false;
            trips = 1;
        }
        *count = trips > UINT32_MAX || *count * trips > UINT32_MAX ? UINT32_MAX : *count * trips;
    }
    return true;
}

static const struct tma_role *role_of(const struct tma_kernel *kernel, uint32_t statement) {
    for (uint32_t r = 0; r < kernel->role_count; r++)
        if (statement >= kernel->roles[r].first && statement < kernel->roles[r].end)
            return &kernel->roles[r];
    return NULL;
}

/* The TMA operations of the kernel, as far as constant loops show; branches count as none. At most
 * UINT64_MAX. *most is the statement that runs most often. */
static uint64_t known_operations(const struct tma_kernel *kernel, uint32_t *most) {
    uint64_t sum = 0, largest = 0, count, all;
    *most = 0;
    for (uint32_t r = 0; r < kernel->role_count; r++)
        for (uint32_t i = kernel->roles[r].first; i < kernel->roles[r].end; i++) {
            if (kernel->statements[i].kind != TMA_STATEMENT_OPERATION ||
                !run_count(kernel, kernel->roles[r].first, i, true, &count))
                continue;
            count *= kernel->cta_count; /* both have 32 bits at most */
            if (__builtin_mul_overflow(count, tma_statement_pieces(kernel, &kernel->statements[i]),
                                       &all))
                all = UINT64_MAX;
            *most = all > largest ? i : *most;
            largest = all > largest ? all : largest;
            sum = sum + all < sum ? UINT64_MAX : sum + all;
        }
    return sum;
}

enum tma_error_code tma_kernel_check_operations(const struct tma_kernel *kernel, const char *remedy,
                                                struct tma_kernel_place *place,
                                                struct tma_error *error) {
    uint32_t most;
    uint64_t operations = known_operations(kernel, &most);
    if (kernel->unbounded || operations <= TMA_MAX_KERNEL_OPERATIONS)
        return TMA_OK;
    *place = (struct tma_kernel_place){kernel->statements[most].line,
                                       kernel->statements[most].column, NULL};
    return tma_fail(error, TMA_ERROR_ARGUMENT,
                    "the kernel has %" PRIu64 " TMA operations, most of them here; more than "
                    "%" PRIu64 " need %s",
                    operations, TMA_MAX_KERNEL_OPERATIONS, remedy);
}

/* What must be true of a ring, over all roles. */
static void check_ring(const struct use_checker *checker, uint8_t index) {
    const struct tma_kernel *kernel = checker->kernel;
    const struct tma_ring *ring = &kernel->rings[index];
    struct ring_use use = use_of(kernel, 0, kernel->statement_count, index);
    uint64_t count;
    if (use.wait != NONE && use.acquire == NONE)
        diagnose(checker, use.wait, "role %s waits for ring %s, which no role acquires and fills",
                 role_of(kernel, use.wait)->name, ring->name);
    else if (use.acquire == NONE && use.release == NONE && use.fill == NONE)
        diagnose_ring(checker, ring, "ring %s is not used by any role", ring->name);
    else if (use.acquire != NONE && use.fill == NONE)
        diagnose(checker, use.acquire,
                 "ring %s is never filled: no role loads into it or signals it", ring->name);
    else if (use.acquire != NONE && use.wait == NONE)
        diagnose(checker, use.acquire, "ring %s is filled, but no role waits for it", ring->name);
    else if (use.acquire != NONE && use.release == NONE &&
             run_count(kernel, role_of(kernel, use.acquire)->first, use.acquire, false, &count) &&
             count > ring->depth)
        diagnose(checker, use.acquire,
                 "ring %s is never released: role %s acquires a stage %llu times, but "
                 "there are %u",
                 ring->name, role_of(kernel, use.acquire)->name, (unsigned long long)count,
                 ring->depth);
}

/* The state of the checks that follow the statements of one role. Bit l of `released` says that the
 * stage which was current l waits ago has been released. */
struct role_walk {
    const struct use_checker *checker;
    const struct tma_role *role;
    uint64_t released[TMA_MAX_RINGS];
    bool *reported; /* by statement: its error is in the list */
};

static void report_release(struct role_walk *walk, uint32_t index) {
    const struct tma_statement *statement = &walk->checker->kernel->statements[index];
    if (walk->reported[index])
        return;
    walk->reported[index] = true;
    diagnose(walk->checker, index,
             "role %s releases a stage of ring %s twice: between this release and the "
             "one before, it does not wait for another stage",
             walk->role->name, walk->checker->kernel->rings[statement->ring].name);
}

static void walk_statements(struct role_walk *walk, uint32_t first, uint32_t end);

/* Whether a branch is taken may depend on what was released before it, as in `if: k > 0`. So a
 * branch only finds what it releases twice itself. Behind it, a stage counts as released if both
 * ways release it. */
static void walk_branch(struct role_walk *walk, uint32_t index) {
    const struct tma_statement *statement = &walk->checker->kernel->statements[index];
    uint64_t before[TMA_MAX_RINGS], after[TMA_MAX_RINGS];
    uint32_t other = statement->otherwise > index ? statement->otherwise : statement->end;
    memcpy(before, walk->released, sizeof before);
    memset(walk->released, 0, sizeof walk->released);
    walk_statements(walk, index + 1, other);
    memcpy(after, walk->released, sizeof after);
    memset(walk->released, 0, sizeof walk->released);
    walk_statements(walk, other, statement->end);
    for (uint32_t i = 0; i < TMA_MAX_RINGS; i++)
        walk->released[i] = (walk->released[i] & after[i]) | before[i];
}

static void walk_loop(struct role_walk *walk, uint32_t index) {
    const struct tma_kernel *kernel = walk->checker->kernel;
    const struct tma_statement *loop = &kernel->statements[index];
    uint64_t count, before[TMA_MAX_RINGS];
    bool known = trip_count(kernel, loop, false, &count);
    memcpy(before, walk->released, sizeof before);
    if (known && count == 0)
        return;
    walk_statements(walk, index + 1, loop->end);
    if (!known || count > 1)
        walk_statements(walk, index + 1, loop->end); /* what the second iteration finds */
    for (uint32_t i = 0; i < TMA_MAX_RINGS && !known; i++)
        walk->released[i] &= before[i]; /* the loop may be empty */
}

static void walk_statements(struct role_walk *walk, uint32_t first, uint32_t end) {
    const struct tma_statement *statements = walk->checker->kernel->statements;
    for (uint32_t i = first; i < end; i = statements[i].end) {
        const struct tma_statement *statement = &statements[i];
        uint64_t *released =
            statement->ring == TMA_NO_RING ? NULL : &walk->released[statement->ring];
        if (statement->kind == TMA_STATEMENT_WAIT) {
            *released <<= 1;
        } else if (statement->kind == TMA_STATEMENT_RELEASE) {
            uint64_t bit = UINT64_C(1) << statement->lag;
            if ((*released & bit) != 0)
                report_release(walk, i);
            *released |= bit;
        } else if (statement->kind == TMA_STATEMENT_IF) {
            walk_branch(walk, i);
        } else if (statement->kind == TMA_STATEMENT_FOR || statement->kind == TMA_STATEMENT_TILES) {
            walk_loop(walk, i);
        } else if (statement->kind == TMA_STATEMENT_AHEAD) {
            walk_statements(walk, i + 1, statement->end);
        }
    }
}

/* A product needs stages of which its role has waited for one. */
static void check_product(const struct use_checker *checker, const struct tma_role *role,
                          uint32_t index) {
    const struct tma_kernel *kernel = checker->kernel;
    for (int o = 0; o < TMA_MMA_OPERANDS; o++) {
        const struct tma_shared_place *place = &kernel->statements[index].operands[o].place;
        if (place->kind == TMA_PLACE_RING &&
            use_of(kernel, role->first, index, place->index).wait == NONE)
            diagnose(checker, index,
                     "role %s multiplies %s in a stage of ring %s, but does not wait "
                     "for it before",
                     role->name, o == TMA_MMA_A ? "a" : "b", kernel->rings[place->index].name);
    }
}

/* What a statement needs to come before it in its role. */
static void check_order(const struct use_checker *checker, const struct tma_role *role,
                        uint32_t index) {
    const struct tma_kernel *kernel = checker->kernel;
    const struct tma_statement *statement = &kernel->statements[index];
    check_product(checker, role, index);
    if (statement->ring == TMA_NO_RING)
        return;
    const char *ring = kernel->rings[statement->ring].name;
    struct ring_use before = use_of(kernel, role->first, index, statement->ring);
    struct ring_use all = use_of(kernel, role->first, role->end, statement->ring);
    bool moves = statement->kind == TMA_STATEMENT_OPERATION;
    bool fills = tma_statement_fills(statement);
    bool uses = !fills && (moves || statement->kind == TMA_STATEMENT_COMPUTE ||
                           statement->kind == TMA_STATEMENT_EXCHANGE);
    if (fills && before.acquire == NONE) {
        diagnose(checker, index, "role %s %s ring %s, but does not acquire a stage of it before",
                 role->name, statement->kind == TMA_STATEMENT_SIGNAL ? "signals" : "loads into",
                 ring);
    } else if (moves && !fills && before.wait == NONE && before.acquire != NONE &&
               before.fill != NONE &&
               kernel->statements[before.fill].kind == TMA_STATEMENT_OPERATION) {
        diagnose(checker, index,
                 "role %s stores from a stage of ring %s that is still being filled: "
                 "it does not wait for the stage before",
                 role->name, ring);
    } else if (uses && before.wait == NONE && before.acquire == NONE) {
        diagnose(checker, index, "role %s uses a stage of ring %s, but does not wait for it before",
                 role->name, ring);
    } else if (statement->kind == TMA_STATEMENT_RELEASE && all.wait == NONE) {
        diagnose(checker, index, "role %s releases ring %s, but never waits for a stage of it",
                 role->name, ring);
    }
}

static void check_stores(const struct use_checker *checker, const struct tma_role *role) {
    const struct tma_kernel *kernel = checker->kernel;
    uint32_t store = NONE, commit = NONE, wait = NONE, read = NONE, wait_loads = NONE;
    for (uint32_t i = role->end; i-- > role->first;) {
        const struct tma_statement *statement = &kernel->statements[i];
        if (statement->kind == TMA_STATEMENT_COMMIT)
            commit = i;
        else if (statement->kind == TMA_STATEMENT_WAIT_STORES)
            wait = i;
        else if (statement->kind == TMA_STATEMENT_WAIT_LOADS)
            wait_loads = i;
        else if (statement->kind == TMA_STATEMENT_EXCHANGE ||
                 (statement->kind == TMA_STATEMENT_OPERATION &&
                  statement->lanes.by == TMA_BY_WARPS))
            read = tma_statement_reads(statement) ? i : read;
        else if (statement->kind == TMA_STATEMENT_OPERATION &&
                 (statement->operation.direction == TMA_STORE ||
                  statement->operation.direction == TMA_REDUCE))
            store = i;
    }
    if (wait != NONE && store != NONE && commit == NONE)
        diagnose(checker, wait,
                 "role %s waits for stores, but has no commit, so that no group is "
                 "waited for",
                 role->name);
    if (wait != NONE && store == NONE)
        diagnose(checker, wait, "role %s waits for stores, but has none", role->name);
    if (wait_loads != NONE && read == NONE)
        diagnose(checker, wait_loads,
                 "role %s waits for loads into registers, but has none: no load by warps, no "
                 "atomic that returns, and no dsmem that reads",
                 role->name);
}

/* A flag that somebody waits for needs somebody who adds to it. */
static void check_flag(const struct use_checker *checker, uint32_t index) {
    const struct tma_kernel *kernel = checker->kernel;
    bool adds = false;
    uint32_t wait = NONE;
    for (uint32_t i = 0; i < kernel->statement_count; i++) {
        if (kernel->statements[i].flag != index)
            continue;
        adds = adds || kernel->statements[i].kind == TMA_STATEMENT_ADD_FLAG;
        if (kernel->statements[i].kind == TMA_STATEMENT_WAIT_FLAG && wait == NONE)
            wait = i;
    }
    if (wait != NONE && !adds)
        diagnose(checker, wait, "flag %s is waited for, but no role adds to it",
                 kernel->flags[index].name);
}

static void check_barrier(const struct use_checker *checker, uint32_t index) {
    const struct tma_kernel *kernel = checker->kernel;
    const struct tma_named_barrier *barrier = &kernel->barriers[index];
    uint32_t roles = 0, first = NONE;
    for (uint32_t r = 0; r < kernel->role_count; r++) {
        uint32_t i = kernel->roles[r].first;
        while (i < kernel->roles[r].end && (kernel->statements[i].kind != TMA_STATEMENT_BARRIER ||
                                            kernel->statements[i].barrier != index))
            i++;
        if (i == kernel->roles[r].end)
            continue;
        roles++;
        first = first == NONE ? i : first;
    }
    if (first != NONE && barrier->arrivals > roles)
        diagnose(checker, first,
                 "barrier %s needs the arrivals of %u roles, but only %u %s a "
                 "statement for it: it is never complete",
                 barrier->name, barrier->arrivals, roles, roles == 1 ? "has" : "have");
}

bool tma_kernel_check_use(const struct tma_kernel *kernel, tma_use_report *report, void *context) {
    const struct use_checker checker = {kernel, report, context};
    bool *reported = tma_allocate(kernel->statement_count + 1, sizeof *reported);
    if (reported == NULL)
        return false;
    for (uint32_t i = 0; i < kernel->ring_count; i++)
        check_ring(&checker, (uint8_t)i);
    for (uint32_t i = 0; i < kernel->barrier_count; i++)
        check_barrier(&checker, i);
    for (uint32_t i = 0; i < kernel->flag_count; i++)
        check_flag(&checker, i);
    for (uint32_t r = 0; r < kernel->role_count; r++) {
        const struct tma_role *role = &kernel->roles[r];
        struct role_walk walk = {.checker = &checker, .role = role, .reported = reported};
        for (uint32_t i = role->first; i < role->end; i++)
            check_order(&checker, role, i);
        check_stores(&checker, role);
        walk_statements(&walk, role->first, role->end);
    }
    tma_release(reported);
    return true;
}
