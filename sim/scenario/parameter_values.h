/* Errors of a scenario name the parameters that they come from. Internal to this folder. */
#ifndef TMA_SCENARIO_PARAMETER_VALUES_H
#define TMA_SCENARIO_PARAMETER_VALUES_H

#include "scenario/tree.h"

/* Appends to each error of the list, from the one with index `first` on, the values of the
 * parameters that the text at its location uses, directly or through other parameters: "; BM = 100,
 * BK = 64". It leaves an error as it is where its text has a value already, where more than eight
 * are used, or without memory. */
void tma_add_parameter_values(const struct tma_yaml_node *root, struct tma_diagnostics *list,
                              size_t first);

#endif
