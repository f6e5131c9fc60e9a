/* Lists a scenario's keys and values, with every default and every --set applied. */
#pragma once

#include "scenario/scenario.h"
#include "scenario/schema_describe.h"

/* Visits the keys of machine, tensor maps, workload, operations and consumers, in this order. */
void tma_scenario_describe(const struct tma_scenario *scenario, tma_pair_visitor visit,
                           void *context);

/* Visits the parameters alone, as tma_scenario_describe does: "parameters.NAME". */
void tma_scenario_describe_parameters(const struct tma_scenario *scenario, tma_pair_visitor visit,
                                      void *context);

bool tma_scenario_has_parameter(const struct tma_scenario *scenario, const char *name);

/* Whether the value of a parameter, "parameters.NAME", comes from other parameters. */
bool tma_scenario_parameter_is_derived(const struct tma_scenario *scenario, const char *key);

/* False for keys of the machine, as tma_scenario_describe names them, from which only times and
 * notes follow: traces and digests leave them out. */
bool tma_cycles_depend_on(const char *key);
