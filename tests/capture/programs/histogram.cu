/* CUDA C++ through the runtime: a struct with pointers and numbers is the parameter, the launch has
 * dynamic shared memory and the kernel changes its memory in place: a second launch without the
 * memory of the first would count twice. Its grid is given by cudaLaunchKernelEx. */
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

struct Histogram {
    const uint32_t *keys;
    uint32_t *counts;
    uint32_t key_count, bins;
    float scale;
};

extern "C" __global__ void __launch_bounds__(256) histogram(Histogram work) {
    extern __shared__ uint32_t own[];
    for (uint32_t bin = threadIdx.x; bin < work.bins; bin += blockDim.x)
        own[bin] = 0;
    __syncthreads();
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < work.key_count;
         i += gridDim.x * blockDim.x)
        atomicAdd(&own[work.keys[i] % work.bins], 1u);
    __syncthreads();
    for (uint32_t bin = threadIdx.x; bin < work.bins; bin += blockDim.x)
        atomicAdd(&work.counts[bin],
                  static_cast<uint32_t>(static_cast<float>(own[bin]) * work.scale));
}

int main() {
    constexpr uint32_t KEYS = 1 << 18, BINS = 1024;
    std::vector<uint32_t> keys(KEYS), counts(BINS);
    for (uint32_t i = 0; i < KEYS; i++)
        keys[i] = i * 2654435761u >> 16;
    Histogram work = {nullptr, nullptr, KEYS, BINS, 1.0f};
    uint32_t *memory;
    cudaMalloc(&memory, sizeof(uint32_t) * KEYS);
    cudaMalloc(&work.counts, sizeof(uint32_t) * BINS);
    cudaMemcpy(memory, keys.data(), sizeof(uint32_t) * KEYS, cudaMemcpyHostToDevice);
    cudaMemset(work.counts, 0, sizeof(uint32_t) * BINS);
    work.keys = memory;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(132);
    config.blockDim = dim3(256);
    config.dynamicSmemBytes = sizeof(uint32_t) * BINS;
    cudaLaunchKernelEx(&config, histogram, work);
    cudaMemcpy(counts.data(), work.counts, sizeof(uint32_t) * BINS, cudaMemcpyDeviceToHost);
    uint64_t sum = 0;
    for (uint32_t count : counts)
        sum += count;
    std::printf("%s, %llu keys counted of %u\n", cudaGetErrorString(cudaGetLastError()),
                static_cast<unsigned long long>(sum), KEYS);
    return sum == KEYS ? 0 : 1;
}
