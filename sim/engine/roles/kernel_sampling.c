#include "engine/roles/kernel_sampling.h"

#include "engine/roles/sampled_loops.h"
#include "engine/sampling/sample_plan.h"

enum {
    LEAST_ITERATIONS = 8, /* of loops, to skip some */
    MOST_PARTS = 16,      /* of a period that windows are parts of */
    TAIL_ITERATIONS = 2   /* at the end of loops, that are simulated in each CTA */
};

uint64_t tma_kernel_walk_bytes(const struct tma_simulation *simulation) {
    const struct tma_program_maps *maps = &simulation->maps;
    return tma_tensor_bytes(maps->maps, maps->arrays, maps->count);
}

/* The shortest window: about a round of all places, and a whole part of the period, so that some
 * windows together are one. */
static uint64_t shortest_window(const struct tma_kernel *kernel, uint64_t round) {
    uint64_t period = tma_tile_period(kernel), parts = (period + round / 2) / round;
    return parts == 0 || parts > MOST_PARTS ? round : period / parts;
}

uint64_t tma_kernel_wave_window(const struct tma_simulation *simulation) {
    return shortest_window(tma_kernel_engine_of(simulation)->kernel, simulation->place_count);
}

/* Units are operations of whole iterations; where these differ, iterations of one CTA. */
bool tma_kernel_plan_inside(struct tma_simulation *simulation, struct tma_sample_plan *plan) {
    struct tma_kernel_engine *engine = tma_kernel_engine_of(simulation);
    const struct tma_kernel *kernel = engine->kernel;
    struct tma_sampling_state *sampling = &simulation->sampling;
    struct tma_sampled_loops loops;
    /* Roles have no CTA yet. */
    struct tma_loop_walk walk = {&engine->roles[0].cursor, &engine->cut};
    if (!tma_sampled_loops_find(kernel, &walk, &loops) || loops.least < LEAST_ITERATIONS)
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
uint64_t tma_kernel_cluster_progress(const struct tma_simulation *simulation, uint32_t cluster) {
    uint32_t roles = simulation->cluster_ctas * simulation->cta_actors;
    const struct tma_role_state *first = &tma_kernel_engine_of(simulation)->roles[cluster * roles];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < roles; i++)
        sum += first[i].operations;
    return sum;
}

uint64_t tma_kernel_most_to_cut(const struct tma_simulation *simulation, uint32_t cluster,
                                uint64_t *last) {
    if (!find_last_iteration(tma_kernel_engine_of(simulation), cluster, last))
        return 0;
    uint64_t end = *last + 1 + simulation->clusters[cluster].left_out + TAIL_ITERATIONS;
    uint64_t least = simulation->sampling.least_iterations;
    return end < least ? least - end : 0;
}
