#include <stdio.h>
#include <string.h>

#include "experiment/pipeline_reliefs.h"
#include "placement/operation_architecture.h"
#include "placement/rows.h"
#include "tensormap/legal.h"
#include "tensormap/rules.h"

enum { SHARED_ALIGNMENT_BYTES = 128 };

/* Checks an operation at the first tile of its walk, and that its tile fits the stage. */
static bool operation_is_legal(const struct tma_machine *machine,
                               const struct tma_workload *workload, uint32_t index) {
    const struct tma_stage_operation *stage = &workload->operations[index];
    const struct tma_tensor_map *map = &workload->maps[stage->map];
    struct tma_operation operation = stage->operation;
    struct tma_row_stream rows;
    struct tma_operation_size size;
    memcpy(operation.coordinates, stage->walk.start, sizeof operation.coordinates);
    if (tma_tensor_map_require_legal(map, NULL) != TMA_OK ||
        tma_rows_begin(&rows, map, &operation, &size, NULL) != TMA_OK ||
        tma_operation_architecture_check(map, &operation, machine->architecture, NULL) != TMA_OK)
        return false;
    return operation.direction == TMA_PREFETCH ||
           (uint64_t)operation.shared_address + size.shared_footprint_bytes <=
               workload->stage_bytes;
}

bool tma_pipeline_is_legal(const struct tma_machine *machine, const struct tma_workload *workload) {
    uint64_t bytes =
        workload->shared_base_bytes + (uint64_t)workload->depth * workload->stage_bytes;
    bool legal = bytes <= machine->shared_memory_cta_bytes &&
                 (workload->depth == 1 || workload->stage_bytes % SHARED_ALIGNMENT_BYTES == 0);
    for (uint32_t i = 0; i < workload->operation_count; i++)
        legal = legal && operation_is_legal(machine, workload, i);
    return legal;
}

struct tma_map_name tma_relieved_map_name(const struct tma_relieved *relieved, uint32_t map) {
    struct tma_map_name name;
    if (relieved->map_names == NULL)
        snprintf(name.text, sizeof name.text, "map %u", map);
    else
        snprintf(name.text, sizeof name.text, "%s", relieved->map_names[map]);
    return name;
}
