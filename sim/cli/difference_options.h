/* The options with which diff and golden say what they accept. */
#pragma once

#include "cli/options.h"
#include "difference/difference.h"

/* Their values. A verb's struct of options has a member `difference` of this type. */
struct cli_difference_options {
    double absolute, relative;
    struct cli_list tolerances, conditions, figures;
    bool all;
};

/* What they mean. */
struct cli_difference_rules {
    struct tma_difference_rules rules;
    struct tma_figure_tolerance *tolerances; /* owned */
    struct tma_figure_condition *conditions; /* owned */
};

/* Prints an error and returns false if an option is wrong. Free the rules in either case. */
bool cli_difference_rules_make(const struct cli_difference_options *options,
                               struct cli_difference_rules *rules);
void cli_difference_rules_free(struct cli_difference_rules *rules);

/* Compares and writes the result to `output`, which is closed. Returns the exit status: CLI_OK,
 * CLI_DIFFERENT if a figure fails, or CLI_ERROR. */
int cli_difference_write(struct tma_difference *difference,
                         const struct tma_difference_rules *rules, int format, const char *output);

#define CLI_DIFFERENCE_OPTION(type, option, meta, option_kind, member, text)                       \
    {                                                                                              \
        .name = option, .value = meta, .kind = option_kind,                                        \
        .offset = offsetof(type, difference) + offsetof(struct cli_difference_options, member),    \
        .help = text                                                                               \
    }

/* Rows of the table of options of a verb whose struct of options is `type`. */
#define CLI_DIFFERENCE_OPTIONS(type)                                                               \
    CLI_DIFFERENCE_OPTION(                                                                         \
        type, "--fail-if", "CONDITION", CLI_LIST, conditions,                                      \
        "fail only if this holds: \"cycles > +2%\" (a change from the base),\n"                    \
        "\"latency_cycles.max > +100\", \"l2.hit_fraction < 0.5\" (a value) or\n"                  \
        "\"limited_by.key changed\"; * in a name stands for any text. Without\n"                   \
        "conditions, each difference fails"),                                                      \
        CLI_DIFFERENCE_OPTION(type, "--abs", "NUMBER", CLI_NUMBER, absolute,                       \
                              "accept numbers that differ by at most this much"),                  \
        CLI_DIFFERENCE_OPTION(                                                                     \
            type, "--rel", "FRACTION", CLI_NUMBER, relative,                                       \
            "accept numbers that differ by at most this fraction of the larger one"),              \
        CLI_DIFFERENCE_OPTION(type, "--tolerance", "FIGURE=NUMBER", CLI_LIST, tolerances,          \
                              "accept this much for these figures: \"cycles=2%\", "                \
                              "\"dram.*=4096\""),                                                  \
        CLI_DIFFERENCE_OPTION(type, "--figure", "NAME", CLI_LIST, figures,                         \
                              "compare these figures alone"),                                      \
        CLI_DIFFERENCE_OPTION(type, "--all", NULL, CLI_FLAG, all,                                  \
                              "show all figures, not those alone that differ")
