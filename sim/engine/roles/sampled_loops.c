#include "engine/roles/sampled_loops.h"

#include "engine/roles/statement_operation.h"

enum { COUNTED_ITERATIONS = 4, MOST_STEPS = 1 << 20 };

/* The variables of a CTA outside its loops. */
struct loop_scope {
    const struct tma_kernel *kernel;
    int64_t variables[TMA_MAX_VARIABLES];
};

static struct loop_scope scope_of(const struct tma_kernel *kernel, uint32_t cta) {
    struct loop_scope scope = {.kernel = kernel};
    tma_kernel_cta_variables(kernel, cta, scope.variables);
    return scope;
}

static int64_t divide_up(int64_t value, int64_t unit) {
    return value <= 0 ? 0 : (value - 1) / unit + 1;
}

/* The output tiles of a loop over tiles; false where an expression fails. */
static bool find_tiles(const struct loop_scope *scope, const struct tma_statement *loop,
                       int64_t *tiles_m, int64_t *tiles_n, int64_t *tiles) {
    return tma_value_at(&loop->tiles_m, scope->variables, tiles_m, NULL) &&
           tma_value_at(&loop->tiles_n, scope->variables, tiles_n, NULL) && *tiles_m >= 0 &&
           *tiles_n >= 0 && !__builtin_mul_overflow(*tiles_m, *tiles_n, tiles);
}

/* How often a loop goes around in the CTA, or on average for dynamic tiles; 0: not known. */
static uint64_t times_of(const struct loop_scope *scope, const struct tma_statement *loop) {
    int64_t cta = scope->variables[TMA_VARIABLE_CTA], ctas = scope->variables[TMA_VARIABLE_CTAS];
    int64_t from, to, step, m, n, tiles;
    if (loop->kind == TMA_STATEMENT_FOR)
        return tma_value_at(&loop->from, scope->variables, &from, NULL) &&
                       tma_value_at(&loop->to, scope->variables, &to, NULL) &&
                       tma_value_at(&loop->step, scope->variables, &step, NULL) && step > 0 &&
                       !__builtin_sub_overflow(to, from, &to)
                   ? (uint64_t)divide_up(to, step)
                   : 0;
    if (!find_tiles(scope, loop, &m, &n, &tiles))
        return 0;
    switch (loop->schedule) {
    case TMA_TILES_ONE:
        return cta < tiles;
    case TMA_TILES_PERSISTENT:
        return (uint64_t)divide_up(tiles - cta, ctas);
    case TMA_TILES_DYNAMIC:
        return (uint64_t)(tiles / ctas);
    }
    return 0;
}

/* Sets the variables of the first iteration of a loop. False where an expression fails. */
static bool enter(struct loop_scope *scope, const struct tma_statement *loop) {
    int64_t first = scope->variables[TMA_VARIABLE_CTA], m, n, tiles, group;
    if (loop->kind == TMA_STATEMENT_FOR)
        return tma_value_at(&loop->from, scope->variables, &scope->variables[loop->variable], NULL);
    if (!find_tiles(scope, loop, &m, &n, &tiles) ||
        !tma_value_at(&loop->group, scope->variables, &group, NULL) || m == 0)
        return false;
    scope->variables[loop->variable] = first;
    tma_tile_position(first, m, n, group, &scope->variables[loop->variable_m],
                      &scope->variables[loop->variable_n]);
    return true;
}

/* The longest loop between two statements of a role in the CTA, and how often it goes around. */
static uint32_t longest_loop(struct loop_scope *scope, uint32_t first, uint32_t end,
                             uint64_t *times) {
    const struct tma_statement *statements = scope->kernel->statements;
    uint32_t found = UINT32_MAX;
    *times = 0;
    for (uint32_t i = first; i < end; i = statements[i].end) {
        enum tma_statement_kind kind = statements[i].kind;
        uint64_t around = kind == TMA_STATEMENT_FOR || kind == TMA_STATEMENT_TILES
                              ? times_of(scope, &statements[i])
                              : 0;
        if (around <= *times)
            continue;
        found = i;
        *times = around;
    }
    if (*times != 1 || !enter(scope, &statements[found]))
        return found;
    return longest_loop(scope, found + 1, statements[found].end, times);
}

/* Finds the loops of a CTA; false where they don't go around equally often. */
static bool find_in_cta(const struct tma_kernel *kernel, uint32_t cta,
                        uint32_t loops[TMA_MAX_ROLES], uint64_t *times) {
    *times = 0;
    for (uint32_t role = 0; role < kernel->role_count; role++) {
        struct loop_scope scope = scope_of(kernel, cta);
        uint64_t around;
        loops[role] =
            longest_loop(&scope, kernel->roles[role].first, kernel->roles[role].end, &around);
        if (around < 2)
            loops[role] = UINT32_MAX;
        else if (*times > 0 && around != *times)
            return false;
        else
            *times = around;
    }
    return *times > 0;
}

static bool same(const struct tma_kernel *kernel, const uint32_t *a, const uint32_t *b) {
    for (uint32_t role = 0; role < kernel->role_count; role++)
        if (a[role] != b[role])
            return false;
    return true;
}

/* Counts the operations of a role in a few iterations of its loop, the first one left out. Returns
 * how many an iteration has; UINT64_MAX: they differ. */
