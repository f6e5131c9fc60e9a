/* Slice hashes: which slice of a partition serves a line. The DRAM channel follows from the slice.
 */
#pragma once

#include "memory/machine.h"

/* Tensors have virtual addresses, and what serves a line depends on its physical one. The model has
 * up to 256 GiB of memory, at whose byte 528 MiB lies what a program allocates first: so it was in
 * all programs that were measured on three H200 (driver 580), with 256 MiB to 120 GiB.
 * A scenario places its first tensor, and a record its only one, at virtual address 0x7f0000000000,
 * which is a multiple of 256 GiB. */
static inline uint64_t tma_physical_line(uint64_t line) {
    return (line + (528u << 20) / TMA_LINE_BYTES) % (UINT64_C(1) << 31);
}

/* Lines of a block: 256 bytes, which one row of DRAM has. */
enum { TMA_BLOCK_LINES = 2 };

/* log2 of the consecutive lines that have one home: 4 KiB. */
enum { TMA_HOME_BITS = 5 };

/* What serves a line. */
struct tma_line_server {
    uint16_t home;  /* partition, the same for 4 KiB; of each 8 KiB, each has 4 */
    uint16_t slice; /* of a partition; TMA_INTERLEAVED: lines are dealt out to slices one by one */
};

enum { TMA_INTERLEAVED = UINT16_MAX };

struct tma_slice_hash_policy {
    uint32_t slices; /* of one partition, which the hash is made for; 0: any number */

    /* What serves `line` (byte address / 128). */
    struct tma_line_server (*server)(uint64_t line);

    /* The number of a line's block among those of its slice and home: see tma_block_of. NULL: where
     * lines are interleaved, it follows from the line's group (address_map.h). */
    uint64_t (*block)(uint64_t line);
};

#define TMA_DECLARE_SLICE_HASH(name)                                                               \
    extern const struct tma_slice_hash_policy tma_slice_hash_##name;
TMA_SLICE_HASHES(TMA_DECLARE_SLICE_HASH)
#undef TMA_DECLARE_SLICE_HASH

/* The functions of a hash. */
const struct tma_slice_hash_policy *tma_slice_hash_policy(enum tma_slice_hash hash);
