/* Tasks that cost alike: worker processes do them, while a line shows how many are done. */
#ifndef TMA_CLI_TASKS_H
#define TMA_CLI_TASKS_H

#include "cli/progress.h"
#include "workers/pool.h"

struct cli_tasks {
    size_t count;
    const char *unit; /* what they are: "launches" */
    void *context;    /* for both, which are as in workers/pool.h */
    void (*work)(void *context, size_t number, const void *bytes, size_t size,
                 struct tma_reply *reply);
    bool (*take)(void *context, size_t number, const struct tma_task_outcome *outcome);

    bool interrupted; /* not all of them were done */
    struct cli_progress progress;
};

/* Does the tasks in `jobs` processes. What a worker notes is cycles that it has simulated. Prints
 * an error and returns false if the workers fail. */
bool cli_tasks_run(struct cli_tasks *tasks, unsigned jobs, bool quiet);

#endif
