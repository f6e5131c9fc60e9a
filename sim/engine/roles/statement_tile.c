#include "banks/operation_tile.h"
#include "engine/roles/kernel.h"
#include "placement/rows.h"

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
