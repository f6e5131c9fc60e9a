/* Reads a mapping of a document into a C struct, as a constant table says: one line per key with
 * its path, kind, unit, range, default and meaning. Error messages, `tmasim help scenario` and
 * `tmasim help machine` are made from the same table. */
#ifndef TMA_SCENARIO_SCHEMA_H
#define TMA_SCENARIO_SCHEMA_H

#include "scenario/tree.h"
#include "scenario/units.h"
#include "tensormap/types.h"

/* The type of a key's field, and what the file may have there. */
enum tma_key_kind {
    TMA_KEY_CHARS, /* char[max + 1]: a text of at most `max` characters */
    TMA_KEY_BOOL,  /* bool: true or false, or the words of `names` with the values 1 and 0 */
    TMA_KEY_ENUM,  /* an enum: a word of `names` */
    TMA_KEY_I16,
    TMA_KEY_U16,
    TMA_KEY_I32,
    TMA_KEY_U32,
    TMA_KEY_U64,
    TMA_KEY_F64,
    TMA_KEY_MAPPING, /* const struct tma_yaml_node *: a mapping, which the caller reads */
    TMA_KEY_LIST,    /* const struct tma_yaml_node *: a list, which the caller reads */
};

/* The default of a key without one: the key has to be given. */
#define TMA_REQUIRED NULL

/* The default of a key that may be missing: its field is then left as it was. */
#define TMA_OPTIONAL ""

struct tma_key {
    const char *path; /* below the mapping, as in --set: "pipeline.depth" */
    enum tma_key_kind kind;
    const struct tma_quantity_unit *unit; /* of a number */
    double min;           /* least number allowed, in the unit's base unit; exact up to 2^53 */
    double max;           /* largest number allowed, likewise; of TMA_KEY_CHARS: most characters */
    const char *fallback; /* the default as YAML, or TMA_REQUIRED or TMA_OPTIONAL */
    size_t offset;        /* of the field in the struct */
    const struct tma_names *names; /* an enum's words, or words for special numbers ("all") */
    size_t limit; /* 0: a single value; else a list of 1 to `limit` numbers in an array at the
                     offset, or one of the words, stored as the only element */
    size_t count_offset; /* of the uint32_t that receives a list's length */
    const char *meaning; /* for the reference: what the key sets or models */
};

struct tma_schema {
    const struct tma_key *keys;
    size_t count;
};

/* Reads a mapping into *target. `context` is the mapping's own path ("tensor_maps.A", "" at the
 * root), for the messages. Appends every error to the list: unknown keys, missing keys, wrong
 * types, units and values. Returns false if there was one; *target then has the valid fields. */
bool tma_schema_read(const struct tma_schema *schema, const struct tma_yaml_node *mapping,
                     const char *context, void *target, struct tma_diagnostics *list);

/* Returns what a key takes, such as "a whole number from 1 to 64". The caller frees it. NULL when
 * out of memory. */
char *tma_key_expected(const struct tma_key *key);

#endif
