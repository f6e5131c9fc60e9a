/* --sample of the verbs that simulate a scenario. */
#ifndef TMA_CLI_SAMPLE_OPTION_H
#define TMA_CLI_SAMPLE_OPTION_H

#include "cli/options.h"
#include "engine/watch.h"

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

#endif
