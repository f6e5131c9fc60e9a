#include "experiment/experiment.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "experiment/improvement.h"
#include "workers/pool.h"

/* Launches of a subject, with reliefs and without: in this process, or in several. */

/* One launch: of the subject as it is, or with a variant of a relief. */
struct tma_launch_order {
    const struct tma_relief *relief; /* NULL: as it is */
    uint32_t variant;
    uint32_t seed;
};

struct tma_launch_outcome {
    struct tma_error error; /* code TMA_OK: the launch went well */
    uint64_t cycles;        /* that the whole work would take */
};

struct tma_launcher;

struct tma_launcher {
    const struct tma_experiment_subject *subject;
    const struct tma_result *before;
    struct tma_workers *workers; /* owned; NULL: launches run in this process */
    size_t ordered;              /* launches of all calls */
};

/* A call of launcher_run. */
struct running {
    struct tma_launcher *launcher;
    const struct tma_launch_order *orders;
    struct tma_launch_outcome *outcomes;
    size_t done;     /* launches of earlier calls */
    uint64_t cycles; /* simulated, that the observer does not know of */
    struct tma_error *error;
    enum tma_error_code code;
};

static enum tma_error_code out_of_memory(struct tma_error *error) {
    return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
}

/* Makes the subject with a variant of a relief, which may be NULL. The caller releases the
 * workload. False when out of memory. */
static bool relieved_copy(const struct tma_experiment_subject *subject,
                          const struct tma_result *before, uint32_t variant,
                          struct tma_relieved *relieved) {
    *relieved = (struct tma_relieved){.machine = *subject->machine,
                                      .workload = subject->kind->copy(subject->workload),
                                      .before = before,
                                      .map_names = subject->map_names,
                                      .variant = variant,
                                      .work = 1,
                                      .whole_work = 1};
    return relieved->workload != NULL;
}

static uint64_t tensor_bytes(const struct tma_result *result) {
    const struct tma_counters *counters = &result->counters;
    return counters->tensor_bytes + counters->stored_bytes + counters->reduced_bytes +
           counters->prefetched_bytes;
}

/* Whether the relieved workload moves the bytes of its part of the work. Edges of a tensor make
 * CTAs differ a little. */
static bool moves_its_part(const struct tma_relieved *relieved, const struct tma_result *result) {
    double part = (double)relieved->work / relieved->whole_work;
    double wanted = part * (double)tensor_bytes(relieved->before);
    if (relieved->work == relieved->whole_work)
        return tensor_bytes(result) == tensor_bytes(relieved->before);
    return fabs((double)tensor_bytes(result) - wanted) <= 0.01 * wanted;
}

/* Returns the simulated cycles; 0 where the launch fails. */
static uint64_t run_relieved(const struct tma_launcher *launcher, struct tma_relieved *relieved,
                             const struct tma_launch_order *order,
                             struct tma_launch_outcome *outcome) {
    const struct tma_workload_kind *kind = launcher->subject->kind;
    struct tma_result *result = tma_allocate(1, sizeof *result);
    uint64_t cycles = 0;
    if (result == NULL) {
        out_of_memory(&outcome->error);
        return 0;
    }
    relieved->machine.topology.seed = order->seed;
    outcome->error.code =
        kind->run(&relieved->machine, relieved->workload, result, &outcome->error);
    if (outcome->error.code == TMA_OK && order->relief != NULL && !moves_its_part(relieved, result))
        tma_fail(&outcome->error, TMA_ERROR_UNSUPPORTED, "the relief changes the bytes that move");
    if (outcome->error.code == TMA_OK)
        cycles = result->cycles;
    outcome->cycles = (cycles * relieved->whole_work + relieved->work - 1) / relieved->work;
    tma_release(result);
    return cycles;
}

