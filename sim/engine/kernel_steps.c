#include "engine/kernel_steps.h"

#include <string.h>

#include "engine/sample_plan.h"
#include "engine/sampled_loops.h"
#include "engine/step_waits.h"

enum {
    LEAST_ROUNDS = 2,  /* with one, windows within it say more */
    MOST_ROUNDS = 64,  /* of output tiles in each place: with more, windows of them are compared */
    WHOLE_ROUNDS = 12, /* so many are all simulated: CTAs come out of step, or into it */
    LAST_ROUNDS = 1,   /* of a grid, behind those that are left out */
    /* Of what was left out. Steps change slowly along a loop; where CTAs that share an SM wait for
     * memory, they are not as much out of step in short tiles as in long ones. */
    ERROR_MILLE = 50,
    SHARED_ERROR_MILLE = 150
};

static uint32_t sm_index(const struct tma_kernel_cta *cta) {
    return (uint32_t)(cta->sm - cta->engine->sms);
}

static bool cuts_steps(const struct tma_kernel_engine *engine) {
    return engine->sampling.unit == TMA_SAMPLED_STEPS;
}

/* Makes L2 smaller by as much less as the kernel touches in a round. */
static bool shrink_l2(struct tma_kernel_engine *engine, struct tma_loop_walk *walk) {
    const struct tma_kernel_steps *steps = &engine->sampling.steps;
    struct tma_machine *machine = &engine->machine;
    struct tma_step_footprint round;
    if (!tma_step_cut_footprint(engine->kernel, &steps->cut, engine->cta_places, &steps->part, walk,
                                &round))
        return false;
    uint64_t least = (uint64_t)machine->l2.slices * machine->l2.ways * TMA_LINE_BYTES;
    uint64_t capacity = machine->l2.capacity_bytes;
    if (round.whole_bytes > 0)
        capacity = (uint64_t)((unsigned __int128)capacity * round.part_bytes / round.whole_bytes);
    machine->l2.capacity_bytes = capacity > least ? capacity : least;
    return true;
}

/* Plans to leave out whole rounds: of CTAs that stay, behind those in which the tiles of a period
 * come for the first time and one more; of a grid, as soon as two rounds agree. */
static void plan_rounds(struct tma_kernel_engine *engine, uint64_t waves,
                        struct tma_loop_walk *walk) {
    struct tma_kernel_steps *steps = &engine->sampling.steps;
    uint64_t places = engine->cta_places, full = engine->kernel->cta_count / places;
    uint64_t first = 1 + (tma_tile_period(engine->kernel) + places - 1) / places;
    if (first < LEAST_ROUNDS)
        first = LEAST_ROUNDS;
    steps->measured_round = (uint32_t)first - 1;
    if (steps->whole.loops * waves <= WHOLE_ROUNDS)
        return;
    if (waves == 1) {
        tma_step_cut_leave_tiles(engine->kernel, &steps->cut, first, steps->whole.loops);
        steps->part = tma_step_cut_amounts(engine->kernel, &steps->cut, false, walk);
    } else if (steps->whole.loops == 1 && full > first + LAST_ROUNDS) {
        steps->most_rounds = (uint32_t)full - LAST_ROUNDS;
    }
}

bool tma_kernel_steps_begin(struct tma_kernel_engine *engine, bool *found) {
    const struct tma_kernel *kernel = engine->kernel;
    struct tma_kernel_steps *steps = &engine->sampling.steps;
    /* Roles have no CTA yet. */
    struct tma_loop_walk walk = {&engine->roles[0].cursor, &engine->sampling.cut};
    *found = false;
    if (steps->use == TMA_STEPS_KEPT)
        return true;
    if (!tma_step_cut_find(kernel, &steps->cut))
        return true;
    steps->part = tma_step_cut_amounts(kernel, &steps->cut, false, &walk);
    steps->whole = tma_step_cut_amounts(kernel, &steps->cut, true, &walk);
    uint64_t waves = (kernel->cta_count + engine->cta_places - 1) / engine->cta_places;
    uint64_t rounds = steps->whole.loops * waves;
    if (rounds < LEAST_ROUNDS || rounds > MOST_ROUNDS ||
        !tma_step_cut_balances(&steps->whole, &steps->part))
        return true;
    if (!shrink_l2(engine, &walk))
        return false;
    plan_rounds(engine, waves, &walk);
    *found = true;
    engine->sampling.unit = TMA_SAMPLED_STEPS;
    engine->sampling.cut = tma_step_cut_loops(&steps->cut);
    tma_kernel_steps_cut(engine, false);
    bool created = tma_step_clock_create(&steps->clock, steps->cut.timed, engine->cta_places,
                                         engine->sm_count, engine->ctas_per_sm);
    steps->clock.stays = waves == 1;
    return created;
}

void tma_kernel_steps_free(struct tma_kernel_engine *engine) {
    tma_step_clock_free(&engine->sampling.steps.clock);
}

bool tma_kernel_steps_tested(const struct tma_kernel_engine *engine) {
    return cuts_steps(engine) && engine->sampling.steps.use == TMA_STEPS_TESTED;
}

