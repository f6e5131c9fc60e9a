/* A fast answer to whether a map is legal, for code that executes many operations. */
#pragma once

#include "base/api.h"
#include "tensormap/rules.h"

TMA_API_BEGIN

/* True for most maps that are legal on every architecture, and for no other map. A map for which
 * this is false can still be legal. Takes a few nanoseconds. */
bool tma_tensor_map_is_plain(const struct tma_tensor_map *map);

/* Fails with TMA_ERROR_TENSOR_MAP if no architecture's rules accept the map. The error is the first
 * violation on the architecture that has the fewest. */
enum tma_error_code tma_tensor_map_require_legal(const struct tma_tensor_map *map,
                                                 struct tma_error *error);

TMA_API_END
