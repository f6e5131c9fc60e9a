/* Lines are interleaved over the slices of their home partition. */
#include "memory/core/slice_hash.h"

const struct tma_slice_hash_policy tma_slice_hash_even = {.slices = 0,
                                                          .server = tma_interleaved_server};
