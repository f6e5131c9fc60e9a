/* Ranks: processes of tmasim-mpi that share one sweep or tuner. Rank 0 runs the verb and writes;
 * the others do tasks for it. The environment has the sockets that join them:
 *
 *   TMASIM_SERVERS   in rank 0: the descriptors of the other ranks, with commas between them
 *   TMASIM_POOL      in another rank: the descriptor of rank 0 */
#ifndef TMA_CLI_RANKS_H
#define TMA_CLI_RANKS_H

#include "cli/options.h"
#include "workers/pool.h"

/* Returns how many worker processes the options ask for: by default, one for each core, but one in
 * a rank. */
unsigned cli_jobs(const struct cli_options *options);

/* The process is a rank, even if it is the only one. */
bool cli_is_rank(void);

/* In a rank that is not rank 0: does tasks until there are no more, and returns true. `key` is of
 * what the tasks are about, as in workers/pool.h. */
bool cli_rank_serves(const struct cli_options *options, const struct tma_worker_code *code,
                     const char *key, int *status);

/* Creates the workers of this process, and in rank 0 adds those of the other ranks. Returns NULL
 * when out of memory. */
struct tma_workers *cli_workers_create(const struct cli_options *options,
                                       const struct tma_worker_code *code, const char *key);

#endif
