#include "cli/tasks.h"

#include "base/allocation.h"
#include "cli/messages.h"

static bool take(void *context, size_t number, const struct tma_task_outcome *outcome) {
    struct cli_tasks *tasks = context;
    return tasks->take(tasks->context, number, outcome);
}

static void note(void *context, size_t number, const void *bytes, size_t size) {
    struct cli_tasks *tasks = context;
    (void)number;
    cli_progress_note(&tasks->progress, bytes, size);
}

static bool idle(void *context, size_t done, uint64_t done_cost) {
    struct cli_tasks *tasks = context;
    bool on = cli_progress_look(&tasks->progress, done, done_cost);
    tasks->interrupted |= !on;
    return on;
}

bool cli_tasks_run(struct cli_tasks *tasks, unsigned jobs, bool quiet) {
    const struct tma_worker_code code = {.work = tasks->work, .context = tasks->context};
    struct tma_task *items = tma_allocate(tasks->count, sizeof *items);
    const struct tma_batch batch = {.tasks = items,
                                    .count = tasks->count,
                                    .context = tasks,
                                    .take = take,
                                    .note = note,
                                    .idle = idle};
    struct tma_error error = {.text = "out of memory"};
    for (size_t i = 0; items != NULL && i < tasks->count; i++)
        items[i] = (struct tma_task){.cost = 1};
    tasks->progress = (struct cli_progress){
        .unit = tasks->unit, .total = tasks->count, .total_work = tasks->count};
    cli_progress_begin(&tasks->progress, quiet);
    struct tma_workers *workers = items == NULL ? NULL : tma_workers_create(jobs, &code);
    bool good = workers != NULL && tma_workers_run(workers, &batch, &error) == TMA_OK;
    tma_workers_free(workers);
    tma_release(items);
    cli_progress_clear(&tasks->progress);
    if (!good)
        cli_error("%s", error.text);
    return good;
}
