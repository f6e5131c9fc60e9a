// Measures what small loops take on a GPU: the branch back, barriers of the CTA, fences of the
// asynchronous proxy, parts that one lane or one warp executes. Each row of the output: what, how
// often it stands in the loop, warps, cycles of one time around (the mean of many).
// usage: loops > loops.tsv
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

#include "ptx.cuh"

enum What {
    ADD,
    BARRIER,
    FENCE_SHARED,
    FENCE,
    STORE,
    STORE_FENCE,
    LOAD_STORE,
    LOAD_STORE_FENCE,
    IF_LANE,
    IF_WARP
};
enum { TIMES = 256 };

static __device__ void put(uint32_t at, uint32_t value) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(value) : "memory");
}
static __device__ uint32_t get(uint32_t at) {
    uint32_t value;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(at) : "memory");
    return value;
}
static __device__ void fence_shared() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

template <int WHAT, int N> __global__ void loop(int times, uint32_t *out) {
    __shared__ uint32_t words[512];
    uint32_t at = shared_address(words) + threadIdx.x * 4, x = threadIdx.x, begin = 0,
             warp = threadIdx.x / 32;
    put(at, x);
    for (int round = 0; round < 3; round++) {
        __syncthreads();
        begin = clock_now();
#pragma unroll 1
        for (int i = 0; i < times; i++) {
#pragma unroll
            for (int k = 0; k < N; k++) {
                if (WHAT == ADD)
                    asm volatile("add.s32 %0, %0, %1;" : "+r"(x) : "r"(times));
                if (WHAT == BARRIER)
                    asm volatile("bar.sync 0;" ::: "memory");
                if (WHAT == LOAD_STORE || WHAT == LOAD_STORE_FENCE)
                    x = get(at);
                if (WHAT == STORE || WHAT == STORE_FENCE || WHAT == LOAD_STORE ||
                    WHAT == LOAD_STORE_FENCE)
                    put(at, x);
                if (WHAT == FENCE_SHARED || WHAT == STORE_FENCE || WHAT == LOAD_STORE_FENCE)
                    fence_shared();
                if (WHAT == FENCE)
                    fence_async();
                if (WHAT == IF_LANE) {
                    if (threadIdx.x == 0)
                        put(at, x);
                    asm volatile("" ::: "memory");
                }
                if (WHAT == IF_WARP) {
                    if (warp == 0)
                        put(at, x);
                    asm volatile("" ::: "memory");
                }
            }
        }
        begin = clock_now() - begin;
    }
    if (threadIdx.x == 0) {
        out[0] = begin;
        out[1] = x;
    }
}

static uint32_t *out;

template <int WHAT, int N> static void time_loop(const char *what) {
    for (int warps : {1, 4, 8, 16}) {
        loop<WHAT, N><<<1, warps * 32>>>(TIMES, out);
        cudaError_t e = cudaDeviceSynchronize();
        uint32_t took = 0;
        cudaMemcpy(&took, out, 4, cudaMemcpyDeviceToHost);
        if (e)
            printf("# %s: %s\n", what, cudaGetErrorString(e));
        else
            printf("%s\t%d\t%d\t%.1f\n", what, N, warps, took / float(TIMES));
    }
}

template <int WHAT> static void time_loops(const char *what) {
    time_loop<WHAT, 1>(what);
    time_loop<WHAT, 2>(what);
    time_loop<WHAT, 4>(what);
}

int main() {
    cudaMalloc(&out, 8);
    printf("what\tn\twarps\tcycles\n");
    time_loops<ADD>("add");
    time_loops<BARRIER>("barrier");
    time_loops<FENCE_SHARED>("fence_shared");
    time_loops<FENCE>("fence");
    time_loops<STORE>("store");
    time_loops<STORE_FENCE>("store_fence");
    time_loops<LOAD_STORE>("load_store");
    time_loops<LOAD_STORE_FENCE>("load_store_fence");
    time_loops<IF_LANE>("if_lane");
    time_loops<IF_WARP>("if_warp");
}
