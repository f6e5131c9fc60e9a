/* The variants of a sweep: which settings each row has. */
#ifndef TMA_SEARCH_VARIANTS_H
#define TMA_SEARCH_VARIANTS_H

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

/* The options from which variants are made: members of the verb's struct of options. */
#define CLI_OPTION_TRY(options, member)                                                            \
    {                                                                                              \
        .name = "--try", .value = "PATH=VALUES", .kind = CLI_LIST,                                 \
        .offset = offsetof(options, member), .several = true,                                      \
        .help = "try each of these values of a setting, as --set takes it. Commas separate\n"      \
                "values; 2:6 is 2,3,4,5,6; 2:8:2 is 2,4,6,8; 1:8:*2 is 1,2,4,8. Every\n"           \
                "combination of several settings is tried; the last one varies fastest"            \
    }
#define CLI_OPTION_LIST(options, member)                                                           \
    {                                                                                              \
        .name = "--list", .value = "FILE", .kind = CLI_TEXT, .offset = offsetof(options, member),  \
        .help = "take combinations from FILE: on each line, settings PATH=VALUE with spaces\n"     \
                "between them; with --try, each line with every combination"                       \
    }

#endif
