/* Tab-separated records with a header line, read whole. */
#ifndef TMA_RECORDS_TSV_H
#define TMA_RECORDS_TSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct tma_tsv {
    char *text;         /* owned: the file, tabs and newlines replaced by NUL */
    const char **cells; /* owned: (rows + 1) x columns, the header first */
    size_t rows;        /* without the header */
    size_t columns;
};

enum tma_error_code tma_tsv_read(const char *path, struct tma_tsv *tsv, struct tma_error *error);
void tma_tsv_free(struct tma_tsv *tsv);

/* The column's index, or -1. */
int tma_tsv_column(const struct tma_tsv *tsv, const char *name);

/* A cell; "" where the column does not exist. Rows count from 0, the header not included. */
const char *tma_tsv_cell(const struct tma_tsv *tsv, size_t row, const char *column);

/* The value of `key` in a cell that holds key=value words (timing records); false where it has
 * none. value is cut to size - 1 characters. */
bool tma_find_key_value(const char *words, const char *key, char *value, size_t size);

/* Reads up to `limit` comma-separated integers; gives how many. */
size_t tma_parse_list(const char *text, int64_t *values, size_t limit);

#endif
