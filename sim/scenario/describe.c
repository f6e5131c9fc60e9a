#include "scenario/describe.h"

#include <stdio.h>

#include "scenario/machine_file.h"
#include "scenario/parameters.h"
#include "scenario/scenario.h"
#include "scenario/scenario_reader.h"

void tma_scenario_describe(const struct tma_scenario *scenario, tma_pair_visitor visit,
                           void *context) {
    const struct tma_workload *workload = &scenario->workload;
    char prefix[128];
    struct tma_describer describer = {visit, context, "gpu"};
    tma_parameters_visit(scenario->parameters, visit, context);
    tma_machine_describe(&scenario->machine, &describer);
    describer.prefix = prefix;
    for (uint32_t i = 0; i < workload->map_count; i++) {
        snprintf(prefix, sizeof prefix, "tensor_maps.%s", scenario->map_names[i]);
        tma_map_describe(&workload->maps[i], &workload->arrays[i], &describer);
    }
    snprintf(prefix, sizeof prefix, "workload");
    tma_workload_describe(workload, &describer);
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        snprintf(prefix, sizeof prefix, "workload.operations.%u", i);
        tma_operation_describe(scenario, i, &describer);
    }
    for (uint32_t i = 0; i < workload->consumer_count; i++) {
        snprintf(prefix, sizeof prefix, "workload.consumers.%u", i);
        tma_consumer_describe(&workload->consumers[i], &describer);
    }
}
