/* The fields of tensor maps, for people and as JSON. */
#ifndef TMA_CLI_MAP_TEXT_H
#define TMA_CLI_MAP_TEXT_H

#include <stdio.h>

#include "report/json_writer.h"
#include "tensormap/fields.h"

/* One line a field that the map has. */
void cli_map_text(const struct tma_tensor_map *map, enum tma_name_style style, FILE *out);

/* Two maps side by side, lines that differ marked; gives how many fields do. */
size_t cli_maps_text(const struct tma_tensor_map *a, const struct tma_tensor_map *b,
                     enum tma_name_style style, FILE *out);

/* The map as an object: with the keys, and so in the form, that a scenario has for it. */
void cli_map_json(const struct tma_tensor_map *map, enum tma_name_style style, const char *key,
                  struct tma_json *json);

/* The values that differ, as an array. */
void cli_differences_json(const struct tma_tensor_map *a, const struct tma_tensor_map *b,
                          enum tma_name_style style, const char *key, struct tma_json *json);

/* One value: an enumeration's by its name, another as a number. */
void cli_value_json(struct tma_json *json, const char *key, enum tma_name_style style,
                    enum tma_field field, int64_t value);

#endif
