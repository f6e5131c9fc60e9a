#include "scenario/value.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/suggestion.h"

struct value_reader {
    const struct tma_key *key;
    const struct tma_yaml_node *node;
    const char *name; /* the value's path, for messages */
    struct tma_diagnostics *list;
};

static const struct tma_name boolean_items[] = {{"true", 1}, {"false", 0}};
static const struct tma_names booleans = {"truth value", boolean_items, 2};

static const struct tma_names *words_of(const struct tma_key *key) {
    return key->kind == TMA_KEY_BOOL && key->names == NULL ? &booleans : key->names;
}

static bool is_number(const struct tma_key *key) {
    return key->kind >= TMA_KEY_I16 && key->kind <= TMA_KEY_F64;
}

static void print_words(const struct tma_names *words, FILE *out) {
    char *list = tma_names_list(words);
    fputs(list == NULL ? "" : list, out);
    free(list);
}

static void print_bound(const struct tma_key *key, double bound, FILE *out) {
    char text[40];
    if (key->kind == TMA_KEY_F64)
        snprintf(text, sizeof text, "%g", bound);
    else
        tma_unit_format(key->unit, (int64_t)bound, text, sizeof text);
    fputs(text, out);
}

static void print_number(const struct tma_key *key, FILE *out) {
    char units[48];
    const char *plain = key->kind == TMA_KEY_F64 ? "a number" : "a whole number";
    fputs(key->unit->count == 0 ? plain : key->unit->what, out);
    tma_unit_list(key->unit, units, sizeof units);
    if (!key->unit->optional)
        fprintf(out, " in %s", units);
    fputs(" from ", out);
    print_bound(key, key->min, out);
    fputs(" to ", out);
    print_bound(key, key->max, out);
}

static void print_expected(const struct tma_key *key, FILE *out) {
    if (words_of(key) != NULL)
        print_words(words_of(key), out);
    if (words_of(key) != NULL && is_number(key))
        fputs(", or ", out);
    if (key->limit > 0)
        fprintf(out, "a list of 1 to %zu values, each ", key->limit);
    if (is_number(key))
        print_number(key, out);
    else if (key->kind == TMA_KEY_CHARS)
        fprintf(out, "text of 1 to %.0f characters", key->max);
    else if (key->kind == TMA_KEY_MAPPING)
        fputs("a mapping", out);
    else if (key->kind == TMA_KEY_LIST)
        fputs("a list", out);
}

char *tma_key_expected(const struct tma_key *key) {
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        return NULL;
    print_expected(key, out);
    fclose(out);
    return text;
}

/* Appends "NAME WHAT; did you mean X? expected ..." and returns false. */
static bool diagnose(const struct value_reader *reader, const char *what, const char *suggestion) {
    char *expected = tma_key_expected(reader->key);
    char hint[96] = "";
    if (suggestion[0] != '\0')
        snprintf(hint, sizeof hint, "did you mean \"%s\"? ", suggestion);
    tma_diagnose(reader->list, TMA_ERROR_SYNTAX, reader->node->at, "%s %s; %sexpected %s",
                 reader->name, what, hint, expected == NULL ? "" : expected);
    free(expected);
    return false;
}

static bool diagnose_text(const struct value_reader *reader, const char *why,
                          const char *suggestion) {
    char what[160];
    snprintf(what, sizeof what, "is \"%.60s\"%s", reader->node->text, why);
    return diagnose(reader, what, suggestion);
}

static bool diagnose_kind(const struct value_reader *reader) {
    if (reader->node->kind == TMA_YAML_MAPPING)
        return diagnose(reader, "is a mapping", "");
    if (reader->node->kind == TMA_YAML_LIST)
        return diagnose(reader, "is a list", "");
    if (reader->node->text[0] == '\0')
        return diagnose(reader, "has no value", "");
    return diagnose_text(reader, "", "");
}

/* Writes element `index` of the field at `at`. */
static void store(enum tma_key_kind kind, char *at, size_t index, int64_t value) {
    switch (kind) {
    case TMA_KEY_BOOL:
        ((bool *)at)[index] = value != 0;
        break;
    case TMA_KEY_I16:
        ((int16_t *)at)[index] = (int16_t)value;
        break;
    case TMA_KEY_U16:
        ((uint16_t *)at)[index] = (uint16_t)value;
        break;
    case TMA_KEY_ENUM: /* GCC and Clang store enums without negative values as unsigned int */
    case TMA_KEY_U32:
        ((uint32_t *)at)[index] = (uint32_t)value;
        break;
    case TMA_KEY_I32:
        ((int32_t *)at)[index] = (int32_t)value;
        break;
    case TMA_KEY_U64:
        ((uint64_t *)at)[index] = (uint64_t)value;
        break;
    default:
        assert(false);
    }
}

static bool diagnose_word(const struct value_reader *reader) {
    struct tma_suggestion suggestion = {.wanted = reader->node->text};
    if (words_of(reader->key) != NULL)
        tma_suggest_names(&suggestion, words_of(reader->key));
    return diagnose_text(reader, "", suggestion.best);
}

