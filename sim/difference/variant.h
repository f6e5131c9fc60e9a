/* The figures of one or more runs, as a file has them: the report of a run, or the rows of a sweep.
 * Comparisons set several of these beside each other. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/diagnostics.h"
#include "base/digest.h"

/* A figure: "l2.hit_fraction" is "0.5"; "limited_by.key" is "dram". */
struct tma_measure {
    char *name; /* owned */
    char *text; /* owned; the value as the file has it */
    bool is_number;
    double number;
};

/* What was run: the only one of a report (without a name), or a row of a sweep, which is named by
 * its settings. */
struct tma_measured_case {
    char *name;                   /* owned */
    struct tma_measure *measures; /* owned */
    size_t count, capacity;
};

struct tma_variant {
    char *name;       /* owned; the file's */
    char version[32]; /* of the tmasim that wrote the report; "": not known */
    char machine[TMA_DIGEST_TEXT_BYTES], scenario[TMA_DIGEST_TEXT_BYTES]; /* digests; "" as above */
    bool partial;                    /* an interrupt ended the run or the sweep */
    struct tma_measured_case *cases; /* owned */
    size_t count, capacity;
};

/* Reads a report (JSON), the rows of a sweep (JSON lines or CSV, or the journal of --resume), or
 * several reports, one a line. Returns false, with each error and its place in the list, if the
 * file is something else or cannot be read. Free the variant in either case, after the last use of
 * the list. */
bool tma_variant_read(const char *path, struct tma_variant *variant, struct tma_diagnostics *list);

/* Adds the figures of a report, JSON of `length` bytes, as a case. `file` is for messages. An empty
 * name is that of a report which is alone. */
bool tma_variant_add_report(struct tma_variant *variant, const char *name, const char *text,
                            size_t length, const char *file, struct tma_diagnostics *list);

/* Moves a case of another variant to this one, as the case `name`, with what is known of its
 * origin. Returns false when out of memory. */
bool tma_variant_move_case(struct tma_variant *variant, const char *name, struct tma_variant *other,
                           size_t index);

void tma_variant_free(struct tma_variant *variant);

/* Adds a case, or a figure to the last case. The texts are copied. Return false when out of memory.
 */
bool tma_variant_add_case(struct tma_variant *variant, const char *name);
bool tma_variant_add_measure(struct tma_variant *variant, const char *name, const char *text,
                             bool is_quoted);

/* Return the case or the figure of that name, or NULL. It is looked for first at `hint`, the place
 * that it has in a like variant. */
const struct tma_measured_case *tma_variant_find_case(const struct tma_variant *variant,
                                                      const char *name, size_t hint);
const struct tma_measure *tma_case_find(const struct tma_measured_case *item, const char *name,
                                        size_t hint);
