/* What a scenario requires of its parameters, such as "BM is a power of 2". Internal to this
 * folder.
 */
#ifndef TMA_SCENARIO_REQUIREMENTS_H
#define TMA_SCENARIO_REQUIREMENTS_H

#include "scenario/schema.h"

extern const struct tma_schema tma_requirement_schema;

/* Reads the list `requires`. Appends an error for each condition that does not hold, with its
 * reason, and for each that is none. */
void tma_check_requirements(const struct tma_yaml_node *list, struct tma_diagnostics *errors);

#endif
