#include "search/tuning.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "bound/bound.h"
#include "bound/estimate.h"
#include "experiment/kernel_clock.h"
#include "report/clock_figures.h"
#include "scenario/kernel_program.h"

/* What a worker does: looks at one combination, or simulates it. */
enum step {
    STEP_LOOK, /* is it legal? finds a lower bound of its time */
    STEP_RUN   /* simulates it, as far as the limits say */
};

struct task {
    enum step step;
    uint32_t draw; /* the seed; 0: that of the machine */
    size_t row;    /* the variants of the first kernel, then those of the next one, and so on */
    struct tma_estimate_limits limits; /* RUN: in cycles of the row's clock */
};

struct tuning_outcome {
    bool failed;           /* the bytes that follow are the reason */
    bool repeated;         /* the draw is the seed of the machine: there is nothing new in it */
    uint32_t sm_clock_mhz; /* of the simulation */
    double ns;             /* of a run; at the chosen clock, if it was whole */
    double clock_ns[TMA_SM_CLOCK_COUNT]; /* of a whole run without a clock in MHz */
    struct tma_kernel_estimate estimate; /* LOOK: the bound */
    struct tma_tune_limiter limiter;     /* of a run that came to its end */
    struct tma_timing_trust trust;
};

static double nanoseconds(uint64_t cycles, uint32_t clock_mhz) {
    return (double)cycles * 1000 / clock_mhz;
}

/* The times of a run at the chosen clock, and at each of the three. */
static enum tma_error_code find_times(const struct tma_scenario *scenario,
                                      struct tma_result *result, struct tuning_outcome *outcome,
                                      struct tma_error *error) {
    const struct tma_kernel *kernel = &scenario->program->kernel;
    enum tma_error_code code =
        tma_kernel_find_memory_share(&scenario->machine, kernel, NULL, result, error);
    if (code != TMA_OK)
        return code;
    struct tma_clock_figures clock = tma_kernel_clock_figures(&scenario->machine, kernel, result);
    outcome->ns = clock.ns;
    for (int i = 0; i < TMA_SM_CLOCK_COUNT && !clock.fixed; i++)
        outcome->clock_ns[i] = clock.clocks.at[i].ns;
    return code;
}

static bool simulate(const struct task *task, struct tma_scenario *scenario,
                     struct tuning_outcome *outcome, struct tma_reply *reply,
                     struct tma_error *error) {
    const struct tma_kernel *kernel = &scenario->program->kernel;
    struct tma_result *result = tma_allocate(1, sizeof *result);
    enum tma_error_code code = TMA_ERROR_MEMORY;
    if (result == NULL)
        tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    else
        code = tma_kernel_estimate(&scenario->machine, kernel, &task->limits, result,
                                   &outcome->estimate, error);
    if (code == TMA_OK) {
        struct tma_report_input input = {
            .scenario = scenario->name,
            .machine = &scenario->machine,
            .kernel = kernel,
            .result = result,
            .map_names = scenario->map_names,
        };
        outcome->limiter = tma_tune_limiter_of(&input);
        outcome->ns = nanoseconds(outcome->estimate.cycles, outcome->sm_clock_mhz);
        if (outcome->estimate.kind == TMA_ESTIMATE_WHOLE && task->draw == 0)
            code = find_times(scenario, result, outcome, error);
        tma_reply_note(reply, &result->cycles, sizeof result->cycles);
    }
    tma_release(result);
    return code == TMA_OK;
}

/* Returns true where the step succeeds; else writes the reason. */
static bool do_step(const struct task *task, struct tma_scenario *scenario,
                    struct tuning_outcome *outcome, struct tma_reply *reply,
                    char reason[TMA_REASON_BYTES]) {
    struct tma_error error = {.text = ""};
    bool good = true;
    if (scenario->program == NULL) {
        snprintf(reason, TMA_REASON_BYTES, "it has a workload; tune takes kernels with roles");
        return false;
    }
    const struct tma_kernel *kernel = &scenario->program->kernel;
    if (task->draw > 0) {
        outcome->repeated = scenario->machine.topology.seed == task->draw;
        scenario->machine.topology.seed = task->draw;
    }
    outcome->sm_clock_mhz = kernel->sm_clock_mhz >= TMA_LEAST_SM_MHZ
                                ? kernel->sm_clock_mhz
                                : scenario->machine.sm_clock_mhz;
    outcome->trust = scenario->machine.trust;
    struct tma_kernel_bound bound;
    if (task->step == STEP_LOOK) {
        tma_kernel_bound(&scenario->machine, kernel, &bound);
        outcome->estimate.kind = TMA_ESTIMATE_BOUND;
        outcome->estimate.cycles = bound.cycles;
    } else if (!outcome->repeated)
        good = simulate(task, scenario, outcome, reply, &error);
    if (!good)
        snprintf(reason, TMA_REASON_BYTES, "%s", error.text);
    return good;
}

