/* Parts of a document that stand for several: roles, rings, buffers and barriers with `copies`,
 * statements with `each`, and `let`, whose names hold for the statements behind it. Internal to
 * this folder. */
#pragma once

#include "scenario/tree.h"

/* Writes out what the mapping `kernel` of a document, whose parameters have been read, stands for:
 *
 *     ab: {copies: 2, ...}         ab_0: {...} and ab_1: {...}, with 0 and 1 for $copy
 *     group: {copies: {g: 2}, ...} group_0 and group_1, with 0 and 1 for $g
 *     each: {g: 2}, do: [...]      the statements of `do` two times
 *     let: {x: E} and more behind  the same, with what follows in its `do`
 *
 * $NAME and $(EXPRESSION), in any text, are numbers. Appends every error to the list. */
void tma_document_expand(struct tma_yaml_node *root, struct tma_diagnostics *list);
