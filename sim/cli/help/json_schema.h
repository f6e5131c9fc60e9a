/* JSON Schemas of scenario and machine files, from the tables of keys: editors check and complete
 * the files with them. */
#ifndef TMA_CLI_JSON_SCHEMA_H
#define TMA_CLI_JSON_SCHEMA_H

#include <stdio.h>

/* Both write a schema of draft 7, which editors know best. */
void cli_scenario_schema(FILE *out);
void cli_machine_schema(FILE *out);

#endif
