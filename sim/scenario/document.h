/* Parses YAML into a tree. */
#pragma once

#include "scenario/tree.h"

/* Parses one YAML value of any kind. The caller frees it with tma_yaml_free. Every location in the
 * tree borrows `file`. Aliases are expanded.
 *
 * Returns NULL, with the error appended to the list, if the text is not YAML, has no value, has a
 * tag ("!...") or the character NUL, or exceeds a limit (base/limits.h). Errors that leave a usable
 * tree are appended too: a second document, and duplicate keys, of which the first is kept. */
struct tma_yaml_node *tma_yaml_parse(const char *text, size_t length, const char *file,
                                     struct tma_diagnostics *list);

/* As tma_yaml_parse, for a text that has to hold a mapping. */
struct tma_yaml_node *tma_yaml_parse_mapping(const char *text, size_t length, const char *file,
                                             struct tma_diagnostics *list);

/* As tma_yaml_parse_mapping, for the file at `path`, which every location borrows. */
struct tma_yaml_node *tma_yaml_read(const char *path, struct tma_diagnostics *list);

/* The error that a document is no mapping. `expected` says what it has to be. */
void tma_yaml_not_mapping(const struct tma_yaml_node *root, const char *expected,
                          struct tma_diagnostics *list);

/* Whether a mapping is a scenario, maybe one that lacks something, and no tensor map alone. */
bool tma_document_is_scenario(const struct tma_yaml_node *root);

/* Whether it has keys of a tensor map alone. */
bool tma_document_is_map(const struct tma_yaml_node *root);
