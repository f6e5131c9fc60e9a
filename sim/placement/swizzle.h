/* Swizzling: how a byte's address in shared memory is permuted (PTX ISA 5.5.7). */
#pragma once

#include "base/api.h"
#include "tensormap/tensormap.h"

TMA_API_BEGIN

/* Returns the shared-memory address of the byte whose address before swizzling is `address`. The
 * swizzle acts on the absolute address: it XORs the bits of the 16-byte chunk with the number of
 * the 128-byte line. It is its own inverse. */
uint32_t tma_swizzle_address(enum tma_swizzle swizzle, uint32_t address);

/* The "swizzle base offset" of PTX ISA 5.5.7: the number of 128-byte lines from the last pattern
 * boundary to shared_address. 0 without a swizzle. */
uint32_t tma_swizzle_base_offset(enum tma_swizzle swizzle, uint32_t shared_address);

/* The period of the pattern in bytes: 256, 512 or 1024; 128 without a swizzle. */
uint32_t tma_swizzle_pattern_bytes(enum tma_swizzle swizzle);

/* PTX ISA 5.5.7, table 14: does the swizzle span (0, 32, 64, 96 or 128 bytes) have this atom (16,
 * 32 or 64 bytes, with or without the 8-byte flip)? */
bool tma_swizzle_atom_valid(uint32_t span_bytes, uint32_t atom_bytes, bool flips_8b);

TMA_API_END
