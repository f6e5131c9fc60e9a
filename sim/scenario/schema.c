#include "scenario/schema.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/text.h"
#include "scenario/value.h"

enum { MAX_PATH = 160, MAX_KEY = 64 };

struct reader {
    const struct tma_schema *schema;
    const char *context;
    void *target;
    struct tma_diagnostics *list;
    bool good;
};

static void join(char *path, const char *front, const char *back) {
    snprintf(path, MAX_PATH, "%.80s%s%.78s", front, front[0] == '\0' || back[0] == '\0' ? "" : ".",
             back);
}

static const struct tma_key *field_at(const struct tma_schema *schema, const char *path) {
    for (size_t i = 0; i < schema->count; i++)
        if (strcmp(schema->fields[i].path, path) == 0)
            return &schema->fields[i];
    return NULL;
}

/* What of a field's path lies below `prefix` ("" is the root), or NULL. */
static const char *below(const struct tma_key *field, const char *prefix) {
    size_t length = strlen(prefix);
    if (length == 0)
        return field->path;
    if (strncmp(field->path, prefix, length) != 0 || field->path[length] != '.')
        return NULL;
    return field->path + length + 1;
}

static bool is_group(const struct tma_schema *schema, const char *path) {
    for (size_t i = 0; i < schema->count; i++)
        if (below(&schema->fields[i], path) != NULL)
            return true;
    return false;
}

/* Writes the key of the mapping at `prefix` under which field `index` is found; false where it is
 * found elsewhere, or under the same key as the field before: a group's fields stand together. */
static bool key_of(const struct tma_schema *schema, const char *prefix, size_t index,
                   char key[MAX_KEY]) {
    const char *rest = below(&schema->fields[index], prefix);
    if (rest == NULL)
        return false;
    int length = (int)strcspn(rest, ".");
    snprintf(key, MAX_KEY, "%.*s", length, rest);
    const char *previous = index == 0 ? NULL : below(&schema->fields[index - 1], prefix);
    return previous == NULL || strncmp(previous, rest, (size_t)length) != 0 ||
           previous[length] != '.';
}

/* "a, b, c": the keys that the mapping at `prefix` may have; fed to the suggestion too. */
static char *allowed_keys(const struct tma_schema *schema, const char *prefix,
                          struct tma_suggestion *suggestion) {
    char *text = NULL, key[MAX_KEY];
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        return NULL;
    const char *joint = "";
    for (size_t i = 0; i < schema->count; i++) {
        if (!key_of(schema, prefix, i, key))
            continue;
        fprintf(out, "%s%s", joint, key);
        tma_suggest(suggestion, key);
        joint = ", ";
    }
    fclose(out);
    return text;
}

static void refuse_key(struct reader *reader, const char *prefix,
                       const struct tma_yaml_node *node) {
    struct tma_suggestion suggestion = {.wanted = node->key};
    char *allowed = allowed_keys(reader->schema, prefix, &suggestion);
    char hint[TMA_MAX_SUGGESTION + 32] = "", where[MAX_PATH];
    join(where, reader->context, prefix);
    if (suggestion.best[0] != '\0')
        snprintf(hint, sizeof hint, "did you mean \"%s\"? ", suggestion.best);
    tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->key_at,
                 "unknown key \"%.60s\"%s%s; %sallowed: %s", node->key,
                 where[0] == '\0' ? "" : " in ", where, hint, allowed == NULL ? "" : allowed);
    free(allowed);
    reader->good = false;
}

static void read_mapping(struct reader *reader, const char *prefix,
                         const struct tma_yaml_node *mapping) {
    for (const struct tma_yaml_node *node = mapping->first; node != NULL; node = node->next) {
        char path[MAX_PATH], name[MAX_PATH];
        join(path, prefix, node->key);
        join(name, reader->context, path);
        const struct tma_key *field = field_at(reader->schema, path);
        if (field != NULL) {
            if (!tma_value_read(field, node, name, reader->target, reader->list))
                reader->good = false;
        } else if (!is_group(reader->schema, path)) {
            refuse_key(reader, prefix, node);
        } else if (node->kind == TMA_YAML_MAPPING) {
            read_mapping(reader, path, node);
        } else {
            tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->at,
                         "%s is not a mapping; expected {key: value, ...}", name);
            reader->good = false;
        }
    }
}

/* A default is read as if it stood in the file: what the reference says is what happens. */
static void read_fallback(struct reader *reader, const struct tma_key *field) {
    struct tma_diagnostics faults = {0};
    struct tma_yaml_node *node =
        tma_yaml_parse(field->fallback, strlen(field->fallback), "default", &faults);
    bool good = node != NULL && tma_value_read(field, node, field->path, reader->target, &faults);
    assert(good && "a default that its own field refuses");
    (void)good;
    tma_yaml_free(node);
    tma_diagnostics_free(&faults);
}

static void refuse_missing(struct reader *reader, const struct tma_yaml_node *mapping,
                           const struct tma_key *field) {
    char name[MAX_PATH];
    join(name, reader->context, field->path);
    char *expected = tma_key_expected(field);
    tma_diagnose(reader->list, TMA_ERROR_SYNTAX, tma_yaml_locate(mapping, field->path),
                 "%s is missing; expected %s", name, expected == NULL ? "" : expected);
    free(expected);
    reader->good = false;
}

bool tma_schema_read(const struct tma_schema *schema, const struct tma_yaml_node *mapping,
                     const char *context, void *target, struct tma_diagnostics *list) {
    struct reader reader = {schema, context, target, list, true};
    if (mapping->kind != TMA_YAML_MAPPING) {
        tma_diagnose(list, TMA_ERROR_SYNTAX, mapping->at,
                     "%s is not a mapping; expected {key: value, ...}", context);
        return false;
    }
    for (size_t i = 0; i < schema->count; i++) {
        const struct tma_key *field = &schema->fields[i];
        if (field->fallback == TMA_REQUIRED && tma_yaml_find(mapping, field->path) == NULL)
            refuse_missing(&reader, mapping, field);
        else if (field->fallback != TMA_REQUIRED && field->fallback[0] != '\0')
            read_fallback(&reader, field);
    }
    read_mapping(&reader, "", mapping);
    return reader.good;
}
