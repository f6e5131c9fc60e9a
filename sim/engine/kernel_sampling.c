#include "engine/kernel_sampling.h"

#include "engine/sample_plan.h"
#include "engine/sampled_loops.h"

enum {
    LEAST_ITERATIONS = 8, /* of loops, to skip some */
    MOST_PARTS = 16,      /* of a period that windows are parts of */
    TAIL_ITERATIONS = 2   /* at the end of loops, that are simulated in each CTA */
};

static uint64_t walk_bytes(const struct tma_kernel *kernel) {
    return tma_tensor_bytes(kernel->maps, kernel->arrays, kernel->map_count);
}

/* The shortest window: about a round of all places, and a whole part of the period, so that some
 * windows together are one. */
static uint64_t shortest_window(const struct tma_kernel *kernel, uint64_t round) {
    uint64_t period = tma_tile_period(kernel), parts = (period + round / 2) / round;
    return parts == 0 || parts > MOST_PARTS ? round : period / parts;
}

bool tma_kernel_sampling_begin(struct tma_kernel_engine *engine, enum tma_sampling sampling) {
    const struct tma_kernel *kernel = engine->kernel;
    struct tma_kernel_sampling *own = &engine->sampling;
    struct tma_sample_plan plan =
        tma_sample_plan_of(&engine->machine, sampling, walk_bytes(kernel));
    own->on = true;
    if (kernel->cta_count / engine->cta_places >= TMA_SAMPLED_WAVES) {
        own->unit = TMA_SAMPLED_CTAS;
        plan.total = kernel->cta_count;
        plan.window = shortest_window(kernel, engine->cta_places);
        plan.step = plan.tail = engine->cta_places;
        return tma_sampler_create(&own->sampler, &plan);
    }
    struct tma_sampled_loops loops;
    /* Roles have no CTA yet. */
    struct tma_loop_walk walk = {&engine->roles[0].cursor, &own->cut};
    if (kernel->cta_count > engine->cta_places || !tma_sampled_loops_find(kernel, &walk, &loops) ||
        loops.least < LEAST_ITERATIONS)
        return true;
    own->unit = loops.dynamic ? TMA_SAMPLED_TILES : TMA_SAMPLED_ITERATIONS;
    own->least_iterations = loops.least;
    own->operations = loops.operations;
    own->cut = (struct tma_loop_cut){.counted = loops.last_role};
    for (uint32_t role = 0; role < kernel->role_count; role++)
        own->cut.loops[role] = loops.loops[role];
    uint64_t ctas = kernel->cta_count;
    plan.step = loops.operations > 0 ? loops.operations : ctas;
    plan.total = loops.all / ctas * plan.step + loops.all % ctas * plan.step / ctas;
    plan.window = shortest_window(kernel, ctas) * plan.step / ctas;
    plan.tail = TAIL_ITERATIONS * plan.step;
    return tma_sample_shares_create(&own->shares, engine->cluster_count) &&
           tma_sampler_create(&own->sampler, &plan);
}

void tma_kernel_sampling_free(struct tma_kernel_engine *engine) {
    tma_sampler_free(&engine->sampling.sampler);
    tma_sample_shares_free(&engine->sampling.shares);
}

bool tma_kernel_sampling_leave(struct tma_kernel_engine *engine, uint64_t rounds) {
    struct tma_kernel_sampling *own = &engine->sampling;
    bool sampled = own->sampler.marks != NULL, by_ctas = own->unit == TMA_SAMPLED_CTAS;
    uint64_t ctas = engine->kernel->cta_count, round = by_ctas ? engine->cta_places : ctas;
    uint64_t all = !sampled ? 0 : by_ctas ? ctas / round : own->least_iterations;
    uint64_t out = all > rounds ? all - rounds : 0;
    engine->next_cta = by_ctas ? (uint32_t)(out * round) : 0;
    engine->next_tile = ctas + (own->unit == TMA_SAMPLED_TILES ? out * round : 0);
    own->cut.passes = 0;
    for (uint32_t c = 0; c < engine->cluster_count; c++)
        engine->clusters[c].gap =
            (struct tma_loop_gap){.by = own->unit == TMA_SAMPLED_ITERATIONS ? out : 0};
    return out > 0;
}

