#include "scenario/document.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/allocation.h"
#include "base/limits.h"
#include "scenario/printed_map.h"
#include "scenario/text_file.h"

/* A node that an alias may name. */
struct anchor {
    char *name;                       /* owned */
    const struct tma_yaml_node *node; /* borrowed from the tree */
    bool complete;                    /* all of its children are in the tree */
};

/* Builds a tree from the events of a parser. It checks the limits while the events come in, because
 * libyaml takes time quadratic in the depth, and aliases can make a small file large. */
struct builder {
    yaml_parser_t parser;
    yaml_event_t event; /* the current one */
    const char *text;   /* the input */
    size_t length;      /* of the input, in bytes */
    const char *file;
    struct tma_diagnostics *list;
    struct anchor *anchors; /* owned */
    size_t anchor_count;
    struct tma_yaml_node *dropped; /* owned; keys, and values of pairs that are not in the tree */
    unsigned depth;                /* of the node being built */
    unsigned values;               /* keys and values so far */
    size_t bytes;                  /* of keys and values so far */
    bool failed;                   /* nothing can be built any more, and the error is in the list */
};

static struct tma_yaml_node *build(struct builder *builder);

static struct tma_location location_of(const struct builder *builder, yaml_mark_t mark) {
    return (struct tma_location){builder->file, (unsigned)mark.line + 1, (unsigned)mark.column + 1};
}

