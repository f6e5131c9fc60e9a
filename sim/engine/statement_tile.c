#include "banks/operation_tile.h"
#include "engine/kernel.h"

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
    operation.shared_address += statement->ring == TMA_NO_RING
                                    ? kernel->buffers[statement->buffer].shared_offset
                                    : kernel->rings[statement->ring].shared_offset +
                                          stage * kernel->rings[statement->ring].stage_bytes;
    return tma_operation_tile(map, &operation, tile, error);
}
