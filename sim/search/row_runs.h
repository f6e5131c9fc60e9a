/* The rows of a table, each a scenario that worker processes simulate. */
#ifndef TMA_SEARCH_ROW_RUNS_H
#define TMA_SEARCH_ROW_RUNS_H

#include "engine/watch.h"
#include "report/sweep.h"
#include "search/variant_scenario.h"
#include "workers/pool.h"

struct cli_row_runs {
    const struct cli_options *options; /* --jobs, --quiet */
    struct tma_sweep *sweep;           /* gets figures or failures of the rows that are not done */
    enum tma_sampling sampling;        /* of each row */
    const char *key;                   /* of all that the rows are about (cli/ranks.h) */
    const void *context;               /* for `read` */
    /* In a worker: reads the scenario of a row, or writes why there is none. */
    bool (*read)(const void *context, size_t row, struct cli_variant_scenario *variant,
                 char reason[CLI_REASON_BYTES]);
    struct cli_journal *journal; /* gets each row that is done; NULL: there is none */
};

/* What a worker does for the table. `runs` stays where it is. */
struct tma_worker_code cli_row_runs_code(const struct cli_row_runs *runs);

/* Simulates the rows that are not done, with progress. An interrupt ends it with those that are. On
 * failure, prints the error and returns false. The caller frees the failures of the rows. */
bool cli_row_runs_do(const struct cli_row_runs *runs);

/* Returns the exit status of a verb that writes the table. */
int cli_row_runs_status(const struct tma_sweep *sweep);

/* Frees the rows and their failures. */
void cli_rows_free(struct tma_sweep *sweep);

#endif
