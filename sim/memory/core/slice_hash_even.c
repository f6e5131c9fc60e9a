/* Lines are interleaved over the slices of their home partition. */
#include "memory/core/slice_hash.h"

static struct tma_line_server server(uint64_t line) {
    return (struct tma_line_server){tma_home_of_page(line >> TMA_HOME_BITS), TMA_INTERLEAVED};
}

static uint64_t block(uint64_t line, uint64_t group) {
    (void)line;
    return group / TMA_BLOCK_LINES;
}

const struct tma_slice_hash_policy tma_slice_hash_even = {
    .slices = 0, .server = server, .block = block};
