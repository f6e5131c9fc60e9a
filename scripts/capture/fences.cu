/* What fence.acq_rel.gpu takes behind other operations:
 *
 *   build/capture-fences > fences.tsv
 *
 * A row has what warp 0 does and of how many lines of 128 bytes, whether the same warp fences (mode
 * 0, and 2 behind wait_group.read) or another one (1), how many cycles later, cycles of the fence,
 * and those from the begin to its end. stores_other are of the other half of each 8 KiB, whose home
 * is the other partition. Loads and copies are from DRAM, the others to L2. */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#include "ptx.cuh"
enum { NOTHING, STORES, STORES_OTHER, REDS, LOADS, BULK_LOAD, BULK_STORE, CP_ASYNC };
static const char *names[] = {"nothing", "stores",    "stores_other", "reds",
                              "loads",   "bulk_load", "bulk_store",   "cp_async"};
template <int WHAT>
__global__ void fence(char *base, int count, int mode, int late, uint32_t *cycles, uint32_t *sink) {
    extern __shared__ __align__(1024) char tile[];
    __shared__ __align__(8) uint64_t bar;
    uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0, t0 = 0, t1 = 0, t2 = 0;
    if (threadIdx.x == 0) {
        init(shared_address(&bar), 1);
        fence_init();
    }
    for (int i = 0; i < 8; i++)
        ((volatile uint32_t *)tile)[threadIdx.x + 64 * i] = 0;
    for (int round = 0; round < 3; round++) {
        fence_async();
        __syncthreads();
        uint32_t got[16];
        t0 = clock_now();
        if (warp == 0) {
            if (WHAT == STORES || WHAT == STORES_OTHER)
                for (int i = 0; i < count; i++)
                    asm volatile("st.global.u32 [%0], %1;" ::"l"(
                                     base + (WHAT == STORES_OTHER ? 4096 : 0) + (i / 32 * 8192) +
                                     (i % 32) * 128 + lane * 4),
                                 "r"(round)
                                 : "memory");
            if (WHAT == REDS)
                for (int i = 0; i < count; i++)
                    asm volatile(
                        "red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(base + i * 128 + lane * 4),
                        "r"(round)
                        : "memory");
            if (WHAT == LOADS)
#pragma unroll
                for (int i = 0; i < 16; i++)
                    if (i < count)
                        asm volatile(
                            "ld.global.cg.u32 %0, [%1];"
                            : "=r"(got[i])
                            : "l"(base + (16 << 20) * round + (size_t)i * 4096 * 37 + lane * 4)
                            : "memory");
            if (WHAT == CP_ASYNC)
                for (int i = 0; i < count; i++)
                    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                                     shared_address(tile) + lane * 4),
                                 "l"(base + (16 << 20) * round + (size_t)i * 4096 * 37 + lane * 4)
                                 : "memory");
            if (WHAT == BULK_LOAD && lane == 0) {
                expect(shared_address(&bar), count * 128);
                load_bytes(base + (round * 64 << 20), count * 128, shared_address(tile),
                           shared_address(&bar));
            }
            if (WHAT == BULK_STORE && lane == 0) {
                asm volatile(
                    "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(base),
                    "r"(shared_address(tile)), "r"(count * 128)
                    : "memory");
                commit_group();
                if (mode == 2)
                    wait_until_read();
            }
            __syncwarp();
        }
        if (warp == (mode == 1 ? 1 : 0)) {
            if (late)
                spin(late);
            t1 = clock_now();
            asm volatile("fence.acq_rel.gpu;" ::: "memory");
            t2 = clock_now();
            if (lane == 0 && round == 2) {
                cycles[0] = t2 - t1;
                cycles[1] = t2 - t0;
            }
        }
        if (WHAT == LOADS && warp == 0)
#pragma unroll
            for (int i = 0; i < 16; i++)
                if (i < count)
                    sum += got[i];
        if (WHAT == CP_ASYNC)
            asm volatile("cp.async.wait_all;" ::: "memory");
        if (WHAT == BULK_LOAD)
            wait(shared_address(&bar), round & 1);
        if (WHAT == BULK_STORE)
            wait_until_written();
        __syncthreads();
    }
    if (sum == 0x12345)
        *sink = sum;
}
static char *base;
static uint32_t *cyc;
template <int WHAT> void row(int count, int mode, int late) {
    std::vector<uint32_t> a, b;
    cudaFuncSetAttribute(fence<WHAT>, cudaFuncAttributeMaxDynamicSharedMemorySize, 160 * 1024);
    for (int r = 0; r < 7; r++) {
        fence<WHAT><<<1, 64, 140 * 1024>>>(base, count, mode, late, cyc, cyc + 64);
        uint32_t h[2];
        if (cudaMemcpy(h, cyc, 8, cudaMemcpyDefault) != cudaSuccess) {
            printf("fail\n");
            exit(1);
        }
        a.push_back(h[0]);
        b.push_back(h[1]);
    }
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    printf("%s\t%d\t%d\t%d\t%u\t%u\n", names[WHAT], count, mode, late, a[3], b[3]);
    fflush(stdout);
}
int main() {
    cudaMalloc(&base, 256 << 20);
    cudaMalloc(&cyc, 4096);
    cudaMemset(base, 0, 256 << 20);
    printf("what\tlines\tmode\tlate\tfence\tall\n");
    for (int mode : {0, 1})
        for (int late : {0, 100, 200, 400, 800}) {
            row<NOTHING>(0, mode, late);
            for (int n : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512}) {
                row<STORES>(n, mode, late);
                row<STORES_OTHER>(n, mode, late);
                row<REDS>(n, mode, late);
            }
            for (int n : {1, 4, 16}) {
                row<LOADS>(n, mode, late);
                row<CP_ASYNC>(n, mode, late);
            }
            for (int n : {1, 8, 32, 128, 512, 1024}) {
                row<BULK_LOAD>(n, mode, late);
                row<BULK_STORE>(n, mode, late);
                if (mode == 0)
                    row<BULK_STORE>(n, 2, late);
            }
        }
}