/* The kernel of a row; *row becomes that among its variants. */
static size_t kernel_of(const struct tma_tuning *tuning, size_t *row) {
    size_t kernel = 0;
    for (; *row >= tuning->variants[kernel].row_count; kernel++)
        *row -= tuning->variants[kernel].row_count;
    return kernel;
}

static void work(void *context, size_t number, const void *bytes, size_t size,
                 struct tma_reply *reply) {
    const struct tma_tuning *tuning = context;
    struct task task;
    struct tuning_outcome outcome = {.failed = true};
    struct tma_variant_scenario variant;
    char reason[TMA_REASON_BYTES];
    (void)number;
    assert(size == sizeof task);
    memcpy(&task, bytes, size);
    size_t variant_row = task.row, kernel = kernel_of(tuning, &variant_row);
    if (tma_variant_scenario_read(tuning->paths[kernel], tuning->files[kernel], &tuning->settings,
                                  &tuning->variants[kernel], variant_row, &variant, reason))
        outcome.failed = !do_step(&task, &variant.scenario, &outcome, reply, reason);
    tma_variant_scenario_free(&variant);
    tma_reply_append(reply, &outcome, sizeof outcome);
    if (outcome.failed)
        tma_reply_append(reply, reason, strlen(reason) + 1);
}

struct tma_worker_code tma_tuning_code(const struct tma_tuning *tuning) {
    return (struct tma_worker_code){.work = work, .context = (void *)tuning};
}

enum {
    FIRST_BATCH = 2 /* rows that run to their ends; each batch has twice as many as the
                                  one before, whatever the processes, so that the result does not
                                  depend on them */
};

struct state {
    struct tma_host_work work;
    const struct tma_tuning *tuning;
    struct tma_tune *tune;
    struct tma_workers *workers;
    struct task *items;                  /* owned; of the batch */
    struct tma_task *tasks;              /* owned; the same for the pool */
    struct tma_tune_row **candidates;    /* owned */
    struct tma_projections *projections; /* owned; by row, as far as it has run */
    size_t count;
    struct tma_error *error;
    bool out_of_memory;
};

static size_t index_of(const struct state *state, const struct tma_tune_row *row) {
    return (size_t)(row - state->tune->rows);
}

static void add_task(struct state *state, const struct task *task) {
    struct task *item = &state->items[state->count];
    *item = *task;
    state->tasks[state->count++] =
        (struct tma_task){.bytes = item, .size = sizeof *item, .cost = 1};
}

static void fail_row(struct state *state, struct tma_tune_row *row, const char *reason) {
    tma_release(row->failure);
    row->failure = tma_copy_text(reason);
    state->out_of_memory |= row->failure == NULL;
    row->found = TMA_TUNE_ILLEGAL;
}

static uint64_t at_clock(uint64_t cycles, const struct tma_tune_row *row,
                         const struct tma_tune_row *other) {
    return cycles * other->sm_clock_mhz / row->sm_clock_mhz;
}

static void take_bound(struct tma_tune_row *row, const struct tuning_outcome *got) {
    row->found = TMA_TUNE_BOUND;
    row->sm_clock_mhz = got->sm_clock_mhz;
    row->bound_cycles = row->cycles = got->estimate.cycles;
    row->time_ns = nanoseconds(row->cycles, row->sm_clock_mhz);
}

