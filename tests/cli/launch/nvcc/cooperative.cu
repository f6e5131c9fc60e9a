// What the driver gives kernels: barriers of tiles of two warps and of the grid, printf, assert.
// nvcc -ptx -arch=sm_90a -std=c++17 made cooperative.ptx.
#include <cassert>
#include <cooperative_groups.h>
#include <cstdio>

namespace groups = cooperative_groups;

// Each tile of 64 threads adds its numbers, in shared memory.
extern "C" __global__ void tiles(int *sums) {
    __shared__ int numbers[256];
    auto tile = groups::tiled_partition<64>(groups::this_thread_block());
    int *mine = numbers + threadIdx.x / 64 * 64, sum = 0;
    mine[tile.thread_rank()] = int(threadIdx.x);
    tile.sync();
    for (int i = 0; i < 64; i++)
        sum += mine[i];
    sums[threadIdx.x] = sum;
}

// Each CTA sees what all have added before the barrier.
extern "C" __global__ void grid(int *counts, int *seen) {
    for (int round = 0; round < 3; round++) {
        if (threadIdx.x == 0)
            atomicAdd(&counts[round], 1);
        groups::this_grid().sync();
        if (threadIdx.x == 0)
            seen[3 * blockIdx.x + round] = *(volatile int *)&counts[round];
    }
}

extern "C" __global__ void prints(int number) {
    assert(number != 3);
    if (threadIdx.x == 1)
        printf("%d of %s: %5.2f %#llx %c%%\n", number, "a number", number * 1.5,
               1ull << (32 + number), 'x');
}
