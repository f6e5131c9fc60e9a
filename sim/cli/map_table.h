/* tmasim check with several files: a table with a row for each tensor map. */
#ifndef TMA_CLI_MAP_TABLE_H
#define TMA_CLI_MAP_TABLE_H

#include "cli/options.h"

/* Checks the maps of all files, and writes the table, or JSON. A file that cannot be read is a row
 * with its reason. Returns the exit status. */
int cli_map_table(const struct cli_options *options, bool as_json);

#endif
