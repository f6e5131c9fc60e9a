#include "engine/kernel.h"
#include "placement/rows.h"
#include "tensormap/types.h"

/* The operation of a statement at coordinates that are inside its box: where it lies in shared
 * memory does not depend on them, but im2col faults at 0. */
static struct tma_operation operation_of(const struct tma_kernel *kernel,
                                         const struct tma_statement *statement) {
    const struct tma_tensor_map *map = &kernel->maps[statement->map];
    struct tma_operation operation = statement->operation;
    for (int d = 0; d < TMA_MAX_RANK; d++)
        operation.coordinates[d] =
            operation.access == TMA_ACCESS_IM2COL && d > 0 && d < (int)map->rank - 1
                ? map->lower_corner[map->rank - 2 - (uint32_t)d]
                : 0;
    return operation;
}

enum tma_error_code tma_statement_tile(const struct tma_kernel *kernel,
                                       const struct tma_statement *statement, uint32_t stage,
                                       struct tma_tile *tile, struct tma_error *error) {
    const struct tma_tensor_map *map = &kernel->maps[statement->map];
    struct tma_operation operation = operation_of(kernel, statement);
    struct tma_operation_size size;
    struct tma_row_stream rows;
    operation.shared_address += statement->ring == TMA_NO_RING
                                    ? kernel->buffers[statement->buffer].shared_offset
                                    : kernel->rings[statement->ring].shared_offset +
                                          stage * kernel->rings[statement->ring].stage_bytes;
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
