/* Reads one value of a document into one field of a struct. Internal to this folder. */
#pragma once

#include "base/diagnostics.h"
#include "scenario/key.h"
#include "scenario/tree.h"

/* Reads the node into the field of *target that `key` describes. Returns false, with the error
 * appended to the list, if the value does not fit. `name` is the value's path for that message. */
bool tma_value_read(const struct tma_key *key, const struct tma_yaml_node *node, const char *name,
                    void *target, struct tma_diagnostics *list);
