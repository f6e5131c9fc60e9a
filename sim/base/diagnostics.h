/* A list of all errors found in an input, each with its location, so that one call reports them
 * together. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/api.h"
#include "base/error.h"

TMA_API_BEGIN

/* A location in an input file. */
struct tma_location {
    const char *file; /* borrowed; must outlive the list */
    unsigned line;    /* from 1; 0: the file as a whole */
    unsigned column;  /* from 1; 0: the line or file as a whole */
};

struct tma_diagnostic {
    enum tma_error_code code;
    struct tma_location at;
    char *text; /* owned; one sentence: what is wrong and what is allowed */
};

/* Room for one error that a list has from the start: an error for which there is no memory is not
 * lost. */
struct tma_diagnostic_reserve {
    enum tma_error_code code; /* TMA_OK: the reserve is empty */
    struct tma_location at;
    char text[TMA_ERROR_TEXT_BYTES]; /* cut to this size */
};

struct tma_diagnostics {
    struct tma_diagnostic *items; /* owned */
    size_t count;
    size_t capacity;
    size_t dropped; /* errors that are not in `items`: beyond the limit (base/limits.h), or without
                       memory */
    struct tma_diagnostic_reserve reserve; /* the first of them that has to do with memory */
};

/* Returns an empty list. */
struct tma_diagnostics tma_diagnostics_empty(void);

/* Returns the number of errors that were appended, those that the list dropped included. */
size_t tma_diagnostics_total(const struct tma_diagnostics *list);

/* Returns true if memory ran out: an error says so, or could not be stored. */
bool tma_diagnostics_lack_memory(const struct tma_diagnostics *list);

/* Appends one entry with a text made as printf does. When memory runs out, or the list is full,
 * counts the entry in `dropped`. The first of these that there is no memory for, or that says that
 * memory ran out, goes into the reserve. Returns false. */
bool tma_diagnose(struct tma_diagnostics *list, enum tma_error_code code, struct tma_location at,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Sorts by file, line and column; entries of one location keep their order. */
void tma_diagnostics_sort(struct tma_diagnostics *list);

/* Frees all entries and empties the list. */
void tma_diagnostics_free(struct tma_diagnostics *list);

TMA_API_END
