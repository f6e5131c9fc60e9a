/* The tensor maps of a file, each checked: as text and as JSON. */
#ifndef TMA_CLI_MAP_CHECKS_H
#define TMA_CLI_MAP_CHECKS_H

#include "cli/files/map_input.h"
#include "cli/map_check.h"

/* Checks a map, and the operations on it, for the architecture and with the names that the options
 * ask for. Returns true where the map is legal and all can be done. */
bool cli_map_checks_one(const struct cli_options *options, const struct cli_map_input *input,
                        uint32_t map, struct cli_map_check *check);

/* Writes what is wrong with each map. Return true where nothing is. The JSON is the keys
 * architecture and tensor_maps of an object that the caller has begun. */
bool cli_map_checks_text(const struct cli_options *options, const struct cli_map_input *input,
                         FILE *out);
bool cli_map_checks_json(const struct cli_options *options, const struct cli_map_input *input,
                         struct tma_json *json);

#endif
