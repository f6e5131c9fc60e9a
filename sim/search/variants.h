/* The variants of a sweep: which settings each row has, and the scenario that they make. */
#pragma once

#include "scenario/scenario.h"

enum { TMA_MOST_VARIANTS = 1000000 };

struct tma_variants {
    const char *
        *columns; /* owned array; the paths that rows set, in the order of their first use */
    size_t column_count;
    const char **values; /* owned array: row by row; NULL: the row does not set the column */
    size_t row_count;
    char **texts; /* owned; what the others point to */
    size_t text_count, text_capacity;
};

/* What to try. */
struct tma_tries {
    const char *const *items; /* "PATH=VALUES" */
    size_t count;
    const char *list;      /* path of a file with lines of settings; NULL: none */
    const char *list_name; /* what errors call it */
};

/* Makes the cross product of the items, the first of which varies slowest, and of the lines of the
 * list, which varies slower still.
 *
 * VALUES has commas between values. "2:6" stands for 2,3,4,5,6; "2:8:2" for 2,4,6,8; "1:8:*2" for
 * 1,2,4,8. A comma in brackets or quotes is part of a value. A line of the file has settings
 * PATH=VALUE with spaces between them; "#" begins a comment.
 *
 * Free the variants also where this fails. */
enum tma_error_code tma_variants_make(const struct tma_tries *tries, struct tma_variants *variants,
                                      struct tma_error *error);
void tma_variants_free(struct tma_variants *variants);

/* The variants without the columns that `lacks` says, each once: those of a scenario that has no
 * such setting. They borrow columns and texts of *all. False when out of memory. Free their values
 * alone. */
bool tma_variants_without(const struct tma_variants *all, const bool *lacks,
                          struct tma_variants *own);

/* Settings of all rows: "PATH=VALUE". */
struct tma_settings {
    const char *const *items;
    size_t count;
};

/* Settings of a row: those of the user, then its own. */
struct tma_row_settings {
    const char **items; /* owned; from `user_count` on, the texts are owned, too */
    size_t count, user_count;
};

/* Returns false when out of memory. Free the settings in either case. */
bool tma_row_settings_make(const struct tma_settings *user, const struct tma_variants *variants,
                           size_t row, struct tma_row_settings *settings);
void tma_row_settings_free(struct tma_row_settings *settings);

enum { TMA_REASON_BYTES = 1200 };

struct tma_variant_scenario {
    struct tma_scenario scenario;
    struct tma_row_settings settings;
};

/* Reads the scenario at `path` with the settings of the user and of a row. Where that fails, writes
 * the first error to `reason`, with the setting of the row if it is in one, and returns false;
 * `name` stands for the path. Free the variant in either case. */
bool tma_variant_scenario_read(const char *path, const char *name, const struct tma_settings *user,
                               const struct tma_variants *variants, size_t row,
                               struct tma_variant_scenario *variant, char reason[TMA_REASON_BYTES]);
void tma_variant_scenario_free(struct tma_variant_scenario *variant);
