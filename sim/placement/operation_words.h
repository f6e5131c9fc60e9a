/* What callers that read operations share: the words of directions, and the mode that a map has. */
#pragma once

#include "placement/operation.h"

/* "load", "store", "reduce" and "prefetch". */
extern const struct tma_names tma_direction_names;

/* The mode of an access to a map of this kind, where nothing else is said. */
enum tma_access_mode tma_access_of_kind(enum tma_map_kind kind);