static uint64_t launch(const struct tma_launcher *launcher, const struct tma_launch_order *order,
                       struct tma_launch_outcome *outcome) {
    const struct tma_experiment_subject *subject = launcher->subject;
    struct tma_relieved relieved;
    uint64_t cycles = 0;
    *outcome = (struct tma_launch_outcome){0};
    if (!relieved_copy(subject, launcher->before, order->variant, &relieved)) {
        out_of_memory(&outcome->error);
        return 0;
    }
    if (order->relief == NULL || tma_relief_apply(order->relief, &relieved))
        cycles = run_relieved(launcher, &relieved, order, outcome);
    else
        tma_fail(&outcome->error, TMA_ERROR_UNSUPPORTED, "the relief does not apply");
    subject->kind->release(relieved.workload);
    return cycles;
}

/* Lack of memory or of the engine says nothing about the relief: it ends all launches. */
static void look_at(struct running *run, const struct tma_launch_outcome *outcome) {
    enum tma_error_code code = outcome->error.code;
    if (code == TMA_ERROR_MEMORY || code == TMA_ERROR_FILE)
        run->code = tma_fail(run->error, code, "%s", outcome->error.text);
}

static void tell(struct running *run, size_t done) {
    const struct tma_launcher *launcher = run->launcher;
    const struct tma_experiment_observer *observer = launcher->subject->observer;
    if (observer != NULL)
        observer->progressed(observer->context, run->cycles, run->done + done, launcher->ordered);
    run->cycles = 0;
}

static void run_here(struct running *run, size_t count) {
    for (size_t i = 0; i < count && run->code == TMA_OK; i++) {
        run->cycles = launch(run->launcher, &run->orders[i], &run->outcomes[i]);
        look_at(run, &run->outcomes[i]);
        tell(run, i + 1);
    }
}

/* In a worker. The pointers in an order are good there: it is a fork. */
static void work(void *context, size_t number, const void *bytes, size_t size,
                 struct tma_reply *reply) {
    struct tma_launch_order order;
    struct tma_launch_outcome outcome;
    (void)number;
    memcpy(&order, bytes, size);
    uint64_t cycles = launch(context, &order, &outcome);
    tma_reply_note(reply, &cycles, sizeof cycles);
    tma_reply_append(reply, &outcome, sizeof outcome);
}

static bool take(void *context, size_t number, const struct tma_task_outcome *outcome) {
    struct running *run = context;
    if (outcome->failure != NULL) {
        run->code = tma_fail(run->error, TMA_ERROR_MEMORY, "%.400s", outcome->failure);
        return false;
    }
    memcpy(&run->outcomes[number], outcome->bytes, outcome->size);
    look_at(run, &run->outcomes[number]);
    return run->code == TMA_OK;
}

static void note(void *context, size_t number, const void *bytes, size_t size) {
    struct running *run = context;
    uint64_t cycles;
    (void)number;
    memcpy(&cycles, bytes, size);
    run->cycles += cycles;
}

static bool idle(void *context, size_t done, uint64_t done_cost) {
    (void)done_cost;
    tell(context, done);
    return true;
}

static void run_in_workers(struct running *run, size_t count) {
    struct tma_task *tasks = tma_allocate(count, sizeof *tasks);
    const struct tma_batch batch = {
        .tasks = tasks, .count = count, .context = run, .take = take, .note = note, .idle = idle};
    if (tasks == NULL) {
        run->code = out_of_memory(run->error);
        return;
    }
    for (size_t i = 0; i < count; i++)
        tasks[i] = (struct tma_task){&run->orders[i], sizeof run->orders[i], 1};
    enum tma_error_code code = tma_workers_run(run->launcher->workers, &batch, run->error);
    if (run->code == TMA_OK)
        run->code = code;
    tma_release(tasks);
}

/* Creates a launcher. `before` is the subject's own result, which reliefs look at. Both are
 * borrowed. Returns NULL when out of memory. */
static struct tma_launcher *launcher_create(const struct tma_experiment_subject *subject,
                                            const struct tma_result *before) {
    struct tma_launcher *launcher = tma_allocate(1, sizeof *launcher);
    if (launcher == NULL)
        return NULL;
    *launcher = (struct tma_launcher){.subject = subject, .before = before};
    const struct tma_worker_code code = {work, launcher};
    if (subject->jobs > 1) {
        launcher->workers = tma_workers_create(subject->jobs, &code);
        if (launcher->workers == NULL) {
            tma_release(launcher);
            return NULL;
        }
    }
    return launcher;
}

