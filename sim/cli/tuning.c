#include "cli/tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "cli/messages.h"
#include "cli/progress.h"
#include "cli/ranks.h"
#include "cli/temporary.h"
#include "cli/tuning_task.h"

/* Combinations whose time, or its estimate, is within this fraction of the best are finalists: they
 * are simulated to their end, and run with further draws. */
static const double finalist_margin = 0.05;

/* Rows with the lowest bounds whose estimates come first, and those with the best estimates that
 * are simulated first. The numbers do not depend on the processes, so that the result does not. */
enum { FIRST_ESTIMATES = 8, FIRST_FINALISTS = 2 };

struct state {
    const struct cli_tuning *tuning;
    struct tma_tune *tune;
    struct tma_workers *workers;
    struct cli_tuning_task *items;    /* owned; of the batch */
    struct tma_task *tasks;           /* owned; the same for the pool */
    struct tma_tune_row **candidates; /* owned */
    size_t count;
    struct cli_progress progress;
    bool out_of_memory;
};

static void add_task(struct state *state, enum cli_tuning_step step, size_t row, uint32_t draw) {
    struct cli_tuning_task *item = &state->items[state->count];
    *item = (struct cli_tuning_task){.step = step, .draw = draw, .row = row};
    state->tasks[state->count++] =
        (struct tma_task){.bytes = item, .size = sizeof *item, .cost = 1};
}

static void fail_row(struct state *state, struct tma_tune_row *row, const char *reason) {
    tma_release(row->failure);
    row->failure = tma_copy_text(reason);
    state->out_of_memory |= row->failure == NULL;
    row->found = TMA_TUNE_ILLEGAL;
}

static double nanoseconds(uint64_t cycles, uint32_t clock_mhz) {
    return (double)cycles * 1000 / clock_mhz;
}

static void take_bound(struct tma_tune_row *row, const struct cli_tuning_outcome *got) {
    row->found = TMA_TUNE_BOUND;
    row->sm_clock_mhz = got->sm_clock_mhz;
    row->bound_cycles = row->cycles = got->cycles;
    row->time_ns = nanoseconds(got->cycles, got->sm_clock_mhz);
}

/* A run of a row has this time. Where the row has an estimate, draws are draws of that, and are as
 * far from its time as from the estimate. */
static void take_time(struct tma_tune_row *row, const struct cli_tuning_task *task,
                      const struct cli_tuning_outcome *got) {
    double ns = nanoseconds(got->cycles, got->sm_clock_mhz);
    if (task->draw > 0) {
        if (row->estimate_ns > 0 && !got->whole)
            ns *= row->time_ns / row->estimate_ns;
        row->least_ns = ns < row->least_ns ? ns : row->least_ns;
        row->most_ns = ns > row->most_ns ? ns : row->most_ns;
        return;
    }
    if (!got->whole)
        row->estimate_ns = ns;
    if (!got->whole && row->found == TMA_TUNE_SIMULATED)
        return;
    row->found = got->whole ? TMA_TUNE_SIMULATED : TMA_TUNE_ESTIMATED;
    row->cycles = got->cycles;
    row->time_ns = row->least_ns = row->most_ns = ns;
    row->limiter = got->limiter;
    row->timing_validated = got->timing_validated;
    row->timing_edited = got->timing_edited;
}

static bool take(void *context, size_t number, const struct tma_task_outcome *outcome) {
    struct state *state = context;
    const struct cli_tuning_task *task = &state->items[number];
    const struct cli_tuning_outcome *got = outcome->bytes;
    struct tma_tune_row *row = &state->tune->rows[task->row];
    if (outcome->failure != NULL)
        fail_row(state, row, outcome->failure);
    else if (got->failed)
        fail_row(state, row, (const char *)(got + 1));
    else if (task->step == CLI_TUNING_LOOK)
        take_bound(row, got);
    else if (row->found != TMA_TUNE_ILLEGAL)
        take_time(row, task, got);
    return !state->out_of_memory;
}

static void note(void *context, size_t number, const void *bytes, size_t size) {
    struct state *state = context;
    (void)number;
    cli_progress_note(&state->progress, bytes, size);
}

static bool idle(void *context, size_t done, uint64_t done_cost) {
    struct state *state = context;
    size_t rows = state->progress.total - state->count + done;
    (void)done_cost;
    return cli_progress_look(&state->progress, rows, rows);
}

