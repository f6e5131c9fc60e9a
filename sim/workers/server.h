/* A server does tasks for a pool that it reaches through a channel, with workers of its own. If one
 * of them dies, the task that it did fails, as in the pool itself. */
#pragma once

#include "workers/pool.h"

/* Does the tasks that come through the channel, a stream socket, at most `jobs` at once, until its
 * other side closes it or refuses the server, whose key must be that of the pool (pool.h). Fails
 * with TMA_ERROR_MEMORY, or with TMA_ERROR_UNSUPPORTED if the system allows no worker. */
enum tma_error_code tma_workers_serve(int channel, unsigned jobs,
                                      const struct tma_worker_code *code, const char *key,
                                      struct tma_error *error);
