/* Work in worker processes, while a line shows how much is done: tasks that cost alike, and the
 * command as the host of other work. */
#pragma once

#include "cli/options.h"
#include "cli/progress.h"
#include "workers/host.h"
#include "workers/pool.h"

/* Ranks: processes of tmasim-mpi that share one sweep or tuner. Rank 0 runs the verb and writes;
 * the others do tasks for it. The environment has the sockets that join them:
 *
 *   TMASIM_SERVERS   in rank 0: the descriptors of the other ranks, with commas between them
 *   TMASIM_POOL      in another rank: the descriptor of rank 0 */

/* Returns how many worker processes the options ask for: by default, one for each core, but one in
 * a rank. */
unsigned cli_jobs(const struct cli_options *options);

/* The process is a rank, even if it is the only one. */
bool cli_is_rank(void);

/* In a rank that is not rank 0: does tasks until there are no more, and returns true. `key` is of
 * what the tasks are about, as in workers/pool.h. */
bool cli_rank_serves(const struct cli_options *options, const struct tma_worker_code *code,
                     const char *key, int *status);

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

/* The command as the host of other long work: workers of this process and of other ranks, a line
 * that shows progress, interrupts, notes. */
struct cli_host {
    struct tma_host host;
    const struct cli_options *options; /* --jobs, --quiet */
    const char *key;                   /* of what the tasks are about */
    struct cli_progress progress;
};

/* Begins to show progress in `unit`. `host` stays where it is until cli_host_end. */
void cli_host_begin(struct cli_host *host, const struct cli_options *options, const char *unit,
                    const char *key);

/* Clears the line that shows progress. */
void cli_host_end(struct cli_host *host);
