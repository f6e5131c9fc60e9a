/* Several scenarios, each run once: a table with a row for each. */
#ifndef TMA_CLI_SCENARIO_TABLE_H
#define TMA_CLI_SCENARIO_TABLE_H

#include "cli/options.h"
#include "engine/watch.h"

/* Runs the scenarios that the operands name, and writes the table in a format of
 * tma_table_format_names. What cannot be read or run is a row with its reason. With `unbounded`,
 * kernels may have any number of operations; with `allow_races` they go on where they have races.
 * `sampling` is that of each run. Returns the exit
 * status. */
int cli_scenario_table(const struct cli_options *options, int format, enum tma_sampling sampling,
                       bool unbounded, bool allow_races);

#endif
