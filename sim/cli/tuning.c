#include "cli/tuning.h"

#include <string.h>

#include "base/allocation.h"
#include "cli/messages.h"
#include "cli/progress.h"
#include "cli/temporary.h"
#include "cli/tuning_task.h"

/* Combinations whose time is within this fraction of the best are finalists: they run with further
 * draws. Draws of one kernel differ by less. */
static const double finalist_margin = 0.05;

struct state {
    const struct cli_tuning *tuning;
    struct tma_tune *tune;
    struct tma_workers *workers;
    struct cli_tuning_task *items; /* owned; of the batch */
    struct tma_task *tasks;        /* owned; the same for the pool */
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

/* A run of a row has this time. */
static void take_time(struct tma_tune_row *row, const struct cli_tuning_task *task,
                      const struct cli_tuning_outcome *got) {
    double ns = nanoseconds(got->cycles, got->sm_clock_mhz);
    if (task->draw == 0) {
        row->found = TMA_TUNE_SIMULATED;
        row->cycles = got->cycles;
        row->time_ns = row->least_ns = row->most_ns = ns;
        row->limiter = got->limiter;
        row->timing_validated = got->timing_validated;
        row->timing_edited = got->timing_edited;
    }
    row->least_ns = ns < row->least_ns ? ns : row->least_ns;
    row->most_ns = ns > row->most_ns ? ns : row->most_ns;
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
    else if (task->step == CLI_TUNING_RUN && row->found != TMA_TUNE_ILLEGAL)
        take_time(row, task, got);
    return !state->out_of_memory;
}

static void note(void *context, size_t number, const void *bytes, size_t size) {
    struct state *state = context;
    uint64_t cycles;
    (void)number;
    memcpy(&cycles, bytes, size);
    state->progress.cycles += cycles;
}

static bool idle(void *context, size_t done, uint64_t done_cost) {
    struct state *state = context;
    (void)done_cost;
    state->progress.done = state->progress.done_work = state->progress.total - state->count + done;
    cli_progress_show(&state->progress);
    return !cli_interrupted();
}

/* Runs the tasks that were added. */
static bool run_batch(struct state *state) {
    struct tma_batch batch = {.tasks = state->tasks,
                              .count = state->count,
                              .context = state,
                              .take = take,
                              .note = note,
                              .idle = idle};
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

static bool simulate_all(struct state *state) {
    for (size_t i = 0; i < state->tune->row_count; i++)
        if (state->tune->rows[i].found != TMA_TUNE_ILLEGAL)
            add_task(state, CLI_TUNING_RUN, i, 0);
    return run_batch(state);
}

/* The finalists run with further draws, one draw after the other. */
static bool draw_finalists(struct state *state) {
    double limit = best_time(state->tune) * (1 + finalist_margin);
    for (uint32_t draw = 1; draw <= state->tuning->draws; draw++) {
        for (size_t i = 0; i < state->tune->row_count; i++)
            if (state->tune->rows[i].found == TMA_TUNE_SIMULATED &&
                state->tune->rows[i].time_ns <= limit)
                add_task(state, CLI_TUNING_RUN, i, draw);
        if (!run_batch(state))
            return false;
    }
    return true;
}

/* Rows without further draws have no spread. */
static void finish(struct state *state) {
    struct tma_tune *tune = state->tune;
    double limit = best_time(tune) * (1 + finalist_margin);
    tune->draws = state->tuning->draws;
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
    struct tma_worker_code code = {cli_tuning_work, (void *)tuning};
    tune->columns = tuning->variants->columns;
    tune->column_count = tuning->variants->column_count;
    tune->several_kernels = tuning->kernel_count > 1;
    tune->row_count = tuning->kernel_count * variants;
    tune->rows = tma_allocate(tune->row_count, sizeof *tune->rows);
    state->items = tma_allocate(tune->row_count, sizeof *state->items);
    state->tasks = tma_allocate(tune->row_count, sizeof *state->tasks);
    state->workers = tma_workers_create(cli_jobs(tuning->options), &code);
    if (tune->rows == NULL || state->items == NULL || state->tasks == NULL ||
        state->workers == NULL)
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
        good = look(&state) && simulate_all(&state) && draw_finalists(&state);
        cli_progress_clear(&state.progress);
        if (good)
            finish(&state);
    } else {
        state.out_of_memory = true;
    }
    tma_workers_free(state.workers);
    tma_release(state.items);
    tma_release(state.tasks);
    if (state.out_of_memory)
        cli_error("out of memory");
    return good && !state.out_of_memory;
}

void cli_tuning_free(struct tma_tune *tune) {
    for (size_t i = 0; tune->rows != NULL && i < tune->row_count; i++)
        tma_release(tune->rows[i].failure);
    tma_release(tune->rows);
}
