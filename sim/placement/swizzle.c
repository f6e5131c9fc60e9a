#include "placement/swizzle.h"

#include "tensormap/types.h"

enum { LINE_BYTES = 128 };

uint32_t tma_swizzle_address(enum tma_swizzle swizzle, uint32_t address) {
    const struct tma_swizzle_info *info = tma_swizzle_info(swizzle);
    uint32_t line = address / LINE_BYTES % info->lines;
    return (address ^ line * info->atom_bytes) ^ (info->flips_8b && line % 2 == 1 ? 8 : 0);
}

uint32_t tma_swizzle_base_offset(enum tma_swizzle swizzle, uint32_t shared_address) {
    return shared_address / LINE_BYTES % tma_swizzle_info(swizzle)->lines;
}

uint32_t tma_swizzle_pattern_bytes(enum tma_swizzle swizzle) {
    return LINE_BYTES * tma_swizzle_info(swizzle)->lines;
}

bool tma_swizzle_atom_valid(uint32_t span_bytes, uint32_t atom_bytes, bool flips_8b) {
    for (int value = TMA_SWIZZLE_NONE; tma_swizzle_info((enum tma_swizzle)value) != NULL; value++) {
        const struct tma_swizzle_info *info = tma_swizzle_info((enum tma_swizzle)value);
        if (info->span_bytes == span_bytes && info->atom_bytes == atom_bytes &&
            info->flips_8b == flips_8b)
            return true;
    }
    return false;
}
