/* A scenario said back, with every default and every --set resolved: key by key, by the same tables
 * that it was read with. */
#ifndef TMA_SCENARIO_DESCRIBE_H
#define TMA_SCENARIO_DESCRIBE_H

#include <stdio.h>

#include "scenario/scenario.h"
#include "scenario/schema.h"

/* Takes one key ("gpu.l2.ways", "tensor_maps.A.box_dim") and its value as YAML; both live only
 * during the call. */
typedef void (*tma_pair_visitor)(void *context, const char *key, const char *value);

/* Machine, tensor maps, workload, operations and consumers, in this order. */
void tma_scenario_describe(const struct tma_scenario *scenario, tma_pair_visitor visit,
                           void *context);

/* Writes the reference of scenario files, or of machine files, as Markdown tables: every key with
 * what it takes, its default and its meaning. */
void tma_scenario_reference(FILE *out);
void tma_machine_reference(FILE *out);

/* The steps of tma_scenario_describe. Internal to this folder: each knows its table's struct. */
struct tma_describer {
    tma_pair_visitor visit;
    void *context;
    const char *prefix; /* "tensor_maps.A" */
};

void tma_schema_describe(const struct tma_schema *schema, const void *values,
                         const struct tma_describer *describer);
void tma_machine_describe(const struct tma_machine *machine, const struct tma_describer *describer);
void tma_map_describe(const struct tma_tensor_map *map, const struct tma_map_array *array,
                      const struct tma_describer *describer);
void tma_workload_describe(const struct tma_workload *workload,
                           const struct tma_describer *describer);
void tma_operation_describe(const struct tma_scenario *scenario, uint32_t index,
                            const struct tma_describer *describer);
void tma_consumer_describe(const struct tma_consumer *consumer,
                           const struct tma_describer *describer);

#endif
