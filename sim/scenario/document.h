/* A YAML document as a tree in which every key and value knows its line and column, so that
 * whatever turns out to be wrong with one can be told with its place. */
#ifndef TMA_SCENARIO_DOCUMENT_H
#define TMA_SCENARIO_DOCUMENT_H

#include <stdbool.h>

#include "base/diagnostics.h"

enum tma_yaml_kind { TMA_YAML_SCALAR, TMA_YAML_LIST, TMA_YAML_MAPPING };

struct tma_yaml_node {
    enum tma_yaml_kind kind;
    struct tma_location at;      /* of the value */
    char *key;                   /* owned; NULL unless the parent is a mapping */
    struct tma_location key_at;  /* of the key */
    char *text;                  /* owned; scalars */
    struct tma_yaml_node *first; /* owned; lists and mappings, in the order of the file */
    struct tma_yaml_node *next;  /* owned; sibling */
};

/* Parses one value of any kind; the caller frees it with tma_yaml_free. NULL, with what is wrong
 * appended to the list, where the text is no YAML. Appended too: more of YAML than scenarios need
 * (tags, several documents), and duplicate keys, which are dropped from the tree. Aliases are
 * expanded. `file` is borrowed by every location. */
struct tma_yaml_node *tma_yaml_parse(const char *text, size_t length, const char *file,
                                     struct tma_diagnostics *list);

/* As tma_yaml_parse, of a text that has to hold a mapping. */
struct tma_yaml_node *tma_yaml_parse_mapping(const char *text, size_t length, const char *file,
                                             struct tma_diagnostics *list);

/* As tma_yaml_parse_mapping, from a file. */
struct tma_yaml_node *tma_yaml_read(const char *path, struct tma_diagnostics *list);

void tma_yaml_free(struct tma_yaml_node *node);

size_t tma_yaml_count(const struct tma_yaml_node *node);

/* The node at a path below `node` ("pipeline.depth", "operations.0.load"), or NULL. */
const struct tma_yaml_node *tma_yaml_find(const struct tma_yaml_node *node, const char *path);

/* The place that a reader should look at for `path`: the key's value where it is given, else the
 * closest mapping or list around it. */
struct tma_location tma_yaml_locate(const struct tma_yaml_node *node, const char *path);

/* Applies "path=value": the value is YAML, a list index one past the end appends, and mappings on
 * the way are made. Every node that it makes is located at `place` as a whole ("--set 1"), which is
 * borrowed. False, with the reason appended to the list, where the text has no "=" or the path does
 * not fit the tree. */
bool tma_yaml_set(struct tma_yaml_node *root, const char *setting, const char *place,
                  struct tma_diagnostics *list);

#endif