static bool diagnose_number(const struct value_reader *reader, enum tma_number_fault fault,
                            const char *suffix) {
    const struct tma_quantity_unit *unit = reader->key->unit;
    if (fault == TMA_NUMBER_NEEDS_UNIT)
        return diagnose_text(reader, " without a unit", "");
    if (fault != TMA_NUMBER_UNKNOWN_UNIT)
        return diagnose_word(reader);
    struct tma_suggestion suggestion = {.wanted = suffix};
    for (size_t i = 0; i < unit->count; i++)
        tma_suggest(&suggestion, unit->suffixes[i].name);
    return diagnose_text(
        reader, unit->count == 0 ? ", but this key takes no unit" : ", which has an unknown unit",
        suggestion.best);
}

static bool read_number(const struct value_reader *reader, char *at, size_t index) {
    const struct tma_key *key = reader->key;
    struct tma_number number;
    const char *suffix;
    enum tma_number_fault fault = tma_number_read(reader->node->text, key->unit, &number, &suffix);
    if (fault != TMA_NUMBER_OK)
        return diagnose_number(reader, fault, suffix);
    double real = tma_number_real(&number);
    if (real < key->min || real > key->max)
        return diagnose_text(reader, "", "");
    if (key->kind == TMA_KEY_F64) {
        ((double *)(void *)at)[index] = real;
        return true;
    }
    int64_t whole;
    if (!tma_number_integer(&number, &whole))
        return diagnose_text(reader, ", which is not a whole number", "");
    store(key->kind, at, index, whole);
    return true;
}

static bool read_word(const struct value_reader *reader, char *at) {
    const struct tma_names *words = words_of(reader->key);
    int value;
    if (!tma_value_of(words, reader->node->text, &value))
        return diagnose_word(reader);
    store(reader->key->kind, at, 0, value);
    return true;
}

static bool read_chars(const struct value_reader *reader, char *at) {
    size_t length = strlen(reader->node->text);
    if (length > (size_t)reader->key->max)
        return diagnose_text(reader, "..., which is too long", "");
    memcpy(at, reader->node->text, length + 1);
    return true;
}

static bool read_scalar(const struct value_reader *reader, char *at, size_t index) {
    if (reader->node->kind != TMA_YAML_SCALAR || reader->node->text[0] == '\0')
        return diagnose_kind(reader);
    if (reader->key->kind == TMA_KEY_CHARS)
        return read_chars(reader, at);
    if (!is_number(reader->key))
        return read_word(reader, at);
    int word;
    if (reader->key->names != NULL && tma_value_of(reader->key->names, reader->node->text, &word)) {
        store(reader->key->kind, at, index, word);
        return true;
    }
    return read_number(reader, at, index);
}

static bool read_list(const struct value_reader *reader, char *at, uint32_t *count) {
    size_t length = tma_yaml_count(reader->node);
    if (reader->node->kind == TMA_YAML_SCALAR && reader->key->names != NULL) {
        *count = 1;
        return read_word(reader, at);
    }
    if (reader->node->kind != TMA_YAML_LIST)
        return diagnose_kind(reader);
    if (length == 0 || length > reader->key->limit) {
        char what[40];
        snprintf(what, sizeof what, "has %zu entries", length);
        return diagnose(reader, what, "");
    }
    bool good = true;
    size_t index = 0;
    for (const struct tma_yaml_node *item = reader->node->first; item != NULL; item = item->next) {
        char name[160];
        struct tma_key single = *reader->key;
        single.limit = 0;
        single.names = NULL;
        snprintf(name, sizeof name, "%.140s.%zu", reader->name, index);
        struct value_reader entry = {&single, item, name, reader->list};
        good = read_scalar(&entry, at, index++) && good;
    }
    *count = (uint32_t)length;
    return good;
}

/* Stores the node itself, if it is of the kind that the key takes. */
static bool read_node(const struct value_reader *reader, char *at) {
    bool mapping = reader->key->kind == TMA_KEY_MAPPING;
    if (reader->node->kind != (mapping ? TMA_YAML_MAPPING : TMA_YAML_LIST))
        return diagnose_kind(reader);
    if (reader->node->first == NULL)
        return diagnose(reader, "is empty", "");
    *(const struct tma_yaml_node **)(void *)at = reader->node;
    return true;
}

bool tma_value_read(const struct tma_key *key, const struct tma_yaml_node *node, const char *name,
                    void *target, struct tma_diagnostics *list) {
    struct value_reader reader = {key, node, name, list};
    char *at = (char *)target + key->offset;
    if (key->limit > 0)
        return read_list(&reader, at, (uint32_t *)(void *)((char *)target + key->count_offset));
    if (key->kind == TMA_KEY_MAPPING || key->kind == TMA_KEY_LIST)
        return read_node(&reader, at);
    return read_scalar(&reader, at, 0);
}