void tma_kernel_steps_cut(struct tma_kernel_engine *engine, bool warm_start) {
    struct tma_loop_gap gap = tma_step_cut_gap(&engine->sampling.steps.cut);
    if (warm_start)
        gap.tiles_by = 0;
    for (uint32_t c = 0; c < engine->cluster_count; c++)
        engine->clusters[c].gap = gap;
}

void tma_kernel_steps_next(struct tma_kernel_engine *engine) {
    struct tma_kernel_steps *steps = &engine->sampling.steps;
    uint32_t rounds = steps->measured_round + 1;
    if (rounds >= steps->most_rounds || engine->next_cta != rounds * engine->cta_places)
        return;
    if (!tma_step_clock_agrees(&steps->clock, steps->measured_round)) {
        steps->measured_round++;
        return;
    }
    steps->left_out_ctas = (steps->most_rounds - rounds) * engine->cta_places;
    steps->most_rounds = 0;
    engine->next_cta += steps->left_out_ctas;
}

void tma_kernel_steps_start(struct tma_kernel_cta *cta) {
    if (cuts_steps(cta->engine))
        tma_step_clock_start(&cta->engine->sampling.steps.clock, cta->place, sm_index(cta));
}

void tma_kernel_steps_stop(struct tma_kernel_cta *cta) {
    if (cuts_steps(cta->engine))
        tma_step_clock_end(&cta->engine->sampling.steps.clock, cta->place, sm_index(cta),
                           cta->end_cycle);
}

static bool roles_wait(const struct tma_kernel_engine *engine, struct tma_timed_loops loops) {
    bool wait = false;
    for (uint32_t role = 0; role < engine->kernel->role_count; role++)
        wait |= tma_steps_wait(engine->sampling.steps.role_cycles[role], loops);
    return wait;
}

/* One more loop has no more timed steps. Stops the run where roles wait for memory in them. */
static void end_loop(struct tma_kernel_engine *engine) {
    struct tma_kernel_steps *steps = &engine->sampling.steps;
    uint64_t ctas = engine->kernel->cta_count - steps->left_out_ctas;
    steps->ended_loops++;
    const struct tma_timed_loops loops = {steps->ended_loops, steps->part.loops * ctas};
    if (steps->use != TMA_STEPS_TESTED || !roles_wait(engine, loops))
        return;
    steps->refused = true;
    tma_simulation_fail(&engine->simulation, TMA_ERROR_INTERRUPTED, "roles wait for memory");
}

/* Whether a role that has ended so many steps of a loop is in a timed one. Roles that fill stages
 * are ahead of the timed role: in their first timed step they wait for the end of the tile before,
 * and so theirs are one step later. */
static bool is_timed(const struct tma_role_state *role, uint64_t step) {
    const struct tma_step_cut *cut = &role->cta->engine->sampling.steps.cut;
    uint64_t later = role->index == cut->timed_role ? 0 : 1;
    return step >= cut->timed.first + later && step < cut->timed.last + later;
}

void tma_kernel_steps_pass(struct tma_role_state *role) {
    struct tma_kernel_cta *cta = role->cta;
    struct tma_kernel_steps *steps = &cta->engine->sampling.steps;
    const struct tma_program_place *place = &role->cursor.main;
    const struct tma_timed_steps *timed = &steps->cut.timed;
    role->passes = role->cursor.passes;
    role->in_timed_steps = false;
    if (!cuts_steps(cta->engine))
        return;
    for (uint32_t d = 0; d < place->depth; d++) {
        uint64_t step = place->frames[d].index;
        if (place->frames[d].statement != steps->cut.loops[role->index])
            continue;
        role->in_timed_steps = is_timed(role, step);
        if (role->index != steps->cut.timed_role)
            continue;
        tma_step_clock_pass(&steps->clock, cta->place, sm_index(cta), step, role->cycle);
        if (step == timed->last)
            end_loop(cta->engine);
    }
}

static uint64_t rounds_left_out(const struct tma_kernel_engine *engine) {
    const struct tma_kernel_steps *steps = &engine->sampling.steps;
    return steps->cut.tiles_left_out + steps->left_out_ctas / engine->cta_places;
}

/* The programs of so many CTAs. */
static struct tma_program_amounts times(struct tma_program_amounts amounts, uint64_t ctas) {
    amounts.loops *= ctas;
    amounts.statements *= ctas;
    amounts.operations *= ctas;
    amounts.load_bytes *= ctas;
    amounts.store_bytes *= ctas;
    for (int u = 0; u < TMA_TALLY_UNIT_COUNT; u++)
        amounts.units[u] *= ctas;
    return amounts;
}

/* The end of the run with all its steps: that of the place that ends last. */
static struct tma_step_stretch stretched_end(const struct tma_kernel_engine *engine) {
    const struct tma_kernel_steps *steps = &engine->sampling.steps;
    struct tma_step_stretch end = {0};
    for (uint32_t place = 0; place < engine->cta_places; place++) {
        struct tma_step_stretch stretch =
            tma_step_clock_stretch(&steps->clock, place, steps->cut.left_out);
        uint64_t cycle = engine->ctas[place].end_cycle + stretch.cycles;
        if (cycle > end.cycles)
            end = (struct tma_step_stretch){cycle, stretch.error_cycles};
    }
    struct tma_step_stretch round =
        tma_step_clock_round(&steps->clock, steps->measured_round, steps->cut.left_out);
    uint64_t rounds = rounds_left_out(engine);
    end.cycles += rounds * round.cycles;
    end.error_cycles += rounds * round.error_cycles;
    return end;
}