static void take_run(struct state *state, struct tma_tune_row *row,
                     const struct tuning_outcome *got) {
    if (got->estimate.kind == TMA_ESTIMATE_BOUND) {
        take_bound(row, got);
        return;
    }
    state->projections[index_of(state, row)] = got->estimate.projections;
    row->found = got->estimate.kind == TMA_ESTIMATE_WHOLE ? TMA_TUNE_SIMULATED : TMA_TUNE_ESTIMATED;
    row->cycles = got->estimate.cycles;
    row->time_ns = row->least_ns = row->most_ns = got->ns;
    memcpy(row->clock_ns, got->clock_ns, sizeof row->clock_ns);
    row->limiter = got->limiter;
    row->trust = got->trust;
}

/* A draw that ended at a mark is as far from the time of its row as from the projection there. */
static void take_draw(const struct state *state, struct tma_tune_row *row,
                      const struct tuning_outcome *got) {
    if (got->repeated)
        return;
    /* As much longer at the chosen clock as the row itself. */
    double ns = row->time_ns * (double)got->estimate.cycles / (double)row->cycles;
    if (got->estimate.kind == TMA_ESTIMATE_PROJECTED)
        ns = row->time_ns * (double)got->estimate.cycles /
             (double)state->projections[index_of(state, row)]
                 .cycles[tma_last_mark(&got->estimate.projections)];
    row->least_ns = ns < row->least_ns ? ns : row->least_ns;
    row->most_ns = ns > row->most_ns ? ns : row->most_ns;
}

static bool take(void *context, size_t number, const struct tma_task_outcome *outcome) {
    struct state *state = context;
    const struct task *task = &state->items[number];
    const struct tuning_outcome *got = outcome->bytes;
    struct tma_tune_row *row = &state->tune->rows[task->row];
    if (outcome->failure != NULL)
        fail_row(state, row, outcome->failure);
    else if (got->failed)
        fail_row(state, row, (const char *)(got + 1));
    else if (task->step == STEP_LOOK)
        take_bound(row, got);
    else if (task->draw > 0)
        take_draw(state, row, got);
    else
        take_run(state, row, got);
    return !state->out_of_memory;
}

static bool goes_on(const struct state *state) {
    return tma_host_goes_on(&state->work);
}

static bool idle(void *context, size_t done, uint64_t done_cost) {
    struct state *state = context;
    (void)done_cost;
    state->work.progress.done = state->work.progress.done_work =
        state->work.progress.total - state->count + done;
    return goes_on(state);
}

/* Does the tasks that were added, and takes what they found into the rows. */
static bool run_batch(struct state *state) {
    struct tma_batch batch = {.tasks = state->tasks,
                              .count = state->count,
                              .context = state,
                              .take = take,
                              .note = tma_host_work_note,
                              .idle = idle,
                              .lost = tma_host_work_lost};
    if (!goes_on(state))
        state->count = 0;
    if (state->count == 0)
        return true;
    state->work.progress.total += state->count;
    state->work.progress.total_work = state->work.progress.total;
    bool good = tma_workers_run(state->workers, &batch, state->error) == TMA_OK;
    state->count = 0;
    return good;
}

static const struct tma_tune_row *best_of(const struct tma_tune *tune) {
    const struct tma_tune_row *best = NULL;
    for (size_t i = 0; i < tune->row_count; i++)
        if (tune->rows[i].found == TMA_TUNE_SIMULATED &&
            (best == NULL || tune->rows[i].time_ns < best->time_ns))
            best = &tune->rows[i];
    return best;
}

static double best_time(const struct tma_tune *tune) {
    const struct tma_tune_row *best = best_of(tune);
    return best == NULL ? 0 : best->time_ns;
}

static double bound_time(const struct tma_tune_row *row) {
    return nanoseconds(row->bound_cycles, row->sm_clock_mhz);
}

