// Measures groups of wgmma m64nNk16 from shared memory, one behind the other: cycles of a group by
// its number of instructions, by how many groups are left in flight where it waits, and by how many
// warp groups do the same. usage: product_groups > product_groups.tsv
#include <cstdint>
#include <cstdio>

#include "ptx.cuh"
#include "wgmma.cuh"

enum { TIMES = 64, SHARED_BYTES = 120000, B_START = 32768, GROUP_BYTES = 8192 };

template <int N, int PRODUCTS, int LEAVE>
__global__ void __launch_bounds__(256) products(float *sink, uint32_t *out) {
    extern __shared__ uint8_t raw[];
    uint32_t base = (shared_address(raw) + 1023u) & ~1023u;
    float acc[N / 2], sum = 0;
    for (int i = 0; i < N / 2; i++)
        acc[i] = 0;
    uint64_t a = desc(base + threadIdx.x / 128 * GROUP_BYTES), b = desc(base + B_START);
    __syncthreads();
    uint32_t start = clock_now();
#pragma unroll 1
    for (int i = 0; i < TIMES; i++) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int q = 0; q < PRODUCTS; q++)
            wgmma<N>(acc, a + 2 * (q & 3), b + 2 * (q & 3));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEAVE) : "memory");
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    uint32_t cycles = clock_now() - start;
    if (threadIdx.x == 0)
        *out = cycles;
    for (int i = 0; i < N / 2; i++)
        sum += acc[i];
    if (sum == 1.2345f) // so that the sums are needed
        *sink = sum;
}

template <int N, int PRODUCTS, int LEAVE> static void measure(float *sink, uint32_t *out) {
    cudaFuncSetAttribute(products<N, PRODUCTS, LEAVE>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         SHARED_BYTES);
    for (int groups = 1; groups <= 2; groups++) {
        uint32_t cycles = 0;
        for (int i = 0; i < 3; i++)
            products<N, PRODUCTS, LEAVE><<<1, groups * 128, SHARED_BYTES>>>(sink, out);
        cudaError_t error = cudaMemcpy(&cycles, out, sizeof cycles, cudaMemcpyDeviceToHost);
        if (error != cudaSuccess)
            printf("# %s\n", cudaGetErrorString(error));
        printf("%d\t%d\t%d\t%d\t%.1f\n", N, PRODUCTS, LEAVE, groups, (float)cycles / TIMES);
    }
}

template <int N, int PRODUCTS> static void measure_all(float *sink, uint32_t *out) {
    measure<N, PRODUCTS, 0>(sink, out);
    measure<N, PRODUCTS, 1>(sink, out);
    measure<N, PRODUCTS, 2>(sink, out);
}

template <int N> static void measure_counts(float *sink, uint32_t *out) {
    measure_all<N, 1>(sink, out);
    measure_all<N, 2>(sink, out);
    measure_all<N, 3>(sink, out);
    measure_all<N, 4>(sink, out);
    measure_all<N, 5>(sink, out);
    measure_all<N, 6>(sink, out);
    measure_all<N, 8>(sink, out);
    measure_all<N, 12>(sink, out);
    measure_all<N, 16>(sink, out);
}

int main() {
    float *sink;
    uint32_t *out;
    cudaMalloc(&sink, sizeof *sink);
    cudaMalloc(&out, sizeof *out);
    puts("n\tproducts\tleave\tgroups\tcycles");
    measure_counts<64>(sink, out);
    measure_counts<128>(sink, out);
    measure_counts<256>(sink, out);
}
