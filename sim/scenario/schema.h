/* From a mapping of a document to a C struct, by a constant table: each key's path, kind, unit,
 * range, default and meaning, one line a key. The error texts and the reference of `tmasim help
 * scenario` are made from the same lines. */
#ifndef TMA_SCENARIO_SCHEMA_H
#define TMA_SCENARIO_SCHEMA_H

#include "scenario/document.h"
#include "scenario/units.h"
#include "tensormap/types.h"

enum tma_key_kind {
    TMA_KEY_CHARS, /* char[]: text of at most `max` characters, the array being one longer */
    TMA_KEY_BOOL,  /* bool: true or false, or the words of `names` with the values 1 and 0 */
    TMA_KEY_ENUM,  /* an enum: a word of `names` */
    TMA_KEY_I16,
    TMA_KEY_U16,
    TMA_KEY_I32,
    TMA_KEY_U32,
    TMA_KEY_U64,
    TMA_KEY_F64,
    TMA_KEY_MAPPING, /* const struct tma_yaml_node *: read by other means */
    TMA_KEY_LIST,    /* the same */
};

struct tma_key {
    const char *path; /* below the mapping, as in --set: "pipeline.depth" */
    enum tma_key_kind kind;
    const struct tma_quantity_unit *unit; /* numbers */
    double min, max;                      /* allowed, in the unit's base; exact up to 2^53 */
    const char *fallback; /* the value when it is not given, as YAML; TMA_REQUIRED: there is
                             none; TMA_OPTIONAL: the struct is left as it was */
    size_t offset;        /* in the struct */
    const struct tma_names *names; /* words: of an enum, or special values of a number ("all") */
    size_t limit;        /* not 0: a list of 1 to `limit` numbers, in an array at the offset; or one
                            of the words, whose value is the only one then */
    size_t count_offset; /* lists: a uint32_t that takes how many there are */
    const char *meaning; /* one line of the reference */
};

#define TMA_REQUIRED NULL
#define TMA_OPTIONAL ""

/* TMA_OPTIONAL for a list that may also be empty: []. */
extern const char tma_optional_list[];

struct tma_schema {
    const struct tma_key *keys;
    size_t count;
};

/* Reads a mapping into *target. `context` is the mapping's own path ("tensor_maps.A", "" at the
 * root), for the texts. Appends every fault to the list: unknown keys, missing ones, wrong types,
 * units and values. False where there was one; *target has the other fields then. */
bool tma_schema_read(const struct tma_schema *schema, const struct tma_yaml_node *mapping,
                     const char *context, void *target, struct tma_diagnostics *list);

/* Appends a fault for each key of the mapping that is neither a key of the schema nor one of the
 * `extra_count` others. Reads no values. False where there was one. */
bool tma_schema_check_keys(const struct tma_schema *schema, const struct tma_yaml_node *mapping,
                           const char *const *extra, size_t extra_count,
                           struct tma_diagnostics *list);

/* What a field takes: "a whole number from 1 to 64". The caller frees it; NULL when out of memory.
 */
char *tma_key_expected(const struct tma_key *key);

#endif
