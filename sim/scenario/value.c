#include "scenario/value.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/text.h"

struct reading {
    const struct tma_key *key;
    const struct tma_yaml_node *node;
    const char *name;
    struct tma_diagnostics *list;
};

const char tma_optional_list[] = TMA_OPTIONAL;

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

/* Appends "NAME WHAT; did you mean X? Expected ..." and gives false. */
static bool refuse(const struct reading *reading, const char *what, const char *suggestion) {
    char *expected = tma_key_expected(reading->key);
    char hint[96] = "";
    if (suggestion[0] != '\0')
        snprintf(hint, sizeof hint, "did you mean \"%s\"? ", suggestion);
    tma_diagnose(reading->list, TMA_ERROR_SYNTAX, reading->node->at, "%s %s; %sexpected %s",
                 reading->name, what, hint, expected == NULL ? "" : expected);
    free(expected);
    return false;
}

static bool refuse_text(const struct reading *reading, const char *why, const char *suggestion) {
    char what[160];
    snprintf(what, sizeof what, "is \"%.60s\"%s", reading->node->text, why);
    return refuse(reading, what, suggestion);
}

static bool refuse_kind(const struct reading *reading) {
    if (reading->node->kind == TMA_YAML_MAPPING)
        return refuse(reading, "is a mapping", "");
    if (reading->node->kind == TMA_YAML_LIST)
        return refuse(reading, "is a list", "");
    if (reading->node->text[0] == '\0')
        return refuse(reading, "has no value", "");
    return refuse_text(reading, "", "");
}

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
    case TMA_KEY_ENUM: /* GCC's and Clang's enums without negative values are unsigned */
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

static bool refuse_word(const struct reading *reading) {
    struct tma_suggestion suggestion = {.wanted = reading->node->text};
    if (words_of(reading->key) != NULL)
        tma_suggest_names(&suggestion, words_of(reading->key));
    return refuse_text(reading, "", suggestion.best);
}

static bool refuse_number(const struct reading *reading, enum tma_number_fault fault,
                          const char *suffix) {
    const struct tma_quantity_unit *unit = reading->key->unit;
    if (fault == TMA_NUMBER_NEEDS_UNIT)
        return refuse_text(reading, " without a unit", "");
    if (fault != TMA_NUMBER_UNKNOWN_UNIT)
        return refuse_word(reading);
    struct tma_suggestion suggestion = {.wanted = suffix};
    for (size_t i = 0; i < unit->count; i++)
        tma_suggest(&suggestion, unit->suffixes[i].name);
    return refuse_text(reading, unit->count == 0 ? ": no unit applies" : ": no such unit",
                       suggestion.best);
}

static bool read_number(const struct reading *reading, char *at, size_t index) {
    const struct tma_key *key = reading->key;
    struct tma_number number;
    const char *suffix;
    enum tma_number_fault fault = tma_number_read(reading->node->text, key->unit, &number, &suffix);
    if (fault != TMA_NUMBER_OK)
        return refuse_number(reading, fault, suffix);
    double real = tma_number_real(&number);
    if (real < key->min || real > key->max)
        return refuse_text(reading, "", "");
    if (key->kind == TMA_KEY_F64) {
        ((double *)(void *)at)[index] = real;
        return true;
    }
    int64_t whole;
    if (!tma_number_integer(&number, &whole))
        return refuse_text(reading, ": not whole", "");
    store(key->kind, at, index, whole);
    return true;
}

static bool read_word(const struct reading *reading, char *at) {
    const struct tma_names *words = words_of(reading->key);
    int value;
    if (!tma_value_of(words, reading->node->text, &value))
        return refuse_word(reading);
    store(reading->key->kind, at, 0, value);
    return true;
}

static bool read_chars(const struct reading *reading, char *at) {
    size_t length = strlen(reading->node->text);
    if (length > (size_t)reading->key->max)
        return refuse_text(reading, "...: too long", "");
    memcpy(at, reading->node->text, length + 1);
    return true;
}

static bool read_scalar(const struct reading *reading, char *at, size_t index) {
    if (reading->node->kind != TMA_YAML_SCALAR || reading->node->text[0] == '\0')
        return refuse_kind(reading);
    if (reading->key->kind == TMA_KEY_CHARS)
        return read_chars(reading, at);
    if (!is_number(reading->key))
        return read_word(reading, at);
    int word;
    if (reading->key->names != NULL &&
        tma_value_of(reading->key->names, reading->node->text, &word)) {
        store(reading->key->kind, at, index, word);
        return true;
    }
    return read_number(reading, at, index);
}

static bool read_list(const struct reading *reading, char *at, uint32_t *count) {
    size_t length = tma_yaml_count(reading->node);
    if (reading->node->kind == TMA_YAML_SCALAR && reading->key->names != NULL) {
        *count = 1;
        return read_word(reading, at);
    }
    if (reading->node->kind != TMA_YAML_LIST)
        return refuse_kind(reading);
    bool may_be_empty = reading->key->fallback == tma_optional_list;
    if ((length == 0 && !may_be_empty) || length > reading->key->limit) {
        char what[40];
        snprintf(what, sizeof what, "has %zu entries", length);
        return refuse(reading, what, "");
    }
    bool good = true;
    size_t index = 0;
    for (const struct tma_yaml_node *item = reading->node->first; item != NULL; item = item->next) {
        char name[160];
        struct tma_key single = *reading->key;
        single.limit = 0;
        single.names = NULL;
        snprintf(name, sizeof name, "%.140s.%zu", reading->name, index);
        struct reading entry = {&single, item, name, reading->list};
        good = read_scalar(&entry, at, index++) && good;
    }
    *count = (uint32_t)length;
    return good;
}

/* The node itself, where it is of the kind that the key wants. */
static bool read_node(const struct reading *reading, char *at) {
    bool mapping = reading->key->kind == TMA_KEY_MAPPING;
    if (reading->node->kind != (mapping ? TMA_YAML_MAPPING : TMA_YAML_LIST))
        return refuse_kind(reading);
    if (reading->node->first == NULL)
        return refuse(reading, "is empty", "");
    *(const struct tma_yaml_node **)(void *)at = reading->node;
    return true;
}

bool tma_value_read(const struct tma_key *key, const struct tma_yaml_node *node, const char *name,
                    void *target, struct tma_diagnostics *list) {
    struct reading reading = {key, node, name, list};
    char *at = (char *)target + key->offset;
    if (key->limit > 0)
        return read_list(&reading, at, (uint32_t *)(void *)((char *)target + key->count_offset));
    if (key->kind == TMA_KEY_MAPPING || key->kind == TMA_KEY_LIST)
        return read_node(&reading, at);
    return read_scalar(&reading, at, 0);
}
