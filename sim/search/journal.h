/* The journal of a sweep: a file that gets each row as soon as the row is done, so that a sweep
 * that was ended can go on. It has a line of JSON that says what is swept, then the lines of the
 * format jsonl, in any order. */
#ifndef TMA_SEARCH_JOURNAL_H
#define TMA_SEARCH_JOURNAL_H

#include <stdbool.h>

#include "report/sweep.h"

struct cli_journal {
    FILE *file; /* NULL: there is no journal */
    const char *path;
};

/* Opens the journal at `path`, or begins one. The rows of the sweep that it has become done, except
 * for those that failed. `digest` is of all that is swept but the rows' own settings: a journal
 * with another one is refused. A last line that is not whole is cut off. On failure, prints the
 * error and returns false. With `path` NULL there is no journal. */
bool cli_journal_open(struct cli_journal *journal, const char *path, const char *digest,
                      struct tma_sweep *sweep);

/* Adds a row. Prints an error and returns false if it cannot be written. */
bool cli_journal_add(struct cli_journal *journal, const struct tma_sweep *sweep, size_t row);

void cli_journal_close(struct cli_journal *journal);

#endif
