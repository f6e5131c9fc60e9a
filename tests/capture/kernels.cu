/* nvcc makes kernels.ptx, kernels.zstd, kernels.lz4 and kernels.sass of this (tests/capture/run). */
#include <cuda.h>

struct Group {
    float *pointer;
    float scale;
    unsigned zero;
    float *other;
    unsigned rows, columns;
    unsigned long long none;
};

extern "C" __global__ void count_up(unsigned *counts, unsigned times) {
    if (times > 0)
        atomicAdd(counts, 1);
}

extern "C" __global__ void mapped(const __grid_constant__ CUtensorMap map, unsigned long long one, Group group) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map));
    if (one > 1)
        group.pointer[threadIdx.x] = group.scale;
}