static int compare_bounds(const void *first, const void *second) {
    const struct tma_tune_row *a = *(const struct tma_tune_row *const *)first,
                              *b = *(const struct tma_tune_row *const *)second;
    double a_ns = bound_time(a), b_ns = bound_time(b);
    if (a_ns != b_ns)
        return a_ns < b_ns ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

static size_t sort_by_bound(struct state *state) {
    size_t count = 0;
    for (size_t i = 0; i < state->tune->row_count; i++)
        if (state->tune->rows[i].found == TMA_TUNE_BOUND)
            state->candidates[count++] = &state->tune->rows[i];
    if (count > 0)
        qsort(state->candidates, count, sizeof *state->candidates, compare_bounds);
    return count;
}

static bool create_state(struct state *state) {
    const struct tma_tuning *tuning = state->tuning;
    size_t rows = state->tune->row_count;
    struct tma_worker_code code = tma_tuning_code(tuning);
    state->items = tma_allocate(rows + 1, sizeof *state->items);
    state->tasks = tma_allocate(rows + 1, sizeof *state->tasks);
    state->candidates = tma_allocate(rows, sizeof *state->candidates);
    state->projections = tma_allocate(rows, sizeof *state->projections);
    state->workers = tuning->host->workers(tuning->host->context, &code);
    return state->items != NULL && state->tasks != NULL && state->candidates != NULL &&
           state->projections != NULL && state->workers != NULL;
}

static void free_state(struct state *state) {
    tma_workers_free(state->workers);
    TMA_RELEASE(state->items, state->tasks, state->candidates, state->projections);
}

enum {
    FIRST_SCREENED = 8,               /* rows, those with the lowest bounds */
    SCREEN_MARK = TMA_ESTIMATE_MARK_4 /* to which each row is simulated first */
};

static const struct tma_projections *projections_of(const struct state *state,
                                                    const struct tma_tune_row *row) {
    return &state->projections[index_of(state, row)];
}

/* What the others have to beat: the row that has run to its end and is the fastest, or else the one
 * that seems to be. NULL: none. */
static const struct tma_tune_row *find_rival(const struct state *state) {
    const struct tma_tune_row *rival = best_of(state->tune);
    if (rival != NULL)
        return rival;
    for (size_t i = 0; i < state->tune->row_count; i++) {
        const struct tma_tune_row *row = &state->tune->rows[i];
        if (row->found == TMA_TUNE_ESTIMATED && (rival == NULL || row->time_ns < rival->time_ns))
            rival = row;
    }
    return rival;
}

/* The time of a run as cycles of another row's clock. At the chosen clock no run is faster than at
 * the clock of its simulation. */
static uint64_t cycles_to_beat(const struct tma_tune_row *best, const struct tma_tune_row *row) {
    return (uint64_t)(best->time_ns * row->sm_clock_mhz / 1000);
}

/* What a row has to beat, at the row's clock: nothing where `rival` is NULL. */
static struct tma_estimate_rival rival_of(const struct state *state, const struct tma_tune_row *row,
                                          const struct tma_tune_row *rival) {
    struct tma_estimate_rival found = {.cycles = 0};
    if (rival == NULL)
        return found;
    if (rival->found == TMA_TUNE_SIMULATED)
        found.cycles = cycles_to_beat(rival, row);
    for (uint32_t m = 0; m < TMA_ESTIMATE_MARK_COUNT; m++)
        found.projections.cycles[m] = at_clock(projections_of(state, rival)->cycles[m], rival, row);
    return found;
}

/* Whether a row can still win, as far as it has run. */
static bool is_open(const struct state *state, const struct tma_tune_row *row,
                    const struct tma_tune_row *rival) {
    const struct tma_projections *own = projections_of(state, row);
    const struct tma_estimate_rival against = rival_of(state, row, rival);
    if (row->found == TMA_TUNE_BOUND)
        return against.cycles == 0 || row->bound_cycles <= against.cycles;
    if (row->found != TMA_TUNE_ESTIMATED)
        return false;
    uint32_t last = tma_last_mark(own);
    return tma_projection_can_win(last, own->cycles[last], &against);
}

/* Adds a row, which runs to a mark or its end, unless it is too slow for a rival on its way. */
static void add_racer(struct state *state, const struct tma_tune_row *row, uint32_t last,
                      const struct tma_tune_row *rival) {
    add_task(state,
             &(struct task){.step = STEP_RUN,
                            .row = index_of(state, row),
                            .limits = {.last_mark = last, .rival = rival_of(state, row, rival)}});
}

/* Simulates the first part of rows, those with the lowest bounds first, without those whose bounds
 * are far above what the first ones are estimated to take. */
static bool screen(struct state *state) {
    size_t count = sort_by_bound(state), next = 0;
    for (size_t most = FIRST_SCREENED; next < count && goes_on(state); most = count) {
        const struct tma_tune_row *rival = find_rival(state);
        for (; next < count && next < most; next++) {
            const struct tma_tune_row *row = state->candidates[next];
            const struct tma_estimate_rival against = rival_of(state, row, rival);
            if (!tma_projection_can_win(SCREEN_MARK, row->bound_cycles, &against))
                return run_batch(state);
            add_racer(state, row, SCREEN_MARK, rival);
        }
        if (!run_batch(state))
            return false;
    }
    return true;
}

static int compare_times(const void *first, const void *second) {
    const struct tma_tune_row *a = *(const struct tma_tune_row *const *)first,
                              *b = *(const struct tma_tune_row *const *)second;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

/* The rows that can still win, those with the best estimates first. */
static size_t sort_open(struct state *state, const struct tma_tune_row *rival) {
    size_t count = 0;
    for (size_t i = 0; i < state->tune->row_count; i++)
        if (is_open(state, &state->tune->rows[i], rival))
            state->candidates[count++] = &state->tune->rows[i];
    if (count > 0)
        qsort(state->candidates, count, sizeof *state->candidates, compare_times);
    return count;
}

/* Screens all rows; then runs those that seem to be the fastest to their ends, and the others until
 * they are too slow for the best of them. */
static bool run_race(struct state *state) {
    if (!screen(state))
        return false;
    for (size_t most = FIRST_BATCH; goes_on(state); most *= 2) {
        const struct tma_tune_row *best = best_of(state->tune);
        size_t count = sort_open(state, best != NULL ? best : find_rival(state));
        for (size_t i = 0; i < count && i < most; i++)
            add_racer(state, state->candidates[i], TMA_ESTIMATE_MARK_COUNT, best);
        if (state->count == 0)
            return true;
        if (!run_batch(state))
            return false;
    }
    return true;
}

/* A row that ended at a mark takes as much longer than the best as it seemed to do there; where the
 * best has no mark, as much longer at the chosen clock as the best does. */
static void scale_estimates(struct state *state) {
    const struct tma_tune_row *best = best_of(state->tune);
    for (size_t i = 0; best != NULL && i < state->tune->row_count; i++) {
        struct tma_tune_row *row = &state->tune->rows[i];
        if (row->found != TMA_TUNE_ESTIMATED)
            continue;
        const struct tma_estimate_rival against = rival_of(state, row, best);
        uint64_t there = against.projections.cycles[tma_last_mark(projections_of(state, row))];
        uint64_t seemed = row->cycles;
        if (there == 0) {
            row->time_ns *= best->time_ns / nanoseconds(best->cycles, best->sm_clock_mhz);
            continue;
        }
        row->time_ns = best->time_ns * (double)seemed / (double)there;
        row->cycles =
            (uint64_t)((unsigned __int128)at_clock(best->cycles, best, row) * seemed / there);
    }
}

/* Combinations whose time is within this fraction of the best run with further draws: launches
 * differ by less. */
static const double tie_margin = 0.02;

static bool look(struct state *state) {
    for (size_t i = 0; i < state->tune->row_count; i++)
        add_task(state, &(struct task){.step = STEP_LOOK, .row = i});
    return run_batch(state);
}

/* A row ends early where a lower bound of its time says that it is no finalist. */
static void add_exact(struct state *state, const struct tma_tune_row *row) {
    const struct tma_tune_row *best = state->tuning->all ? NULL : best_of(state->tune);
    struct task task = {.step = STEP_RUN,
                        .row = index_of(state, row),
                        .limits = {.last_mark = TMA_ESTIMATE_MARK_COUNT}};
    if (best != NULL) {
        uint64_t cycles = cycles_to_beat(best, row);
        task.limits.most_cycles = cycles + (uint64_t)((double)cycles * tie_margin);
    }
    add_task(state, &task);
}

/* Runs the rows to their ends, some at a time, until the bounds of all others are above the best
 * time. */
static bool simulate_candidates(struct state *state) {
    size_t count = sort_by_bound(state), next = 0;
    for (size_t most = FIRST_BATCH; next < count && goes_on(state); most *= 2) {
        double best = state->tuning->all ? 0 : best_time(state->tune);
        for (; next < count && state->count < most; next++) {
            if (best > 0 && bound_time(state->candidates[next]) > best)
                break;
            add_exact(state, state->candidates[next]);
        }
        if (state->count == 0)
            break;
        if (!run_batch(state))
            return false;
    }
    return true;
}

/* The finalists run with further draws, one draw after the other. */
static bool draw_finalists(struct state *state) {
    double limit = best_time(state->tune) * (1 + tie_margin);
    for (uint32_t draw = 1; draw <= state->tuning->draws; draw++) {
        for (size_t i = 0; i < state->tune->row_count; i++) {
            const struct tma_tune_row *row = &state->tune->rows[i];
            uint32_t mark = state->tuning->exact ? (uint32_t)TMA_ESTIMATE_MARK_COUNT
                                                 : (uint32_t)TMA_ESTIMATE_MARK_8;
            if (row->found == TMA_TUNE_SIMULATED && row->time_ns <= limit)
                add_task(state, &(struct task){.step = STEP_RUN,
                                               .draw = draw,
                                               .row = i,
                                               .limits = {.last_mark = mark}});
        }
        if (!run_batch(state))
            return false;
    }
    return true;
}

/* A row that ran before the best time was known, and that its bound rules out, counts as one that
 * did not run. */
static void drop_ruled_out(struct state *state) {
    double best = best_time(state->tune);
    for (size_t i = 0; i < state->tune->row_count && !state->tuning->all; i++) {
        struct tma_tune_row *row = &state->tune->rows[i];
        if ((row->found != TMA_TUNE_SIMULATED && row->found != TMA_TUNE_ESTIMATED) || best <= 0 ||
            bound_time(row) <= best)
            continue;
        row->found = TMA_TUNE_BOUND;
        row->cycles = row->bound_cycles;
        row->time_ns = bound_time(row);
    }
}

/* Rows without further draws have no spread. */
static void finish(struct state *state) {
    struct tma_tune *tune = state->tune;
    double limit = best_time(tune) * (1 + tie_margin);
    tune->draws = state->tuning->draws;
    tune->partial = !goes_on(state);
    scale_estimates(state);
    for (size_t i = 0; i < tune->row_count; i++)
        if (tune->draws == 0 || tune->rows[i].time_ns > limit)
            tune->rows[i].least_ns = tune->rows[i].most_ns = 0;
    tma_tune_rank(tune);
}

static bool create(struct state *state) {
    const struct tma_tuning *tuning = state->tuning;
    struct tma_tune *tune = state->tune;
    tune->columns = tuning->variants->columns;
    tune->column_count = tuning->variants->column_count;
    tune->several_kernels = tuning->kernel_count > 1;
    for (size_t i = 0; i < tuning->kernel_count; i++)
        tune->row_count += tuning->variants[i].row_count;
    tune->rows = tma_allocate(tune->row_count, sizeof *tune->rows);
    if (tune->rows == NULL || !create_state(state))
        return false;
    for (size_t i = 0; i < tune->row_count; i++) {
        size_t row = i, kernel = kernel_of(tuning, &row);
        tune->rows[i] = (struct tma_tune_row){
            .number = i + 1,
            .kernel = tuning->names[kernel],
            .values = &tuning->variants[kernel].values[row * tune->column_count],
            .found = TMA_TUNE_MISSING,
        };
    }
    return true;
}

enum tma_error_code tma_tuning_run(const struct tma_tuning *tuning, struct tma_tune *tune,
                                   struct tma_error *error) {
    struct tma_error own = {.text = ""};
    struct state state = {.work = {.host = tuning->host},
                          .tuning = tuning,
                          .tune = tune,
                          .error = error == NULL ? &own : error};
    bool good = false;
    if (create(&state)) {
        good = look(&state) && (tuning->exact ? simulate_candidates(&state) : run_race(&state));
        drop_ruled_out(&state);
        good = good && draw_finalists(&state);
        if (good)
            finish(&state);
    } else {
        state.out_of_memory = true;
    }
    free_state(&state);
    if (state.out_of_memory)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    return good ? TMA_OK : state.error->code;
}

void tma_tuning_free(struct tma_tune *tune) {
    for (size_t i = 0; tune->rows != NULL && i < tune->row_count; i++)
        tma_release(tune->rows[i].failure);
    tma_release(tune->rows);
}
