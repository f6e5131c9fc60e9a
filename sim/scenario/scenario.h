/* A scenario: a machine, tensor maps and a workload, read from YAML and checked. */
#ifndef TMA_SCENARIO_SCENARIO_H
#define TMA_SCENARIO_SCENARIO_H

#include "base/api.h"
#include "base/diagnostics.h"
#include "engine/workload.h"

TMA_API_BEGIN

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

/* As tma_scenario_read, from `text` (YAML that ends with a NUL). `name` stands for the path of a
 * file: the faults' places name it, and the machine's file is found relative to its folder. `text`
 * is copied; `name` has to live as long as the list is used. */
bool tma_scenario_read_text(const char *text, const char *name, const char *const *settings,
                            size_t setting_count, struct tma_scenario *scenario,
                            struct tma_diagnostics *list);

/* Frees what the scenario owns and leaves it empty. */
void tma_scenario_free(struct tma_scenario *scenario);

TMA_API_END

#endif