/* How much longer each simulated CTA would have been: one that stays, by all that is left out. */
static uint64_t cta_stretch(const struct tma_kernel_engine *engine, uint64_t skipped) {
    const struct tma_kernel_steps *steps = &engine->sampling.steps;
    if (steps->clock.stays)
        return skipped;
    return tma_step_clock_loop(&steps->clock, steps->measured_round, steps->cut.left_out).cycles *
           steps->whole.loops;
}

static uint64_t scaled(uint64_t value, uint64_t by, uint64_t of) {
    return of == 0 ? 0 : (uint64_t)((unsigned __int128)value * by / of);
}

/* Time that was left out. */
struct left_out_cycles {
    uint64_t steps; /* of tiles that were simulated */
    uint64_t tiles; /* whole ones, but for those steps */
};

/* All roles with timed steps are in steps that were left out for as long: so many cycles of all
 * CTAs. They spend them as those timed steps. A role spends the time of whole tiles as all that
 * was simulated. */
static void stretch_role(uint64_t spent[TMA_ROLE_CAUSE_COUNT],
                         const uint64_t timed[TMA_ROLE_CAUSE_COUNT], uint64_t in_steps,
                         struct left_out_cycles left_out, uint64_t simulated) {
    uint64_t all_timed = tma_steps_cycles(timed);
    for (int cause = 0; cause < TMA_ROLE_CAUSE_COUNT; cause++) {
        uint64_t own = spent[cause];
        spent[cause] += scaled(own, left_out.tiles, simulated);
        spent[cause] += all_timed == 0 ? scaled(own, left_out.steps, simulated)
                                       : scaled(timed[cause], in_steps, all_timed);
    }
}

/* Of so many cycles that were left out. */
static struct left_out_cycles left_out_of(const struct tma_kernel_engine *engine, uint64_t cycles) {
    const struct tma_kernel_steps *steps = &engine->sampling.steps;
    const struct tma_step_clock *clock = &steps->clock;
    uint64_t round = tma_step_clock_round(clock, steps->measured_round, 0).cycles;
    uint64_t tiles = rounds_left_out(engine) * round;
    tiles = tiles < cycles ? tiles : cycles;
    return (struct left_out_cycles){.steps = cycles - tiles, .tiles = tiles};
}

void tma_kernel_steps_end(struct tma_kernel_engine *engine, struct tma_memory_counters *counters,
                          uint64_t units[TMA_TALLY_UNIT_COUNT]) {
    const struct tma_kernel_steps *steps = &engine->sampling.steps;
    struct tma_accounting *accounting = &engine->simulation.accounting;
    struct tma_sampled *sampled = &engine->result->sampled;
    struct tma_step_stretch end = stretched_end(engine);
    struct tma_tally simulated = tma_sample_tally(accounting, counters);
    memcpy(simulated.units, units, sizeof simulated.units);
    uint64_t ctas = engine->kernel->cta_count, left_out = steps->left_out_ctas;
    const struct tma_program_amounts whole = times(steps->whole, ctas),
                                     part = times(steps->part, ctas - left_out);
    struct tma_tally left = tma_step_cut_tally(&simulated, &whole, &part);
    uint64_t last = accounting->last_cycle, skipped = end.cycles > last ? end.cycles - last : 0;
    sampled->asked = sampled->short_tiles = true;
    sampled->roles_wait =
        roles_wait(engine, (struct tma_timed_loops){steps->ended_loops, steps->ended_loops});
    accounting->skipped = (struct tma_skipped){.cycles = skipped,
                                               .latencies = left.latencies,
                                               .ctas = left_out,
                                               .cta_cycles = skipped * engine->cta_places,
                                               .each_cycles = cta_stretch(engine, skipped)};
    tma_tally_add(&left, engine->result, counters);
    struct left_out_cycles cycles = left_out_of(engine, skipped);
    uint64_t(*spent)[TMA_ROLE_CAUSE_COUNT] = engine->result->role_cycles;
    uint64_t in_steps = scaled(tma_steps_cycles(spent[steps->cut.timed_role]), cycles.steps, last);
    for (uint32_t role = 0; role < engine->kernel->role_count; role++)
        stretch_role(spent[role], steps->role_cycles[role], in_steps, cycles, last);
    for (int u = 0; u < TMA_TALLY_UNIT_COUNT; u++)
        units[u] += left.units[u];
    sampled->skipped_cycles = skipped;
    bool shared = engine->cta_places > engine->sm_count && sampled->roles_wait;
    uint64_t mille = shared ? SHARED_ERROR_MILLE : ERROR_MILLE;
    sampled->error_cycles = 2 * end.error_cycles + skipped * mille / 1000;
}
