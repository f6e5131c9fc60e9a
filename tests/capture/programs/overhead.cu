/* How long launches take on the host: the first one of a kernel, and the mean of many others. */
#include <chrono>
#include <cstdio>
#include <cuda_runtime.h>

extern "C" __global__ void first(int *memory) {
    memory[threadIdx.x] = 1;
}
extern "C" __global__ void other(int *memory) {
    memory[threadIdx.x] = 2;
}

static double now_us() {
    using namespace std::chrono;
    return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

int main() {
    constexpr int LAUNCHES = 100000;
    int *memory;
    cudaMalloc(&memory, 4096);
    other<<<1, 32>>>(memory);
    cudaDeviceSynchronize();
    double start = now_us();
    first<<<1, 32>>>(memory);
    cudaDeviceSynchronize();
    double one = now_us() - start;
    start = now_us();
    for (int i = 0; i < LAUNCHES; i++)
        other<<<1, 32>>>(memory);
    cudaDeviceSynchronize();
    std::printf("first launch %.0f us, others %.3f us each\n", one, (now_us() - start) / LAUNCHES);
}
