/* Options of the verbs that simulate: --sample, --draws, --try and --list. */
#pragma once

#include "cli/options.h"
#include "engine/watch.h"
#include "report/sweep.h"
#include "search/variants.h"

/* Prints an error and returns false if a run is to be sampled together with another option. Options
 * that are not given are NULL. */
bool cli_sample_allowed(int sampling, const char *const *others, size_t count);

/* A value of enum tma_sampling; without the option, it is TMA_SAMPLING_NONE. */
#define CLI_OPTION_SAMPLE(at)                                                                      \
    {                                                                                              \
        .name = "--sample", .value = "HOW", .optional = true, .kind = CLI_CHOICE, .offset = (at),  \
        .names = &tma_sampling_names,                                                              \
        .help = "simulate a long run in part: once it is steady, skip most of the rest, and say\n" \
                "how wrong the cycles may be"                                                      \
    }

/* Prints an error and returns false if a number of --draws is outside its range. */
bool cli_draws_allowed(struct cli_count draws);

/* The same, where no draws are allowed, too. */
bool cli_draws_most(struct cli_count draws);

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

/* Makes the variants that --try and --list say. On failure, prints the error and returns false.
 * Free the variants in either case. */
bool cli_variants_make(const struct cli_list *tries, const char *list,
                       struct tma_variants *variants);

/* Returns the exit status of a verb that writes a table of rows. */
int cli_row_status(const struct tma_sweep *sweep);
