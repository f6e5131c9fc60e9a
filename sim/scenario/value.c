#include "scenario/value.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "base/utf8.h"
#include "scenario/parameters.h"
#include "scenario/suggestion.h"

struct value_reader {
    const struct tma_key *key;
    const struct tma_yaml_node *node;
    const char *name; /* the value's path, for messages */
    struct tma_diagnostics *list;
};

/* Appends "NAME WHAT; did you mean X? expected ..." and returns false. */
static bool diagnose(const struct value_reader *reader, const char *what, const char *suggestion) {
    char *expected = tma_key_expected(reader->key);
    char hint[96] = "";
    if (suggestion[0] != '\0')
        snprintf(hint, sizeof hint, "did you mean \"%s\"? ", suggestion);
    tma_diagnose(reader->list, TMA_ERROR_SYNTAX, reader->node->at, "%s %s; %sexpected %s",
                 reader->name, what, hint, expected == NULL ? "" : expected);
    tma_release(expected);
    return false;
}

static bool diagnose_text(const struct value_reader *reader, const char *why,
                          const char *suggestion) {
    char what[160];
    snprintf(what, sizeof what, "is \"%.*s\"%s", tma_text_cut(reader->node->text, 60),
             reader->node->text, why);
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

/* Suggests the parameters too, where a number may use them. */
static void suggest_parameters(const struct value_reader *reader,
                               struct tma_suggestion *suggestion) {
    const struct tma_parameters *parameters = reader->node->parameters;
    for (size_t i = 0; parameters != NULL && i < parameters->count; i++)
        tma_suggest(suggestion, parameters->items[i].name);
}

static bool diagnose_word(const struct value_reader *reader) {
    struct tma_suggestion suggestion = {.wanted = reader->node->text};
    if (tma_key_words(reader->key) != NULL)
        tma_suggest_names(&suggestion, tma_key_words(reader->key));
    if (tma_key_is_number(reader->key))
        suggest_parameters(reader, &suggestion);
    return diagnose_text(reader, "", suggestion.best);
}

static bool diagnose_number(const struct value_reader *reader, enum tma_number_error error,
                            const char *suffix) {
    const struct tma_quantity_unit *unit = reader->key->unit;
    if (error == TMA_NUMBER_NEEDS_UNIT)
        return diagnose_text(reader, " without a unit", "");
    if (error == TMA_NUMBER_LEADING_ZERO)
        return diagnose_text(reader, ", which has a leading zero: write it without, or in hex", "");
    if (error != TMA_NUMBER_UNKNOWN_UNIT)
        return diagnose_word(reader);
    struct tma_suggestion suggestion = {.wanted = suffix};
    for (size_t i = 0; i < unit->count; i++)
        tma_suggest(&suggestion, unit->suffixes[i].name);
    return diagnose_text(
        reader, unit->count == 0 ? ", but this key takes no unit" : ", which has an unknown unit",
        suggestion.best);
}

static bool read_expression(const struct value_reader *reader, char *at, size_t index) {
    const struct tma_key *key = reader->key;
    int64_t value;
    if (!tma_expression_number(reader->node, key->unit, reader->name, &value, reader->list))
        return false;
    if ((double)value < key->min || (double)value > key->max) {
        char why[64], text[48];
        tma_unit_format(key->unit, value, text, sizeof text);
        snprintf(why, sizeof why, ", which is %s", text);
        return diagnose_text(reader, why, "");
    }
    if (key->kind == TMA_KEY_F64)
        ((double *)(void *)at)[index] = (double)value;
    else
        store(key->kind, at, index, value);
    return true;
}

static bool read_number(const struct value_reader *reader, char *at, size_t index) {
    const struct tma_key *key = reader->key;
    struct tma_number number;
    const char *suffix;
    enum tma_number_error error = tma_number_read(reader->node->text, key->unit, &number, &suffix);
    if (error != TMA_NUMBER_OK &&
        tma_text_is_expression(reader->node->text, reader->node->parameters))
        return read_expression(reader, at, index);
    if (error != TMA_NUMBER_OK)
        return diagnose_number(reader, error, suffix);
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
    const struct tma_names *words = tma_key_words(reader->key);
    int value;
    char number[24];
    int64_t computed;
    if (tma_value_of(words, reader->node->text, &value)) {
        store(reader->key->kind, at, 0, value);
        return true;
    }
    /* Some words are numbers, such as the CTAs of a cluster. */
    bool numbers = words->items[0].name[0] >= '0' && words->items[0].name[0] <= '9';
    if (!numbers || !tma_text_is_expression(reader->node->text, reader->node->parameters))
        return diagnose_word(reader);
    if (!tma_expression_number(reader->node, &tma_unit_none, reader->name, &computed, reader->list))
        return false;
    snprintf(number, sizeof number, "%" PRId64, computed);
    if (!tma_value_of(words, number, &value)) {
        char why[48];
        snprintf(why, sizeof why, ", which is %s", number);
        return diagnose_text(reader, why, "");
    }
    store(reader->key->kind, at, 0, value);
    return true;
}

static bool check_length(const struct value_reader *reader) {
    return strlen(reader->node->text) <= (size_t)reader->key->max ||
           diagnose_text(reader, "..., which is too long", "");
}

static bool read_chars(const struct value_reader *reader, char *at) {
    if (!check_length(reader))
        return false;
    strcpy(at, reader->node->text);
    return true;
}

static bool read_scalar(const struct value_reader *reader, char *at, size_t index) {
    if (reader->node->kind != TMA_YAML_SCALAR || reader->node->text[0] == '\0')
        return diagnose_kind(reader);
    if (reader->key->kind == TMA_KEY_CHARS)
        return read_chars(reader, at);
    if (reader->key->kind == TMA_KEY_EXPRESSION) {
        ((const struct tma_yaml_node **)(void *)at)[index] = reader->node;
        return true;
    }
    if (!tma_key_is_number(reader->key))
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
    if (reader->node->kind == TMA_YAML_SCALAR && reader->key->kind == TMA_KEY_EXPRESSION) {
        *count = 1;
        return read_scalar(reader, at, 0);
    }
    if (reader->node->kind == TMA_YAML_SCALAR && reader->key->names != NULL) {
        *count = 1;
        return read_word(reader, at);
    }
    if (reader->node->kind != TMA_YAML_LIST)
        return diagnose_kind(reader);
    bool may_be_empty = reader->key->fallback == tma_optional_list;
    if ((length == 0 && !may_be_empty) || length > reader->key->limit) {
        char what[40];
        snprintf(what, sizeof what, "has length %zu", length);
        return diagnose(reader, what, "");
    }
    bool good = true;
    size_t index = 0;
    for (const struct tma_yaml_node *item = reader->node->first; item != NULL; item = item->next) {
        char name[160];
        struct tma_key single = *reader->key;
        single.limit = 0;
        single.names = NULL;
        snprintf(name, sizeof name, "%.*s.%zu", tma_text_cut(reader->name, 140), reader->name,
                 index);
        struct value_reader entry = {&single, item, name, reader->list};
        good = read_scalar(&entry, at, index++) && good;
    }
    *count = (uint32_t)length;
    return good;
}

/* Stores the node itself, if it is of the kind that the key takes. */
static bool read_node(const struct value_reader *reader, char *at) {
    enum tma_key_kind kind = reader->key->kind;
    bool is_text = reader->node->kind == TMA_YAML_SCALAR,
         is_list = reader->node->kind == TMA_YAML_LIST;
    bool may_be_text = kind == TMA_KEY_CHARS_OR_MAPPING && is_text && reader->node->text[0] != '\0';
    if ((is_text && !may_be_text) || (kind == TMA_KEY_LIST && !is_list) ||
        (is_list && kind != TMA_KEY_LIST && kind != TMA_KEY_NODE))
        return diagnose_kind(reader);
    bool may_be_empty = kind == TMA_KEY_LIST && reader->key->fallback != TMA_REQUIRED;
    if (!is_text && reader->node->first == NULL && !may_be_empty)
        return diagnose(reader, "is empty", "");
    if (is_text && !check_length(reader))
        return false;
    *(const struct tma_yaml_node **)(void *)at = reader->node;
    return true;
}

bool tma_value_read(const struct tma_key *key, const struct tma_yaml_node *node, const char *name,
                    void *target, struct tma_diagnostics *list) {
    struct value_reader reader = {key, node, name, list};
    char *at = (char *)target + key->offset;
    if (key->limit > 0)
        return read_list(&reader, at, (uint32_t *)(void *)((char *)target + key->count_offset));
    if (tma_key_is_node(key))
        return read_node(&reader, at);
    return read_scalar(&reader, at, 0);
}
