/* The journal of a sweep: a file that gets each row as soon as the row is done, so that a sweep
 * that was ended can go on. It has a line of JSON that says what is swept, then a line for each
 * row, in any order. */
#pragma once

#include <stdbool.h>

#include "report/sweep.h"
#include "workers/host.h"

struct tma_yaml_node;

/* Rows that a journal keeps. */
struct tma_journal_rows {
    const char *name;  /* of what is swept */
    const char *parts; /* what it consists of, for the error of another journal */
    void *context;
    /* Writes a row as a line of JSON, an object. */
    void (*write)(const void *context, size_t row, FILE *out);
    /* Takes such a line: its row is done, if it is one of these rows and has not failed. */
    void (*take)(void *context, const struct tma_yaml_node *line);
};

struct tma_journal {
    FILE *file; /* NULL: there is no journal */
    const char *path;
    const struct tma_host *host;
    struct tma_journal_rows rows;
};

/* The rows of a sweep of scenarios: the lines of its format jsonl. */
struct tma_journal_rows tma_journal_of_sweep(struct tma_sweep *sweep);

/* Whether the member `set` of a line has the values of a row, by column, and no others. */
bool tma_journal_has_settings(const struct tma_yaml_node *line, const char *const *columns,
                              size_t column_count, const char *const *values);

/* Members of a line: 0 and "" where there is none. */
uint64_t tma_journal_whole(const struct tma_yaml_node *line, const char *key);
double tma_journal_fraction(const struct tma_yaml_node *line, const char *key);
const char *tma_journal_text(const struct tma_yaml_node *line, const char *key);
struct tma_timing_trust tma_journal_trust(const struct tma_yaml_node *line);

/* Opens the journal at `path`, or begins one. Takes the rows that it has, except for those that
 * were changed: the host hears of these. `digest` is of all that is swept but the rows' own
 * settings: a journal with another one is refused. A last line that is not whole is cut off. With
 * `path` NULL there is no journal. */
enum tma_error_code tma_journal_open(struct tma_journal *journal, const char *path,
                                     const char *digest, const struct tma_host *host,
                                     const struct tma_journal_rows *rows, struct tma_error *error);

/* Adds a row. */
enum tma_error_code tma_journal_add(const struct tma_journal *journal, size_t row,
                                    struct tma_error *error);

void tma_journal_close(struct tma_journal *journal);