/* Runs the tasks that were added. */
static bool run_batch(struct state *state) {
    struct tma_batch batch = {.tasks = state->tasks,
                              .count = state->count,
                              .context = state,
                              .take = take,
                              .note = note,
                              .idle = idle,
                              .lost = cli_rank_lost};
    struct tma_error error;
    if (state->count == 0 || cli_interrupted())
        return true;
    state->progress.total += state->count;
    state->progress.total_work = state->progress.total;
    bool good = tma_workers_run(state->workers, &batch, &error) == TMA_OK;
    state->count = 0;
    if (!good) {
        cli_progress_clear(&state->progress);
        cli_error("%s", error.text);
    }
    return good;
}

/* The best time so far; 0: none. */
static double best_time(const struct tma_tune *tune) {
    double best = 0;
    for (size_t i = 0; i < tune->row_count; i++)
        if (tune->rows[i].found == TMA_TUNE_SIMULATED &&
            (best <= 0 || tune->rows[i].time_ns < best))
            best = tune->rows[i].time_ns;
    return best;
}

static bool look(struct state *state) {
    for (size_t i = 0; i < state->tune->row_count; i++)
        add_task(state, CLI_TUNING_LOOK, i, 0);
    return run_batch(state);
}

static int compare_bounds(const void *first, const void *second) {
    const struct tma_tune_row *a = *(const struct tma_tune_row *const *)first,
                              *b = *(const struct tma_tune_row *const *)second;
    double a_ns = nanoseconds(a->bound_cycles, a->sm_clock_mhz),
           b_ns = nanoseconds(b->bound_cycles, b->sm_clock_mhz);
    if (a_ns != b_ns)
        return a_ns < b_ns ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

/* The legal rows, those with the lowest bounds first. */
static size_t sort_by_bound(struct state *state) {
    size_t count = 0;
    for (size_t i = 0; i < state->tune->row_count; i++)
        if (state->tune->rows[i].found == TMA_TUNE_BOUND)
            state->candidates[count++] = &state->tune->rows[i];
    if (count > 0)
        qsort(state->candidates, count, sizeof *state->candidates, compare_bounds);
    return count;
}

static double bound_time(const struct tma_tune_row *row) {
    return nanoseconds(row->bound_cycles, row->sm_clock_mhz);
}

/* Simulates rows, a few at a time, until the bounds of all others are above the best time. */
static bool simulate_candidates(struct state *state) {
    size_t count = sort_by_bound(state), next = 0;
    size_t few = 2 * (size_t)cli_workers_count(state->tuning->options);
    while (next < count && !cli_interrupted()) {
        double best = state->tuning->all ? 0 : best_time(state->tune);
        for (size_t i = 0; i < few && next < count; i++) {
            if (best > 0 && bound_time(state->candidates[next]) > best)
                break;
            add_task(state, CLI_TUNING_RUN, (size_t)(state->candidates[next++] - state->tune->rows),
                     0);
        }
        if (state->count == 0)
            break;
        if (!run_batch(state))
            return false;
    }
    return true;
}

/* Adds the rows that have an estimate, at most `most`, the best first, up to a time. */
static void add_estimated(struct state *state, size_t most, double limit) {
    struct tma_tune *tune = state->tune;
    for (double last = 0; most > 0; most--) {
        struct tma_tune_row *next = NULL;
        for (size_t i = 0; i < tune->row_count; i++) {
            struct tma_tune_row *row = &tune->rows[i];
            if (row->found == TMA_TUNE_ESTIMATED && row->time_ns > last && row->time_ns <= limit &&
                (next == NULL || row->time_ns < next->time_ns))
                next = row;
        }
        if (next == NULL)
            return;
        last = next->time_ns;
        for (size_t i = 0; i < tune->row_count; i++)
            if (tune->rows[i].found == TMA_TUNE_ESTIMATED && tune->rows[i].time_ns <= last &&
                tune->rows[i].time_ns >= last)
                add_task(state, CLI_TUNING_RUN, i, 0);
    }
}

/* Simulates one row, whose bound is the lowest, and the first part of all whose bounds are not
 * above its time; then those with the best estimates, until none is left within the margin of the
 * best. */
static bool simulate_best(struct state *state) {
    size_t count = sort_by_bound(state), next = 0;
    struct tma_tune_row *rows = state->tune->rows;
    if (count == 0)
        return true;
    add_task(state, CLI_TUNING_RUN, (size_t)(state->candidates[0] - rows), 0);
    for (; next < count && next < FIRST_ESTIMATES; next++)
        add_task(state, CLI_TUNING_ESTIMATE, (size_t)(state->candidates[next] - rows), 0);
    if (!run_batch(state))
        return false;
    double best = best_time(state->tune);
    for (; next < count && (best <= 0 || bound_time(state->candidates[next]) <= best); next++)
        add_task(state, CLI_TUNING_ESTIMATE, (size_t)(state->candidates[next] - rows), 0);
    if (!run_batch(state))
        return false;
    for (size_t most = FIRST_FINALISTS; !cli_interrupted(); most = state->tune->row_count) {
        best = best_time(state->tune);
        add_estimated(state, most, best > 0 ? best * (1 + finalist_margin) : HUGE_VAL);
        if (state->count == 0)
            return true;
        if (!run_batch(state))
            return false;
    }
    return true;
}

/* The finalists run with further draws, one draw after the other. */
static bool draw_finalists(struct state *state) {
    double limit = best_time(state->tune) * (1 + finalist_margin);
    for (uint32_t draw = 1; draw <= state->tuning->draws; draw++) {
        for (size_t i = 0; i < state->tune->row_count; i++) {
            const struct tma_tune_row *row = &state->tune->rows[i];
            if (row->found == TMA_TUNE_SIMULATED && row->time_ns <= limit)
                add_task(state, row->estimate_ns > 0 ? CLI_TUNING_ESTIMATE : CLI_TUNING_RUN, i,
                         draw);
        }
        if (!run_batch(state))
            return false;
    }
    return true;
}

/* A row that was simulated before the best time was known, and that its bound rules out, is one of
 * those that were not: so the result does not depend on how many ran at once. */
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
    double limit = best_time(tune) * (1 + finalist_margin);
    tune->draws = state->tuning->draws;
    tune->margin = finalist_margin;
    tune->partial = cli_interrupted();
    for (size_t i = 0; i < tune->row_count; i++)
        if (tune->draws == 0 || tune->rows[i].time_ns > limit)
            tune->rows[i].least_ns = tune->rows[i].most_ns = 0;
    tma_tune_rank(tune);
}

