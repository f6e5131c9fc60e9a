/* The table of verbs. */
#pragma once

#include "cli/options.h"

/* All verbs, in the order of the help text. To add a verb NAME: write verb_NAME.c, which defines
 * cli_NAME with its options and its help, and add a line here. */
#define CLI_VERBS(X)                                                                               \
    X(run)                                                                                         \
    X(report)                                                                                      \
    X(compare)                                                                                     \
    X(sweep)                                                                                       \
    X(tune)                                                                                        \
    X(launch)                                                                                      \
    X(kernels)                                                                                     \
    X(machines)                                                                                    \
    X(layout)                                                                                      \
    X(explain)                                                                                     \
    X(pattern)                                                                                     \
    X(fragment)                                                                                    \
    X(descriptor)                                                                                  \
    X(cute)                                                                                        \
    X(diff)                                                                                        \
    X(golden)                                                                                      \
    X(validate)                                                                                    \
    X(check)                                                                                       \
    X(encode)                                                                                      \
    X(decode)                                                                                      \
    X(replace)                                                                                     \
    X(completion)                                                                                  \
    X(serve)                                                                                       \
    X(help)

#define CLI_VERB_DECLARATION(name) extern const struct cli_verb cli_##name;
CLI_VERBS(CLI_VERB_DECLARATION)
#undef CLI_VERB_DECLARATION
