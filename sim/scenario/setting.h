/* Changes one value of a document, as the option --set does. */
#pragma once

#include "scenario/tree.h"

/* Applies `setting`, "path=value". The value is YAML. An index of a list is ".2" or "[2]"; the
 * index one past the end appends. Missing mappings on the path are created. All new nodes have the
 * location `name` ("--set 1"), which the tree borrows. Returns false, with the reason appended to
 * the list, if the text has no
 * "=" or the path does not fit the tree. */
bool tma_yaml_set(struct tma_yaml_node *root, const char *setting, const char *name,
                  struct tma_diagnostics *list);

/* Whether a setting "gpu.sm_clock=boost" wants a clock by its name, which the machine does not
 * have: reports the key of the run that is meant, `key`. */
bool tma_setting_names_clock(const char *setting, const char *key, const char *name,
                             struct tma_diagnostics *list);
