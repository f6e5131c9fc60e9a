#include "experiment/experiment.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/allocation.h"
#include "experiment/launcher.h"

/* An operation takes about as long to simulate as this many L2 requests. */
enum { REQUESTS_OF_OPERATION = 16 };

/* Launches of an experiment: one where that settles it (can_matter); else `first`, and `all` where
 * these save PROMISING or more. The cycles of short runs differ more from launch to launch. */
static const struct {
    uint64_t most_work;
    uint32_t first, all;
} launch_counts[] = {{64000, 3, 6}, {UINT64_MAX, 2, 4}};
#define PROMISING 0.01

/* A relief with a smaller effect does not matter to a launch. */
#define SAME 0.002

/* Launches may differ by this fraction, also where the first of them happen to agree. */
#define LEAST_SPREAD 0.005

uint64_t tma_run_work(const struct tma_result *result) {
    return result->counters.l2_requests + REQUESTS_OF_OPERATION * result->counters.operations;
}

/* An experiment while it runs; also the launches without a relief. */
struct trial {
    struct tma_experiment experiment;
    uint64_t *cycles; /* by launch; of `block` */
    uint32_t known;   /* launches with cycles */
    bool failed;      /* a launch has: this is no experiment */
    bool settled;     /* no further launch is necessary */
    bool left_out;    /* no launch at all: this is no experiment */
};

/* All experiments of a run. */
struct series {
    const struct tma_experiment_subject *subject;
    const struct tma_result *before; /* the run's own result */
    bool draws;                      /* the user chose the launches */
    uint32_t first_seed;
    uint32_t first, all; /* launches */
    struct trial plain;  /* without a relief */
    struct trial trials[TMA_MAX_EXPERIMENTS];
    size_t trial_count;
    uint64_t *block; /* owned: `all` cycles of each trial */
    uint64_t left;   /* launches that may still run */

    struct tma_launcher *launcher; /* owned */
    /* The launches that run together. Owned. */
    struct tma_launch_order *orders;
    struct tma_launch_outcome *outcomes;
    struct trial **launched; /* the trial of each order */
};

static enum tma_error_code out_of_memory(struct tma_error *error) {
    return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
}

/* Orders the launches of a trial up to number `until`. Returns the new number of orders. */
static size_t order_launches(struct series *series, struct trial *trial, uint32_t until,
                             size_t count) {
    for (uint32_t i = trial->known; i < until; i++) {
        series->launched[count] = trial;
        series->orders[count++] = (struct tma_launch_order){
            trial->experiment.relief, trial->experiment.variant, series->first_seed + i};
    }
    return count;
}

/* Launches of one trial are in their order. */
static enum tma_error_code take_outcomes(struct series *series, size_t count,
                                         struct tma_error *error) {
    for (size_t i = 0; i < count; i++) {
        struct trial *trial = series->launched[i];
        const struct tma_launch_outcome *outcome = &series->outcomes[i];
        trial->failed = trial->failed || outcome->error.code != TMA_OK;
        if (!trial->failed)
            trial->cycles[trial->known++] = outcome->cycles;
        else if (trial == &series->plain)
            return tma_fail(error, outcome->error.code, "%s", outcome->error.text);
    }
    return TMA_OK;
}

/* Compares the launches of a trial with those without a relief. */
static enum tma_error_code sum_up(const struct series *series, struct trial *trial) {
    struct tma_experiment *experiment = &trial->experiment;
    enum tma_error_code code =
        tma_launches_of(series->plain.cycles, trial->known, &experiment->before);
    if (code == TMA_OK)
        code = tma_launches_of(trial->cycles, trial->known, &experiment->cycles);
    if (code != TMA_OK)
        return code;
    double before = (double)experiment->before.mean, after = (double)experiment->cycles.mean;
    experiment->saved = before > 0 ? 1 - after / before : 0;
    return TMA_OK;
}

/* Runs what is missing of the first `until` launches of the trials that are not settled, and of the
 * first `plain_until` without a relief. */
