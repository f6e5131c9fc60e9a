#include "scenario/schema.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "base/utf8.h"
#include "scenario/suggestion.h"
#include "scenario/value.h"

enum { MAX_PATH = 160, MAX_WORD = 64 };

struct schema_reader {
    const struct tma_schema *schema;
    const char *context;
    void *target;
    struct tma_diagnostics *list;
    bool good;
    const char *file; /* where the mapping is */
};

static void join(char *path, const char *front, const char *back) {
    snprintf(path, MAX_PATH, "%.*s%s%.*s", tma_text_cut(front, 80), front,
             front[0] == '\0' || back[0] == '\0' ? "" : ".", tma_text_cut(back, 78), back);
}

const struct tma_key *tma_schema_key(const struct tma_schema *schema, const char *path) {
    for (size_t i = 0; i < schema->count; i++)
        if (strcmp(schema->keys[i].path, path) == 0)
            return &schema->keys[i];
    return NULL;
}

/* Returns the part of a key's path below `prefix` ("" is the root), or NULL if it is elsewhere. */
static const char *path_below(const struct tma_key *key, const char *prefix) {
    size_t length = strlen(prefix);
    if (length == 0)
        return key->path;
    if (strncmp(key->path, prefix, length) != 0 || key->path[length] != '.')
        return NULL;
    return key->path + length + 1;
}

static bool is_group(const struct tma_schema *schema, const char *path) {
    for (size_t i = 0; i < schema->count; i++)
        if (path_below(&schema->keys[i], path) != NULL)
            return true;
    return false;
}

/* Writes the word that leads from the mapping at `prefix` to key `index`. Returns false if the key
 * is elsewhere, or if the previous key has the same word: the table lists a group's keys together.
 */
static bool child_word(const struct tma_schema *schema, const char *prefix, size_t index,
                       char word[MAX_WORD]) {
    const char *rest = path_below(&schema->keys[index], prefix);
    if (rest == NULL)
        return false;
    int length = (int)strcspn(rest, ".");
    snprintf(word, MAX_WORD, "%.*s", length, rest);
    const char *previous = index == 0 ? NULL : path_below(&schema->keys[index - 1], prefix);
    return previous == NULL || strncmp(previous, rest, (size_t)length) != 0 ||
           previous[length] != '.';
}

/* Is `other` what CUDA, frameworks or people call the key `word`? */
static bool is_usual_key(const char *word, const char *other) {
    static const struct {
        const char *word, *others;
    } keys[] = {
        {"global_dim", "dims dim shape sizes extents globalDim"},
        {"global_strides", "strides stride pitch globalStrides"},
        {"box_dim", "box tile tile_shape block_shape boxDim"},
        {"data_type", "dtype type element element_type tensorDataType"},
        {"global_address", "address base ptr globalAddress"},
        {"kind", "mode"},
        {"lower_corner", "pixelBoxLowerCorner"},
        {"upper_corner", "pixelBoxUpperCorner"},
        {"channels_per_pixel", "channels channelsPerPixel"},
        {"pixels_per_column", "pixels pixelsPerColumn"},
        {"l2_promotion", "promotion l2Promotion"},
        {"oob_fill", "oobFill fill"},
        {"dynamic_shared", "smem shared dynamic_smem shared_memory smem_bytes sharedMemBytes"},
        {"parameters", "args arguments params kernel_args"},
        {"grid", "gridDim grid_dim blocks ctas"},
        {"block", "blockDim block_dim threads"},
        {"cluster", "cluster_dims clusterDim cluster_dim"},
        {"tensor_maps", "maps tensormaps descriptors"},
        {"gpu", "machine device"},
        {"ctas", "grid blocks"},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i].word, word) == 0 && tma_has_word(keys[i].others, other))
            return true;
    return false;
}

/* Returns "a, b, c", the words that the mapping at `prefix` may have; the caller frees it. Offers
 * them to the suggestion too. */
static char *allowed_words(const struct tma_schema *schema, const char *prefix,
                           struct tma_suggestion *suggestion) {
    char *text = NULL, word[MAX_WORD];
    size_t length;
    FILE *out = tma_open_text(&text, &length);
    if (out == NULL)
        return NULL;
    const char *joint = "";
    for (size_t i = 0; i < schema->count; i++) {
        if (!child_word(schema, prefix, i, word))
            continue;
        fprintf(out, "%s%s", joint, word);
        tma_suggest(suggestion, word);
        if (is_usual_key(word, suggestion->wanted)) {
            suggestion->distance = suggestion->exact = 0;
            snprintf(suggestion->best, sizeof suggestion->best, "%s", word);
        }
        joint = ", ";
    }
    fclose(out);
    return text;
}

void tma_schema_suggest(const struct tma_schema *schema, struct tma_suggestion *suggestion) {
    tma_release(allowed_words(schema, "", suggestion));
}

/* Only the first unknown key of a mapping (not `again`) has the list of those that are allowed. */
static void diagnose_unknown_key(struct schema_reader *reader, const char *prefix,
                                 const struct tma_yaml_node *node, bool again) {
    struct tma_suggestion suggestion = {.wanted = node->key};
    char *allowed = allowed_words(reader->schema, prefix, &suggestion);
    struct tma_hint hint = tma_hint_of(&suggestion);
    char where[MAX_PATH];
    join(where, reader->context, prefix);
    if (again && hint.text[0] != '\0')
        hint.text[strlen(hint.text) - 1] = '\0'; /* the blank before the list */
    tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->key_at, "unknown key \"%.*s\"%s%s%s%s%s%s",
                 tma_text_cut(node->key, 60), node->key, where[0] == '\0' ? "" : " in ", where,
                 again && hint.text[0] == '\0' ? "" : "; ", hint.text,
                 again ? "" : "allowed: ", again || allowed == NULL ? "" : allowed);
    tma_release(allowed);
    reader->good = false;
}

