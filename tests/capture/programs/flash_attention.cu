/* The forward pass of attention in the manner of FlashAttention-3: a warp group loads by TMA, two have
 * 64 rows of Q each. A group issues Q K^T of a block and P V of the block before, computes the softmax
 * while P V runs, and hands the tensor cores over to the other group by named barriers. Float16, heads
 * of 64 or 128 columns. Launches each kernel once; prints the largest error of some rows. */
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "../../../scripts/capture/ptx.cuh"

enum { GROUP = 128, ROWS = 64, GROUPS = 2, BLOCK_M = GROUPS * ROWS, BLOCK_N = 128, STAGES = 2, BOX = 64 };
enum { BOX_BYTES = BLOCK_N * BOX * 2, MAX_HEAD_BOXES = 2 };

/* Shared memory: Q, whose place O takes in the end; K and V of each stage. */
template <int D> struct layout {
    static constexpr uint32_t tile = D / BOX * BOX_BYTES, q = 0, k = tile, v = k + STAGES * tile,
                              bytes = v + STAGES * tile + 1024;
};

#define N16 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15"
#define N32 N16 ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define N64                                                                                                \
    N32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55" \
        ",%56,%57,%58,%59,%60,%61,%62,%63"
#define D4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define D16(i) D4(i), D4(i + 4), D4(i + 8), D4(i + 12)

/* S = Q K^T of 16 columns of a head: both from shared memory, along K. */
static __device__ __forceinline__ void scores(float *d, uint64_t a, uint64_t b, int add) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %66, 0;"
                 " wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" N64 "}, %64, %65, p, 1, 1, 0, 0; }"
                 : D16(0), D16(16), D16(32), D16(48)
                 : "l"(a), "l"(b), "r"(add));
}

/* O += P V of 16 rows of V: P from registers, V along its columns. */
template <int D>
static __device__ __forceinline__ void values(float *d, const uint32_t *a, uint64_t b) {
    if constexpr (D == 128)
        asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" N64
                     "}, {%64,%65,%66,%67}, %68, 1, 1, 1, 1;"
                     : D16(0), D16(16), D16(32), D16(48)
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
    else
        asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" N32
                     "}, {%32,%33,%34,%35}, %36, 1, 1, 1, 1;"
                     : D16(0), D16(16)
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

/* Rows of 128 bytes, swizzled. `leading`: from 64 columns to the next, where they lie along N. */
static __device__ uint64_t descriptor(uint32_t address, uint32_t leading) {
    return uint64_t((address & 0x3ffff) >> 4) | uint64_t(leading >> 4) << 16 | uint64_t(1024 >> 4) << 32 |
           uint64_t(1) << 62;
}

static __device__ void fence_products() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
static __device__ void commit_products() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int LEFT> static __device__ void wait_for_products() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}
static __device__ void sync_named(int barrier, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
static __device__ void arrive_named(int barrier, int threads) {
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
static __device__ void load_box(const CUtensorMap *map, int x, int y, int z, uint32_t to, uint32_t barrier) {
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2,%3,%4}], [%5];" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier)
                 : "memory");
}
static __device__ void store_box(const CUtensorMap *map, int x, int y, int z, uint32_t from) {
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1,%2,%3}], [%4];" ::"l"(map),
                 "r"(x), "r"(y), "r"(z), "r"(from)
                 : "memory");
}
static __device__ float power(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* The rows of a thread: their largest score so far, and the sum of what is not divided yet. */
struct rows {
    float most[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0};
};

/* Scores of a block become P; *rescale is by what O has to be multiplied. */
static __device__ __forceinline__ void softmax(float *s, rows &rows, float scale, float *rescale) {
#pragma unroll
    for (int half = 0; half < 2; half++) {
        float most = rows.most[half];
#pragma unroll
        for (int i = 0; i < BLOCK_N / 8; i++)
            most = fmaxf(most, fmaxf(s[4 * i + 2 * half], s[4 * i + 2 * half + 1]));
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, 1));
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, 2));
        rescale[half] = power((rows.most[half] - most) * scale);
        rows.most[half] = most;
        float sum = rows.sum[half] * rescale[half], shift = most * scale;
