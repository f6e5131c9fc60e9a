// Matrix products of warp-specialised, clustered and 8-bit kernels. nvcc -ptx -arch=sm_90a
// -std=c++17 made products.ptx.
#include <cstdint>
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#define DEV __device__ __forceinline__
DEV uint32_t smem(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}
DEV void mb_init(uint64_t *b, int n) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem(b)), "r"(n));
}
DEV void mb_expect(uint64_t *b, int n) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem(b)), "r"(n)
                 : "memory");
}
DEV void mb_arrive(uint64_t *b) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(smem(b)) : "memory");
}
DEV void mb_arrive_at(uint64_t *b, int rank) {
    asm volatile("{.reg .b32 r; mapa.shared::cluster.u32 r, %0, %1; "
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r];}" ::"r"(smem(b)),
                 "r"(rank)
                 : "memory");
}
DEV void mb_wait(uint64_t *b, int p) {
    asm volatile("{\n.reg .pred P;\nL: mbarrier.try_wait.parity.shared::cta.b64 P, [%0], %1;\n@P "
                 "bra D;\nbra L;\nD:\n}" ::"r"(smem(b)),
                 "r"(p)
                 : "memory");
}
DEV void mb_wait_cluster(uint64_t *b, int p) {
    asm volatile("{\n.reg .pred P;\nL: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 P, "
                 "[%0], %1;\n@P bra D;\nbra L;\nD:\n}" ::"r"(smem(b)),
                 "r"(p)
                 : "memory");
}
DEV void load2(void *d, const CUtensorMap *m, uint64_t *b, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4}], [%2];" ::"r"(smem(d)),
                 "l"(m), "r"(smem(b)), "r"(x), "r"(y)
                 : "memory");
}
DEV void load2_mc(void *d, const CUtensorMap *m, uint64_t *b, int x, int y, uint16_t mask) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes."
                 "multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(smem(d)),
                 "l"(m), "r"(smem(b)), "r"(x), "r"(y), "h"(mask)
                 : "memory");
}
DEV void store2(const CUtensorMap *m, void *s, int x, int y) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(m),
        "r"(smem(s)), "r"(x), "r"(y)
        : "memory");
}
DEV void commit() {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
DEV void wait_read() {
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
DEV void wait_all() {
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
DEV void fence_async() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
DEV void fence_init() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
DEV void wg_fence() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
DEV void wg_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int N> DEV void wg_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}
DEV uint64_t desc(const void *p) {
    return (uint64_t)((smem(p) & 0x3ffff) >> 4) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}
DEV void wgmma64_f16(float (&d)[32], uint64_t a, uint64_t b, int scale) {
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, "
                 "0;\nwgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
                 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%"
                 "22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, p, 1, 1, 0, 0;\n}"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
                   "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
                   "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
                   "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
                   "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                   "+f"(d[30]), "+f"(d[31])
                 : "l"(a), "l"(b), "r"(scale));
}
DEV void wgmma64_e4m3(float (&d)[32], uint64_t a, uint64_t b, int scale) {
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, "
                 "0;\nwgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3 "
                 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%"
                 "22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, p, 1, 1;\n}"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
                   "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
                   "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
                   "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
                   "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                   "+f"(d[30]), "+f"(d[31])
                 : "l"(a), "l"(b), "r"(scale));
}
// C tile of 64x64, row m of warp fragment
DEV int frag_row(int i) {
    int t = threadIdx.x % 128;
    return t / 32 * 16 + t % 32 / 4 + (i / 2 % 2) * 8;
}
DEV int frag_col(int i) {
    return i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2;
}
extern __shared__ __align__(1024) uint8_t pool[];
// warp-specialised: producer warpgroup, one consumer warpgroup; persistent over tiles with a tile
// counter in global memory
extern "C" __global__ void __launch_bounds__(256)
    ws(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
       const __grid_constant__ CUtensorMap c, int tiles, int tn, int ks, unsigned *next) {
    constexpr int S = 3;
    __shared__ uint64_t full[S], empty[S], got[2], taken[2];
    __shared__ int tile_of[2];
    uint8_t *base = (uint8_t *)(((uintptr_t)pool + 1023) & ~(uintptr_t)1023);
    auto A = [&](int s) { return base + s * 16384; };
    auto B = [&](int s) { return base + s * 16384 + 8192; };
    uint8_t *C = base + S * 16384;
    if (threadIdx.x == 0) {
        for (int s = 0; s < S; ++s)
            mb_init(full + s, 1), mb_init(empty + s, 1);
        for (int s = 0; s < 2; ++s)
            mb_init(got + s, 1), mb_init(taken + s, 1);
        fence_async();
    }
    __syncthreads();
    asm volatile("griddepcontrol.wait;" ::: "memory");
    if (threadIdx.x >= 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 128) {
            int it = 0;
            for (int q = 0;; ++q) {
                mb_wait(taken + q % 2, (q / 2 & 1) ^ 1);
                int t = atomicAdd(next, 1);
                tile_of[q % 2] = t;
                mb_arrive(got + q % 2);
                if (t >= tiles)
                    break;
                for (int k = 0; k < ks; ++k, ++it) {
                    int s = it % S;
                    mb_wait(empty + s, (it / S & 1) ^ 1);
                    mb_expect(full + s, 16384);
                    load2(A(s), &a, full + s, k * 64, t / tn * 64);
                    load2(B(s), &b, full + s, k * 64, t % tn * 64);
                }
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 216;");
        int it = 0;
        for (int q = 0;; ++q) {
            mb_wait(got + q % 2, q / 2 & 1);
            int t = tile_of[q % 2];
            asm volatile("bar.sync 1, 128;" ::: "memory");
            if (threadIdx.x == 0)
                mb_arrive(taken + q % 2);
            if (t >= tiles)
                break;
            float d[32];
            for (int k = 0; k < ks; ++k, ++it) {
                int s = it % S;
                mb_wait(full + s, it / S & 1);
                wg_fence();
                for (int j = 0; j < 4; ++j)
                    wgmma64_f16(d, desc(A(s)) + 2 * j, desc(B(s)) + 2 * j, k + j > 0);
                wg_commit();
                wg_wait<0>();
                asm volatile("bar.sync 1, 128;" ::: "memory");
                if (threadIdx.x == 0)
                    mb_arrive(empty + s);
            }
            if (threadIdx.x == 0)
                wait_read();
            asm volatile("bar.sync 1, 128;" ::: "memory");
            // stmatrix with 128B swizzle
            int lane = threadIdx.x % 32, w = threadIdx.x / 32;
            for (int j = 0; j < 4; ++j) {
                uint32_t r[4];
                for (int p = 0; p < 4; ++p) {
                    __half2 h = __floats2half2_rn(d[8 * j + 2 * p], d[8 * j + 2 * p + 1]);
                    r[p] = *(uint32_t *)&h;
                }
                int row = w * 16 + lane % 16, chunk = 2 * j + lane / 16;
                uint32_t at = smem(C) + row * 128 + ((chunk ^ (row & 7)) * 16);
                asm volatile(
                    "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(at),
                    "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                    : "memory");
            }
            fence_async();
            asm volatile("bar.sync 1, 128;" ::: "memory");
            if (threadIdx.x == 0) {
                store2(&c, C, t % tn * 64, t / tn * 64);
                commit();
            }
        }
        if (threadIdx.x == 0)
            wait_all();
    }
    asm volatile("griddepcontrol.launch_dependents;");
}
// cluster of 2: B multicast, one half each; cluster barriers of empties
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(160)
    multicast(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
              float *c, int ks, int n) {
    constexpr int S = 2;
    __shared__ uint64_t full[S], empty[S];
    uint8_t *base = (uint8_t *)(((uintptr_t)pool + 1023) & ~(uintptr_t)1023);
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        for (int s = 0; s < S; ++s)
            mb_init(full + s, 1), mb_init(empty + s, 2);
        fence_init();
    }
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
    int m = blockIdx.x * 64, nn = blockIdx.y * 64;
    if (threadIdx.x >= 128) {
        if (threadIdx.x == 128)
            for (int k = 0; k < ks; ++k) {
                int s = k % S;
                mb_wait_cluster(empty + s, (k / S & 1) ^ 1);
                mb_expect(full + s, 16384);
                load2(base + s * 16384, &a, full + s, k * 64, m);
                load2_mc(base + s * 16384 + 8192 + rank * 4096, &b, full + s, k * 64,
                         nn + rank * 32, 3);
            }
    } else {
        float d[32];
        for (int k = 0; k < ks; ++k) {
            int s = k % S;
            mb_wait(full + s, k / S & 1);
            wg_fence();
            for (int j = 0; j < 4; ++j)
                wgmma64_f16(d, desc(base + s * 16384) + 2 * j,
                            desc(base + s * 16384 + 8192) + 2 * j, k + j > 0);
            wg_commit();
            wg_wait<0>();
            asm volatile("bar.sync 1, 128;" ::: "memory");
            if (threadIdx.x < 2)
                mb_arrive_at(empty + s, threadIdx.x);
        }
        for (int i = 0; i < 32; i += 2)
            *(float2 *)(c + (m + frag_row(i)) * n + nn + frag_col(i)) = {d[i], d[i + 1]};
    }
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
extern "C" __global__ void __launch_bounds__(128)
    fp8_gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
             const float *sa, const float *sb, __half *c, int ks, int n) {
    __shared__ uint64_t full[1];
    uint8_t *base = (uint8_t *)(((uintptr_t)pool + 1023) & ~(uintptr_t)1023);
    if (threadIdx.x == 0) {
        mb_init(full, 1);
        fence_init();
    }
    __syncthreads();
    float sum[32] = {};
    for (int k = 0; k < ks; ++k) {
        float d[32];
        if (threadIdx.x == 0) {
            mb_expect(full, 16384);
            load2(base, &a, full, k * 128, blockIdx.x * 64);
            load2(base + 8192, &b, full, k * 128, blockIdx.y * 64);
        }
        mb_wait(full, k & 1);
        wg_fence();
        for (int j = 0; j < 4; ++j)
            wgmma64_e4m3(d, desc(base) + 2 * j, desc(base + 8192) + 2 * j, j > 0);
        wg_commit();
        wg_wait<0>();
        __syncthreads();
        float q = sa[k] * sb[k];
        for (int i = 0; i < 32; ++i)
            sum[i] = fmaf(d[i], q, sum[i]); // promotion, as DeepGEMM
    }
    for (int i = 0; i < 32; i += 2)
        *(__half2 *)(c + (blockIdx.x * 64 + frag_row(i)) * n + blockIdx.y * 64 + frag_col(i)) =
            __floats2half2_rn(sum[i], sum[i + 1]);
}
