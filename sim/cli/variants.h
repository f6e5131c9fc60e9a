/* The variants of a sweep: which settings each row has. */
#ifndef TMA_CLI_VARIANTS_H
#define TMA_CLI_VARIANTS_H

#include "cli/options.h"

enum { CLI_MOST_VARIANTS = 1000000 };

struct cli_variants {
    const char *
        *columns; /* owned array; the paths that rows set, in the order of their first use */
    size_t column_count;
    const char **values; /* owned array: row by row; NULL: the row does not set the column */
    size_t row_count;
    char **texts; /* owned; what the others point to */
    size_t text_count, text_capacity;
};

/* Makes the cross product of the texts "PATH=VALUES", the first of which varies slowest, and of the
 * lines of the file `list`, if it is not NULL, which varies slower still.
 *
 * VALUES has commas between values. "2:6" stands for 2,3,4,5,6; "2:8:2" for 2,4,6,8; "1:8:*2" for
 * 1,2,4,8. A comma in brackets or quotes is part of a value. A line of the file has settings
 * PATH=VALUE with spaces between them; "#" begins a comment.
 *
 * On failure, prints the error and returns false. Free the variants in either case. */
bool cli_variants_make(const struct cli_list *tries, const char *list,
                       struct cli_variants *variants);
void cli_variants_free(struct cli_variants *variants);

#endif
