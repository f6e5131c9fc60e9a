/* The verbs of the command, one file each. */
#ifndef TMA_CLI_VERBS_H
#define TMA_CLI_VERBS_H

#include "cli/options.h"
#include "scenario/scenario.h"

extern const struct cli_verb cli_run, cli_compare, cli_layout, cli_explain, cli_pattern, cli_diff,
    cli_validate, cli_check, cli_encode, cli_decode, cli_help;

/* All of them, in the order of the help, and NULL. */
extern const struct cli_verb *const cli_verbs[];

/* Reads the scenario that the options name. False, with every fault on standard error. The scenario
 * is to be freed in any case. */
bool cli_scenario_read(const struct cli_options *options, struct tma_scenario *scenario);

#endif
