/* The tensor maps whose tiles the access statements of a kernel read: with another swizzle mode,
 * the kernel has other bank conflicts. */
#pragma once

#include "base/error.h"
#include "engine/workload.h"

TMA_API_BEGIN

struct tma_kernel;

struct tma_read_maps {
    bool read[TMA_MAX_TENSOR_MAPS]; /* by index of the map */
    uint32_t stages;                /* of the deepest ring that is read; at least 1 */
};

/* Finds them. Fails where swizzle modes can't be compared: no access statement reads a tile, there
 * are more than TMA_MAX_CONSUMERS of them, or the first CTA does not load the tiles of all; and as
 * the expressions do. */
enum tma_error_code tma_kernel_read_maps(const struct tma_kernel *kernel,
                                         struct tma_read_maps *maps, struct tma_error *error);

TMA_API_END