#pragma unroll
        for (int i = 0; i < BLOCK_N / 8; i++) {
            float *pair = s + 4 * i + 2 * half;
            pair[0] = power(fmaf(pair[0], scale, -shift));
            pair[1] = power(fmaf(pair[1], scale, -shift));
            sum += pair[0] + pair[1];
        }
        rows.sum[half] = sum;
    }
}

/* P as wgmma takes it. Products that read the one before must have ended: else ptxas serialises them. */
static __device__ __forceinline__ void round_to_halves(const float *s, uint32_t *p) {
#pragma unroll
    for (int i = 0; i < BLOCK_N / 4; i++) {
        __half2 pair = __floats2half2_rn(s[2 * i], s[2 * i + 1]);
        p[i] = *reinterpret_cast<uint32_t *>(&pair);
    }
}

template <int D>
static __device__ __forceinline__ void issue_scores(float *s, uint32_t q, uint32_t k) {
#pragma unroll
    for (int i = 0; i < D / 16; i++)
        scores(s, descriptor(q + i / 4 * BOX_BYTES + i % 4 * 32, 16),
               descriptor(k + i / 4 * BOX_BYTES + i % 4 * 32, 16), i > 0);
    commit_products();
}

template <int D>
static __device__ __forceinline__ void issue_values(float *o, const uint32_t *p, uint32_t v) {
#pragma unroll
    for (int i = 0; i < BLOCK_N / 16; i++)
        values<D>(o, p + 4 * i, descriptor(v + i * 16 * BOX * 2, BOX_BYTES));
    commit_products();
}

/* The scores behind the diagonal of a causal block are none. */
static __device__ __forceinline__ void mask(float *s, int row, int column) {
#pragma unroll
    for (int i = 0; i < BLOCK_N / 2; i++)
        if (column + i / 4 * 8 + i % 2 > row + i / 2 % 2 * 8)
            s[i] = -INFINITY;
}