/* Appends an error at the current event, after which nothing can be built. */
__attribute__((format(printf, 3, 4))) static void
fail(struct builder *builder, enum tma_error_code code, const char *format, ...) {
    char why[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    if (!builder->failed)
        tma_diagnose(builder->list, code, location_of(builder, builder->event.start_mark), "%s",
                     why);
    builder->failed = true;
}

static void fail_memory(struct builder *builder) {
    fail(builder, TMA_ERROR_MEMORY, "out of memory");
}

/* The line and column of a byte. libyaml gives no others for characters that it cannot read. */
static struct tma_location location_of_byte(const struct builder *builder, size_t offset) {
    struct tma_location at = {builder->file, 1, 1};
    for (size_t i = 0; i < offset && i < builder->length; i++) {
        bool continues =
            ((unsigned char)builder->text[i] & 0xc0) == 0x80; /* a character of UTF-8 */
        at.column = builder->text[i] == '\n' ? 1 : at.column + !continues;
        at.line += builder->text[i] == '\n';
    }
    return at;
}

static void fail_parser(struct builder *builder) {
    const yaml_parser_t *parser = &builder->parser;
    struct tma_location at = {builder->file, (unsigned)parser->problem_mark.line + 1,
                              (unsigned)parser->problem_mark.column + 1};
    /* In some places libyaml says nothing when memory runs out. Every other error has a text. */
    bool lacks_memory = parser->error == YAML_MEMORY_ERROR || parser->problem == NULL;
    if (lacks_memory)
        at = (struct tma_location){builder->file, 0, 0};
    else if (parser->error == YAML_READER_ERROR)
        at = location_of_byte(builder, parser->problem_offset);
    const char *context = parser->context == NULL ? "" : parser->context;
    if (builder->failed)
        return;
    if (lacks_memory)
        tma_diagnose(builder->list, TMA_ERROR_MEMORY, at, "out of memory");
    else
        tma_diagnose(builder->list, TMA_ERROR_SYNTAX, at, "not YAML: %s%s%s", context,
                     context[0] == '\0' ? "" : ", ", parser->problem);
    builder->failed = true;
}

/* Goes on to the next event. Returns false, with the error in the list, if there is none. */
static bool advance(struct builder *builder) {
    yaml_event_delete(&builder->event);
    if (yaml_parser_parse(&builder->parser, &builder->event))
        return true;
    memset(&builder->event, 0, sizeof builder->event);
    fail_parser(builder);
    return false;
}

static bool is_plain_tag(const yaml_char_t *tag) {
    static const char *const plain[] = {"!", YAML_STR_TAG, YAML_SEQ_TAG, YAML_MAP_TAG};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (strcmp((const char *)tag, plain[i]) == 0)
            return true;
    return tag[0] == '\0';
}

/* Counts a key or value of `bytes` bytes. Returns false if a limit is exceeded. */
static bool count_value(struct builder *builder, size_t bytes) {
    if (builder->values >= TMA_LIMIT_YAML_VALUES)
        fail(builder, TMA_ERROR_SYNTAX, "too many keys and values; allowed: %d in a file",
             TMA_LIMIT_YAML_VALUES);
    else if (bytes > TMA_LIMIT_YAML_BYTES - builder->bytes)
        fail(builder, TMA_ERROR_SYNTAX,
             "keys and values are too long; allowed: %d bytes in a file, after aliases",
             TMA_LIMIT_YAML_BYTES);
    builder->values++;
    builder->bytes += bytes;
    return !builder->failed;
}

/* Remembers the anchor of a node that is about to be built. Returns its number, or SIZE_MAX if
 * the node has none or the builder has failed. */
static size_t add_anchor(struct builder *builder, const yaml_char_t *name,
                         const struct tma_yaml_node *node) {
    if (name == NULL)
        return SIZE_MAX;
    for (size_t i = 0; i < builder->anchor_count; i++)
        if (strcmp(builder->anchors[i].name, (const char *)name) == 0) {
            fail(builder, TMA_ERROR_SYNTAX, "not YAML: found duplicate anchor");
            return SIZE_MAX;
        }
    struct anchor *larger =
        tma_resize(builder->anchors, builder->anchor_count + 1, sizeof *builder->anchors);
    if (larger != NULL)
        builder->anchors = larger;
    char *copy = larger == NULL ? NULL : tma_copy_text((const char *)name);
    if (copy == NULL) {
        fail_memory(builder);
        return SIZE_MAX;
    }
    builder->anchors[builder->anchor_count] = (struct anchor){copy, node, false};
    return builder->anchor_count++;
}

/* Returns an empty node below the limits, or NULL if the builder has failed. */
static struct tma_yaml_node *new_node(struct builder *builder, enum tma_yaml_kind kind,
                                      size_t bytes) {
    if (builder->depth > TMA_LIMIT_YAML_DEPTH)
        fail(builder, TMA_ERROR_SYNTAX, "nested too deeply; allowed: %d levels",
             TMA_LIMIT_YAML_DEPTH);
    if (builder->failed || !count_value(builder, bytes))
        return NULL;
    struct tma_yaml_node *node = tma_allocate(1, sizeof *node);
    if (node == NULL)
        fail_memory(builder);
    else
        node->kind = kind;
    return node;
}

static char *copy_text(struct builder *builder, const char *text) {
    char *copy = tma_copy_text(text);
    if (copy == NULL)
        fail_memory(builder);
    return copy;
}

/* Copies a node with its children. Returns NULL if the builder has failed. */
static struct tma_yaml_node *copy_node(struct builder *builder, const struct tma_yaml_node *from) {
    struct tma_yaml_node *node =
        new_node(builder, from->kind, from->text == NULL ? 0 : strlen(from->text));
    if (node == NULL)
        return NULL;
    node->at = from->at;
    node->text_column = from->text_column;
    if (from->text != NULL)
        node->text = copy_text(builder, from->text);
    struct tma_yaml_node **end = &node->first;
    builder->depth++;
    for (const struct tma_yaml_node *item = from->first; item != NULL && !builder->failed;
         item = item->next) {
        *end = copy_node(builder, item);
        if (*end == NULL)
            break;
        (*end)->key_at = item->key_at;
        if (item->key != NULL && count_value(builder, strlen(item->key)))
            (*end)->key = copy_text(builder, item->key);
        end = &(*end)->next;
    }
    builder->depth--;
    if (!builder->failed)
        return node;
    tma_yaml_free(node);
    return NULL;
}

static struct tma_yaml_node *build_alias(struct builder *builder) {
    const char *name = (const char *)builder->event.data.alias.anchor;
    for (size_t i = 0; i < builder->anchor_count; i++) {
        if (strcmp(builder->anchors[i].name, name) != 0)
            continue;
        if (builder->anchors[i].complete)
            return copy_node(builder, builder->anchors[i].node);
        fail(builder, TMA_ERROR_SYNTAX,
             "an alias of a value that it is part of; allowed: aliases of earlier values");
        return NULL;
    }
    fail(builder, TMA_ERROR_SYNTAX, "not YAML: found undefined alias");
    return NULL;
}

static const struct tma_yaml_node *child(const struct tma_yaml_node *parent, const char *key) {
    for (const struct tma_yaml_node *node = parent->first; node != NULL; node = node->next)
        if (strcmp(node->key, key) == 0)
            return node;
    return NULL;
}

/* Keeps a node that is no part of the tree until its end, because an alias may name it. */
static void drop(struct builder *builder, struct tma_yaml_node *node) {
    if (node == NULL)
        return;
    node->next = builder->dropped;
    builder->dropped = node;
}

/* Builds a pair's key from the current event. Returns the key's text, borrowed from the builder, or
 * NULL if the pair is to be dropped or the builder has failed. */
static const char *build_key(struct builder *builder, const struct tma_yaml_node *mapping,
                             struct tma_location at) {
    struct tma_yaml_node *key = build(builder);
    drop(builder, key);
    if (key == NULL)
        return NULL;
    if (key->kind != TMA_YAML_SCALAR) {
        tma_diagnose(builder->list, TMA_ERROR_SYNTAX, at, "expected a word as the key");
        return NULL;
    }
    const struct tma_yaml_node *earlier = child(mapping, key->text);
    if (earlier == NULL)
        return key->text;
    tma_diagnose(builder->list, TMA_ERROR_SYNTAX, at,
                 "duplicate key \"%s\"; the first one is on line %u", key->text,
                 earlier->key_at.line);
    return NULL;
}

static void build_mapping(struct builder *builder, struct tma_yaml_node *mapping) {
    struct tma_yaml_node **end = &mapping->first;
    while (advance(builder) && builder->event.type != YAML_MAPPING_END_EVENT) {
        struct tma_location at = location_of(builder, builder->event.start_mark);
        const char *key = build_key(builder, mapping, at);
        if (builder->failed || !advance(builder))
            return;
        struct tma_yaml_node *value = build(builder);
        if (value == NULL)
            return;
        if (key == NULL) {
            drop(builder, value);
            continue;
        }
        value->key = copy_text(builder, key);
        value->key_at = at;
        *end = value;
        if (builder->failed)
            return;
        end = &value->next;
    }
}

static void build_list(struct builder *builder, struct tma_yaml_node *list) {
    struct tma_yaml_node **end = &list->first;
    while (advance(builder) && builder->event.type != YAML_SEQUENCE_END_EVENT) {
        *end = build(builder);
        if (*end == NULL)
            return;
        end = &(*end)->next;
    }
}

/* The kind of the node that the current event begins, with its anchor and its tag, or NULL. */
static enum tma_yaml_kind kind_of(const yaml_event_t *event, const yaml_char_t **anchor,
                                  const yaml_char_t **tag) {
    switch (event->type) {
    case YAML_MAPPING_START_EVENT:
        *anchor = event->data.mapping_start.anchor;
        *tag = event->data.mapping_start.tag;
        return TMA_YAML_MAPPING;
    case YAML_SEQUENCE_START_EVENT:
        *anchor = event->data.sequence_start.anchor;
        *tag = event->data.sequence_start.tag;
        return TMA_YAML_LIST;
    default:
        *anchor = event->data.scalar.anchor;
        *tag = event->data.scalar.tag;
        return TMA_YAML_SCALAR;
    }
}

static void read_scalar(struct builder *builder, struct tma_yaml_node *node) {
    const yaml_event_t *event = &builder->event;
    const char *text = (const char *)event->data.scalar.value;
    if (event->start_mark.line == event->end_mark.line)
        node->text_column =
            node->at.column + (event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE ? 1 : 0);
    if (strlen(text) == builder->event.data.scalar.length)
        node->text = copy_text(builder, text);
    else
        fail(builder, TMA_ERROR_SYNTAX,
             "the text has the character NUL (\\0); allowed: text without it");
}

/* Builds the node that the current event begins, with its children, up to its last event. Returns
 * NULL if the builder has failed. */
static struct tma_yaml_node *build(struct builder *builder) {
    const yaml_char_t *anchor, *tag;
    if (builder->event.type == YAML_ALIAS_EVENT)
        return build_alias(builder);
    enum tma_yaml_kind kind = kind_of(&builder->event, &anchor, &tag);
    if (tag != NULL && !is_plain_tag(tag))
        fail(builder, TMA_ERROR_SYNTAX, "tags (\"!...\") are not allowed");
    bool scalar = kind == TMA_YAML_SCALAR;
    struct tma_yaml_node *node =
        new_node(builder, kind, scalar ? builder->event.data.scalar.length : 0);
    if (node == NULL)
        return NULL;
    node->at = location_of(builder, builder->event.start_mark);
    size_t number = add_anchor(builder, anchor, node);
    builder->depth++;
    if (scalar)
        read_scalar(builder, node);
    else if (!builder->failed)
        (kind == TMA_YAML_MAPPING ? build_mapping : build_list)(builder, node);
    builder->depth--;
    if (builder->failed) {
        tma_yaml_free(node);
        return NULL;
    }
    if (number != SIZE_MAX)
        builder->anchors[number].complete = true;
    return node;
}

/* Reports a second document, which would be ignored otherwise. */
static void check_end(struct builder *builder) {
    if (advance(builder) && builder->event.type == YAML_DOCUMENT_START_EVENT && advance(builder)) {
        struct tma_location at = {builder->file, (unsigned)builder->event.start_mark.line + 1, 1};
        tma_diagnose(builder->list, TMA_ERROR_SYNTAX, at,
                     "a second document starts here; allowed: one document in a file");
    }
}

static struct tma_yaml_node *build_root(struct builder *builder) {
    if (!advance(builder) || !advance(builder)) /* the start of the stream, then of a document */
        return NULL;
    if (builder->event.type != YAML_DOCUMENT_START_EVENT) {
        tma_diagnose(builder->list, TMA_ERROR_SYNTAX, (struct tma_location){builder->file, 0, 0},
                     "expected a value, but there is none");
        return NULL;
    }
    struct tma_yaml_node *root = advance(builder) ? build(builder) : NULL;
    if (root != NULL && advance(builder)) /* the end of the document */
        check_end(builder);
    return root;
}

struct tma_yaml_node *tma_yaml_parse(const char *text, size_t length, const char *file,
                                     struct tma_diagnostics *list) {
    struct builder builder = {.text = text, .length = length, .file = file, .list = list};
    if (!yaml_parser_initialize(&builder.parser)) {
        tma_diagnose(list, TMA_ERROR_MEMORY, (struct tma_location){file, 0, 0}, "out of memory");
        return NULL;
    }
    yaml_parser_set_input_string(&builder.parser, (const unsigned char *)text, length);
    struct tma_yaml_node *root = build_root(&builder);
    for (size_t i = 0; i < builder.anchor_count; i++)
        tma_release(builder.anchors[i].name);
    tma_release(builder.anchors);
    tma_yaml_free(builder.dropped);
    yaml_event_delete(&builder.event);
    yaml_parser_delete(&builder.parser);
    return root;
}

/* Is a value the digits of a tensor map's 128 bytes, or a part of them? */
static bool is_dump(const struct tma_yaml_node *root) {
    enum { LEAST_DIGITS = 32 };
    const char *text = root->kind == TMA_YAML_SCALAR ? root->text : "";
    return strlen(text) >= LEAST_DIGITS &&
           text[strspn(text, "0123456789abcdefABCDEFxX ,:")] == '\0';
}

void tma_yaml_not_mapping(const struct tma_yaml_node *root, const char *expected,
                          struct tma_diagnostics *list) {
    tma_diagnose(list, TMA_ERROR_SYNTAX, root->at, "not a mapping; expected %s%s", expected,
                 is_dump(root) ? "; if it is a dump of a tensor map, tmasim decode reads it" : "");
}

struct tma_yaml_node *tma_yaml_parse_mapping(const char *text, size_t length, const char *file,
                                             struct tma_diagnostics *list) {
    struct tma_yaml_node *root = tma_yaml_parse(text, length, file, list);
    if (root == NULL || root->kind == TMA_YAML_MAPPING)
        return root;
    tma_yaml_not_mapping(root, "\"key: value\" lines", list);
    tma_yaml_free(root);
    return NULL;
}

struct tma_yaml_node *tma_yaml_read(const char *path, struct tma_diagnostics *list) {
    char *text = NULL;
    size_t length = 0;
    struct tma_error error;
    enum tma_error_code code = tma_text_read(path, &text, &length, &error);
    if (code != TMA_OK) {
        tma_diagnose(list, code, (struct tma_location){path, 0, 0}, "%s", error.text);
        return NULL;
    }
    char *yaml = tma_is_printed_map(text) ? tma_printed_map_to_yaml(text) : NULL;
    struct tma_yaml_node *root = yaml != NULL
                                     ? tma_yaml_parse_mapping(yaml, strlen(yaml), path, list)
                                     : tma_yaml_parse_mapping(text, length, path, list);
    tma_release(yaml);
    tma_release(text);
    return root;
}

static bool has_any(const struct tma_yaml_node *root, const char *const *keys) {
    while (*keys != NULL && tma_yaml_find(root, *keys) == NULL)
        keys++;
    return *keys != NULL;
}

bool tma_document_is_scenario(const struct tma_yaml_node *root) {
    static const char *const keys[] = {"name", "gpu", "tensor_maps", "workload", "kernel", NULL};
    return has_any(root, keys);
}

bool tma_document_is_map(const struct tma_yaml_node *root) {
    static const char *const keys[] = {"data_type", "global_dim", "box_dim", "swizzle", NULL};
    return !tma_document_is_scenario(root) && has_any(root, keys);
}
