/* The journal of a sweep: a file that gets each row as soon as the row is done, so that a sweep
 * that was ended can go on. It has a line of JSON that says what is swept, then the lines of the
 * format jsonl, in any order. */
#ifndef TMA_SEARCH_JOURNAL_H
#define TMA_SEARCH_JOURNAL_H

#include <stdbool.h>

#include "report/sweep.h"
#include "workers/host.h"

struct tma_journal {
    FILE *file; /* NULL: there is no journal */
    const char *path;
    const struct tma_host *host;
};

/* Opens the journal at `path`, or begins one. The rows of the sweep that it has become done, except
 * for those that failed, and those that were changed: the host hears of these. `digest` is of all
 * that is swept but the rows' own settings: a journal with another one is refused. A last line that
 * is not whole is cut off. With `path` NULL there is no journal. */
enum tma_error_code tma_journal_open(struct tma_journal *journal, const char *path,
                                     const char *digest, const struct tma_host *host,
                                     struct tma_sweep *sweep, struct tma_error *error);

/* Adds a row. */
enum tma_error_code tma_journal_add(const struct tma_journal *journal,
                                    const struct tma_sweep *sweep, size_t row,
                                    struct tma_error *error);

void tma_journal_close(struct tma_journal *journal);

#endif