static enum tma_error_code launch_all(struct series *series, uint32_t plain_until, uint32_t until,
                                      struct tma_error *error) {
    size_t count = order_launches(series, &series->plain, plain_until, 0);
    for (size_t i = 0; i < series->trial_count; i++)
        if (!series->trials[i].settled)
            count = order_launches(series, &series->trials[i], until, count);
    enum tma_error_code code =
        tma_launcher_run(series->launcher, series->orders, count, series->outcomes, error);
    if (code == TMA_OK)
        code = take_outcomes(series, count, error);
    for (size_t i = 0; i < series->trial_count && code == TMA_OK; i++) {
        struct trial *trial = &series->trials[i];
        trial->settled = trial->settled || trial->failed;
        if (!trial->settled && sum_up(series, trial) != TMA_OK)
            code = out_of_memory(error);
    }
    return code;
}

static double spread_of(const struct trial *trial) {
    uint64_t least = trial->cycles[0], most = trial->cycles[0];
    for (uint32_t i = 1; i < trial->known; i++) {
        least = trial->cycles[i] < least ? trial->cycles[i] : least;
        most = trial->cycles[i] > most ? trial->cycles[i] : most;
    }
    return most > 0 ? (double)(most - least) / (double)most : 0;
}

/* Whether a relief may help, after one launch. It does not if it hardly matters, or saves too
 * little for launches that differ as those without a relief do. */
static bool can_matter(const struct series *series, const struct trial *trial) {
    double spread = fmax(spread_of(&series->plain), LEAST_SPREAD);
    return fabs(trial->experiment.saved) > SAME &&
           trial->experiment.saved >= TMA_LEAST_SAVING - spread;
}

/* Whether the mean of what the launches save is twice its standard error: with savings d of n
 * launches and their sum s, s^2 (n - 1) >= 4 (n sum d^2 - s^2). One launch alone has no error: then
 * a relief has the same effect in each. */
static bool saves_surely(const struct series *series, const struct trial *trial) {
    uint32_t count = trial->known;
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        double saved = (double)series->plain.cycles[i] - (double)trial->cycles[i];
        sum += saved;
        squares += saved * saved;
    }
    return sum > 0 && (count == 1 || sum * sum * (count - 1) >= 4 * (count * squares - sum * sum));
}

static bool helps(const struct series *series, const struct trial *trial) {
    const struct tma_experiment *experiment = &trial->experiment;
    if (experiment->saved < TMA_LEAST_SAVING)
        return false;
    return series->draws ? !tma_launches_overlap(&experiment->before, &experiment->cycles)
                         : saves_surely(series, trial);
}

/* Settles the trials that need no launch beyond those that they have. Returns how many do. */
static size_t settle(struct series *series,
                     bool (*goes_on)(const struct series *series, const struct trial *trial)) {
    size_t open = 0;
    for (size_t i = 0; i < series->trial_count; i++) {
        struct trial *trial = &series->trials[i];
        trial->settled = trial->settled || !goes_on(series, trial);
        open += !trial->settled;
    }
    return open;
}

static bool is_promising(const struct series *series, const struct trial *trial) {
    (void)series;
    return trial->experiment.saved >= PROMISING;
}

/* Runs the open trials up to launch `until`, if there is room for that. */
static enum tma_error_code launch_more(struct series *series, uint32_t until, size_t open,
                                       struct tma_error *error) {
    uint32_t known = series->plain.known;
    uint64_t most = (uint64_t)open * until + (until > known ? until - known : 0);
    if (open == 0 || most > series->left)
        return TMA_OK;
    series->left -= most;
    return launch_all(series, until, until, error);
}

static enum tma_error_code run_trials(struct series *series, struct tma_error *error) {
    uint32_t one = series->draws ? series->first : 1;
    enum tma_error_code code = launch_all(series, series->first, one, error);
    if (code == TMA_OK && series->first > one)
        code = launch_more(series, series->first, settle(series, can_matter), error);
    if (code == TMA_OK && series->all > series->first)
        code = launch_more(series, series->all, settle(series, is_promising), error);
    return code;
}

