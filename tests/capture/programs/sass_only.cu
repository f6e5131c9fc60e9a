/* Machine code alone: built without PTX. */
#include <cstdio>
#include <cuda_runtime.h>

extern "C" __global__ void sass_only(int *memory) {
    memory[threadIdx.x] = 1;
}

int main() {
    int *memory;
    cudaMalloc(&memory, 4096);
    sass_only<<<1, 32>>>(memory);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
