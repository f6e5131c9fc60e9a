/* The command as the host of long work: workers of this process and of other ranks, a line that
 * shows progress, interrupts, notes. */
#ifndef TMA_CLI_WORK_HOST_H
#define TMA_CLI_WORK_HOST_H

#include "cli/progress.h"
#include "cli/ranks.h"
#include "workers/host.h"

struct cli_host {
    struct tma_host host;
    const struct cli_options *options; /* --jobs, --quiet */
    const char *key;                   /* of what the tasks are about (cli/ranks.h) */
    struct cli_progress progress;
};

/* Begins to show progress in `unit`. `host` stays where it is until cli_host_end. */
void cli_host_begin(struct cli_host *host, const struct cli_options *options, const char *unit,
                    const char *key);

/* Clears the line that shows progress. */
void cli_host_end(struct cli_host *host);

#endif
