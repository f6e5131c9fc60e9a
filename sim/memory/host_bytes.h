/* What a machine would take of the host's memory, before anything is taken. */
#pragma once

#include "memory/machine.h"

/* The memory that the parts of a machine take on the host whose size has no other limit, in bytes.
 */
struct tma_memory_bytes {
    uint64_t l2_tags, dram_channels;
};
struct tma_memory_bytes tma_memory_bytes(const struct tma_machine *machine);
