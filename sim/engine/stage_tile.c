#include "engine/workload.h"
#include "placement/rows.h"
#include "tensormap/types.h"

enum tma_error_code tma_workload_tile(const struct tma_workload *workload, uint32_t slot,
                                      uint32_t index, struct tma_tile *tile,
                                      struct tma_error *error) {
    const struct tma_stage_operation *stage = &workload->operations[index];
    const struct tma_tensor_map *map = &workload->maps[stage->map];
    struct tma_operation operation = stage->operation;
    struct tma_row_stream rows;
    struct tma_operation_size size;
    tma_walk_coordinates(stage, workload, 0, 0, operation.coordinates);
    operation.shared_address += workload->shared_base_bytes + slot * workload->stage_bytes;
    enum tma_error_code code = tma_rows_begin(&rows, map, &operation, &size, error);
    if (code != TMA_OK)
        return code;
    *tile = (struct tma_tile){.swizzle = map->swizzle,
                              .shared_address = operation.shared_address,
                              .rows = size.rows,
                              .row_bytes = size.row_bytes,
                              .pitch_bytes = size.row_pitch_bytes,
                              .element_bytes = tma_type_info(map->data_type)->shared_bits / 8};
    return TMA_OK;
}
