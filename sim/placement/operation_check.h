/* Checks one operation against its tensor map. */
#pragma once

#include "base/error.h"
#include "placement/operation.h"

/* Checks an operation on a map that tma_tensor_map_check accepts. Fails with
 *   TMA_ERROR_TENSOR_MAP  the map is too wrong to be walked at all
 *   TMA_ERROR_ARGUMENT    the map's kind, type or rank does not have the operation, or an argument
 *                         is out of its range
 *   TMA_ERROR_FAULT       an H200 stops the kernel at this operation
 * The error names the argument, its value and its range. */
enum tma_error_code tma_operation_check(const struct tma_tensor_map *map,
                                        const struct tma_operation *operation,
                                        struct tma_error *error);