/* How likely a relief is to matter: a part that is busy all the time does, and one that is idle
 * does not; what no time says comes between, what limits a run before advice. */
static double likelihood(const struct series *series, const struct trial *trial) {
    const double limit = 0.5, advice = 0.2;
    const struct tma_relief *relief = trial->experiment.relief;
    double busy;
    if (relief->busy == 0)
        return relief->advice ? advice : limit;
    memcpy(&busy, (const char *)series->before + relief->busy, sizeof busy);
    return isfinite(busy) ? busy : 0;
}

/* Leaves out the least likely trials, of equal ones the last, until `most` are left. */
static void leave_out(struct series *series, size_t most) {
    for (size_t count = series->trial_count; count > most; count--) {
        struct trial *least = series->trials;
        double lowest = INFINITY;
        for (size_t i = 0; i < series->trial_count; i++) {
            struct trial *trial = &series->trials[i];
            double own = likelihood(series, trial);
            if (trial->left_out || own > lowest)
                continue;
            least = trial;
            lowest = own;
        }
        least->left_out = least->settled = true;
    }
}

/* Keeps to the bound of the subject, if it has one. */
static void bound_launches(struct series *series) {
    uint64_t most = series->subject->most_work, work = tma_run_work(series->before);
    series->left = most == 0 || work == 0 ? UINT64_MAX : most / work;
    if (series->left < series->trial_count + series->first - 1) {
        series->first = series->all = 1;
        if (series->left < series->trial_count)
            leave_out(series, (size_t)series->left);
    }
    if (series->left != UINT64_MAX)
        series->left -= series->left < series->trial_count ? series->left : series->trial_count;
}

/* Adds the variants that apply. Each of them has its sentence, whatever comes of it. */
static bool add_trials(struct series *series, const struct tma_reliefs *reliefs) {
    const struct tma_experiment_subject *subject = series->subject;
    struct tma_relieved relieved;
    for (size_t i = 0; i < reliefs->count; i++)
        for (uint32_t v = 0; v < reliefs->items[i]->variants; v++) {
            struct trial trial = {.experiment = {.relief = reliefs->items[i], .variant = v}};
            if (!tma_relieved_copy(subject, series->before, v, &relieved))
                return false;
            bool applies = reliefs->items[i]->apply(&relieved);
            subject->kind->release(relieved.workload);
            memcpy(trial.experiment.change, relieved.change, sizeof relieved.change);
            assert(series->trial_count < TMA_MAX_EXPERIMENTS);
            if (applies)
                series->trials[series->trial_count++] = trial;
        }
    return true;
}

/* Inserts item `index` by its saving; the earlier one stays first where two save the same. */
static void rank(const struct tma_experiments *experiments, size_t index, size_t *order,
                 size_t *count) {
    size_t at = (*count)++;
    for (; at > 0 && experiments->items[order[at - 1]].saved < experiments->items[index].saved;
         at--)
        order[at] = order[at - 1];
    order[at] = index;
}

/* The smallest step that saves as much as experiment `index` does. */
static size_t smallest_step(const struct tma_experiments *experiments, size_t index) {
    const struct tma_experiment *items = experiments->items;
    for (size_t i = 0; i < experiments->count; i++)
        if (items[i].relief == items[index].relief->smaller &&
            items[i].variant == items[index].variant && items[i].helps &&
            items[i].saved >= items[index].saved)
            return i;
    return index;
}

static void rank_all(struct tma_experiments *experiments) {
    for (size_t i = 0; i < experiments->count; i++)
        if (!experiments->items[i].helps)
            continue;
        else if (experiments->items[i].relief->advice)
            rank(experiments, smallest_step(experiments, i), experiments->advice,
                 &experiments->advice_count);
        else
            rank(experiments, i, experiments->limits, &experiments->limit_count);
}

