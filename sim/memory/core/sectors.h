/* Lines of 128 bytes have four sectors of 32 bytes; a set of a line's sectors is a bit mask. */
#pragma once

#include "memory/core/port.h"
#include "memory/machine.h"

enum { TMA_SECTORS = TMA_LINE_BYTES / TMA_SECTOR_BYTES, TMA_ALL_SECTORS = 15 };

/* The sectors of a line that its bytes from `first` to `last` touch. */
static inline uint32_t tma_sector_mask(uint32_t first, uint32_t last) {
    return (2u << last / TMA_SECTOR_BYTES) - (1u << first / TMA_SECTOR_BYTES);
}

/* Ticks for which a sector occupies a port of this width. */
static inline uint64_t tma_sector_ticks(uint32_t bytes_per_kcycle) {
    return (uint64_t)TMA_SECTOR_BYTES * 1000 * TMA_TICKS / bytes_per_kcycle;
}

/* Number of sectors in a mask. */
static inline uint32_t tma_sector_count(uint32_t sectors) {
    return (uint32_t)(UINT64_C(0x4332322132212110) >> (4 * sectors)) & 15u;
}
