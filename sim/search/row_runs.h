/* The rows of a table, each a scenario that worker processes simulate. */
#pragma once

#include "engine/watch.h"
#include "report/sweep.h"
#include "search/journal.h"
#include "search/variants.h"
#include "workers/host.h"

struct tma_row_runs {
    const struct tma_host *host;
    struct tma_sweep *sweep;    /* gets figures or failures of the rows that are not done */
    enum tma_sampling sampling; /* of each row */
    const void *context;        /* for `read` */
    /* In a worker: reads the scenario of a row, or writes why there is none. */
    bool (*read)(const void *context, size_t row, struct tma_variant_scenario *variant,
                 char reason[TMA_REASON_BYTES]);
    const struct tma_journal *journal; /* gets each row that is done; NULL: there is none */
};

/* What a worker does for the table. `runs` stays where it is. */
struct tma_worker_code tma_row_runs_code(const struct tma_row_runs *runs);

/* Simulates the rows that are not done. Where the host ends it, the sweep is partial. The caller
 * frees the failures of the rows. */
enum tma_error_code tma_row_runs_do(const struct tma_row_runs *runs, struct tma_error *error);

/* Frees the rows and their failures. */
void tma_rows_free(struct tma_sweep *sweep);