template <int D, bool CAUSAL>
static __global__ void __launch_bounds__((GROUPS + 1) * GROUP, 1)
    flash(const __grid_constant__ CUtensorMap q_map, const __grid_constant__ CUtensorMap k_map,
          const __grid_constant__ CUtensorMap v_map, const __grid_constant__ CUtensorMap o_map, int length,
          float scale) {
    extern __shared__ uint8_t raw[];
    __shared__ __align__(8) uint64_t q_full, k_full[STAGES], k_empty[STAGES], v_full[STAGES], v_empty[STAGES];
    const uint32_t base = (shared_address(raw) + 1023) & ~1023u, tile = layout<D>::tile;
    const int group = __shfl_sync(0xffffffff, threadIdx.x / GROUP, 0), lane = threadIdx.x % GROUP;
    const int block = CAUSAL ? gridDim.x - 1 - blockIdx.x : blockIdx.x, head = blockIdx.y;
    const int blocks = CAUSAL ? block + 1 : length / BLOCK_N;
    if (threadIdx.x == 0) {
        init(shared_address(&q_full), 1);
        for (int i = 0; i < STAGES; i++) {
            init(shared_address(&k_full[i]), 1);
            init(shared_address(&v_full[i]), 1);
            init(shared_address(&k_empty[i]), GROUPS);
            init(shared_address(&v_empty[i]), GROUPS);
        }
        fence_init();
    }
    __syncthreads();
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x != 0)
            return;
        expect(shared_address(&q_full), tile);
        for (int x = 0; x < D / BOX; x++)
            load_box(&q_map, x * BOX, block * BLOCK_M, head, base + x * BOX_BYTES, shared_address(&q_full));
        for (int j = 0; j < blocks; j++) {
            /* From the diagonal to the begin, as what is masked comes first. */
            const int row = (blocks - 1 - j) * BLOCK_N, stage = j % STAGES, parity = j / STAGES % 2 ^ 1;
            wait(shared_address(&k_empty[stage]), parity);
            expect(shared_address(&k_full[stage]), tile);
            for (int x = 0; x < D / BOX; x++)
                load_box(&k_map, x * BOX, row, head, base + layout<D>::k + stage * tile + x * BOX_BYTES,
                         shared_address(&k_full[stage]));
            wait(shared_address(&v_empty[stage]), parity);
            expect(shared_address(&v_full[stage]), tile);
            for (int x = 0; x < D / BOX; x++)
                load_box(&v_map, x * BOX, row, head, base + layout<D>::v + stage * tile + x * BOX_BYTES,
                         shared_address(&v_full[stage]));
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    const int own = group - 1, turn = 1 + own, other = 2 - own, both = GROUPS * GROUP;
    const int row = block * BLOCK_M + own * ROWS + lane / 32 * 16 + lane % 32 / 4, column = lane % 4 * 2;
    const uint32_t q = base + own * ROWS * BOX * 2;
    float s[BLOCK_N / 2], o[D / 2], rescale[2];
    uint32_t p[BLOCK_N / 4];
    rows rows;
#pragma unroll
    for (int i = 0; i < D / 2; i++)
        o[i] = 0;
    if (own == 1)
        arrive_named(1, both); /* the first group goes first */
    wait(shared_address(&q_full), 0);
    wait(shared_address(&k_full[0]), 0);
    sync_named(turn, both);
    fence_products();
    issue_scores<D>(s, q, base + layout<D>::k);
    arrive_named(other, both);
    wait_for_products<0>();
    if (lane == 0)
        arrive(shared_address(&k_empty[0]));
    if (CAUSAL)
        mask(s, row, (blocks - 1) * BLOCK_N + column);
    softmax(s, rows, scale, rescale);
    round_to_halves(s, p);
#pragma unroll 1
    for (int j = 1; j < blocks; j++) {
        const int stage = j % STAGES, before = (j - 1) % STAGES;
        wait(shared_address(&k_full[stage]), j / STAGES % 2);
        sync_named(turn, both);
        fence_products();
        issue_scores<D>(s, q, base + layout<D>::k + stage * tile);
        wait(shared_address(&v_full[before]), (j - 1) / STAGES % 2);
        issue_values<D>(o, p, base + layout<D>::v + before * tile);
        arrive_named(other, both);
        wait_for_products<1>();
        if (lane == 0)
            arrive(shared_address(&k_empty[stage]));
        softmax(s, rows, scale, rescale);
        wait_for_products<0>();
        if (lane == 0)
            arrive(shared_address(&v_empty[before]));
#pragma unroll
        for (int i = 0; i < D / 2; i++)
            o[i] *= rescale[i / 2 % 2];
        round_to_halves(s, p);
    }
    const int last = (blocks - 1) % STAGES;
    wait(shared_address(&v_full[last]), (blocks - 1) / STAGES % 2);
    fence_products();
    issue_values<D>(o, p, base + layout<D>::v + last * tile);
    if (own == 0)
        sync_named(turn, both); /* the arrival that is left over */
    wait_for_products<0>();
#pragma unroll
    for (int half = 0; half < 2; half++) {
        float sum = rows.sum[half];
        sum += __shfl_xor_sync(0xffffffff, sum, 1);
        sum += __shfl_xor_sync(0xffffffff, sum, 2);
        rescale[half] = 1 / sum;
    }
    /* O takes the rows of Q that only this group reads: each of its warps has to be through. */
    sync_named(3 + own, GROUP);
    const int in = lane / 32 * 16 + lane % 32 / 4;
#pragma unroll
    for (int i = 0; i < D / 4; i++) {
        const int half = i % 2, x = i / 2 * 8 + column, y = in + half * 8;
        __half2 pair = __floats2half2_rn(o[2 * i] * rescale[half], o[2 * i + 1] * rescale[half]);
        const uint32_t at = q + x / BOX * BOX_BYTES + y * BOX * 2 + (x % BOX * 2 ^ (y % 8) << 4);
        asm volatile("st.shared.b32 [%0], %1;" ::"r"(at), "r"(*reinterpret_cast<uint32_t *>(&pair)) : "memory");
    }
    fence_async();
    sync_named(3 + own, GROUP);
    if (lane == 0) {
        for (int x = 0; x < D / BOX; x++)
            store_box(&o_map, x * BOX, block * BLOCK_M + own * ROWS, head, q + x * BOX_BYTES);
        commit_group();
        wait_until_read();
    }
}

