/* A YAML document as a tree in which every key and value knows its line and column, so that errors
 * found later can be reported with their location. */
#pragma once

#include <stdbool.h>

#include "base/diagnostics.h"

struct tma_parameters;

enum tma_yaml_kind { TMA_YAML_SCALAR, TMA_YAML_LIST, TMA_YAML_MAPPING };

struct tma_yaml_node {
    enum tma_yaml_kind kind;
    struct tma_location at;     /* of the value */
    char *key;                  /* owned; NULL unless the parent is a mapping */
    struct tma_location key_at; /* of the key */
    char *text;                 /* owned; the value of a scalar, NULL for other kinds */
    unsigned text_column;       /* of a scalar's first character; 0: not all text is in one line */
    const struct tma_parameters *parameters; /* those that a number may use; NULL: no expressions */
    struct tma_yaml_node *first; /* owned; first child of a list or mapping, in file order */
    struct tma_yaml_node *next;  /* owned; next sibling */
};

/* Frees a node, its children and its later siblings. NULL is allowed. */
void tma_yaml_free(struct tma_yaml_node *node);

/* Returns the number of a node's children. */
size_t tma_yaml_count(const struct tma_yaml_node *node);

/* Returns the node at a path below `node` ("pipeline.depth", "operations.0.load"), or NULL. */
const struct tma_yaml_node *tma_yaml_find(const struct tma_yaml_node *node, const char *path);

/* Returns the location of the value at `path`, or of the deepest node on the way to it. */
struct tma_location tma_yaml_locate(const struct tma_yaml_node *node, const char *path);

/* Returns the link to the child that one step of a path names, where a new child can be inserted
 * too (then *link is NULL). `step` has `length` characters: a key of a mapping, or an index of a
 * list up to one past its end. Returns NULL if the node is a scalar, or a list without that index.
 */
struct tma_yaml_node **tma_yaml_child_link(struct tma_yaml_node *node, const char *step,
                                           size_t length);

/* Takes the child of that key out of a mapping. The caller frees it. NULL if there is none. */
struct tma_yaml_node *tma_yaml_take(struct tma_yaml_node *mapping, const char *key);
