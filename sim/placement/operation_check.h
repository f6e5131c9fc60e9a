/* Which operations a tensor map has, and which of them stop the kernel on hardware. */
#ifndef TMA_PLACEMENT_OPERATION_CHECK_H
#define TMA_PLACEMENT_OPERATION_CHECK_H

#include "base/error.h"
#include "placement/operation.h"

/* The map must be one that the rules accept; TMA_ERROR_TENSOR_MAP where it is so wrong that it has
 * no walk. Fails with TMA_ERROR_ARGUMENT where the map's kind, type or rank does not have the
 * operation or an argument is out of its range, or with TMA_ERROR_FAULT where an H200 stops the
 * kernel. The text names the argument, its value and its range. */
enum tma_error_code tma_operation_check(const struct tma_tensor_map *map,
                                        const struct tma_operation *operation,
                                        struct tma_error *error);

#endif
