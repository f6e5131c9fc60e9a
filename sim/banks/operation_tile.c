#include "banks/operation_tile.h"

#include "placement/rows.h"
#include "tensormap/types.h"

enum tma_error_code tma_operation_tile(const struct tma_tensor_map *map,
                                       const struct tma_operation *operation, struct tma_tile *tile,
                                       struct tma_error *error) {
    struct tma_row_stream rows;
    struct tma_operation_size size;
    enum tma_error_code code = tma_rows_begin(&rows, map, operation, &size, error);
    if (code != TMA_OK)
        return code;
    *tile = (struct tma_tile){.swizzle = map->swizzle,
                              .shared_address = operation->shared_address,
                              .rows = size.rows,
                              .row_bytes = size.row_bytes,
                              .pitch_bytes = size.row_pitch_bytes,
                              .element_bytes = tma_type_info(map->data_type)->shared_bits / 8};
    return TMA_OK;
}
