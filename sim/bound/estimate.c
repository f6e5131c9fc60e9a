#include "bound/estimate.h"

#include "base/numbers.h"
#include "bound/bound.h"
#include "bound/program_work.h"
#include "engine/roles/kernel_costs.h"
#include "engine/roles/kernel_run.h"
#include "memory/core/port.h"

enum {
    SHORT_OPERATIONS = 6000, /* kernels with fewer are simulated whole: that takes little time */
    /* Before each place for a CTA has done so many, a run shows no more than how its rings are
     * filled for the first time. */
    LEAST_OPERATIONS = 24
};

enum { ALL_PARTS = 64, PERCENT = 100 };

static const struct {
    uint64_t part;
    uint64_t margin_percent;
} marks[TMA_ESTIMATE_MARK_COUNT] = {
#define MARK(part, percent) {part, percent},
    TMA_ESTIMATE_MARKS(MARK)
#undef MARK
};

/* How a kernel's operations are shared out over time. */
struct estimate_rounds {
    uint64_t total; /* operations of the kernel */
    uint64_t least; /* that a run has done at a mark */
    /* The last wave counts by SM, and not by the CTAs that it has: the run takes so much longer
     * than if all waves were full. */
    uint64_t waves, even_waves;
};

/* value * factor / unit, of numbers whose product may need more than 64 bits. */
static uint64_t scaled(uint64_t value, uint64_t factor, uint64_t unit) {
    return (uint64_t)((unsigned __int128)value * factor / unit);
}

uint32_t tma_last_mark(const struct tma_projections *projections) {
    uint32_t last = TMA_ESTIMATE_MARK_COUNT;
    for (uint32_t mark = 0; mark < TMA_ESTIMATE_MARK_COUNT; mark++)
        last = projections->cycles[mark] > 0 ? mark : last;
    return last;
}

bool tma_projection_can_win(uint32_t mark, uint64_t cycles,
                            const struct tma_estimate_rival *rival) {
    uint64_t seemed = rival->projections.cycles[mark];
    if (seemed == 0)
        seemed = rival->cycles;
    return seemed == 0 || cycles <= rival->cycles ||
           cycles <= scaled(seemed, PERCENT + marks[mark].margin_percent, PERCENT);
}

static struct estimate_rounds find_rounds(const struct tma_machine *machine,
                                          const struct tma_kernel *kernel) {
    struct tma_machine own = tma_kernel_machine(machine, kernel);
    struct tma_work_walk walk;
    struct estimate_rounds rounds = {.waves = 1, .even_waves = 1};
    uint64_t per_sm = tma_kernel_ctas_per_sm(machine, kernel), ctas = kernel->cta_count;
    uint64_t sms = kernel->sm_count > 0 ? kernel->sm_count : machine->sm_count;
    uint64_t places = sms * per_sm < ctas ? sms * per_sm : ctas;
    tma_work_begin(&walk, &own, kernel, TMA_WORK_OF_FIRST);
    for (uint32_t r = 0; r < kernel->role_count; r++) {
        struct tma_program_work work = {0};
        walk.warps = kernel->roles[r].warps;
        tma_work_add(&walk, kernel->roles[r].first, kernel->roles[r].end, 1, &work);
        rounds.total += work.operations;
    }
    rounds.total *= ctas;
    rounds.least = places * LEAST_OPERATIONS;
    if (per_sm > 0 && ctas > places) {
        /* Both in CTAs of an SM, times the places. */
        rounds.waves = (ctas / places * per_sm + tma_divide_up(ctas % places, sms)) * places;
        rounds.even_waves = per_sm * ctas;
    }
    return rounds;
}

/* A run that is looked at. */
struct estimate_watch {
    const struct tma_estimate_limits *limits;
    struct estimate_rounds rounds;
    struct tma_kernel_bound bound;
    struct tma_run_state before; /* at the last look */
    uint32_t next;               /* mark */
    struct tma_kernel_estimate *estimate;
};

/* The cycles of the whole run, which has done a part of its operations at `cycle`. */
static uint64_t project(const struct estimate_rounds *rounds, uint64_t part, uint64_t cycle) {
    return scaled(scaled(cycle, ALL_PARTS, part), rounds->waves, rounds->even_waves);
}

/* The run comes to a mark. False: it ends there. */
static bool pass_mark(struct estimate_watch *watch, const struct tma_run_state *state) {
    const struct tma_run_state *before = &watch->before;
    uint32_t mark = watch->next++;
    uint64_t part = marks[mark].part, operations = watch->rounds.total * part / ALL_PARTS;
    uint64_t cycle = before->cycle;
    if (operations < watch->rounds.least)
        return true;
    if (operations > before->operations)
        cycle += scaled(state->cycle - before->cycle, operations - before->operations,
                        state->operations - before->operations);
    uint64_t cycles = project(&watch->rounds, part, cycle);
    watch->estimate->projections.cycles[mark] = watch->estimate->cycles = cycles;
    return mark < watch->limits->last_mark &&
           tma_projection_can_win(mark, cycles, &watch->limits->rival);
}

static bool look(void *context, const struct tma_run_state *state) {
    struct estimate_watch *watch = context;
    uint64_t most = watch->limits->most_cycles;
    if (most > 0 && tma_kernel_bound_of_run(&watch->bound, state) > most) {
        watch->estimate->cycles = tma_kernel_bound_of_run(&watch->bound, state);
        watch->estimate->kind = TMA_ESTIMATE_BOUND;
        return false;
    }
    while (watch->next < TMA_ESTIMATE_MARK_COUNT &&
           state->operations >= watch->rounds.total * marks[watch->next].part / ALL_PARTS)
        if (!pass_mark(watch, state)) {
            watch->estimate->kind = TMA_ESTIMATE_PROJECTED;
            return false;
        }
    watch->before = *state;
    return true;
}

enum tma_error_code
tma_kernel_estimate(const struct tma_machine *machine, const struct tma_kernel *kernel,
                    const struct tma_estimate_limits *limits, struct tma_result *result,
                    struct tma_kernel_estimate *estimate, struct tma_error *error) {
    struct estimate_watch looked = {
        .limits = limits, .rounds = find_rounds(machine, kernel), .estimate = estimate};
    struct tma_watch watch = {.look = look, .context = &looked};
    bool is_short = looked.rounds.total < SHORT_OPERATIONS;
    *estimate = (struct tma_kernel_estimate){.kind = TMA_ESTIMATE_WHOLE};
    tma_kernel_bound(machine, kernel, &looked.bound);
    enum tma_error_code code = tma_kernel_run_watched(
        machine, kernel, NULL, is_short ? NULL : &watch, result, NULL, error);
    if (code == TMA_OK) {
        estimate->kind = TMA_ESTIMATE_WHOLE;
        estimate->cycles = result->cycles;
    }
    return code == TMA_ERROR_INTERRUPTED ? TMA_OK : code;
}