static void read_mapping(struct schema_reader *reader, const char *prefix,
                         const struct tma_yaml_node *mapping) {
    bool unknown = false;
    for (const struct tma_yaml_node *node = mapping->first; node != NULL; node = node->next) {
        char path[MAX_PATH], name[MAX_PATH];
        join(path, prefix, node->key);
        join(name, reader->context, path);
        /* A key with a dot would look like a path, and --set could not reach it. */
        bool is_word = strchr(node->key, '.') == NULL;
        const struct tma_key *key = is_word ? tma_schema_key(reader->schema, path) : NULL;
        if (key != NULL) {
            if (!tma_value_read(key, node, name, reader->target, reader->list))
                reader->good = false;
        } else if (!is_word || !is_group(reader->schema, path)) {
            diagnose_unknown_key(reader, prefix, node, unknown);
            unknown = true;
        } else if (node->kind == TMA_YAML_MAPPING) {
            read_mapping(reader, path, node);
        } else {
            tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->at,
                         "%s is not a mapping; expected {key: value, ...}", name);
            reader->good = false;
        }
    }
}

/* Reads a default as if it were in the file, so that the reference and the behaviour agree. It is a
 * single value: no parser has to be started for it. */
static void read_fallback(struct schema_reader *reader, const struct tma_key *key) {
    struct tma_diagnostics errors = {0};
    char text[MAX_WORD];
    snprintf(text, sizeof text, "%s", key->fallback);
    const struct tma_yaml_node node = {
        .kind = TMA_YAML_SCALAR, .at = {"default", 1, 1}, .text = text, .text_column = 1};
    bool good = tma_value_read(key, &node, key->path, reader->target, &errors);
    /* Else the table has a default that its own key does not allow. */
    assert(good || tma_diagnostics_lack_memory(&errors));
    if (!good) {
        tma_diagnose(reader->list, TMA_ERROR_MEMORY, (struct tma_location){reader->file, 0, 0},
                     "out of memory");
        reader->good = false;
    }
    tma_diagnostics_free(&errors);
}

/* Does an unknown key of the mapping stand for this one? Then that is the error. */
static bool is_misspelled(const struct tma_schema *schema, const struct tma_yaml_node *mapping,
                          const struct tma_key *key) {
    for (const struct tma_yaml_node *node = mapping->first; node != NULL; node = node->next) {
        struct tma_suggestion suggestion = {.wanted = node->key};
        if (tma_schema_has(schema, node->key))
            continue;
        tma_schema_suggest(schema, &suggestion);
        if (strcmp(suggestion.best, key->path) == 0)
            return true;
    }
    return false;
}

static void diagnose_missing(struct schema_reader *reader, const struct tma_yaml_node *mapping,
                             const struct tma_key *key) {
    if (is_misspelled(reader->schema, mapping, key))
        return;
    char name[MAX_PATH];
    join(name, reader->context, key->path);
    char *expected = tma_key_expected(key);
    /* A number of characters says nothing of what the text is. */
    bool text = key->kind == TMA_KEY_CHARS || key->kind == TMA_KEY_CHARS_OR_MAPPING;
    tma_diagnose(reader->list, TMA_ERROR_SYNTAX, tma_yaml_locate(mapping, key->path),
                 "%s is missing; expected %s%s%s", name, expected == NULL ? "" : expected,
                 text && key->meaning != NULL ? ": " : "",
                 text && key->meaning != NULL ? key->meaning : "");
    tma_release(expected);
    reader->good = false;
}

bool tma_schema_has(const struct tma_schema *schema, const char *key) {
    return tma_schema_key(schema, key) != NULL || is_group(schema, key);
}

bool tma_schema_check_keys(const struct tma_schema *schema, const struct tma_yaml_node *mapping,
                           const char *const *extra, size_t extra_count,
                           struct tma_diagnostics *list) {
    struct schema_reader reader = {.schema = schema, .context = "", .list = list, .good = true};
    for (const struct tma_yaml_node *node = mapping->first; node != NULL; node = node->next) {
        bool known = tma_schema_has(schema, node->key);
        for (size_t i = 0; i < extra_count; i++)
            known = known || strcmp(node->key, extra[i]) == 0;
        if (!known)
            diagnose_unknown_key(&reader, "", node, !reader.good);
    }
    return reader.good;
}

bool tma_schema_read(const struct tma_schema *schema, const struct tma_yaml_node *mapping,
                     const char *context, void *target, struct tma_diagnostics *list) {
    struct schema_reader reader = {schema, context, target, list, true, mapping->at.file};
    if (mapping->kind != TMA_YAML_MAPPING)
        return tma_diagnose(list, TMA_ERROR_SYNTAX, mapping->at,
                            "%s is not a mapping; expected {key: value, ...}", context);
    for (size_t i = 0; i < schema->count; i++) {
        const struct tma_key *key = &schema->keys[i];
        if (key->fallback == TMA_REQUIRED && tma_yaml_find(mapping, key->path) == NULL)
            diagnose_missing(&reader, mapping, key);
        else if (key->fallback != TMA_REQUIRED && key->fallback[0] != '\0')
            read_fallback(&reader, key);
    }
    read_mapping(&reader, "", mapping);
    return reader.good;
}
