#include "search/tuning.h"

#include "base/allocation.h"
#include "cli/files/temporary.h"
#include "cli/messages.h"
#include "search/tuning_race.h"

/* Combinations whose time is within this fraction of the best run with further draws: launches
 * differ by less. */
static const double tie_margin = 0.02;

static bool look(struct cli_tuning_state *state) {
    for (size_t i = 0; i < state->tune->row_count; i++)
        cli_tuning_add(state, &(struct cli_tuning_task){.step = CLI_TUNING_LOOK, .row = i});
    return cli_tuning_run_batch(state);
}

/* A row ends early where a lower bound of its time says that it is no finalist. */
static void add_exact(struct cli_tuning_state *state, const struct tma_tune_row *row) {
    const struct tma_tune_row *best = state->tuning->all ? NULL : cli_tuning_best(state->tune);
    struct cli_tuning_task task = {.step = CLI_TUNING_RUN,
                                   .row = cli_tuning_index(state, row),
                                   .limits = {.last_mark = TMA_ESTIMATE_MARK_COUNT}};
    if (best != NULL) {
        uint64_t cycles = cli_tuning_at_clock(best->cycles, best, row);
        task.limits.most_cycles = cycles + (uint64_t)((double)cycles * tie_margin);
    }
    cli_tuning_add(state, &task);
}

/* Runs the rows to their ends, some at a time, until the bounds of all others are above the best
 * time. */
static bool simulate_candidates(struct cli_tuning_state *state) {
    size_t count = cli_tuning_sort_by_bound(state), next = 0;
    for (size_t most = CLI_TUNING_FIRST_BATCH; next < count && !cli_interrupted(); most *= 2) {
        double best = state->tuning->all ? 0 : cli_tuning_best_time(state->tune);
        for (; next < count && state->count < most; next++) {
            if (best > 0 && cli_tuning_bound_time(state->candidates[next]) > best)
                break;
            add_exact(state, state->candidates[next]);
        }
        if (state->count == 0)
            break;
        if (!cli_tuning_run_batch(state))
            return false;
    }
    return true;
}

/* The finalists run with further draws, one draw after the other. */
static bool draw_finalists(struct cli_tuning_state *state) {
    double limit = cli_tuning_best_time(state->tune) * (1 + tie_margin);
    for (uint32_t draw = 1; draw <= state->tuning->draws; draw++) {
        for (size_t i = 0; i < state->tune->row_count; i++) {
            const struct tma_tune_row *row = &state->tune->rows[i];
            uint32_t mark = state->tuning->exact ? (uint32_t)TMA_ESTIMATE_MARK_COUNT
                                                 : (uint32_t)TMA_ESTIMATE_MARK_8;
            if (row->found == TMA_TUNE_SIMULATED && row->time_ns <= limit)
                cli_tuning_add(state, &(struct cli_tuning_task){.step = CLI_TUNING_RUN,
                                                                .draw = draw,
                                                                .row = i,
                                                                .limits = {.last_mark = mark}});
        }
        if (!cli_tuning_run_batch(state))
            return false;
    }
    return true;
}

/* A row that ran before the best time was known, and that its bound rules out, counts as one that
 * did not run. */
static void drop_ruled_out(struct cli_tuning_state *state) {
    double best = cli_tuning_best_time(state->tune);
    for (size_t i = 0; i < state->tune->row_count && !state->tuning->all; i++) {
        struct tma_tune_row *row = &state->tune->rows[i];
        if ((row->found != TMA_TUNE_SIMULATED && row->found != TMA_TUNE_ESTIMATED) || best <= 0 ||
            cli_tuning_bound_time(row) <= best)
            continue;
        row->found = TMA_TUNE_BOUND;
        row->cycles = row->bound_cycles;
        row->time_ns = cli_tuning_bound_time(row);
    }
}

/* Rows without further draws have no spread. */
static void finish(struct cli_tuning_state *state) {
    struct tma_tune *tune = state->tune;
    double limit = cli_tuning_best_time(tune) * (1 + tie_margin);
    tune->draws = state->tuning->draws;
    tune->partial = cli_interrupted();
    cli_tuning_scale_estimates(state);
    for (size_t i = 0; i < tune->row_count; i++)
        if (tune->draws == 0 || tune->rows[i].time_ns > limit)
            tune->rows[i].least_ns = tune->rows[i].most_ns = 0;
    tma_tune_rank(tune);
}

static bool create(struct cli_tuning_state *state) {
    const struct cli_tuning *tuning = state->tuning;
    struct tma_tune *tune = state->tune;
    size_t variants = tuning->variants->row_count;
    tune->columns = tuning->variants->columns;
    tune->column_count = tuning->variants->column_count;
    tune->several_kernels = tuning->kernel_count > 1;
    tune->row_count = tuning->kernel_count * variants;
    tune->rows = tma_allocate(tune->row_count, sizeof *tune->rows);
    if (tune->rows == NULL || !cli_tuning_state_create(state))
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
    struct cli_tuning_state state = {.tuning = tuning, .tune = tune, .progress = {.unit = "runs"}};
    bool good = false;
    if (create(&state)) {
        cli_progress_begin(&state.progress, tuning->options->quiet);
        good =
            look(&state) && (tuning->exact ? simulate_candidates(&state) : cli_tuning_race(&state));
        drop_ruled_out(&state);
        good = good && draw_finalists(&state);
        cli_progress_clear(&state.progress);
        if (good)
            finish(&state);
    } else {
        state.out_of_memory = true;
    }
    cli_tuning_state_free(&state);
    if (state.out_of_memory)
        cli_error("out of memory");
    return good && !state.out_of_memory;
}

void cli_tuning_free(struct tma_tune *tune) {
    for (size_t i = 0; tune->rows != NULL && i < tune->row_count; i++)
        tma_release(tune->rows[i].failure);
    tma_release(tune->rows);
}
