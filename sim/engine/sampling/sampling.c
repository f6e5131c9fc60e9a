#include "engine/sampling/sampling.h"

#include "engine/program.h"
#include "engine/sampling/sample_plan.h"
#include "engine/watch.h"

bool tma_sampling_begin(struct tma_simulation *simulation, enum tma_sampling mode) {
    const struct tma_program *program = simulation->program;
    struct tma_sampling_state *own = &simulation->sampling;
    own->on = true;
    own->walk_bytes = program->sampled->walk_bytes(simulation);
    struct tma_sample_plan plan = tma_sample_plan_of(simulation->machine, mode, own->walk_bytes);
    if (simulation->cta_count / simulation->place_count >= TMA_SAMPLED_WAVES) {
        own->counter = &simulation->next_cta;
        plan.total = simulation->cta_count;
        plan.window = program->sampled->wave_window(simulation);
        plan.step = plan.tail = simulation->place_count;
        return tma_sampler_create(&own->sampler, &plan);
    }
    if (simulation->cta_count > simulation->place_count)
        return true;
    if (!program->sampled->plan_inside(simulation, &plan))
        return false;
    if (plan.total == 0)
        return true;
    own->inside_ctas = true;
    return tma_sample_shares_create(&own->shares, simulation->cluster_count) &&
           tma_sampler_create(&own->sampler, &plan);
}

void tma_sampling_free(struct tma_sampling_state *sampling) {
    tma_sampler_free(&sampling->sampler);
    tma_sample_shares_free(&sampling->shares);
}

bool tma_sampling_leave(struct tma_simulation *simulation, uint64_t rounds) {
    struct tma_sampling_state *own = &simulation->sampling;
    uint64_t round = own->inside_ctas ? simulation->cta_count : simulation->place_count;
    uint64_t all = own->sampler.marks == NULL ? 0
                   : own->inside_ctas         ? own->least_iterations
                                              : simulation->cta_count / round;
    uint64_t out = all > rounds ? all - rounds : 0;
    simulation->next_cta = 0;
    if (own->counter != NULL)
        *own->counter = out * round + (own->inside_ctas ? simulation->cta_count : 0);
    for (uint32_t c = 0; c < simulation->cluster_count; c++)
        simulation->clusters[c].gap = (struct tma_loop_gap){.by = own->counter == NULL ? out : 0};
    return out > 0;
}

static struct tma_tally tally_of(const struct tma_simulation *simulation) {
    const struct tma_program *program = simulation->program;
    struct tma_memory_counters counters = tma_memory_count(simulation->memory);
    struct tma_tally tally = tma_sample_tally(&simulation->accounting, &counters);
    if (program->count_units != NULL)
        program->count_units(simulation, tally.units);
    if (program->count_statements != NULL)
        tally.statements += program->count_statements(simulation);
    return tally;
}

static void find_progress(struct tma_simulation *simulation) {
    for (uint32_t c = 0; c < simulation->cluster_count; c++)
        simulation->sampling.shares.now[c] =
            simulation->program->sampled->cluster_progress(simulation, c);
}

/* Cuts iterations out of all loops, of about `units` in all CTAs together. Returns of how many. */
static uint64_t cut_loops(struct tma_simulation *simulation, uint64_t units) {
    struct tma_sampling_state *own = &simulation->sampling;
    uint64_t sum = 0, last;
    for (uint32_t c = 0; c < simulation->cluster_count; c++)
        if (simulation->program->sampled->most_to_cut(simulation, c, &last) == 0)
            return 0;
    find_progress(simulation);
    tma_sample_share_out(&own->shares, units / own->iteration_units);
    for (uint32_t c = 0; c < simulation->cluster_count; c++) {
        struct tma_cluster *cluster = &simulation->clusters[c];
        uint64_t most = simulation->program->sampled->most_to_cut(simulation, c, &last);
        uint64_t count = own->shares.shares[c] < most ? own->shares.shares[c] : most;
        count = count / own->granule * own->granule;
        cluster->gap = (struct tma_loop_gap){.after = last, .by = count};
        cluster->left_out += count;
        sum += count;
    }
    return sum * own->iteration_units / simulation->cluster_count;
}

/* Skips about so many units of the run. */
static void skip(struct tma_simulation *simulation, uint64_t units) {
    struct tma_sampling_state *own = &simulation->sampling;
    if (own->counter != NULL) {
        *own->counter += units;
        tma_sampler_skip(&own->sampler, units);
        return;
    }
    units = cut_loops(simulation, units);
    if (units > 0)
        tma_sampler_skip_shared(&own->sampler, units, &own->shares);
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
static uint64_t cta_parts(const struct tma_simulation *simulation, uint64_t cycle) {
    const struct tma_accounting *accounting = &simulation->accounting;
    uint64_t usual = usual_cta_cycles(accounting, simulation->place_count);
    uint64_t parts = accounting->ended_ctas * TMA_UNIT_PARTS;
    for (uint32_t i = 0; i < simulation->place_count && usual > 0; i++) {
        const struct tma_cta *cta = tma_cta_at(simulation, i);
        uint64_t run = cycle > cta->start_cycle ? cycle - cta->start_cycle : 0;
        if (cta->cluster->running_ctas > 0)
            parts += (run < usual ? run : usual) * TMA_UNIT_PARTS / usual;
    }
    return parts;
}

void tma_sampling_look(struct tma_simulation *simulation, uint64_t cycle) {
    struct tma_sampling_state *own = &simulation->sampling;
    if (!own->on)
        return;
    uint64_t progress =
        own->inside_ctas ? *own->progress : simulation->next_cta - own->sampler.skipped;
    if (!tma_sampler_is_due(&own->sampler, progress))
        return;
    if (own->counter == NULL) {
        find_progress(simulation);
        tma_sample_shares_record(&own->shares, progress);
    }
    const struct tma_sample_mark mark = {.parts = own->inside_ctas ? progress * TMA_UNIT_PARTS
                                                                   : cta_parts(simulation, cycle),
                                         .cycle = cycle,
                                         .tally = tally_of(simulation)};
    uint64_t units = tma_sampler_look(&own->sampler, progress, &mark);
    if (units > 0)
        skip(simulation, units);
}

uint64_t tma_sampling_skipped_ctas(const struct tma_sampling_state *sampling) {
    return sampling->inside_ctas ? 0 : sampling->sampler.skipped;
}

void tma_sampling_end(struct tma_simulation *simulation, struct tma_memory_counters *counters,
                      uint64_t units[TMA_TALLY_UNIT_COUNT]) {
    const struct tma_sampling_state *own = &simulation->sampling;
    if (!own->on)
        return;
    tma_sample_account(&own->sampler, own->walk_bytes, own->inside_ctas, &simulation->accounting,
                       counters);
    for (int u = 0; u < TMA_TALLY_UNIT_COUNT; u++)
        units[u] += own->sampler.tally.units[u];
}

const struct tma_names tma_sampling_names =
    TMA_NAMES("way of sampling", {"usual", TMA_SAMPLING_USUAL}, {"careful", TMA_SAMPLING_CAREFUL});
