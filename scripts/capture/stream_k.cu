/* Takes records of stream-K GEMMs on a GPU: as many CTAs as SMs share the steps of all output tiles
 * of 128 x 128. CTAs that share a tile either add their parts of it by atomics, or leave them in a
 * workspace and raise a flag, for which the CTA with the first step of the tile waits.
 * configs/kernels/stream_k.yaml has the same kernel as roles.
 *
 *   capture-stream-k > stream_k.tsv     median cycles of the launch, between events
 *   ncu ... capture-stream-k --once     one launch of each row, for a profiler
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <vector>

#include "ptx.cuh"
#include "wgmma.cuh"

enum { BM = 128, BN = 128, BK = 64, STAGES = 4, CONSUMERS = 256, REPEATS = 5 };
enum { STAGE_BYTES = (BM + BN) * BK * 2, SHARED_BYTES = STAGES * STAGE_BYTES + 1024 };

struct work {
    int columns, tiles_m, steps, all, share; /* steps of a tile, of all tiles, of a CTA */
};

static __device__ void wait_for_flag(const uint32_t *flag) {
    uint32_t value;
    do
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    while (value == 0);
}

static __device__ void consumers_meet() {
    asm volatile("bar.sync 1, 256;" ::: "memory");
}

/* Where a thread's registers of an accumulator lie in the tile: two columns of a row. */
static __device__ float *place(float *tile, int columns, int i) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    return tile + (warp * 16 + i / 2 % 2 * 8 + lane / 4) * columns + i / 4 * 8 + lane % 4 * 2;
}

template <bool FLAGS>
static __device__ void end_part(float *c, float4 *parts, uint32_t *flags, const work &work,
                                int tile, int first, int end, float (&d)[64]) {
    const int part_floats4 = BM * BN / 4;
    bool whole = first == 0 && end == work.steps;
    float *to = c + size_t(tile % work.tiles_m * BM) * work.columns + tile / work.tiles_m * BN;
    if (FLAGS && first > 0) {
        float4 *part = parts + size_t(blockIdx.x) * part_floats4 + threadIdx.x;
#pragma unroll
        for (int i = 0; i < 16; i++)
            __stcg(part + i * CONSUMERS,
                   make_float4(d[4 * i], d[4 * i + 1], d[4 * i + 2], d[4 * i + 3]));
        consumers_meet();
        if (threadIdx.x == 0)
            asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(flags + blockIdx.x)
                         : "memory");
        return;
    }
    if (FLAGS && !whole) {
        int last = (tile * work.steps + work.steps - 1) / work.share;
        for (int other = blockIdx.x + 1; other <= last; other++) {
            if (threadIdx.x == 0)
                wait_for_flag(flags + other);
            consumers_meet();
            const float4 *part = parts + size_t(other) * part_floats4 + threadIdx.x;
#pragma unroll
            for (int i = 0; i < 16; i++) {
                float4 more = __ldcg(part + i * CONSUMERS);
                d[4 * i] += more.x;
                d[4 * i + 1] += more.y;
                d[4 * i + 2] += more.z;
                d[4 * i + 3] += more.w;
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 64; i += 2) {
        float *at = place(to, work.columns, i);
        if (FLAGS || whole)
            __stcg((float2 *)at, make_float2(d[i], d[i + 1]));
        else
            asm volatile("red.relaxed.gpu.global.add.v2.f32 [%0], {%1, %2};" ::"l"(at), "f"(d[i]),
                         "f"(d[i + 1])
                         : "memory");
    }
}

template <bool FLAGS>
static __global__ void __launch_bounds__(CONSUMERS + 32, 1)
    multiply(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c,
             float4 *parts, uint32_t *flags, const work work) {
    extern __shared__ char dynamic[];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    uint32_t base = (shared_address(dynamic) + 1023) / 1024 * 1024;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            init(shared_address(&full[i]), 1);
            init(shared_address(&empty[i]), CONSUMERS / 32);
        }
        fence_init();
    }
    __syncthreads();
    int from = blockIdx.x * work.share, to = min(work.all, from + work.share);
    uint32_t stage = 0, parity = 0;
    if (threadIdx.x >= CONSUMERS) {
        if (threadIdx.x > CONSUMERS)
            return;
        for (int step = from; step < to; step++) {
            int tile = step / work.steps, k = step % work.steps * BK;
            uint32_t at = base + stage * STAGE_BYTES, barrier = shared_address(&full[stage]);
            wait(shared_address(&empty[stage]), parity ^ 1);
            expect(barrier, STAGE_BYTES);
            load(&a, k, tile % work.tiles_m * BM, at, barrier);
            load(&b, k, tile / work.tiles_m * BN, at + BM * BK * 2, barrier);
            if (++stage == STAGES) {
                stage = 0;
                parity ^= 1;
            }
        }
        return;
    }
    uint32_t rows = threadIdx.x / 128 * 64 * BK * 2;
    for (int step = from; step < to;) {
        int tile = step / work.steps, first = step % work.steps;
        int end = min(work.steps, to - tile * work.steps);
        float d[64];
#pragma unroll
        for (int i = 0; i < 64; i++)
            d[i] = 0;
        for (int k = first; k < end; k++) {
            uint32_t at = base + stage * STAGE_BYTES;
            wait(shared_address(&full[stage]), parity);
            uint64_t da = desc(at + rows), db = desc(at + BM * BK * 2);
#pragma unroll
            for (int i = 0; i < 64; i++) /* the compiler moves no register past the fence */
                asm volatile("" : "+f"(d[i])::"memory");
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (int i = 0; i < BK / 16; i++)
                wgmma<BN>(d, da + 2 * i, db + 2 * i);
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
            if (threadIdx.x % 32 == 0)
                arrive(shared_address(&empty[stage]));
            if (++stage == STAGES) {
                stage = 0;
                parity ^= 1;
            }
        }
        end_part<FLAGS>(c, parts, flags, work, tile, first, end, d);
        step += end - first;
    }
}

