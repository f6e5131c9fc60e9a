#include "search/tuning_state.h"

#include <stdlib.h>

#include "base/allocation.h"
#include "cli/files/temporary.h"
#include "cli/messages.h"
#include "cli/ranks.h"

size_t cli_tuning_index(const struct cli_tuning_state *state, const struct tma_tune_row *row) {
    return (size_t)(row - state->tune->rows);
}

void cli_tuning_add(struct cli_tuning_state *state, const struct cli_tuning_task *task) {
    struct cli_tuning_task *item = &state->items[state->count];
    *item = *task;
    state->tasks[state->count++] =
        (struct tma_task){.bytes = item, .size = sizeof *item, .cost = 1};
}

static void fail_row(struct cli_tuning_state *state, struct tma_tune_row *row, const char *reason) {
    tma_release(row->failure);
    row->failure = tma_copy_text(reason);
    state->out_of_memory |= row->failure == NULL;
    row->found = TMA_TUNE_ILLEGAL;
}

uint64_t cli_tuning_at_clock(uint64_t cycles, const struct tma_tune_row *row,
                             const struct tma_tune_row *other) {
    return cycles * other->sm_clock_mhz / row->sm_clock_mhz;
}

static double nanoseconds(uint64_t cycles, uint32_t clock_mhz) {
    return (double)cycles * 1000 / clock_mhz;
}

static void take_bound(struct tma_tune_row *row, const struct cli_tuning_outcome *got) {
    row->found = TMA_TUNE_BOUND;
    row->sm_clock_mhz = got->sm_clock_mhz;
    row->bound_cycles = row->cycles = got->estimate.cycles;
    row->time_ns = nanoseconds(row->cycles, row->sm_clock_mhz);
}

static void take_run(struct cli_tuning_state *state, struct tma_tune_row *row,
                     const struct cli_tuning_outcome *got) {
    if (got->estimate.kind == TMA_ESTIMATE_BOUND) {
        take_bound(row, got);
        return;
    }
    state->projections[cli_tuning_index(state, row)] = got->estimate.projections;
    row->found = got->estimate.kind == TMA_ESTIMATE_WHOLE ? TMA_TUNE_SIMULATED : TMA_TUNE_ESTIMATED;
    row->cycles = got->estimate.cycles;
    row->time_ns = row->least_ns = row->most_ns = nanoseconds(row->cycles, row->sm_clock_mhz);
    row->limiter = got->limiter;
    row->timing_validated = got->timing_validated;
    row->timing_edited = got->timing_edited;
}

/* A draw that ended at a mark is as far from the time of its row as from the projection there. */
static void take_draw(const struct cli_tuning_state *state, struct tma_tune_row *row,
                      const struct cli_tuning_outcome *got) {
    double ns = nanoseconds(got->estimate.cycles, row->sm_clock_mhz);
    if (got->repeated)
        return;
    if (got->estimate.kind == TMA_ESTIMATE_PROJECTED)
        ns = row->time_ns * (double)got->estimate.cycles /
             (double)state->projections[cli_tuning_index(state, row)]
                 .cycles[tma_last_mark(&got->estimate.projections)];
    row->least_ns = ns < row->least_ns ? ns : row->least_ns;
    row->most_ns = ns > row->most_ns ? ns : row->most_ns;
}

static bool take(void *context, size_t number, const struct tma_task_outcome *outcome) {
    struct cli_tuning_state *state = context;
    const struct cli_tuning_task *task = &state->items[number];
    const struct cli_tuning_outcome *got = outcome->bytes;
    struct tma_tune_row *row = &state->tune->rows[task->row];
    if (outcome->failure != NULL)
        fail_row(state, row, outcome->failure);
    else if (got->failed)
        fail_row(state, row, (const char *)(got + 1));
    else if (task->step == CLI_TUNING_LOOK)
        take_bound(row, got);
    else if (task->draw > 0)
        take_draw(state, row, got);
    else
        take_run(state, row, got);
    return !state->out_of_memory;
}

static void note(void *context, size_t number, const void *bytes, size_t size) {
    struct cli_tuning_state *state = context;
    (void)number;
    cli_progress_note(&state->progress, bytes, size);
}

static bool idle(void *context, size_t done, uint64_t done_cost) {
    struct cli_tuning_state *state = context;
    size_t rows = state->progress.total - state->count + done;
    (void)done_cost;
    return cli_progress_look(&state->progress, rows, rows);
}

bool cli_tuning_run_batch(struct cli_tuning_state *state) {
    struct tma_batch batch = {.tasks = state->tasks,
                              .count = state->count,
                              .context = state,
                              .take = take,
                              .note = note,
                              .idle = idle,
                              .lost = cli_rank_lost};
    struct tma_error error;
    if (cli_interrupted())
        state->count = 0;
    if (state->count == 0)
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

const struct tma_tune_row *cli_tuning_best(const struct tma_tune *tune) {
    const struct tma_tune_row *best = NULL;
    for (size_t i = 0; i < tune->row_count; i++)
        if (tune->rows[i].found == TMA_TUNE_SIMULATED &&
            (best == NULL || tune->rows[i].time_ns < best->time_ns))
            best = &tune->rows[i];
    return best;
}

double cli_tuning_best_time(const struct tma_tune *tune) {
    const struct tma_tune_row *best = cli_tuning_best(tune);
    return best == NULL ? 0 : best->time_ns;
}

double cli_tuning_bound_time(const struct tma_tune_row *row) {
    return nanoseconds(row->bound_cycles, row->sm_clock_mhz);
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

size_t cli_tuning_sort_by_bound(struct cli_tuning_state *state) {
    size_t count = 0;
    for (size_t i = 0; i < state->tune->row_count; i++)
        if (state->tune->rows[i].found == TMA_TUNE_BOUND)
            state->candidates[count++] = &state->tune->rows[i];
    if (count > 0)
        qsort(state->candidates, count, sizeof *state->candidates, compare_bounds);
    return count;
}

bool cli_tuning_state_create(struct cli_tuning_state *state) {
    const struct cli_tuning *tuning = state->tuning;
    size_t rows = state->tune->row_count;
    struct tma_worker_code code = cli_tuning_code(tuning);
    state->items = tma_allocate(rows + 1, sizeof *state->items);
    state->tasks = tma_allocate(rows + 1, sizeof *state->tasks);
    state->candidates = tma_allocate(rows, sizeof *state->candidates);
    state->projections = tma_allocate(rows, sizeof *state->projections);
    state->workers = cli_workers_create(tuning->options, &code, tuning->key);
    return state->items != NULL && state->tasks != NULL && state->candidates != NULL &&
           state->projections != NULL && state->workers != NULL;
}

void cli_tuning_state_free(struct cli_tuning_state *state) {
    tma_workers_free(state->workers);
    tma_release(state->items);
    tma_release(state->tasks);
    tma_release(state->candidates);
    tma_release(state->projections);
}
