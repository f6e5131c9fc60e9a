/* Reads memory, so that L2 holds it, and nothing that it held before if there is more of it than L2
 * has room for. */
#pragma once

#include <cstddef>
#include <cstdint>

/* Any grid. The sum is written so that the compiler keeps the loads. */
static __global__ void read_all(const uint4 *from, size_t count, uint32_t *sink) {
    uint32_t sum = 0;
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count;
         i += size_t(gridDim.x) * blockDim.x) {
        uint4 word = from[i];
        sum += word.x ^ word.y ^ word.z ^ word.w;
    }
    if (sum == 0x12345678)
        *sink = sum;
}
