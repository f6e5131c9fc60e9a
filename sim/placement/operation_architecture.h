/* Checks whether an architecture has an operation. */
#pragma once

#include "base/api.h"
#include "placement/operation.h"
#include "tensormap/architectures.h"

TMA_API_BEGIN

/* Checks an operation that tma_operation_check accepts against the features of an architecture
 * (tensormap/architectures.h). Fails with TMA_ERROR_UNSUPPORTED if the architecture does not have
 * the operation, or does not have it for the map's type or swizzle; and with TMA_ERROR_ARGUMENT if
 * a coordinate is legal on other architectures only. The error names the source. */
enum tma_error_code tma_operation_architecture_check(const struct tma_tensor_map *map,
                                                     const struct tma_operation *operation,
                                                     enum tma_architecture architecture,
                                                     struct tma_error *error);

TMA_API_END
