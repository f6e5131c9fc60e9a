#include "placement/rows.h"
#include "tensormap/types.h"

enum { LINE_BYTES = 128 };

uint32_t tma_swizzle_address(enum tma_swizzle swizzle, uint32_t address) {
    const struct tma_swizzle_info *info = tma_swizzle_info(swizzle);
    uint32_t line = address / LINE_BYTES % info->lines;
    return (address ^ line * info->atom_bytes) ^ (info->flips_8b && line % 2 == 1 ? 8 : 0);
}