static void end(struct series *series) {
    if (series == NULL)
        return;
    tma_launcher_free(series->launcher);
    tma_release(series->block);
    tma_release(series->orders);
    tma_release(series->outcomes);
    tma_release(series->launched);
    tma_release(series);
}

/* Makes room for `all` launches of each trial. */
static bool begin(struct series *series) {
    size_t launches = (series->trial_count + 1) * series->all;
    series->launcher = tma_launcher_create(series->subject, series->before);
    series->block = tma_allocate(launches, sizeof *series->block);
    series->orders = tma_allocate(launches, sizeof *series->orders);
    series->outcomes = tma_allocate(launches, sizeof *series->outcomes);
    series->launched = tma_allocate(launches, sizeof(struct trial *));
    if (series->launcher == NULL || series->block == NULL || series->orders == NULL ||
        series->outcomes == NULL || series->launched == NULL)
        return false;
    series->plain.cycles = series->block;
    for (size_t i = 0; i < series->trial_count; i++)
        series->trials[i].cycles = series->block + (i + 1) * series->all;
    return true;
}

enum tma_error_code tma_launch(const struct tma_experiment_subject *subject, uint32_t count,
                               struct tma_launches *launches, struct tma_error *error) {
    struct series *series = tma_allocate(1, sizeof *series);
    if (series == NULL)
        return out_of_memory(error);
    *series = (struct series){.subject = subject, .first_seed = 1, .first = count, .all = count};
    enum tma_error_code code =
        begin(series) ? launch_all(series, count, 0, error) : out_of_memory(error);
    if (code == TMA_OK && tma_launches_of(series->plain.cycles, count, launches) != TMA_OK)
        code = out_of_memory(error);
    end(series);
    return code;
}

/* Without randomness one launch is enough. */
static void choose_launches(struct series *series, uint32_t draws) {
    uint32_t seed = series->subject->machine->topology.seed;
    size_t size = 0;
    while (tma_run_work(series->before) > launch_counts[size].most_work)
        size++;
    series->draws = draws > 0;
    series->first_seed = draws > 0 ? 1 : seed;
    series->first = draws > 0 ? draws : seed == 0 ? 1 : launch_counts[size].first;
    series->all = draws > 0 ? draws : seed == 0 ? 1 : launch_counts[size].all;
}

/* What has come of the trials. */
static enum tma_error_code conclude(struct series *series, struct tma_experiments *experiments) {
    *experiments = (struct tma_experiments){0};
    for (size_t i = 0; i < series->trial_count; i++) {
        struct trial *trial = &series->trials[i];
        const struct tma_relief *relief = trial->experiment.relief;
        size_t untried = experiments->untried_count;
        if (trial->left_out) {
            if (untried == 0 || experiments->untried[untried - 1] != relief)
                experiments->untried[experiments->untried_count++] = relief;
            continue;
        }
        trial->experiment.helps = !trial->failed && helps(series, trial);
        if (!trial->failed)
            experiments->items[experiments->count++] = trial->experiment;
    }
    rank_all(experiments);
    return tma_launches_of(series->plain.cycles, series->first, &experiments->before);
}

enum tma_error_code tma_experiments_run(const struct tma_experiment_subject *subject,
                                        const struct tma_result *result, uint32_t draws,
                                        struct tma_experiments *experiments,
                                        struct tma_error *error) {
    struct series *series = tma_allocate(1, sizeof *series);
    if (series == NULL)
        return out_of_memory(error);
    *series = (struct series){.subject = subject, .before = result};
    choose_launches(series, draws);
    bool good =
        add_trials(series, &tma_machine_reliefs) && add_trials(series, &subject->kind->reliefs);
    if (good)
        bound_launches(series);
    good = good && begin(series);
    if (good && draws == 0)
        series->plain.cycles[series->plain.known++] = result->cycles;
    enum tma_error_code code = good ? run_trials(series, error) : out_of_memory(error);
    if (code == TMA_OK && conclude(series, experiments) != TMA_OK)
        code = out_of_memory(error);
    end(series);
    return code;
}