static void check(cudaError_t code, const char *what) {
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "stream-k: %s: %s\n", what, cudaGetErrorString(code));
    exit(1);
}

static CUtensorMap encode(void *tensor, int columns, int rows) {
    CUtensorMap map;
    cuuint64_t dim[] = {cuuint64_t(columns), cuuint64_t(rows)},
               stride[] = {cuuint64_t(columns) * 2};
    cuuint32_t box[] = {BK, 128}, element_stride[] = {1, 1};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, tensor, dim, stride, box,
                               element_stride, CU_TENSOR_MAP_INTERLEAVE_NONE,
                               CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
        fprintf(stderr, "stream-k: the driver rejects the tensor map\n");
        exit(1);
    }
    return map;
}

/* A and B are ones, so that each element of C is K. */
static __global__ void fill(uint32_t *words, size_t count, uint32_t word) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count;
         i += size_t(gridDim.x) * blockDim.x)
        words[i] = word;
}

int main(int argc, char **argv) {
    bool once = argc > 1 && strcmp(argv[1], "--once") == 0;
    static const struct {
        int m, n, k, ctas;
    } sizes[] = {{1536, 1792, 4096, 132}, {1024, 1536, 8192, 132}, {256, 512, 16384, 128},
                 {2048, 2048, 2048, 132}, {4096, 4096, 1024, 132}, {128, 1024, 65536, 132},
                 {1536, 1792, 4096, 66},  {512, 8192, 4096, 132}};
    const size_t bytes = size_t(256) << 20, flush_bytes = size_t(256) << 20;
    char *a, *b, *c, *parts, *flush;
    uint32_t *flags;
    check(cudaMalloc(&a, bytes), "cudaMalloc");
    check(cudaMalloc(&b, bytes), "cudaMalloc");
    check(cudaMalloc(&c, bytes), "cudaMalloc");
    check(cudaMalloc(&parts, bytes), "cudaMalloc");
    check(cudaMalloc(&flush, flush_bytes), "cudaMalloc");
    check(cudaMalloc(&flags, 4096), "cudaMalloc");
    fill<<<1024, 256>>>((uint32_t *)a, bytes / 4, 0x3c003c00);
    fill<<<1024, 256>>>((uint32_t *)b, bytes / 4, 0x3c003c00);
    check(cudaFuncSetAttribute(multiply<true>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               SHARED_BYTES),
          "attribute");
    check(cudaFuncSetAttribute(multiply<false>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               SHARED_BYTES),
          "attribute");
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin), "event");
    check(cudaEventCreate(&end), "event");
    printf("m\tn\tk\tctas\tfixup\tus\twrong\n");
    for (const auto &size : sizes)
        for (bool with_flags : {false, true}) {
            work work = {size.n, size.m / BM, size.k / BK, 0, 0};
            work.all = work.steps * work.tiles_m * (size.n / BN);
            work.share = (work.all + size.ctas - 1) / size.ctas;
            CUtensorMap map_a = encode(a, size.k, size.m), map_b = encode(b, size.k, size.n);
            std::vector<float> times;
            for (int i = 0; i < (once ? 1 : REPEATS); i++) {
                check(cudaMemset(c, 0, size_t(size.m) * size.n * 4), "memset");
                check(cudaMemset(flags, 0, 4096), "memset");
                check(cudaMemset(flush, 0, flush_bytes), "memset");
                check(cudaEventRecord(begin), "event");
                if (with_flags)
                    multiply<true><<<size.ctas, CONSUMERS + 32, SHARED_BYTES>>>(
                        map_a, map_b, (float *)c, (float4 *)parts, flags, work);
                else
                    multiply<false><<<size.ctas, CONSUMERS + 32, SHARED_BYTES>>>(
                        map_a, map_b, (float *)c, (float4 *)parts, flags, work);
                check(cudaEventRecord(end), "event");
                check(cudaDeviceSynchronize(), "multiply");
                float ms;
                check(cudaEventElapsedTime(&ms, begin, end), "event");
                times.push_back(ms * 1000);
            }
            std::vector<float> result(size_t(size.m) * size.n);
            check(cudaMemcpy(result.data(), c, result.size() * 4, cudaMemcpyDeviceToHost), "copy");
            size_t wrong = 0;
            for (float value : result)
                wrong += value != float(size.k);
            std::sort(times.begin(), times.end());
            printf("%d\t%d\t%d\t%d\t%s\t%.2f\t%zu\n", size.m, size.n, size.k, size.ctas,
                   with_flags ? "flags" : "atomics", times[times.size() / 2], wrong);
        }
    return 0;
}
