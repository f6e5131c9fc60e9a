#include "scenario/document.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "scenario/text_file.h"

/* Limits above any scenario's needs that bound the memory of aliases within aliases. */
enum { MAX_DEPTH = 16, MAX_NODES = 10000 };

struct builder {
    yaml_document_t *document;
    const char *file;
    struct tma_diagnostics *list;
    unsigned depth; /* of the node being built */
    unsigned nodes; /* built so far */
    bool failed;    /* a limit was exceeded, and the error is in the list */
};

static struct tma_yaml_node *build(struct builder *builder, int index);

static struct tma_location location_of(const struct builder *builder, yaml_mark_t mark) {
    return (struct tma_location){builder->file, (unsigned)mark.line + 1, (unsigned)mark.column + 1};
}

static void diagnose_node(struct builder *builder, const yaml_node_t *node, const char *why) {
    tma_diagnose(builder->list, TMA_ERROR_SYNTAX, location_of(builder, node->start_mark), "%s",
                 why);
}

static bool has_plain_tag(const yaml_node_t *node) {
    static const char *const plain[] = {YAML_STR_TAG, YAML_SEQ_TAG, YAML_MAP_TAG};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (strcmp((const char *)node->tag, plain[i]) == 0)
            return true;
    return false;
}

static const struct tma_yaml_node *child(const struct tma_yaml_node *parent, const char *key) {
    for (const struct tma_yaml_node *node = parent->first; node != NULL; node = node->next)
        if (strcmp(node->key, key) == 0)
            return node;
    return NULL;
}

/* Reads a pair's key into *key and its location into *at. Returns false, with the reason appended,
 * if the pair is to be dropped. */
static bool build_key(struct builder *builder, const struct tma_yaml_node *mapping,
                      const yaml_node_t *node, const char **key, struct tma_location *at) {
    *at = location_of(builder, node->start_mark);
    if (node->type != YAML_SCALAR_NODE) {
        diagnose_node(builder, node, "expected a word as the key");
        return false;
    }
    *key = (const char *)node->data.scalar.value;
    const struct tma_yaml_node *earlier = child(mapping, *key);
    if (earlier == NULL)
        return true;
    tma_diagnose(builder->list, TMA_ERROR_SYNTAX, *at,
                 "duplicate key \"%s\"; the first one is on line %u", *key, earlier->key_at.line);
    return false;
}

static void build_mapping(struct builder *builder, const yaml_node_t *from,
                          struct tma_yaml_node *mapping) {
    struct tma_yaml_node **end = &mapping->first;
    const yaml_node_pair_t *pair = from->data.mapping.pairs.start;
    for (; pair < from->data.mapping.pairs.top; pair++) {
        const char *key;
        struct tma_location at;
        const yaml_node_t *key_node = yaml_document_get_node(builder->document, pair->key);
        if (!build_key(builder, mapping, key_node, &key, &at))
            continue;
        struct tma_yaml_node *value = build(builder, pair->value);
        if (value == NULL)
            return;
        value->key = strdup(key);
        value->key_at = at;
        *end = value;
        end = &value->next;
    }
}

static void build_list(struct builder *builder, const yaml_node_t *from,
                       struct tma_yaml_node *list) {
    struct tma_yaml_node **end = &list->first;
    const yaml_node_item_t *item = from->data.sequence.items.start;
    for (; item < from->data.sequence.items.top; item++) {
        struct tma_yaml_node *value = build(builder, *item);
        if (value == NULL)
            return;
        *end = value;
        end = &value->next;
    }
}

static bool within_limits(struct builder *builder, const yaml_node_t *node) {
    const char *why = NULL;
    if (!has_plain_tag(node))
        why = "tags (\"!...\") are not allowed";
    else if (builder->depth > MAX_DEPTH)
        why = "nested too deeply; allowed: 16 levels";
    else if (builder->nodes >= MAX_NODES)
        why = "too many values; allowed: 10000 in a file";
    if (why == NULL)
        return true;
    if (!builder->failed)
        diagnose_node(builder, node, why);
    builder->failed = true;
    return false;
}