/* Runs the launches and writes their outcomes, by order. A launch whose relief moves other bytes
 * than its part of the work fails with TMA_ERROR_UNSUPPORTED. Fails itself with TMA_ERROR_MEMORY
 * or TMA_ERROR_FILE, also where a launch does. */
static enum tma_error_code launcher_run(struct tma_launcher *launcher,
                                        const struct tma_launch_order *orders, size_t count,
                                        struct tma_launch_outcome *outcomes,
                                        struct tma_error *error) {
    struct running run = {.launcher = launcher,
                          .orders = orders,
                          .outcomes = outcomes,
                          .done = launcher->ordered,
                          .error = error};
    if (count == 0)
        return TMA_OK;
    launcher->ordered += count;
    if (launcher->workers == NULL)
        run_here(&run, count);
    else
        run_in_workers(&run, count);
    return run.code;
}

/* NULL is allowed. */
static void launcher_free(struct tma_launcher *launcher) {
    if (launcher != NULL)
        tma_workers_free(launcher->workers);
    tma_release(launcher);
}

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
        launcher_run(series->launcher, series->orders, count, series->outcomes, error);
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

/* The part of its time that the role that waits most waits for these causes; NAN: no role has time.
 */
static double share_of_waits(const struct tma_result *before, uint32_t waits) {
    double most = NAN;
    for (int role = 0; role < TMA_MAX_ROLES; role++) {
        double all = 0, waited = 0;
        for (int cause = 0; cause < TMA_ROLE_CAUSE_COUNT; cause++) {
            double cycles = (double)before->role_cycles[role][cause];
            all += cycles;
            waited += (waits >> cause & 1) != 0 ? cycles : 0;
        }
        if (all > 0)
            most = fmax(most, waited / all);
    }
    return most;
}

/* How much a relief can save at most, as a part of the time. A part of the machine that becomes a
 * tenth better saves a part of what it was busy, and less latency of the time that roles wait for
 * data, which deeper rings can hide altogether. What no time says comes between, what limits a run
 * before advice. */
static double likelihood(const struct series *series, const struct trial *trial) {
    const double limit = 0.5, advice = 0.2, tenth_better = 1.0 / 11;
    const struct tma_relief *relief = trial->experiment.relief;
    double time = relief->advice ? advice : limit, waits;
    if (relief->busy != 0)
        memcpy(&time, (const char *)series->before + relief->busy, sizeof time);
    else if (relief->waits != 0 && isfinite(waits = share_of_waits(series->before, relief->waits)))
        return relief->part != 0 ? waits * tenth_better : waits;
    return isfinite(time) ? time * tenth_better : 0;
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
        for (uint32_t v = 0; v == 0 || v < reliefs->items[i]->variants; v++) {
            struct trial trial = {.experiment = {.relief = reliefs->items[i], .variant = v}};
            if (!relieved_copy(subject, series->before, v, &relieved))
                return false;
            bool applies = tma_relief_apply(reliefs->items[i], &relieved);
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
    launcher_free(series->launcher);
    TMA_RELEASE(series->block, series->orders, series->outcomes, series->launched, series);
}

/* Makes room for `all` launches of each trial. */
static bool begin(struct series *series) {
    size_t launches = (series->trial_count + 1) * series->all;
    series->launcher = launcher_create(series->subject, series->before);
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

/* The cycles of several launches. */

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

enum tma_error_code tma_launches_of(const uint64_t *cycles, uint32_t count,
                                    struct tma_launches *launches) {
    assert(count > 0);
    uint64_t *sorted = tma_allocate(count, sizeof *sorted), sum = 0;
    if (sorted == NULL)
        return TMA_ERROR_MEMORY;
    memcpy(sorted, cycles, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, ascending);
    for (uint32_t i = 0; i < count; i++)
        sum += sorted[i];
    *launches = (struct tma_launches){count, (sum + count / 2) / count, sorted[(count - 1) / 2],
                                      sorted[0], sorted[count - 1]};
    tma_release(sorted);
    return TMA_OK;
}

bool tma_launches_overlap(const struct tma_launches *a, const struct tma_launches *b) {
    return a->least <= b->most && b->least <= a->most;
}
