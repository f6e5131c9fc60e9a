/* A scenario: a machine, tensor maps and a workload, read from YAML and checked. */
#ifndef TMA_SCENARIO_SCENARIO_H
#define TMA_SCENARIO_SCENARIO_H

#include "base/diagnostics.h"
#include "engine/workload.h"

struct tma_yaml_node;

struct tma_scenario {
    char name[TMA_MAX_NAME];
    char description[512];
    struct tma_machine machine;
    struct tma_workload workload;
    const char *map_names[TMA_MAX_TENSOR_MAPS]; /* by the workload's map index */

    /* Owned, and borrowed by the diagnostics' locations and map_names. */
    struct tma_yaml_node *document;
    struct tma_yaml_node *gpu_document;
    char *gpu_path;
    char **places; /* "--set 1", ... */
    size_t place_count;
};

/* Reads the scenario at `path`, with each setting ("workload.pipeline.depth=8", "gpu.sm_count=66")
 * applied as if it stood in the file, and checks that the machine can run it. The machine's file is
 * found relative to the scenario's.
 *
 * False where anything is wrong: every fault is in the list, with its place. The scenario is to be
 * freed in any case, after the list was used; `path` has to live as long. */
bool tma_scenario_read(const char *path, const char *const *settings, size_t setting_count,
                       struct tma_scenario *scenario, struct tma_diagnostics *list);

void tma_scenario_free(struct tma_scenario *scenario);

#endif
