#include "engine/roles/kernel_state.h"
#include "engine/roles/program_cursor.h"
#include "engine/roles/statement_operation.h"
#include "engine/sampling/sample_plan.h"

/* The loops of a kernel's roles in which a sampled run can leave out iterations: one in each role,
 * with as many iterations as those of the other roles. */

struct tma_sampled_loops {
    uint32_t loops[TMA_MAX_ROLES]; /* statements; UINT32_MAX: the role has none */
    uint32_t last_role;            /* that has one */
    uint64_t least, all;           /* iterations of a CTA, and of all CTAs together */
    uint64_t operations;           /* of an iteration, in all CTAs; 0: they differ */
    bool dynamic;                  /* their tiles come from the counter of dynamic tiles */
};

/* What a walk through programs needs. Its contents mean nothing afterwards. */
struct tma_loop_walk {
    struct tma_program_cursor *cursor;
    struct tma_loop_cut *cut;
};

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
    while (*passes <= COUNTED_ITERATIONS && cursor->steps < MOST_STEPS &&
           tma_cursor_next_statement(cursor) == TMA_CURSOR_STATEMENT)
        if (*passes <= COUNTED_ITERATIONS && cursor->statement->kind == TMA_STATEMENT_OPERATION)
            operations[*passes] += tma_statement_pieces(kernel, cursor->statement);
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

/* Of the roles that have a loop (loops[role] is not UINT32_MAX), the one whose iterations end last:
 * one that uses what others load, and of these the last one by name. UINT32_MAX: none has. */
