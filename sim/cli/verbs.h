/* The verbs of the command, one file each. */
#ifndef TMA_CLI_VERBS_H
#define TMA_CLI_VERBS_H

#include "cli/options.h"
#include "scenario/scenario.h"

extern const struct cli_verb cli_run, cli_compare, cli_layout, cli_explain, cli_pattern, cli_diff,
    cli_validate, cli_check, cli_encode, cli_decode, cli_replace, cli_help;

/* All of them, in the order of the help, and NULL. */
extern const struct cli_verb *const cli_verbs[];

/* What a verb does with its scenario; gives the exit status. */
typedef int cli_scenario_work(const struct cli_options *options,
                              const struct tma_scenario *scenario);

/* Reads the scenario that the options name, and has it worked on. Where it can't be read, every
 * fault goes to standard error, and the status is CLI_BAD_INPUT. */
int cli_with_scenario(const struct cli_options *options, cli_scenario_work *work);

#endif
