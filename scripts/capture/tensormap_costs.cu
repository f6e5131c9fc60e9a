// Measures what it takes to build a tensor map in shared memory, to copy it, to acquire it and to
// load with it, on a GPU: cycles by one warp of a CTA, turn by turn. usage: tensormap_costs >
// tensormap_costs.tsv
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
enum { TURNS = 12, COLUMNS = 10 };
__device__ __forceinline__ long long now() {
    long long t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return t;
}
__device__ __forceinline__ void load(uint64_t map, uint32_t to, uint32_t bar, uint32_t parity,
                                     int x) {
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 8192;" ::"r"(bar) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%3, %3}], [%2];" ::"r"(to),
                     "l"(map), "r"(bar), "r"(x)
                     : "memory");
    }
    asm volatile(
        "{ .reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra W; }" ::"r"(
            bar),
        "r"(parity)
        : "memory");
}
__global__ void k(const char *data, char *maps, long long *out) {
    __shared__ __align__(1024) char tile[8192];
    __shared__ __align__(128) char map[128];
    __shared__ __align__(8) uint64_t bar;
    uint32_t t = (uint32_t)__cvta_generic_to_shared(tile),
             s = (uint32_t)__cvta_generic_to_shared(map),
             b = (uint32_t)__cvta_generic_to_shared(&bar);
    char *g = maps + blockIdx.x * 128;
    uint64_t gm = (uint64_t)g;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b));
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncwarp();
    uint32_t parity = 0;
    for (int i = 0; i < TURNS; ++i) {
        long long at[COLUMNS];
        at[0] = now();
        ((uint32_t *)map)[threadIdx.x] = 0;
        __syncwarp();
        if (threadIdx.x == 0) {
            uint64_t address = (uint64_t)data + 256 * (i & 3);
            asm volatile(
                "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(s),
                "l"(address)
                : "memory");
            asm volatile("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], 1;" ::"r"(s)
                         : "memory");
            asm volatile(
                "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 0, 64;" ::"r"(s)
                : "memory");
            asm volatile(
                "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 1, 64;" ::"r"(s)
                : "memory");
            asm volatile(
                "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, 1024;" ::"r"(s)
                : "memory");
            asm volatile(
                "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, 1024;" ::"r"(s)
                : "memory");
            asm volatile(
                "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, 2048;" ::"r"(s)
                : "memory");
            asm volatile(
                "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 0, 1;" ::"r"(s)
                : "memory");
            asm volatile(
                "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 1, 1;" ::"r"(s)
                : "memory");
            asm volatile("tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 6;" ::"r"(s)
                         : "memory");
            asm volatile(
                "tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%0], 0;" ::"r"(s)
                : "memory");
            asm volatile(
                "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], 3;" ::"r"(s)
                : "memory");
            asm volatile("tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], 0;" ::"r"(s)
                         : "memory");
        }
        __syncwarp();
        at[1] = now();
        asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu."
                     "sync.aligned [%0], [%1], 128;" ::"l"(gm),
                     "r"(s)
                     : "memory");
        at[2] = now();
        asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(gm) : "memory");
        at[3] = now();
        load(gm, t, b, parity, 0);
        parity ^= 1;
        at[4] = now();
        load(gm, t, b, parity, 0);
        parity ^= 1;
        at[5] = now();
        asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(gm) : "memory");
        at[6] = now();
        load(gm, t, b, parity, 0);
        parity ^= 1;
        at[7] = now();
        asm volatile(
            "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, 1024;" ::"r"(s)
            : "memory");
        at[8] = now();
        __threadfence();
        at[9] = now();
        if (threadIdx.x == 0)
            for (int c = 1; c < COLUMNS; ++c)
                out[((long long)blockIdx.x * TURNS + i) * COLUMNS + c] = at[c] - at[c - 1];
    }
}
int main(int, char **) {
    const int grids[] = {1, 8, 132};
    char *data, *maps;
    long long *out;
    cudaMalloc(&data, 1 << 22);
    cudaMemset(data, 0, 1 << 22);
    cudaMalloc(&maps, 132 * 128);
    cudaMalloc(&out, sizeof(long long) * 132 * TURNS * COLUMNS);
    printf("grid\tblock\tturn\tfill_and_13_replaces\tcp_fenceproxy\tacquire\tload_changed\tload_"
           "again\tacquire_again\tload_after\treplace\tmembar\n");
    for (int g = 0; g < 3; ++g) {
        k<<<grids[g], 32>>>(data, maps, out);
        cudaError_t e = cudaDeviceSynchronize();
        if (e != cudaSuccess) {
            printf("error\t%s\n", cudaGetErrorString(e));
            return 1;
        }
        static long long host[132 * TURNS * COLUMNS];
        cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
        for (int b = 0; b<grids[g]; b += grids[g]> 8 ? 44 : 4)
            for (int i = 0; i < TURNS; ++i) {
                printf("%d\t%d\t%d", grids[g], b, i);
                for (int c = 1; c < COLUMNS; ++c)
                    printf("\t%lld", host[((long long)b * TURNS + i) * COLUMNS + c]);
                printf("\n");
            }
    }
}
