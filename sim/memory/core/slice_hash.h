/* Slice hashes: which slice of a partition serves a line. The DRAM channel follows from the slice.
 */
#ifndef TMA_MEMORY_CORE_SLICE_HASH_H
#define TMA_MEMORY_CORE_SLICE_HASH_H

#include "memory/policies.h"

struct tma_slice_hash_policy {
    uint32_t slices; /* of one partition, which the hash is made for; 0: any number */

    /* The slice that serves `line` (byte address / 128). `interleaved` is the slice that the line
     * would have if lines were interleaved over the slices one by one. */
    uint32_t (*slice)(uint64_t line, uint32_t interleaved);
};

#define TMA_DECLARE_SLICE_HASH(name)                                                               \
    extern const struct tma_slice_hash_policy tma_slice_hash_##name;
TMA_SLICE_HASHES(TMA_DECLARE_SLICE_HASH)
#undef TMA_DECLARE_SLICE_HASH

/* The functions of a hash. */
const struct tma_slice_hash_policy *tma_slice_hash_policy(enum tma_slice_hash hash);

#endif
