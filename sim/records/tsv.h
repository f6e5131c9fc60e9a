/* Reads a file of tab-separated values with a header line. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct tma_tsv {
    char *text;         /* owned; the file, with tabs and newlines replaced by NUL */
    const char **cells; /* owned; rows + 1 lines of `columns` cells, the header first */
    size_t rows;        /* without the header */
    size_t columns;
    bool traffic;        /* of pipelines: the caller wants the traffic of every record compared */
    bool exact;          /* of kernels: the caller wants all of them simulated to their ends */
    const char *kernels; /* of kernels: folder of the library, borrowed; NULL: there is none */
    const struct tma_tsv *ranges; /* of counters: what differs between launches; NULL: not known */
};

/* Fails with TMA_ERROR_FILE if the file cannot be read, with TMA_ERROR_SYNTAX if it is not TSV, and
 * with TMA_ERROR_MEMORY. There is nothing to free then. */
enum tma_error_code tma_tsv_read(const char *path, struct tma_tsv *tsv, struct tma_error *error);
void tma_tsv_free(struct tma_tsv *tsv);

/* Returns the index of a column, or -1 if there is none of that name. */
int tma_tsv_column(const struct tma_tsv *tsv, const char *name);

/* Returns a cell, or "" if the column does not exist. Row 0 is the first one after the header. */
const char *tma_tsv_cell(const struct tma_tsv *tsv, size_t row, const char *column);

/* Returns the row whose cell in the column `name` is this one, or the number of rows. */
size_t tma_tsv_find_name(const struct tma_tsv *tsv, const char *name);

/* Returns the number in a cell; 0: there is none. */
double tma_tsv_number(const struct tma_tsv *tsv, size_t row, const char *column);

/* Finds the value of `key` among the key=value words of a cell, and copies it, cut to size - 1
 * characters. Returns false if there is none. */
bool tma_find_key_value(const char *words, const char *key, char *value, size_t size);

/* Parses up to `limit` comma-separated integers. Returns how many it found before the end or the
 * first text that is not an integer of 64 bits. */
size_t tma_parse_list(const char *text, int64_t *values, size_t limit);
