#include "cli/tasks.h"

#include <fcntl.h>
#include <stdlib.h>

#include "base/allocation.h"
#include "cli/files/temporary.h"
#include "cli/messages.h"
#include "workers/server.h"

static const char servers_variable[] = "TMASIM_SERVERS", pool_variable[] = "TMASIM_POOL";

bool cli_is_rank(void) {
    return getenv(servers_variable) != NULL || getenv(pool_variable) != NULL;
}

unsigned cli_jobs(const struct cli_options *options) {
    if (options->jobs.value > 0)
        return options->jobs.value;
    return cli_is_rank() ? 1 : tma_workers_cores();
}

/* Reads the next descriptor of a list, which it moves on; -1 where there is none. */
static int next_descriptor(const char **list) {
    char *end;
    if (*list == NULL || **list == '\0')
        return -1;
    long number = strtol(*list, &end, 10);
    bool good = end != *list && number >= 0 && number <= 1 << 20;
    *list = *end == ',' ? end + 1 : end;
    return good && fcntl((int)number, F_SETFD, FD_CLOEXEC) == 0 ? (int)number : -1;
}

bool cli_rank_serves(const struct cli_options *options, const struct tma_worker_code *code,
                     const char *key, int *status) {
    const char *list = getenv(pool_variable);
    struct tma_error error;
    int channel = next_descriptor(&list);
    if (channel < 0)
        return false;
    bool good = tma_workers_serve(channel, cli_jobs(options), code, key, &error) == TMA_OK;
    if (!good)
        cli_error("%s", error.text);
    *status = good ? CLI_OK : CLI_ERROR;
    return true;
}

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
    return good || cli_error("%s", error.text);
}

/* Creates the workers of this process, and in rank 0 adds those of the other ranks. Returns NULL
 * when out of memory. */
static struct tma_workers *create_workers(void *context, const struct tma_worker_code *code) {
    const struct cli_host *host = context;
    struct tma_workers *workers = tma_workers_create(cli_jobs(host->options), code);
    const char *list = getenv(servers_variable);
    bool good = workers != NULL;
    cli_terminations_hold(list != NULL);
    for (int channel; good && (channel = next_descriptor(&list)) >= 0;)
        good = tma_workers_join(workers, channel, host->key);
    if (good)
        return workers;
    tma_workers_free(workers);
    return NULL;
}

static bool look(void *context, const struct tma_progress *progress) {
    struct cli_host *host = context;
    host->progress.total = progress->total;
    host->progress.total_work = progress->total_work;
    host->progress.cycles = progress->cycles;
    return cli_progress_look(&host->progress, progress->done, progress->done_work);
}

static void host_note(void *context, const char *text) {
    struct cli_host *host = context;
    cli_progress_clear(&host->progress);
    cli_note("%s", text);
}

void cli_host_begin(struct cli_host *host, const struct cli_options *options, const char *unit,
                    const char *key) {
    *host = (struct cli_host){
        .host = {.context = host, .workers = create_workers, .look = look, .note = host_note},
        .options = options,
        .key = key,
        .progress = {.unit = unit},
    };
    cli_progress_begin(&host->progress, options->quiet);
}

void cli_host_end(struct cli_host *host) {
    cli_progress_clear(&host->progress);
}
