/* How long loads of single lines of 128 bytes take. */
#pragma once

#include <cstdint>

#include "ptx.cuh"

/* One thread of SM `sm` loads `count` lines `passes` times, one after the other:
 * cycles[pass * count + i]. Shared memory has room for the numbers of the lines. */
__global__ static void load_lines(const char *buffer, const uint32_t *lines, int count, uint32_t sm,
                                  int passes, uint32_t *cycles) {
    extern __shared__ uint32_t numbers[];
    __shared__ volatile uint32_t seen; /* a store that needs the word ends the load */
    if (sm_number() != sm || threadIdx.x != 0)
        return;
    for (int i = 0; i < count; i++)
        numbers[i] = lines[i];
    for (int pass = 0; pass < passes; pass++)
        for (int i = 0; i < count; i++) {
            const char *address = buffer + uint64_t(((volatile uint32_t *)numbers)[i]) * 128;
            asm volatile("" ::"l"(address) : "memory");
            uint32_t start = clock_now();
            seen = load_word(address);
            cycles[pass * count + i] = clock_now() - start;
        }
}