static bool create(struct state *state) {
    const struct cli_tuning *tuning = state->tuning;
    struct tma_tune *tune = state->tune;
    size_t variants = tuning->variants->row_count;
    struct tma_worker_code code = cli_tuning_code(tuning);
    tune->columns = tuning->variants->columns;
    tune->column_count = tuning->variants->column_count;
    tune->several_kernels = tuning->kernel_count > 1;
    tune->row_count = tuning->kernel_count * variants;
    tune->rows = tma_allocate(tune->row_count, sizeof *tune->rows);
    state->items = tma_allocate(tune->row_count + 1, sizeof *state->items);
    state->tasks = tma_allocate(tune->row_count + 1, sizeof *state->tasks);
    state->candidates = tma_allocate(tune->row_count, sizeof *state->candidates);
    state->workers = cli_workers_create(tuning->options, &code, tuning->key);
    if (tune->rows == NULL || state->items == NULL || state->tasks == NULL ||
        state->candidates == NULL || state->workers == NULL)
        return false;
    for (size_t i = 0; i < tune->row_count; i++)
        tune->rows[i] = (struct tma_tune_row){
            .number = i + 1,
            .kernel = tuning->names[i / variants],
            .values = &tuning->variants->values[i % variants * tune->column_count],
            .found = TMA_TUNE_MISSING,
        };
    return true;
}

bool cli_tuning_run(const struct cli_tuning *tuning, struct tma_tune *tune) {
    struct state state = {.tuning = tuning, .tune = tune, .progress = {.unit = "runs"}};
    bool good = false;
    if (create(&state)) {
        cli_progress_begin(&state.progress, tuning->options->quiet);
        good =
            look(&state) && (tuning->exact ? simulate_candidates(&state) : simulate_best(&state));
        drop_ruled_out(&state);
        good = good && draw_finalists(&state);
        cli_progress_clear(&state.progress);
        if (good)
            finish(&state);
    } else {
        state.out_of_memory = true;
    }
    tma_workers_free(state.workers);
    tma_release(state.items);
    tma_release(state.tasks);
    tma_release(state.candidates);
    if (state.out_of_memory)
        cli_error("out of memory");
    return good && !state.out_of_memory;
}

void cli_tuning_free(struct tma_tune *tune) {
    for (size_t i = 0; tune->rows != NULL && i < tune->row_count; i++)
        tma_release(tune->rows[i].failure);
    tma_release(tune->rows);
}
