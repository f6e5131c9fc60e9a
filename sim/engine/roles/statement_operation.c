#include "engine/roles/statement_operation.h"

#include <inttypes.h>

#include "banks/operation_tile.h"
#include "engine/roles/kernel.h"
#include "placement/rows.h"
#include "tensormap/types.h"

bool tma_statement_operation(const struct tma_kernel *kernel, const struct tma_statement *statement,
                             const int64_t *variables, struct tma_operation *operation,
                             uint32_t *map_index, struct tma_error *error) {
    int64_t value;
    *operation = statement->operation;
    for (int d = 0; d < TMA_MAX_RANK; d++) {
        if (!tma_value_at(&statement->coordinates[d], variables, &value, error))
            return false;
        if (value < INT32_MIN || value > INT32_MAX) {
            tma_fail(error, TMA_ERROR_ARGUMENT,
                     "coordinate %d is %" PRId64 "; allowed: 32 bits with a sign", d, value);
            return false;
        }
        operation->coordinates[d] = (int32_t)value;
    }
    for (int d = 0; d < 3; d++) {
        if (!tma_value_at(&statement->im2col_offsets[d], variables, &value, error))
            return false;
        if (value < 0 || value > UINT16_MAX) {
            tma_fail(error, TMA_ERROR_ARGUMENT,
                     "im2col offset %d is %" PRId64 "; allowed: 0 to 65535", d, value);
            return false;
        }
        operation->im2col_offsets[d] = (uint16_t)value;
    }
    if (!tma_value_at(&statement->cta_mask, variables, &value, error))
        return false;
    uint32_t cluster = tma_kernel_cluster_ctas(kernel);
    if (value < 0 || value >> cluster != 0) {
        tma_fail(error, TMA_ERROR_ARGUMENT, "cta_mask is %" PRId64 "; a cluster has ranks 0 to %u",
                 value, cluster - 1);
        return false;
    }
    operation->cta_mask = (uint16_t)value;
    if (!tma_value_at(&statement->shared_offset, variables, &value, error))
        return false;
    operation->shared_address += (uint32_t)value;
    if (!tma_value_at(&statement->map_index, variables, &value, error))
        return false;
    if (value < 0 || value >= tma_array_maps(&kernel->arrays[statement->map])) {
        tma_fail(error, TMA_ERROR_ARGUMENT, "map %" PRId64 " of an array of %u", value,
                 tma_array_maps(&kernel->arrays[statement->map]));
        return false;
    }
    *map_index = (uint32_t)value;
    return true;
}

uint32_t tma_statement_pieces(const struct tma_kernel *kernel,
                              const struct tma_statement *statement) {
    const struct tma_tensor_map *map = &kernel->maps[statement->map];
    if (statement->lanes.by != TMA_BY_BULK || map->rank < 2)
        return 1;
    uint64_t row_bytes = (uint64_t)map->box_dim[0] * tma_type_info(map->data_type)->global_bits / 8;
    bool together = statement->lanes.rows == NULL && map->global_strides[0] == row_bytes;
    return together ? 1 : map->box_dim[1];
}

bool tma_exchanged_bytes(const struct tma_statement *statement, const int64_t *variables,
                         int64_t *bytes, struct tma_error *error) {
    int64_t offset;
    if (!tma_value_at(&statement->touched_bytes, variables, bytes, error) ||
        !tma_value_at(&statement->shared_offset, variables, &offset, error))
        return false;
    if (*bytes == 0 && offset >= 0)
        *bytes = (int64_t)statement->touched.bytes - offset;
    return true;
}

enum tma_error_code tma_statement_tile(const struct tma_kernel *kernel,
                                       const struct tma_statement *statement, uint32_t stage,
                                       struct tma_tile *tile, struct tma_error *error) {
    const struct tma_tensor_map *map = &kernel->maps[statement->map];
    struct tma_operation operation = statement->operation;
    tma_go_inside_box(map, &operation);
    operation.shared_address += statement->ring == TMA_NO_RING
                                    ? kernel->buffers[statement->buffer].shared_offset
                                    : kernel->rings[statement->ring].shared_offset +
                                          stage * kernel->rings[statement->ring].stage_bytes;
    return tma_operation_tile(map, &operation, tile, error);
}
