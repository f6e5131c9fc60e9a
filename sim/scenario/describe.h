/* Lists a scenario's keys and values, with every default and every --set applied. */
#ifndef TMA_SCENARIO_DESCRIBE_H
#define TMA_SCENARIO_DESCRIBE_H

#include "base/digest.h"
#include "scenario/scenario.h"
#include "scenario/schema_describe.h"

/* Visits the keys of machine, tensor maps, workload, operations and consumers, in this order. */
void tma_scenario_describe(const struct tma_scenario *scenario, tma_pair_visitor visit,
                           void *context);

/* Digests the keys and values that tma_scenario_describe visits: comments, the order of keys, and
 * whether a value is a default or a setting do not count. Returns false when out of memory. */
bool tma_scenario_digest(const struct tma_scenario *scenario, struct tma_digests *digests);

#endif
