/* The scenario that a verb reads. */
#ifndef TMA_CLI_SCENARIO_INPUT_H
#define TMA_CLI_SCENARIO_INPUT_H

#include "cli/options.h"
#include "scenario/scenario.h"

/* Reads the scenario that the first operand names, with the --set options applied. On failure,
 * prints every error and returns false. The caller frees the scenario in either case. */
bool cli_scenario_read(const struct cli_options *options, struct tma_scenario *scenario);

/* The same for a verb that looks at tiles: where the scenario has a kernel with roles, its workload
 * has the tiles of the first CTA. */
bool cli_tiles_read(const struct cli_options *options, struct tma_scenario *scenario);

/* Returns false, and prints an error, if writing the output, which may be NULL, would replace the
 * machine's file or one that the scenario extends. */
bool cli_scenario_spared(const struct tma_scenario *scenario, const char *output);

#endif
