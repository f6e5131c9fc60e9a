/* Compares the figures of variants with those of a base. */
#pragma once

#include <stdio.h>

#include "difference/figure_rule.h"
#include "tensormap/types.h"

/* All pointers are borrowed. */
struct tma_difference_rules {
    double absolute, relative; /* tolerances of all numbers, as those of traces */
    const struct tma_figure_tolerance *tolerances; /* of single figures; the last match counts */
    size_t tolerance_count;
    const struct tma_figure_condition *conditions; /* without any, each difference fails */
    size_t condition_count;
    const char *const *figures; /* patterns of the figures to compare; none: all */
    size_t figure_count;
    bool show_all; /* also the figures that do not differ */
};

/* A figure of a variant beside that of the base. */
struct tma_difference_value {
    const struct tma_measure *measure; /* NULL: the variant lacks it */
    bool differs;                      /* beyond the tolerance */
    bool failed;
    const struct tma_figure_condition *condition; /* why it failed; NULL: because it differs */
};

struct tma_difference_row {
    const char *case_name;               /* "" of reports */
    const char *name;                    /* of the figure */
    const struct tma_measure *base;      /* NULL: the base lacks it */
    struct tma_difference_value *values; /* by variant; of the difference's own array */
};

struct tma_difference {
    const struct tma_variant *base;
    const struct tma_variant *variants;
    size_t variant_count;
    bool cases_are_files;            /* the cases are named by their files, for annotations */
    const char *title;               /* what compared, for JUnit and annotations; borrowed */
    struct tma_difference_row *rows; /* owned; those to show, in the order of the base */
    size_t row_count, row_capacity;
    struct tma_difference_value *values; /* owned */
    size_t value_count, value_capacity;
    size_t case_count;                  /* of the base and of variants alone */
    size_t compared, different, failed; /* figures of all variants */
};

/* Compares. Fails with TMA_ERROR_MEMORY; or with TMA_ERROR_ARGUMENT if a pattern of the rules
 * matches no figure. Free the difference in either case; it borrows the variants and the rules. */
enum tma_error_code tma_difference_compare(struct tma_difference *difference,
                                           const struct tma_difference_rules *rules,
                                           struct tma_error *error);
void tma_difference_free(struct tma_difference *difference);

/* Formats of tma_difference_write; the first is the default. */
extern const struct tma_names tma_difference_format_names;

/* Writes the comparison in a format: a value of tma_difference_format_names. Write errors stay with
 * the stream. */
void tma_difference_write(const struct tma_difference *difference, int format, FILE *out);
