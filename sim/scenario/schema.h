/* Reads a mapping of a document into a C struct, as a constant table of keys says. */
#pragma once

#include "base/text_distance.h"
#include "scenario/key.h"
#include "scenario/tree.h"

/* The keys of one mapping. The keys of a group ("pipeline.") are next to each other. */
struct tma_schema {
    const struct tma_key *keys;
    size_t count;
};

/* The initialiser of one, from an array of keys. */
#define TMA_SCHEMA(keys)                                                                           \
    { keys, sizeof(keys) / sizeof(keys)[0] }

/* Reads a mapping into *target. `context` is the mapping's own path ("tensor_maps.A", "" at the
 * root), for the messages. Appends every error to the list: unknown keys, missing keys, wrong
 * types, units and values. Returns false if there was one; *target then has the valid fields. */
bool tma_schema_read(const struct tma_schema *schema, const struct tma_yaml_node *mapping,
                     const char *context, void *target, struct tma_diagnostics *list);

/* Whether a mapping may have the key, with a value or with a mapping of its own. */
bool tma_schema_has(const struct tma_schema *schema, const char *key);

/* The same, with what is known of the key's value; NULL if it has none. */
const struct tma_key *tma_schema_key(const struct tma_schema *schema, const char *key);

/* Keeps the key of the schema's root that is nearest to what is wanted. */
void tma_schema_suggest(const struct tma_schema *schema, struct tma_suggestion *suggestion);

/* Appends an error for each key of the mapping that is neither a key of the schema nor one of the
 * `extra_count` others. Reads no values. Returns false if there was one. */
bool tma_schema_check_keys(const struct tma_schema *schema, const struct tma_yaml_node *mapping,
                           const char *const *extra, size_t extra_count,
                           struct tma_diagnostics *list);
