/* Lines are interleaved over the slices of their home partition. */
#include "memory/core/slice_hash.h"

static struct tma_line_server server(uint64_t line) {
    return (struct tma_line_server){(uint16_t)tma_home_of_page(line >> TMA_HOME_BITS),
                                    TMA_INTERLEAVED};
}

const struct tma_slice_hash_policy tma_slice_hash_even = {.slices = 0, .server = server};
