#include "cli/ranks.h"

#include <fcntl.h>
#include <stdlib.h>

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

struct tma_workers *cli_workers_create(const struct cli_options *options,
                                       const struct tma_worker_code *code, const char *key) {
    struct tma_workers *workers = tma_workers_create(cli_jobs(options), code);
    const char *list = getenv(servers_variable);
    bool good = workers != NULL;
    cli_terminations_hold(list != NULL);
    for (int channel; good && (channel = next_descriptor(&list)) >= 0;)
        good = tma_workers_join(workers, channel, key);
    if (good)
        return workers;
    tma_workers_free(workers);
    return NULL;
}