static void check(cudaError_t code, const char *what) {
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
    exit(1);
}

static CUtensorMap encode(__half *tensor, int d, int length, int heads, int box_rows) {
    CUtensorMap map;
    cuuint64_t dim[3] = {cuuint64_t(d), cuuint64_t(length), cuuint64_t(heads)},
               stride[2] = {cuuint64_t(2 * d), cuuint64_t(2 * d) * length};
    cuuint32_t box[3] = {BOX, cuuint32_t(box_rows), 1}, element[3] = {1, 1, 1};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3, tensor, dim, stride, box, element,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                               CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
        fprintf(stderr, "a tensor map is not legal\n");
        exit(1);
    }
    return map;
}

/* The largest error of some rows of the first head. */
static double error_of(const std::vector<__half> *host, int d, int length, bool causal, float scale) {
    double most = 0;
    for (int row : {0, 1, 70, length / 2 + 3, length - 1}) {
        int count = causal ? row + 1 : length;
        std::vector<double> weights(count);
        double sum = 0, largest = -1e30;
        for (int j = 0; j < count; j++) {
            double dot = 0;
            for (int x = 0; x < d; x++)
                dot += double(__half2float(host[0][row * d + x])) * __half2float(host[1][j * d + x]);
            weights[j] = dot * scale * M_LN2;
            largest = std::max(largest, weights[j]);
        }
        for (double &weight : weights)
            sum += weight = exp(weight - largest);
        for (int x = 0; x < d; x++) {
            double value = 0;
            for (int j = 0; j < count; j++)
                value += weights[j] / sum * __half2float(host[2][j * d + x]);
            most = std::max(most, fabs(value - __half2float(host[3][row * d + x])));
        }
    }
    return most;
}

template <int D, bool CAUSAL> static void run(int length, int heads) {
    const size_t count = size_t(D) * length * heads;
    const float scale = float(1 / sqrt(double(D)) * M_LOG2E);
    std::vector<__half> host[4];
    __half *device[4];
    uint32_t state = 12345;
    for (int i = 0; i < 4; i++) {
        host[i].resize(count);
        for (__half &value : host[i]) {
            state = state * 1664525 + 1013904223;
            value = __float2half(float(state >> 16) / 32768 - 1);
        }
        check(cudaMalloc(&device[i], 2 * count), "memory");
        check(cudaMemcpy(device[i], host[i].data(), 2 * count, cudaMemcpyHostToDevice), "memory");
    }
    auto kernel = flash<D, CAUSAL>;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, layout<D>::bytes), "shared");
    kernel<<<dim3(length / BLOCK_M, heads), (GROUPS + 1) * GROUP, layout<D>::bytes>>>(
        encode(device[0], D, length, heads, BLOCK_M), encode(device[1], D, length, heads, BLOCK_N),
        encode(device[2], D, length, heads, BLOCK_N), encode(device[3], D, length, heads, ROWS), length, scale);
    check(cudaDeviceSynchronize(), "launch");
    check(cudaMemcpy(host[3].data(), device[3], 2 * count, cudaMemcpyDeviceToHost), "memory");
    printf("D=%d causal=%d L=%d H=%d error %.6f\n", D, CAUSAL, length, heads, error_of(host, D, length, CAUSAL, scale));
    for (__half *tensor : device)
        check(cudaFree(tensor), "memory");
}

int main() {
    for (int length : {2048, 8192}) {
        run<64, false>(length, 65536 / length);
        run<64, true>(length, 65536 / length);
        run<128, false>(length, 32768 / length);
        run<128, true>(length, 32768 / length);
    }
}
