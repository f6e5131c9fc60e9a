#include "cli/help/schema_value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void cli_schema_meaning(struct tma_json *json, const struct tma_key *key) {
    if (key->meaning != NULL)
        tma_json_string(json, "description", key->meaning);
}

static void write_types(struct tma_json *json, const char *first, const char *second) {
    tma_json_begin_list(json, "type");
    tma_json_string(json, NULL, first);
    tma_json_string(json, NULL, second);
    tma_json_end_array(json);
}

void cli_schema_expression(struct tma_json *json) {
    write_types(json, "integer", "string");
}

/* Returns true if the text is a whole number, as which YAML then takes it. */
static bool is_whole(const char *text, int64_t *value) {
    char *end;
    *value = strtoll(text, &end, 10);
    return end != text && *end == '\0';
}

static void write_word(struct tma_json *json, const char *key, const char *word) {
    int64_t whole;
    if (is_whole(word, &whole))
        tma_json_decimal(json, key, (double)whole, 0);
    else if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
        tma_json_bool(json, key, word[0] == 't');
    else
        tma_json_string(json, key, word);
}

static void write_words(struct tma_json *json, const struct tma_names *names) {
    const struct tma_names *cuda = tma_cuda_names(names);
    tma_json_begin_list(json, "enum");
    for (size_t i = 0; i < names->count; i++)
        write_word(json, NULL, names->items[i].name);
    for (size_t i = 0; cuda != NULL && i < cuda->count; i++)
        tma_json_string(json, NULL, cuda->items[i].name);
    tma_json_end_array(json);
}

/* A bound beyond 10^15 is that of the type, which the file need not know. */
static void write_bound(struct tma_json *json, const char *name, double bound) {
    if (fabs(bound) < 1e15)
        tma_json_decimal(json, name, bound, bound == floor(bound) ? 0 : 6);
}

/* One of the forms that a value may have. */
static void write_plain_number(struct tma_json *json, const struct tma_key *key) {
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "type", key->kind == TMA_KEY_F64 ? "number" : "integer");
    if (key->unit->optional) {
        write_bound(json, "minimum", key->min);
        write_bound(json, "maximum", key->max);
    } else {
        tma_json_unsigned(json, "const", 0); /* which alone needs no unit */
    }
    tma_json_end_object(json);
}

static void write_number_with_unit(struct tma_json *json, const struct tma_key *key) {
    char pattern[160];
    size_t used = (size_t)snprintf(pattern, sizeof pattern, "^-?[0-9]+([.][0-9]+)? ?(");
    for (size_t i = 0; i < key->unit->count && used < sizeof pattern; i++)
        used += (size_t)snprintf(pattern + used, sizeof pattern - used, "%s%s", i == 0 ? "" : "|",
                                 key->unit->suffixes[i].name);
    if (used < sizeof pattern)
        snprintf(pattern + used, sizeof pattern - used, ")$");
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "type", "string");
    tma_json_string(json, "pattern", pattern);
    tma_json_end_object(json);
}

/* The name of a parameter, or a text with an operator: which names there are, only tmasim knows. */
static void write_expression(struct tma_json *json) {
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "type", "string");
    tma_json_string(json, "pattern", "^[A-Za-z_][A-Za-z0-9_]*$|[-+*/%()<>=!&|?,]");
    tma_json_end_object(json);
}

static void write_number_forms(struct tma_json *json, const struct tma_key *key, bool expressions) {
    write_plain_number(json, key);
    if (key->unit->count > 0)
        write_number_with_unit(json, key);
    if (expressions)
        write_expression(json);
}

static void write_words_form(struct tma_json *json, const struct tma_names *names) {
    tma_json_begin_object(json, NULL);
    write_words(json, names);
    tma_json_end_object(json);
}

static void write_item(struct tma_json *json, const struct tma_key *key, bool expressions) {
    tma_json_begin_object(json, "items");
    if (key->kind == TMA_KEY_EXPRESSION) {
        cli_schema_expression(json);
    } else {
        tma_json_begin_array(json, "anyOf");
        write_number_forms(json, key, expressions);
        tma_json_end_array(json);
    }
    tma_json_end_object(json);
}

static void write_list_form(struct tma_json *json, const struct tma_key *key, bool expressions) {
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "type", "array");
    write_item(json, key, expressions);
    tma_json_unsigned(json, "minItems", key->fallback == tma_optional_list ? 0 : 1);
    tma_json_unsigned(json, "maxItems", key->limit);
    tma_json_end_object(json);
}

/* Lists, and numbers, which words and expressions may stand for. */
static void write_forms(struct tma_json *json, const struct tma_key *key, bool expressions) {
    tma_json_begin_array(json, "anyOf");
    if (key->names != NULL)
        write_words_form(json, key->names);
    if (key->limit > 0)
        write_list_form(json, key, expressions);
    else
        write_number_forms(json, key, expressions);
    if (key->limit > 0 && key->kind == TMA_KEY_EXPRESSION) {
        tma_json_begin_object(json, NULL);
        cli_schema_expression(json);
        tma_json_end_object(json);
    }
    tma_json_end_array(json);
}

/* Words that are numbers, such as the CTAs of a cluster, may be computed. */
static void write_computed_words(struct tma_json *json, const struct tma_names *names) {
    tma_json_begin_array(json, "anyOf");
    write_words_form(json, names);
    write_expression(json);
    tma_json_end_array(json);
}

void cli_schema_value(struct tma_json *json, const struct tma_key *key, bool expressions) {
    const struct tma_names *words = tma_key_words(key);
    int64_t whole;
    cli_schema_meaning(json, key);
    if (key->fallback != TMA_REQUIRED && key->fallback[0] != '\0' && key->limit == 0)
        write_word(json, "default", key->fallback);
    if (key->kind == TMA_KEY_CHARS) {
        write_types(json, "string", "number");
        tma_json_unsigned(json, "maxLength", (uint64_t)key->max);
    } else if (key->limit > 0 || tma_key_is_number(key)) {
        write_forms(json, key, expressions);
    } else if (key->kind == TMA_KEY_EXPRESSION) {
        cli_schema_expression(json);
    } else if (expressions && is_whole(words->items[0].name, &whole)) {
        write_computed_words(json, words);
    } else {
        write_words(json, words);
    }
}
