#include "memory/core/slice_hash.h"

#define POLICY(name) &tma_slice_hash_##name,
static const struct tma_slice_hash_policy *const policies[] = {TMA_SLICE_HASHES(POLICY)};

const struct tma_slice_hash_policy *tma_slice_hash_policy(enum tma_slice_hash hash) {
    return policies[hash];
}
