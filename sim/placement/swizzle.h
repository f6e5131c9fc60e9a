/* Swizzling: where a byte of the box lies among the shared-memory banks (PTX ISA 5.5.7). */
#ifndef TMA_PLACEMENT_SWIZZLE_H
#define TMA_PLACEMENT_SWIZZLE_H

#include "base/api.h"
#include "tensormap/tensormap.h"

TMA_API_BEGIN

/* The shared-memory address at which the byte at `address` before the swizzle lies. The swizzle
 * acts on the absolute address: chunk bits are XORed with the number of the 128-byte line. It is
 * its own inverse. */
uint32_t tma_swizzle_address(enum tma_swizzle swizzle, uint32_t address);

/* The document's "swizzle base offset" of a destination: by how many lines its pattern is ahead
 * of one that begins at a pattern's boundary. 0 without a swizzle. */
uint32_t tma_swizzle_base_offset(enum tma_swizzle swizzle, uint32_t shared_address);

/* Bytes from one start of the repeating pattern to the next: 256, 512 or 1024; 128 without a
 * swizzle. */
uint32_t tma_swizzle_pattern_bytes(enum tma_swizzle swizzle);

/* Table 14: is this atom (16, 32 or 64 bytes, with or without the 8-byte flip) one that the
 * swizzle span (0, 32, 64, 96 or 128 bytes) has? */
bool tma_swizzle_atom_valid(uint32_t span_bytes, uint32_t atom_bytes, bool flips_8b);

TMA_API_END

#endif
