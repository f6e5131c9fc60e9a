/* A growing list of what is wrong with an input, each with its place, so that all is said at once.
 */
#ifndef TMA_BASE_DIAGNOSTICS_H
#define TMA_BASE_DIAGNOSTICS_H

#include <stddef.h>

#include "base/api.h"
#include "base/error.h"

TMA_API_BEGIN

/* A place in an input. line and column count from 1; 0 means that the place is the file as a whole.
 */
struct tma_location {
    const char *file; /* borrowed: must outlive the list */
    unsigned line;
    unsigned column;
};

struct tma_diagnostic {
    enum tma_error_code code;
    struct tma_location at;
    char *text; /* one sentence: what is wrong, what is allowed */
};

struct tma_diagnostics {
    struct tma_diagnostic *items; /* owned */
    size_t count;
    size_t capacity;
};

/* Appends one entry. Out of memory drops the text but still counts the entry's code. */
void tma_diagnose(struct tma_diagnostics *list, enum tma_error_code code, struct tma_location at,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Sorts by file, line, column (stable): the order in which a reader meets the places. */
void tma_diagnostics_sort(struct tma_diagnostics *list);

/* Frees what the list owns and leaves it empty. */
void tma_diagnostics_free(struct tma_diagnostics *list);

TMA_API_END

#endif
