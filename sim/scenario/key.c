#include "scenario/key.h"

#include <stdio.h>

#include "base/allocation.h"
#include "scenario/suggestion.h"

const char tma_optional_list[] = TMA_OPTIONAL;

static const struct tma_names booleans = TMA_NAMES("truth value", {"true", 1}, {"false", 0});

const struct tma_names *tma_key_words(const struct tma_key *key) {
    return key->kind == TMA_KEY_BOOL && key->names == NULL ? &booleans : key->names;
}

bool tma_key_is_number(const struct tma_key *key) {
    return key->kind >= TMA_KEY_I16 && key->kind <= TMA_KEY_F64;
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

bool tma_key_is_node(const struct tma_key *key) {
    return key->kind >= TMA_KEY_MAPPING && key->kind <= TMA_KEY_CHARS_OR_MAPPING;
}

void tma_key_write_expected(const struct tma_key *key, FILE *out) {
    if (tma_key_words(key) != NULL)
        tma_names_write(tma_key_words(key), out);
    if (tma_key_words(key) != NULL && (tma_key_is_number(key) || key->kind == TMA_KEY_EXPRESSION))
        fputs(", or ", out);
    if (key->limit > 0)
        fprintf(out,
                key->kind == TMA_KEY_EXPRESSION ? "a list of 1 to %zu expressions"
                                                : "a list of 1 to %zu values, each ",
                key->limit);
    if (tma_key_is_number(key))
        print_number(key, out);
    else if (key->kind == TMA_KEY_CHARS)
        fprintf(out, "text of 1 to %.0f characters", key->max);
    else if (key->kind == TMA_KEY_MAPPING)
        fputs("a mapping with at least one key", out);
    else if (key->kind == TMA_KEY_LIST)
        fputs(key->fallback == TMA_REQUIRED ? "a list with at least one entry" : "a list", out);
    else if (key->kind == TMA_KEY_NODE)
        fputs("a mapping or a list, with at least one entry", out);
    else if (key->kind == TMA_KEY_CHARS_OR_MAPPING)
        fprintf(out, "text of 1 to %.0f characters, or a mapping", key->max);
    else if (key->kind == TMA_KEY_EXPRESSION && key->limit == 0)
        fputs("an expression", out);
}

char *tma_key_expected(const struct tma_key *key) {
    char *text = NULL;
    size_t length;
    FILE *out = tma_open_text(&text, &length);
    if (out == NULL)
        return NULL;
    tma_key_write_expected(key, out);
    fclose(out);
    return text;
}
