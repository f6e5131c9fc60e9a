/* The fields of tensor maps as text and as JSON. */
#pragma once

#include <stdio.h>

#include "report/json_writer.h"
#include "tensormap/fields.h"

/* Writes one line for each field that the map has. */
void cli_map_text(const struct tma_tensor_map *map, enum tma_name_style style, FILE *out);

/* Writes two maps side by side and marks each line that differs. Returns the number of fields that
 * differ. */
size_t cli_maps_text(const struct tma_tensor_map *a, const struct tma_tensor_map *b,
                     enum tma_name_style style, FILE *out);

/* Writes the map as an object with the keys of a scenario, so that check and encode can read it. */
void cli_map_json(const struct tma_tensor_map *map, enum tma_name_style style, const char *key,
                  struct tma_json *json);

/* Writes the values that differ as an array. */
void cli_differences_json(const struct tma_tensor_map *a, const struct tma_tensor_map *b,
                          enum tma_name_style style, const char *key, struct tma_json *json);

/* Writes one value: the name of an enumeration's value, or a number. */
void cli_value_json(struct tma_json *json, const char *key, enum tma_name_style style,
                    enum tma_field field, int64_t value);
