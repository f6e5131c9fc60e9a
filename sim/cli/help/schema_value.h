/* The JSON Schema of the value of one key: words, numbers with units, expressions, lists of them.
 */
#ifndef TMA_CLI_SCHEMA_VALUE_H
#define TMA_CLI_SCHEMA_VALUE_H

#include "report/json_writer.h"
#include "scenario/key.h"

/* Writes what a key takes into the open object, with its meaning and default. Not for a key whose
 * value is a mapping or a list of them. `expressions`: numbers may be expressions of parameters. */
void cli_schema_value(struct tma_json *json, const struct tma_key *key, bool expressions);

/* Writes the meaning of a key. */
void cli_schema_meaning(struct tma_json *json, const struct tma_key *key);

/* Writes what an expression in the program of a kernel may be. */
void cli_schema_expression(struct tma_json *json);

#endif
