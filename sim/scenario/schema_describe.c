#include "scenario/schema_describe.h"

#include <stdio.h>
#include <string.h>

#include "base/allocation.h"

/* Returns element `index` of a field. */
static int64_t read_field(const struct tma_key *key, const char *at, size_t index) {
    switch (key->kind) {
    case TMA_KEY_BOOL:
        return ((const bool *)at)[index];
    case TMA_KEY_I16:
        return ((const int16_t *)(const void *)at)[index];
    case TMA_KEY_U16:
        return ((const uint16_t *)(const void *)at)[index];
    case TMA_KEY_I32:
        return ((const int32_t *)(const void *)at)[index];
    case TMA_KEY_U64:
        return (int64_t)((const uint64_t *)(const void *)at)[index];
    default: /* enumerations without negative values are stored as unsigned int */
        return ((const uint32_t *)(const void *)at)[index];
    }
}

static void print_number(const struct tma_key *key, const char *at, size_t index, FILE *out) {
    char text[48];
    if (key->kind == TMA_KEY_F64)
        snprintf(text, sizeof text, "%.9g", ((const double *)(const void *)at)[index]);
    else
        tma_unit_format(key->unit, read_field(key, at, index), text, sizeof text);
    fputs(text, out);
}

static bool is_word(const struct tma_key *key) {
    return key->kind == TMA_KEY_BOOL || key->kind == TMA_KEY_ENUM;
}

static void print_value(const struct tma_key *key, const char *at, FILE *out) {
    if (key->kind == TMA_KEY_CHARS)
        fputs(at, out);
    else if (key->kind == TMA_KEY_BOOL && key->names == NULL)
        fputs(read_field(key, at, 0) != 0 ? "true" : "false", out);
    else if (is_word(key))
        fputs(tma_name_of(key->names, (int)read_field(key, at, 0)), out);
    else
        print_number(key, at, 0, out);
}

/* Returns the word that a key has for a value, or NULL. */
static const char *word_for(const struct tma_key *key, int64_t value) {
    const char *word = key->names == NULL ? "?" : tma_name_of(key->names, (int)value);
    return strcmp(word, "?") == 0 ? NULL : word;
}

static void print_list(const struct tma_key *key, const char *at, uint32_t count, FILE *out) {
    const char *word = count == 1 ? word_for(key, read_field(key, at, 0)) : NULL;
    if (word != NULL) {
        fputs(word, out);
        return;
    }
    fputc('[', out);
    for (uint32_t i = 0; i < count; i++) {
        fputs(i == 0 ? "" : ", ", out);
        print_number(key, at, i, out);
    }
    fputc(']', out);
}

/* False if the field has no value to describe: an empty list or text, an enumeration without a word
 * for its value, or an optional number or word that is 0 because the file lacks it. */
static bool has_value(const struct tma_key *key, const char *at, uint32_t count) {
    if (key->kind >= TMA_KEY_MAPPING)
        return false;
    if (key->limit > 0)
        return count > 0;
    if (key->kind == TMA_KEY_CHARS)
        return at[0] != '\0';
    if (key->kind == TMA_KEY_ENUM && word_for(key, read_field(key, at, 0)) == NULL)
        return false;
    return key->fallback == TMA_REQUIRED || key->fallback[0] != '\0' || read_field(key, at, 0) != 0;
}

/* Writes the value as YAML to *text, which the caller frees and which is NULL when out of memory.
 * Returns false if there is no value. */
static bool value_text(const struct tma_key *key, const char *values, char **text) {
    const char *at = values + key->offset;
    uint32_t count = 0;
    *text = NULL;
    if (key->limit > 0)
        memcpy(&count, values + key->count_offset, sizeof count);
    if (!has_value(key, at, count))
        return false;
    size_t length;
    FILE *out = tma_open_text(text, &length);
    if (out == NULL)
        return true;
    if (key->limit > 0)
        print_list(key, at, count, out);
    else
        print_value(key, at, out);
    if (!tma_close_text(out, text))
        *text = NULL; /* which says that memory ran out */
    return true;
}

void tma_schema_describe(const struct tma_schema *schema, const void *values,
                         const struct tma_describer *describer) {
    for (size_t i = 0; i < schema->count; i++) {
        const struct tma_key *key = &schema->keys[i];
        char *text, path[192];
        if (!value_text(key, values, &text))
            continue;
        snprintf(path, sizeof path, "%s.%s", describer->prefix, key->path);
        describer->visit(describer->context, path, text);
        tma_release(text);
    }
}
