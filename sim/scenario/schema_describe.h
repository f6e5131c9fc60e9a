/* Writes the values of a struct back as keys and values, by the schema that reads them. Internal to
 * this folder. */
#pragma once

#include "scenario/schema.h"

/* Takes one key ("gpu.l2.ways", "tensor_maps.A.box_dim") and its value as YAML. Both are valid only
 * during the call. The value is NULL if there was no memory to write it. */
typedef void (*tma_pair_visitor)(void *context, const char *key, const char *value);

struct tma_describer {
    tma_pair_visitor visit;
    void *context;
    const char *prefix; /* of all keys: "tensor_maps.A" */
};

/* Visits the keys of `values`, the struct that `schema` reads, in the schema's order. Skips keys
 * without a value. */
void tma_schema_describe(const struct tma_schema *schema, const void *values,
                         const struct tma_describer *describer);
