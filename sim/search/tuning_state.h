/* A tuner at work: its rows, and batches of tasks that workers do for them. */
#ifndef TMA_SEARCH_TUNING_STATE_H
#define TMA_SEARCH_TUNING_STATE_H

#include "cli/progress.h"
#include "search/tuning_task.h"

enum {
    CLI_TUNING_FIRST_BATCH = 2 /* rows that run to their ends; each batch has twice as many as the
                                  one before, whatever the processes, so that the result does not
                                  depend on them */
};

struct cli_tuning_state {
    const struct cli_tuning *tuning;
    struct tma_tune *tune;
    struct tma_workers *workers;
    struct cli_tuning_task *items;       /* owned; of the batch */
    struct tma_task *tasks;              /* owned; the same for the pool */
    struct tma_tune_row **candidates;    /* owned */
    struct tma_projections *projections; /* owned; by row, as far as it has run */
    size_t count;
    struct cli_progress progress;
    bool out_of_memory;
};

/* Memory for as many rows as the table has, and workers. False when out of memory. */
bool cli_tuning_state_create(struct cli_tuning_state *state);
void cli_tuning_state_free(struct cli_tuning_state *state);

/* Adds a task to the batch; at most one for each row. */
void cli_tuning_add(struct cli_tuning_state *state, const struct cli_tuning_task *task);

/* Does the tasks that were added, and takes what they found into the rows. On failure, prints the
 * error and returns false. */
bool cli_tuning_run_batch(struct cli_tuning_state *state);

size_t cli_tuning_index(const struct cli_tuning_state *state, const struct tma_tune_row *row);

/* Cycles of a row as cycles of the clock of another one. */
uint64_t cli_tuning_at_clock(uint64_t cycles, const struct tma_tune_row *row,
                             const struct tma_tune_row *other);

/* The fastest row that has run to its end; NULL: none. */
const struct tma_tune_row *cli_tuning_best(const struct tma_tune *tune);

/* Its time; 0: none. */
double cli_tuning_best_time(const struct tma_tune *tune);

/* The lower bound of a row's time. */
double cli_tuning_bound_time(const struct tma_tune_row *row);

/* Puts the legal rows that have not run into state->candidates, those with the lowest bounds first.
 * Returns how many they are. */
size_t cli_tuning_sort_by_bound(struct cli_tuning_state *state);

#endif
