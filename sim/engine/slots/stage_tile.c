#include "banks/operation_tile.h"
#include "engine/workload.h"

enum tma_error_code tma_workload_tile(const struct tma_workload *workload, uint32_t slot,
                                      uint32_t index, struct tma_tile *tile,
                                      struct tma_error *error) {
    const struct tma_stage_operation *stage = &workload->operations[index];
    const struct tma_tensor_map *map = &workload->maps[stage->map];
    struct tma_operation operation = stage->operation;
    tma_walk_coordinates(stage, workload, 0, 0, operation.coordinates);
    operation.shared_address += workload->shared_base_bytes + slot * workload->stage_bytes;
    return tma_operation_tile(map, &operation, tile, error);
}
