#include "search/tuning_race.h"

#include <stdlib.h>

#include "cli/files/temporary.h"

enum {
    FIRST_SCREENED = 8,               /* rows, those with the lowest bounds */
    SCREEN_MARK = TMA_ESTIMATE_MARK_4 /* to which each row is simulated first */
};

static const struct tma_projections *projections_of(const struct cli_tuning_state *state,
                                                    const struct tma_tune_row *row) {
    return &state->projections[cli_tuning_index(state, row)];
}

/* What the others have to beat: the row that has run to its end and is the fastest, or else the one
 * that seems to be. NULL: none. */
static const struct tma_tune_row *find_rival(const struct cli_tuning_state *state) {
    const struct tma_tune_row *rival = cli_tuning_best(state->tune);
    if (rival != NULL)
        return rival;
    for (size_t i = 0; i < state->tune->row_count; i++) {
        const struct tma_tune_row *row = &state->tune->rows[i];
        if (row->found == TMA_TUNE_ESTIMATED && (rival == NULL || row->time_ns < rival->time_ns))
            rival = row;
    }
    return rival;
}

/* What a row has to beat, at the row's clock: nothing where `rival` is NULL. */
static struct tma_estimate_rival rival_of(const struct cli_tuning_state *state,
                                          const struct tma_tune_row *row,
                                          const struct tma_tune_row *rival) {
    struct tma_estimate_rival found = {.cycles = 0};
    if (rival == NULL)
        return found;
    if (rival->found == TMA_TUNE_SIMULATED)
        found.cycles = cli_tuning_at_clock(rival->cycles, rival, row);
    for (uint32_t m = 0; m < TMA_ESTIMATE_MARK_COUNT; m++)
        found.projections.cycles[m] =
            cli_tuning_at_clock(projections_of(state, rival)->cycles[m], rival, row);
    return found;
}

/* Whether a row can still win, as far as it has run. */
static bool is_open(const struct cli_tuning_state *state, const struct tma_tune_row *row,
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
static void add_racer(struct cli_tuning_state *state, const struct tma_tune_row *row, uint32_t last,
                      const struct tma_tune_row *rival) {
    cli_tuning_add(state, &(struct cli_tuning_task){
                              .step = CLI_TUNING_RUN,
                              .row = cli_tuning_index(state, row),
                              .limits = {.last_mark = last, .rival = rival_of(state, row, rival)}});
}

/* Simulates the first part of rows, those with the lowest bounds first, without those whose bounds
 * are far above what the first ones are estimated to take. */
static bool screen(struct cli_tuning_state *state) {
    size_t count = cli_tuning_sort_by_bound(state), next = 0;
    for (size_t most = FIRST_SCREENED; next < count && !cli_interrupted(); most = count) {
        const struct tma_tune_row *rival = find_rival(state);
        for (; next < count && next < most; next++) {
            const struct tma_tune_row *row = state->candidates[next];
            const struct tma_estimate_rival against = rival_of(state, row, rival);
            if (!tma_projection_can_win(SCREEN_MARK, row->bound_cycles, &against))
                return cli_tuning_run_batch(state);
            add_racer(state, row, SCREEN_MARK, rival);
        }
        if (!cli_tuning_run_batch(state))
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
static size_t sort_open(struct cli_tuning_state *state, const struct tma_tune_row *rival) {
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
bool cli_tuning_race(struct cli_tuning_state *state) {
    if (!screen(state))
        return false;
    for (size_t most = CLI_TUNING_FIRST_BATCH; !cli_interrupted(); most *= 2) {
        const struct tma_tune_row *best = cli_tuning_best(state->tune);
        size_t count = sort_open(state, best != NULL ? best : find_rival(state));
        for (size_t i = 0; i < count && i < most; i++)
            add_racer(state, state->candidates[i], TMA_ESTIMATE_MARK_COUNT, best);
        if (state->count == 0)
            return true;
        if (!cli_tuning_run_batch(state))
            return false;
    }
    return true;
}

/* A row that ended at a mark takes as much longer than the best as it seemed to do there. */
void cli_tuning_scale_estimates(struct cli_tuning_state *state) {
    const struct tma_tune_row *best = cli_tuning_best(state->tune);
    for (size_t i = 0; best != NULL && i < state->tune->row_count; i++) {
        struct tma_tune_row *row = &state->tune->rows[i];
        if (row->found != TMA_TUNE_ESTIMATED)
            continue;
        const struct tma_estimate_rival against = rival_of(state, row, best);
        uint64_t there = against.projections.cycles[tma_last_mark(projections_of(state, row))];
        uint64_t seemed = row->cycles;
        if (there == 0)
            continue;
        row->time_ns = best->time_ns * (double)seemed / (double)there;
        row->cycles = (uint64_t)((unsigned __int128)against.cycles * seemed / there);
    }
}