static uint32_t last_role_with_loop(const struct tma_kernel *kernel,
                                    const uint32_t loops[TMA_MAX_ROLES]) {
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

/* Finds the longest loop of each role, for a grid whose CTAs all run at once. A loop of a single
 * iteration counts as what is inside. False: the roles have none, or not the same number of
 * iterations. */
static bool sampled_loops_find(const struct tma_kernel *kernel, struct tma_loop_walk *walk,
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
    found->last_role = last_role_with_loop(kernel, found->loops);
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

/* After how many output tiles the order of tiles repeats itself: with the groups of a loop over
 * tiles. 0: not known. */
static uint64_t tile_period(const struct tma_kernel *kernel) {
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

enum {
    LEAST_ITERATIONS = 8, /* of loops, to skip some */
    MOST_PARTS = 16,      /* of a period that windows are parts of */
    TAIL_ITERATIONS = 2   /* at the end of loops, that are simulated in each CTA */
};

static uint64_t walk_bytes(const struct tma_simulation *simulation) {
    const struct tma_program_maps *maps = &simulation->maps;
    return tma_tensor_bytes(maps->maps, maps->arrays, maps->count);
}

/* The shortest window: about a round of all places, and a whole part of the period, so that some
 * windows together are one. */
static uint64_t shortest_window(const struct tma_kernel *kernel, uint64_t round) {
    uint64_t period = tile_period(kernel), parts = (period + round / 2) / round;
    return parts == 0 || parts > MOST_PARTS ? round : period / parts;
}

static uint64_t wave_window(const struct tma_simulation *simulation) {
    return shortest_window(tma_kernel_engine_of(simulation)->kernel, simulation->place_count);
}

/* Units are operations of whole iterations; where these differ, iterations of one CTA. */
static bool plan_inside(struct tma_simulation *simulation, struct tma_sample_plan *plan) {
    struct tma_kernel_engine *engine = tma_kernel_engine_of(simulation);
    const struct tma_kernel *kernel = engine->kernel;
    struct tma_sampling_state *sampling = &simulation->sampling;
    struct tma_sampled_loops loops;
    /* Roles have no CTA yet. */
    struct tma_loop_walk walk = {&engine->roles[0].cursor, &engine->cut};
    if (!sampled_loops_find(kernel, &walk, &loops) || loops.least < LEAST_ITERATIONS)
        return true;
    engine->cut = (struct tma_loop_cut){.counted = loops.last_role};
    for (uint32_t role = 0; role < kernel->role_count; role++)
        engine->cut.loops[role] = loops.loops[role];
    uint64_t ctas = kernel->cta_count;
    plan->step = loops.operations > 0 ? loops.operations : ctas;
    plan->total = loops.all / ctas * plan->step + loops.all % ctas * plan->step / ctas;
    plan->window = shortest_window(kernel, ctas) * plan->step / ctas;
    plan->tail = TAIL_ITERATIONS * plan->step;
    sampling->counter = loops.dynamic ? &engine->next_tile : NULL;
    sampling->progress =
        loops.operations > 0 ? &engine->result->counters.operations : &engine->cut.passes;
    sampling->iteration_units = plan->step;
    sampling->granule = 1;
    sampling->least_iterations = loops.least;
    return true;
}

/* How many iterations a loop has ended in a place of a program. */
enum tma_loop_state { TMA_LOOP_BEFORE, TMA_LOOP_INSIDE, TMA_LOOP_BEHIND };

static enum tma_loop_state state_of(const struct tma_program_place *place, uint32_t loop,
                                    uint64_t *index) {
    for (uint32_t d = 0; d < place->depth; d++)
        if (place->frames[d].statement == loop) {
            *index = place->frames[d].index;
            return TMA_LOOP_INSIDE;
        }
    return place->next > loop ? TMA_LOOP_BEHIND : TMA_LOOP_BEFORE;
}

/* Finds the last iteration that a loop of the cluster has begun. False where one has not begun, has
 * ended, or has not passed the cut before. */
static bool find_last_iteration(const struct tma_kernel_engine *engine, uint32_t number,
                                uint64_t *last) {
    const struct tma_loop_gap *gap = &engine->simulation.clusters[number].gap;
    uint32_t roles = engine->kernel->role_count;
    *last = 0;
    for (uint32_t i = 0; i < engine->simulation.cluster_ctas * roles; i++) {
        const struct tma_role_state *role =
            &engine->clusters[number].ctas[i / roles].roles[i % roles];
        const struct tma_program_cursor *cursor = &role->cursor;
        uint32_t loop = engine->cut.loops[role->index];
        uint64_t main, ahead;
        if (loop == UINT32_MAX)
            continue;
        if (role->phase == TMA_ROLE_IDLE || state_of(&cursor->main, loop, &main) != TMA_LOOP_INSIDE)
            return false;
        *last = main > *last ? main : *last;
        if (gap->by > 0 && main <= gap->after)
            return false;
        if (cursor->ahead_loop == UINT32_MAX)
            continue;
        if (cursor->ahead_ended || state_of(&cursor->ahead, loop, &ahead) != TMA_LOOP_INSIDE)
            return false;
        *last = ahead > *last ? ahead : *last;
    }
    return true;
}

/* In operations that the roles have issued. */
static uint64_t cluster_progress(const struct tma_simulation *simulation, uint32_t cluster) {
    uint32_t roles = simulation->cluster_ctas * simulation->cta_actors;
    const struct tma_role_state *first = &tma_kernel_engine_of(simulation)->roles[cluster * roles];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < roles; i++)
        sum += first[i].operations;
    return sum;
}

static uint64_t most_to_cut(const struct tma_simulation *simulation, uint32_t cluster,
                            uint64_t *last) {
    if (!find_last_iteration(tma_kernel_engine_of(simulation), cluster, last))
        return 0;
    uint64_t end = *last + 1 + simulation->clusters[cluster].left_out + TAIL_ITERATIONS;
    uint64_t least = simulation->sampling.least_iterations;
    return end < least ? least - end : 0;
}

const struct tma_sampled_program tma_sampled_kernel = {.walk_bytes = walk_bytes,
                                                       .wave_window = wave_window,
                                                       .plan_inside = plan_inside,
                                                       .cluster_progress = cluster_progress,
                                                       .most_to_cut = most_to_cut};