void tma_kernel_unit_ticks(const struct tma_kernel_engine *engine,
                           uint64_t units[TMA_TALLY_UNIT_COUNT]) {
    for (int u = 0; u < TMA_TALLY_UNIT_COUNT; u++)
        units[u] = 0;
    for (uint32_t i = 0; i < engine->sm_count; i++) {
        const struct tma_kernel_sm *sm = &engine->sms[i];
        units[TMA_TALLY_TENSOR] += sm->tensor.busy_ticks;
        units[TMA_TALLY_ALU] += sm->alu.busy_ticks;
        units[TMA_TALLY_SFU] += sm->sfu.busy_ticks;
        units[TMA_TALLY_OPERANDS] +=
            tma_memory_operand_ticks(engine->simulation.memory, sm->number);
    }
}

static struct tma_tally tally_of(const struct tma_kernel_engine *engine) {
    struct tma_memory_counters counters = tma_memory_count(engine->simulation.memory);
    struct tma_tally tally = tma_sample_tally(&engine->simulation.accounting, &counters);
    tma_kernel_unit_ticks(engine, tally.units);
    /* A role adds its statements when it ends. */
    for (uint32_t i = 0; i < engine->cta_places * engine->kernel->role_count; i++)
        if (engine->roles[i].phase != TMA_ROLE_IDLE)
            tally.statements += engine->roles[i].cursor.steps;
    return tally;
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
static bool find_last_iteration(const struct tma_kernel_engine *engine,
                                const struct tma_kernel_cluster *cluster, uint64_t *last) {
    const struct tma_loop_gap *gap = &cluster->gap;
    uint32_t roles = engine->kernel->role_count;
    *last = 0;
    for (uint32_t i = 0; i < engine->cluster_ctas * roles; i++) {
        const struct tma_role_state *role = &cluster->ctas[i / roles].roles[i % roles];
        const struct tma_program_cursor *cursor = &role->cursor;
        uint32_t loop = engine->sampling.cut.loops[role->index];
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

/* Fills in the operations that each cluster has issued. */
static void find_cluster_progress(struct tma_kernel_engine *engine) {
    uint32_t roles = engine->kernel->role_count;
    for (uint32_t c = 0; c < engine->cluster_count; c++) {
        uint64_t *sum = &engine->sampling.shares.now[c];
        *sum = 0;
        for (uint32_t i = 0; i < engine->cluster_ctas * roles; i++)
            *sum += engine->clusters[c].ctas[i / roles].roles[i % roles].operations;
    }
}

/* How many iterations can be cut out of a cluster's loops behind the last one that has begun. */
static uint64_t most_to_cut(const struct tma_kernel_engine *engine,
                            const struct tma_kernel_cluster *cluster, uint64_t last) {
    uint64_t end = last + 1 + cluster->left_out + TAIL_ITERATIONS;
    return end < engine->sampling.least_iterations ? engine->sampling.least_iterations - end : 0;
}

/* Cuts iterations out of all loops, of about `units` in all CTAs together. Returns of how many. */
static uint64_t cut_loops(struct tma_kernel_engine *engine, uint64_t units) {
    struct tma_kernel_sampling *own = &engine->sampling;
    uint64_t step = own->sampler.plan.step, sum = 0, last;
    for (uint32_t c = 0; c < engine->cluster_count; c++)
        if (!find_last_iteration(engine, &engine->clusters[c], &last) ||
            most_to_cut(engine, &engine->clusters[c], last) == 0)
            return 0;
    find_cluster_progress(engine);
    tma_sample_share_out(&own->shares, units / step);
    for (uint32_t c = 0; c < engine->cluster_count; c++) {
        struct tma_kernel_cluster *cluster = &engine->clusters[c];
        find_last_iteration(engine, cluster, &last);
        uint64_t count = own->shares.shares[c], most = most_to_cut(engine, cluster, last);
        count = count < most ? count : most;
        cluster->gap = (struct tma_loop_gap){.after = last, .by = count};
        cluster->left_out += count;
        sum += count;
    }
    return sum * step / engine->cluster_count;
}

/* Skips about so many units of the run. */
static void skip(struct tma_kernel_engine *engine, uint64_t units) {
    struct tma_kernel_sampling *own = &engine->sampling;
    switch (own->unit) {
    case TMA_SAMPLED_CTAS:
        engine->next_cta += (uint32_t)units;
        tma_sampler_skip(&own->sampler, units);
        break;
    case TMA_SAMPLED_TILES:
        engine->next_tile += units;
        tma_sampler_skip(&own->sampler, units);
        break;
    case TMA_SAMPLED_ITERATIONS:
        units = cut_loops(engine, units);
        if (units > 0)
            tma_sampler_skip_shared(&own->sampler, units, &own->shares);
        break;
    }
}

/* How long the CTAs took that ended last, as many as there are places; 0: none has ended. */
static uint64_t usual_cta_cycles(const struct tma_accounting *accounting, uint64_t places) {
    uint64_t count = accounting->ended_ctas < places ? accounting->ended_ctas : places, sum = 0;
    for (uint64_t i = accounting->ended_ctas - count; i < accounting->ended_ctas; i++)
        sum += accounting->cta_cycles[i];
    return count == 0 ? 0 : sum / count;
}

/* The progress of the grid: CTAs that have ended, and of each that runs the part of the usual time
 * that it has run for. So progress does not depend on whether CTAs of a wave start together. */
static uint64_t cta_parts(const struct tma_kernel_engine *engine, uint64_t cycle) {
    const struct tma_accounting *accounting = &engine->simulation.accounting;
    uint64_t usual = usual_cta_cycles(accounting, engine->cta_places);
    uint64_t parts = accounting->ended_ctas * TMA_UNIT_PARTS;
    for (uint32_t i = 0; i < engine->cta_places && usual > 0; i++) {
        const struct tma_kernel_cta *cta = &engine->ctas[i];
        uint64_t run = cycle > cta->start_cycle ? cycle - cta->start_cycle : 0;
        if (cta->cluster->running_ctas > 0)
            parts += (run < usual ? run : usual) * TMA_UNIT_PARTS / usual;
    }
    return parts;
}

static uint64_t progress_of(const struct tma_kernel_engine *engine) {
    const struct tma_kernel_sampling *own = &engine->sampling;
    uint64_t operations = engine->simulation.accounting.result->counters.operations;
    if (own->unit == TMA_SAMPLED_CTAS)
        return engine->next_cta - own->sampler.skipped;
    return own->operations == 0 ? own->cut.passes : operations;
}

void tma_kernel_sampling_look(struct tma_kernel_engine *engine, uint64_t cycle) {
    struct tma_kernel_sampling *own = &engine->sampling;
    uint64_t progress = progress_of(engine);
    if (!tma_sampler_is_due(&own->sampler, progress))
        return;
    if (own->unit == TMA_SAMPLED_ITERATIONS) {
        find_cluster_progress(engine);
        tma_sample_shares_record(&own->shares, progress);
    }
    const struct tma_sample_mark mark = {.parts = own->unit == TMA_SAMPLED_CTAS
                                                      ? cta_parts(engine, cycle)
                                                      : progress * TMA_UNIT_PARTS,
                                         .cycle = cycle,
                                         .tally = tally_of(engine)};
    uint64_t units = tma_sampler_look(&own->sampler, progress, &mark);
    if (units > 0)
        skip(engine, units);
}

void tma_kernel_sampling_end(struct tma_kernel_engine *engine, struct tma_memory_counters *counters,
                             uint64_t units[TMA_TALLY_UNIT_COUNT]) {
    const struct tma_kernel_sampling *own = &engine->sampling;
    if (!own->on)
        return;
    tma_sample_account(&own->sampler, walk_bytes(engine->kernel), own->unit != TMA_SAMPLED_CTAS,
                       &engine->simulation.accounting, counters);
    for (int u = 0; u < TMA_TALLY_UNIT_COUNT; u++)
        units[u] += own->sampler.tally.units[u];
}
