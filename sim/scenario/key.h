/* A key that a file may have: its path, kind, unit, range, default and meaning. Reading, error
 * messages, `tmasim help scenario` and `tmasim help machine` all use the same tables of keys. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

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
    TMA_KEY_NODE,    /* const struct tma_yaml_node *: a mapping or a list, which the caller reads */
    TMA_KEY_CHARS_OR_MAPPING, /* const struct tma_yaml_node *: a text of at most `max` characters,
                                 or a mapping, which the caller reads */
    TMA_KEY_EXPRESSION, /* const struct tma_yaml_node *: a number or an expression of variables,
                           which the caller parses. Where a list of them is allowed, a single one
                           stands for a list of one. */
};

/* The default of a key without one: the key has to be given. */
#define TMA_REQUIRED NULL

/* The default of a key that may be missing: its field is then left as it was. */
#define TMA_OPTIONAL ""

/* TMA_OPTIONAL for a list that may also be empty: []. */
extern const char tma_optional_list[];

/* A list of numbers is stored in an array at `offset`. It has at least one entry, unless its
 * default is tma_optional_list. Where the key has words, one of them may stand for the list; its
 * value is then the only element. */
struct tma_key {
    const char *path; /* below the mapping, as in --set: "pipeline.depth" */
    enum tma_key_kind kind;
    const struct tma_quantity_unit *unit; /* of a number */
    double min;           /* least number allowed, in the unit's base unit; exact up to 2^53 */
    double max;           /* largest number allowed, as `min`; of a text: most characters */
    const char *fallback; /* the default as YAML, or TMA_REQUIRED or TMA_OPTIONAL */
    size_t offset;        /* of the field in the struct */
    const struct tma_names *names; /* an enum's words, or words for special numbers ("all") */
    size_t limit;                  /* 0: a single value; else a list of at most that many numbers */
    size_t count_offset;           /* of the uint32_t that receives a list's length */
    const char *meaning;           /* for the reference: what the key sets or models */
};

/* Rows of tables of keys: a value of the kind; a word of `words`; a text of at most `most`
 * characters; a number within limits; such a number, or a word; a list of numbers. */
#define TMA_PLAIN_KEY(path, kind, fallback, offset, meaning)                                       \
    { path, TMA_KEY_##kind, NULL, 0, 0, fallback, offset, NULL, 0, 0, meaning }
#define TMA_WORD_KEY(path, kind, words, fallback, offset, meaning)                                 \
    { path, TMA_KEY_##kind, NULL, 0, 0, fallback, offset, &(words), 0, 0, meaning }
#define TMA_TEXT_KEY(path, kind, most, fallback, offset, meaning)                                  \
    { path, TMA_KEY_##kind, NULL, 0, most, fallback, offset, NULL, 0, 0, meaning }
#define TMA_NUMBER_KEY(path, kind, unit, min, max, fallback, offset, meaning)                      \
    { path, TMA_KEY_##kind, &tma_unit_##unit, min, max, fallback, offset, NULL, 0, 0, meaning }
#define TMA_NUMBER_OR_WORD_KEY(path, kind, unit, min, max, words, fallback, offset, meaning)       \
    { path, TMA_KEY_##kind, &tma_unit_##unit, min, max, fallback, offset, &(words), 0, 0, meaning }
#define TMA_NUMBERS_KEY(path, kind, unit, min, max, limit, fallback, offset, count, meaning)       \
    {                                                                                              \
        path, TMA_KEY_##kind, &tma_unit_##unit, min, max, fallback, offset, NULL, limit, count,    \
            meaning                                                                                \
    }

/* True if the key's values are numbers, maybe besides words. */
bool tma_key_is_number(const struct tma_key *key);

/* True if the field is the node itself, which the caller reads. */
bool tma_key_is_node(const struct tma_key *key);

/* Returns the words that the key's values may be, or NULL if it has none. */
const struct tma_names *tma_key_words(const struct tma_key *key);

/* Writes what a key takes, such as "a whole number from 1 to 64". */
void tma_key_write_expected(const struct tma_key *key, FILE *out);

/* Returns what a key takes, such as "a whole number from 1 to 64". The caller frees it. NULL when
 * out of memory. */
char *tma_key_expected(const struct tma_key *key);