static uint64_t operations_of(const struct tma_kernel *kernel, uint32_t role, uint32_t loop,
                              uint32_t cta, struct tma_loop_walk *walk) {
    struct tma_program_cursor *cursor = walk->cursor;
    uint64_t operations[COUNTED_ITERATIONS + 1] = {0};
    const uint64_t *passes = &walk->cut->passes;
    *walk->cut = (struct tma_loop_cut){.counted = role};
    walk->cut->loops[role] = loop;
    tma_cursor_begin(cursor, kernel, role, cta);
    cursor->cut = walk->cut;
    while (*passes <= COUNTED_ITERATIONS && cursor->steps < MOST_STEPS) {
        enum tma_cursor_state state = tma_cursor_next(cursor);
        if (state == TMA_CURSOR_TILE)
            tma_cursor_give_tile(cursor, cta + cursor->tile_index * kernel->cta_count);
        else if (state != TMA_CURSOR_STATEMENT)
            break;
        else if (*passes <= COUNTED_ITERATIONS &&
                 cursor->statement->kind == TMA_STATEMENT_OPERATION)
            operations[*passes] += tma_statement_pieces(kernel, cursor->statement);
    }
    for (int i = 2; i <= COUNTED_ITERATIONS; i++)
        if (operations[i] != operations[1])
            return UINT64_MAX;
    return *passes > COUNTED_ITERATIONS ? operations[1] : UINT64_MAX;
}

/* The operations of an iteration in all CTAs, from those of the first cluster; 0: they differ. */
static uint64_t count_operations(const struct tma_kernel *kernel, const uint32_t *loops,
                                 struct tma_loop_walk *walk) {
    uint32_t cluster = tma_kernel_cluster_ctas(kernel);
    uint64_t sum = 0;
    for (uint32_t cta = 0; cta < cluster; cta++)
        for (uint32_t role = 0; role < kernel->role_count; role++) {
            if (loops[role] == UINT32_MAX)
                continue;
            uint64_t one = operations_of(kernel, role, loops[role], cta, walk);
            if (one == UINT64_MAX)
                return 0;
            sum += one;
        }
    return sum * (kernel->cta_count / cluster);
}

static bool is_dynamic(const struct tma_statement *loop) {
    return loop->kind == TMA_STATEMENT_TILES && loop->schedule == TMA_TILES_DYNAMIC;
}

/* Whether a role uses stages that another one has filled. */
static bool uses_stages(const struct tma_kernel *kernel, uint32_t role) {
    bool waits = false, acquires = false;
    for (uint32_t i = kernel->roles[role].first; i < kernel->roles[role].end; i++) {
        waits |= kernel->statements[i].kind == TMA_STATEMENT_WAIT;
        acquires |= kernel->statements[i].kind == TMA_STATEMENT_ACQUIRE;
    }
    return waits && !acquires;
}

uint32_t tma_last_role(const struct tma_kernel *kernel, const uint32_t loops[TMA_MAX_ROLES]) {
    uint32_t order[TMA_MAX_ROLES], last = UINT32_MAX;
    tma_kernel_role_order(kernel, order);
    for (uint32_t i = 0; i < kernel->role_count; i++) {
        uint32_t role = order[i];
        bool later = last == UINT32_MAX || uses_stages(kernel, role) || !uses_stages(kernel, last);
        if (loops[role] != UINT32_MAX && later)
            last = role;
    }
    return last;
}

bool tma_sampled_loops_find(const struct tma_kernel *kernel, struct tma_loop_walk *walk,
                            struct tma_sampled_loops *found) {
    uint32_t loops[TMA_MAX_ROLES];
    bool first = true;
    *found = (struct tma_sampled_loops){.least = UINT64_MAX};
    for (uint32_t cta = 0; cta < kernel->cta_count; cta++) {
        uint64_t times;
        if (!find_in_cta(kernel, cta, first ? found->loops : loops, &times) ||
            (!first && !same(kernel, found->loops, loops)))
            return false;
        first = false;
        found->all += times;
        found->least = times < found->least ? times : found->least;
    }
    uint32_t dynamic = 0, count = 0;
    for (uint32_t role = 0; role < kernel->role_count; role++) {
        if (found->loops[role] == UINT32_MAX)
            continue;
        dynamic += is_dynamic(&kernel->statements[found->loops[role]]);
        count++;
    }
    found->dynamic = dynamic > 0;
    found->last_role = tma_last_role(kernel, found->loops);
    found->operations = count_operations(kernel, found->loops, walk);
    return dynamic == 0 || dynamic == count;
}

/* Tiles after which the loop takes the same ones along m, or along n; 0: not known. */
static uint64_t period_of(const struct tma_statement *loop) {
    int64_t variables[TMA_MAX_VARIABLES] = {0}, m, n, group;
    if (loop->kind != TMA_STATEMENT_TILES || !tma_value_at(&loop->tiles_m, variables, &m, NULL) ||
        !tma_value_at(&loop->tiles_n, variables, &n, NULL) ||
        !tma_value_at(&loop->group, variables, &group, NULL))
        return 0;
    return (uint64_t)(group == 0 ? m : group * n);
}

uint64_t tma_tile_period(const struct tma_kernel *kernel) {
    uint32_t order[TMA_MAX_ROLES];
    tma_kernel_role_order(kernel, order);
    for (uint32_t r = 0; r < kernel->role_count; r++) {
        const struct tma_role *role = &kernel->roles[order[r]];
        for (uint32_t i = role->first; i < role->end; i++)
            if (period_of(&kernel->statements[i]) > 0)
                return period_of(&kernel->statements[i]);
    }
    return 0;
}