/* Builds a node with its children. Returns NULL if a limit is exceeded or memory runs out; its
 * parent then stops too. */
static struct tma_yaml_node *build(struct builder *builder, int index) {
    const yaml_node_t *from = yaml_document_get_node(builder->document, index);
    if (!within_limits(builder, from))
        return NULL;
    struct tma_yaml_node *node = calloc(1, sizeof *node);
    if (node == NULL)
        return NULL;
    builder->nodes++;
    builder->depth++;
    node->at = location_of(builder, from->start_mark);
    switch (from->type) {
    case YAML_MAPPING_NODE:
        node->kind = TMA_YAML_MAPPING;
        build_mapping(builder, from, node);
        break;
    case YAML_SEQUENCE_NODE:
        node->kind = TMA_YAML_LIST;
        build_list(builder, from, node);
        break;
    default:
        node->kind = TMA_YAML_SCALAR;
        node->text = strdup((const char *)from->data.scalar.value);
    }
    builder->depth--;
    return node;
}

static void diagnose_parser(const yaml_parser_t *parser, const char *file,
                            struct tma_diagnostics *list) {
    struct tma_location at = {file, 0, 0};
    if (parser->error != YAML_READER_ERROR && parser->error != YAML_MEMORY_ERROR) {
        at.line = (unsigned)parser->problem_mark.line + 1;
        at.column = (unsigned)parser->problem_mark.column + 1;
    }
    const char *problem = parser->problem == NULL ? "out of memory" : parser->problem;
    const char *context = parser->context == NULL ? "" : parser->context;
    tma_diagnose(list, TMA_ERROR_SYNTAX, at, "not YAML: %s%s%s", context,
                 context[0] == '\0' ? "" : ", ", problem);
}

/* Reports a second document, which would be ignored otherwise. */
static void diagnose_second_document(yaml_parser_t *parser, const char *file,
                                     struct tma_diagnostics *list) {
    yaml_document_t document;
    if (!yaml_parser_load(parser, &document)) {
        diagnose_parser(parser, file, list);
        return;
    }
    const yaml_node_t *root = yaml_document_get_root_node(&document);
    if (root != NULL) {
        struct tma_location at = {file, (unsigned)root->start_mark.line + 1, 1};
        tma_diagnose(list, TMA_ERROR_SYNTAX, at,
                     "a second document starts here; allowed: one document in a file");
    }
    yaml_document_delete(&document);
}

static struct tma_yaml_node *build_root(yaml_document_t *document, const char *file,
                                        struct tma_diagnostics *list) {
    if (yaml_document_get_root_node(document) == NULL) {
        tma_diagnose(list, TMA_ERROR_SYNTAX, (struct tma_location){file, 0, 0},
                     "expected a value, but there is none");
        return NULL;
    }
    struct builder builder = {.document = document, .file = file, .list = list};
    struct tma_yaml_node *root = build(&builder, 1);
    if (!builder.failed)
        return root;
    tma_yaml_free(root);
    return NULL;
}

struct tma_yaml_node *tma_yaml_parse(const char *text, size_t length, const char *file,
                                     struct tma_diagnostics *list) {
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return NULL;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    struct tma_yaml_node *root = NULL;
    yaml_document_t document;
    if (yaml_parser_load(&parser, &document)) {
        root = build_root(&document, file, list);
        yaml_document_delete(&document);
        diagnose_second_document(&parser, file, list);
    } else {
        diagnose_parser(&parser, file, list);
    }
    yaml_parser_delete(&parser);
    return root;
}

struct tma_yaml_node *tma_yaml_parse_mapping(const char *text, size_t length, const char *file,
                                             struct tma_diagnostics *list) {
    struct tma_yaml_node *root = tma_yaml_parse(text, length, file, list);
    if (root == NULL || root->kind == TMA_YAML_MAPPING)
        return root;
    tma_diagnose(list, TMA_ERROR_SYNTAX, root->at, "not a mapping; expected \"key: value\" lines");
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
    struct tma_yaml_node *root = tma_yaml_parse_mapping(text, length, path, list);
    free(text);
    return root;
}
