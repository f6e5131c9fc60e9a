/* Reductions: how cp.reduce.async.bulk.tensor combines elements (PTX ISA 9.7.9.27.1.3). */
#pragma once

#include "placement/operation.h"
#include "tensormap/types.h"

extern const struct tma_names tma_reduction_names; /* add, min, max, inc, dec, and, or, xor */

/* Does hardware have this reduction for this type? Any other combination stops the kernel. */
bool tma_reduction_exists(enum tma_reduction reduction, enum tma_data_type type);

/* Combines `elements` elements of shared memory (`from`) into global memory (`into`). The reduction
 * must exist for the type. */
void tma_reduce(enum tma_reduction reduction, enum tma_data_type type, uint8_t *into,
                const uint8_t *from, uint32_t elements);
