/* The tile of an operation, as the warps that access it see it. */
#pragma once

#include "banks/tile.h"
#include "base/error.h"
#include "placement/operation.h"

/* Fills *tile with what the operation has at its shared address. Fails as tma_rows_begin does. */
enum tma_error_code tma_operation_tile(const struct tma_tensor_map *map,
                                       const struct tma_operation *operation, struct tma_tile *tile,
                                       struct tma_error *error);
