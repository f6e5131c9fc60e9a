#include "search/row_runs.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "search/journal.h"
#include "serve/scenario_figures.h"

/* What a worker says of a row. */
struct row_outcome {
    bool failed; /* the bytes that follow are the reason */
    struct tma_sweep_figures figures;
};

/* A table while its rows are simulated. */
struct running_rows {
    struct tma_host_work work;
    const struct tma_row_runs *runs;
    size_t *left;           /* owned; rows that are not done, by task */
    struct tma_task *tasks; /* owned */
    size_t count;
    struct tma_error *error;
    bool failed; /* the journal cannot be written, or memory has run out */
};

/* Simulates a scenario. On failure returns the reason. */
static bool simulate(const struct tma_scenario *scenario, enum tma_sampling sampling,
                     struct tma_sweep_figures *figures, struct tma_reply *reply,
                     struct tma_error *error) {
    if (tma_scenario_figures(scenario, sampling, figures, error) != TMA_OK)
        return false;
    tma_reply_note(reply, &figures->cycles, sizeof figures->cycles);
    return true;
}

/* In a worker: reads the scenario of a row and simulates it. */
static void work(void *context, size_t number, const void *bytes, size_t size,
                 struct tma_reply *reply) {
    const struct tma_row_runs *runs = context;
    struct tma_error error = {0};
    struct row_outcome outcome = {.failed = true};
    struct tma_variant_scenario variant;
    char reason[TMA_REASON_BYTES];
    size_t row;
    (void)number;
    assert(size == sizeof row);
    memcpy(&row, bytes, size);
    if (runs->read(runs->context, row, &variant, reason)) {
        outcome.failed =
            !simulate(&variant.scenario, runs->sampling, &outcome.figures, reply, &error);
        snprintf(reason, sizeof reason, "%s", error.text);
    }
    tma_variant_scenario_free(&variant);
    tma_reply_append(reply, &outcome, sizeof outcome);
    if (outcome.failed)
        tma_reply_append(reply, reason, strlen(reason) + 1);
}

static bool take(void *context, size_t number, const struct tma_task_outcome *outcome) {
    struct running_rows *running = context;
    const struct tma_row_runs *runs = running->runs;
    const struct row_outcome *got = outcome->bytes;
    size_t index = running->left[number];
    struct tma_sweep_row *row = &runs->sweep->rows[index];
    const char *failure = outcome->failure;
    if (failure == NULL && got->failed)
        failure = (const char *)(got + 1);
    if (failure == NULL)
        row->figures = got->figures;
    else
        row->failure = tma_copy_text(failure);
    if (failure != NULL && row->failure == NULL) {
        tma_fail(running->error, TMA_ERROR_MEMORY, "out of memory");
        running->failed = true;
    }
    row->done = true;
    if (!running->failed && runs->journal != NULL &&
        tma_journal_add(runs->journal, index, running->error) != TMA_OK)
        running->failed = true;
    return !running->failed;
}

static bool idle(void *context, size_t done, uint64_t done_cost) {
    struct running_rows *running = context;
    running->work.progress.done = done;
    running->work.progress.done_work = done_cost;
    return tma_host_goes_on(&running->work);
}

/* Makes a task of each row that is not done. False when out of memory. */
static bool create_tasks(struct running_rows *running) {
    const struct tma_sweep *sweep = running->runs->sweep;
    running->left = tma_allocate(sweep->row_count, sizeof *running->left);
    running->tasks = tma_allocate(sweep->row_count, sizeof *running->tasks);
    if (running->left == NULL || running->tasks == NULL)
        return false;
    for (size_t i = 0; i < sweep->row_count; i++)
        if (!sweep->rows[i].done) {
            size_t *left = &running->left[running->count];
            *left = i;
            running->tasks[running->count++] =
                (struct tma_task){.bytes = left, .size = sizeof *left, .cost = 1};
        }
    return true;
}

struct tma_worker_code tma_row_runs_code(const struct tma_row_runs *runs) {
    return (struct tma_worker_code){.work = work, .context = (void *)runs};
}

enum tma_error_code tma_row_runs_do(const struct tma_row_runs *runs, struct tma_error *error) {
    struct tma_error own = {.text = ""};
    struct running_rows running = {
        .work = {.host = runs->host}, .runs = runs, .error = error == NULL ? &own : error};
    struct tma_worker_code code = tma_row_runs_code(runs);
    struct tma_workers *workers = NULL;
    bool good = create_tasks(&running);
    if (good)
        workers = runs->host->workers(runs->host->context, &code);
    struct tma_batch batch = {.tasks = running.tasks,
                              .count = running.count,
                              .context = &running,
                              .take = take,
                              .note = tma_host_work_note,
                              .idle = idle,
                              .lost = tma_host_work_lost};
    runs->sweep->sampled = runs->sampling != TMA_SAMPLING_NONE;
    running.work.progress.total = running.work.progress.total_work = running.count;
    if (workers == NULL)
        tma_fail(running.error, TMA_ERROR_MEMORY, "out of memory");
    good = workers != NULL && tma_workers_run(workers, &batch, running.error) == TMA_OK;
    tma_workers_free(workers);
    runs->sweep->partial = !tma_host_goes_on(&running.work);
    TMA_RELEASE(running.left, running.tasks);
    return good && !running.failed ? TMA_OK : running.error->code;
}

void tma_rows_free(struct tma_sweep *sweep) {
    for (size_t i = 0; sweep->rows != NULL && i < sweep->row_count; i++)
        tma_release(sweep->rows[i].failure);
    tma_release(sweep->rows);
    sweep->rows = NULL;
}
