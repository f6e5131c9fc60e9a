// Measures what the instructions of a role take on a GPU: waits, arrivals, TMA instructions,
// barriers, matrix products. Each row of the output: what, a parameter, cycles of one time around
// (the mean of many). usage: role_costs > role_costs.tsv
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
#include <vector>

#include "ptx.cuh"
#include "wgmma.cuh"

enum { TIMES = 64 };

enum What {
    NOTHING,
    WAIT,
    ARRIVE,
    EXPECT,
    LOAD,
    LOADMC,
    TURN1,
    TURN2,
    COMMIT,
    GROUP,
    SPIN,
    BARRIER,
    BARRIER_ARRIVE,
    CONSUMER,
    STORE,
    ATOMIC,
    RELEASE,
    REMOTE
};

// One instruction again and again, by lane 0 of one warp, or by all warps.
__global__ void __launch_bounds__(288)
    again(const __grid_constant__ CUtensorMap A, int what, int n, uint32_t *counter, float *out) {
    extern __shared__ uint8_t raw[];
    __shared__ __align__(8) uint64_t bar[16];
    uint32_t base = (shared_address(raw) + 1023u) & ~1023u, b0 = shared_address(bar), rank = 0;
    if (what == LOADMC || what == REMOTE || what == RELEASE)
        asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0)
        for (int i = 0; i < 16; i++)
            init(b0 + 8 * i, what == CONSUMER ? 1 << 19 : 1 << 19);
    fence_init();
    __syncthreads();
    if (what == LOADMC || what == REMOTE || what == RELEASE)
        asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    int lane = threadIdx.x & 31;
    bool all = what == BARRIER || what == BARRIER_ARRIVE || what == CONSUMER;
    float mean = 0;
    for (int round = 0; round < 3; round++) {
        uint32_t t0 = clock_now();
        if ((all || threadIdx.x == 0) && rank == 0) {
#pragma unroll 1
            for (int i = 0; i < TIMES; i++) {
                uint32_t b = b0 + 8 * (i & 7), dst = base + 1024 * (i & 7);
                switch (what) {
                case NOTHING:
                    asm volatile("" ::: "memory");
                    break;
                case WAIT:
                    wait(b, 1);
                    break;
                case ARRIVE:
                    arrive(b);
                    break;
                case EXPECT:
                    expect(b, 0);
                    break;
                case LOAD:
                    load(&A, 0, i, dst, b);
                    break;
                case LOADMC:
                    load_for_all(&A, 0, i, dst, b, 3);
                    break;
                case TURN1:
                    wait(b, 1);
                    expect(b, 0);
                    load(&A, 0, i, dst, b);
                    break;
                case TURN2:
                    wait(b, 1);
                    expect(b, 0);
                    load(&A, 0, i, dst, b);
                    load(&A, 0, i, dst, b);
                    break;
                case COMMIT:
                    commit_group();
                    break;
                case GROUP:
                    wait_until_read();
                    break;
                case SPIN:
                    spin(n);
                    break;
                case BARRIER:
                    asm volatile("bar.sync 1, %0;" ::"r"(n * 32) : "memory");
                    break;
                case BARRIER_ARRIVE: // each warp at a barrier of its own, which it completes
                    asm volatile("bar.arrive %0, 32;" ::"r"(1 + threadIdx.x / 32) : "memory");
                    break;
                case CONSUMER:
                    wait(b, 1);
                    if (n)
                        spin(n);
                    if (lane == 0)
                        arrive(b);
                    __syncwarp();
                    break;
                case STORE:
                    store(&A, 0, 0, base);
                    commit_group();
                    wait_until_read();
                    break;
                case ATOMIC:
                    if (atomicAdd(counter, 1) == 0xffffffffu)
                        *out = 1;
                    break;
                case REMOTE:
                    arrive_at(b, 1);
                    break;
                case RELEASE:
                    asm volatile(
                        "{ .reg .b32 r; mapa.shared::cluster.u32 r, %0, 1; "
                        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r]; }" ::"r"(b)
                        : "memory");
                    break;
                }
            }
        }
        mean = (float)(clock_now() - t0) / TIMES;
        __syncthreads();
        if (what == LOAD || what == LOADMC || what == TURN1 || what == TURN2)
            spin(30000);
        __syncthreads();
    }
    if (what == LOADMC || what == REMOTE || what == RELEASE)
        asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x == 0 && blockIdx.x == 0)
        *out = mean;
}

// Two warps, or two CTAs, hand a turn to each other: half of the way around is one arrival seen by
// a waiting warp.
template <int CLUSTER> __global__ void hand_over(float *out) {
    __shared__ __align__(8) uint64_t bar[2];
    uint32_t rank = 0, b0 = shared_address(bar);
    if (CLUSTER)
        asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        init(b0, 1);
        init(b0 + 8, 1);
    }
    fence_init();
    __syncthreads();
    if (CLUSTER)
        asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    uint32_t t0 = clock_now();
    int me = CLUSTER ? rank : threadIdx.x / 32;
    if (threadIdx.x % 32 == 0 && (CLUSTER ? threadIdx.x == 0 : me < 2))
        for (int i = 0; i < 256; i++) {
            if (me == 0) {
                if (CLUSTER)
                    arrive_at(b0, 1);
                else
                    arrive(b0);
                wait(b0 + 8, i & 1);
            } else {
                wait(b0, i & 1);
                if (CLUSTER)
                    arrive_at(b0 + 8, 0);
                else
                    arrive(b0 + 8);
            }
        }
    if (me == 0 && threadIdx.x == 0)
        *out = (float)(clock_now() - t0) / 512;
    if (CLUSTER)
        asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

// Two groups of warps hand a turn to each other through named barriers, as in ping-pong: half of
// the way around is one arrival and the end of one wait.
__global__ void hand_over_barriers(float *out) {
    uint32_t threads = blockDim.x, half = threads / 2, me = threadIdx.x >= half;
    __syncthreads();
    uint32_t t0 = clock_now();
#pragma unroll 1
    for (int i = 0; i < 256; i++) {
        if (me)
            asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
        asm volatile("bar.arrive %0, %1;" ::"r"(1 + me), "r"(threads) : "memory");
        if (!me)
            asm volatile("bar.sync 2, %0;" ::"r"(threads) : "memory");
    }
    if (threadIdx.x == 0)
        *out = (float)(clock_now() - t0) / 512;
}

// Groups of four wgmma, with one or no group left in flight.
template <int N>
__global__ void __launch_bounds__(256)
    products(int leave, int loads, const __grid_constant__ CUtensorMap A, float *out, float *sink) {
    extern __shared__ uint8_t raw[];
    __shared__ __align__(8) uint64_t bar[8];
    uint32_t base = (shared_address(raw) + 1023u) & ~1023u;
    float acc[N / 2];
    for (int j = 0; j < N / 2; j++)
        acc[j] = 0;
    if (threadIdx.x == 0)
        for (int i = 0; i < 8; i++)
            init(shared_address(bar + i), 1 << 19);
    __syncthreads();
    uint64_t da = desc(base + (threadIdx.x >> 7) * 8192), db = desc(base + 16384);
    uint32_t t0 = clock_now();
#pragma unroll 1
    for (int i = 0; i < 128; i++) {
        if (loads && threadIdx.x == 0)
            for (int l = 0; l < loads; l++)
                load(&A, 0, 0, base + 65536 + 16384 * (l & 1), shared_address(bar + (i & 7)));
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int q = 0; q < 4; q++)
            wgmma<N>(acc, da + 2 * q, db + 2 * q);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        if (leave)
            asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        else
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (threadIdx.x == 0)
        *out = (float)(clock_now() - t0) / 128;
    float z = 0;
    for (int j = 0; j < N / 2; j++)
        z += acc[j];
    if (leave < 0) // never; but the products are needed, whatever they are of
        *sink = z;
    if (loads) {
        __syncthreads();
        spin(100000);
    }
}

// CTAs that follow each other on an SM: its clock at their starts and ends.
__global__ void follow(long long *log, int n) {
    extern __shared__ uint8_t raw[];
    if (threadIdx.x)
        return;
    long long t0 = clock64();
    spin(n);
    uint32_t sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    log[3 * blockIdx.x] = sm;
    log[3 * blockIdx.x + 1] = t0;
    log[3 * blockIdx.x + 2] = clock64();
}

// A thread loads a box again and again, and waits for it, or arrives and waits for that: the mean
// time from one load to the next, with no clock between them.
template <int LOADS>
__global__ void load_and_wait(const __grid_constant__ CUtensorMap A, int bytes, float *out) {
    extern __shared__ uint8_t raw[];
    __shared__ __align__(8) uint64_t full;
    uint32_t base = (shared_address(raw) + 1023u) & ~1023u, bar = shared_address(&full);
    init(bar, 1);
    fence_init();
    uint32_t t0 = 0;
#pragma unroll 1
    for (int i = -2; i < TIMES; i++) { // the first ones bring the box to L2
        if (i == 0)
            t0 = clock_now();
        if (LOADS == 0)
            arrive(bar);
        else {
            expect(bar, bytes);
            load(&A, 0, 0, base, bar);
        }
        wait(bar, i & 1);
    }
    *out = float(clock_now() - t0) / TIMES;
}

// Loads or stores by one lane, so many in each time around a loop: the lane is number 0, or elected
// for the whole loop, or for each instruction. No phase ends, and nothing waits.
enum Form { LANE, ELECTED, ELECTED_EACH, STORED };
template <int FORM, int N>
__global__ void turns(const __grid_constant__ CUtensorMap A, int times, float *out) {
    extern __shared__ __align__(1024) uint8_t raw[];
    __shared__ __align__(8) uint64_t full;
    uint32_t base = shared_address(raw), bar = shared_address(&full);
    if (threadIdx.x == 0) {
        init(bar, 1 << 19);
        fence_init();
    }
    __syncthreads();
    uint32_t t0 = clock_now(), go = threadIdx.x == 0;
    if (FORM == ELECTED)
        asm volatile("{ .reg .pred one; elect.sync _|one, 0xffffffff; selp.u32 %0, 1, 0, one; }"
                     : "=r"(go));
    if (FORM == ELECTED_EACH || go)
#pragma unroll 1
        for (int i = 0; i < times; i++)
#pragma unroll
            for (int j = 0; j < N; j++) {
                if (FORM == STORED)
                    store(&A, 0, N * i + j, base + 1024 * j);
                else if (FORM == ELECTED_EACH)
                    asm volatile("{ .reg .pred one; elect.sync _|one, 0xffffffff;"
                                 " @one "
                                 "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
                                 "complete_tx::bytes"
                                 " [%0], [%1, {0,%2}], [%3]; }" ::"r"(base + 1024 * j),
                                 "l"(&A), "r"(N * i + j), "r"(bar)
                                 : "memory");
                else
                    load(&A, 0, N * i + j, base + 1024 * j, bar);
            }
    if (threadIdx.x == 0)
        *out = float(clock_now() - t0);
    spin(200000);
    __syncthreads();
}

// From before an arrival or the load of a box until another warp, all lanes of which wait, has seen
// the end of the phase.
template <int LOADS>
__global__ void seen(const __grid_constant__ CUtensorMap A, int bytes, float *out) {
    extern __shared__ __align__(1024) uint8_t raw[];
    __shared__ __align__(8) uint64_t full;
    __shared__ uint32_t before, after;
    uint32_t base = shared_address(raw), bar = shared_address(&full), sum = 0;
    if (threadIdx.x == 0) {
        init(bar, 1);
        fence_init();
        fence_async();
    }
    __syncthreads();
#pragma unroll 1
    for (int i = -2; i < TIMES; i++) { // the first ones bring the box to L2
        if (threadIdx.x == 0) {
            if (LOADS)
                expect(bar, bytes);
            spin(1000);
            before = clock_now();
            if (LOADS)
                load(&A, 0, 0, base, bar);
            else
                arrive(bar);
        } else if (threadIdx.x >= 32) {
            wait(bar, i & 1);
            after = clock_now();
        }
        __syncthreads();
        sum += i < 0 ? 0 : after - before;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *out = float(sum) / TIMES;
}

// CTAs of a cluster meet at its barrier again and again; with `late`, the first one adds so many
// times 4 cycles before it arrives.
__global__ void cluster_turns(int late, float *out) {
    uint32_t rank, x = threadIdx.x, t0 = 0;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#pragma unroll 1
    for (int i = -2; i < TIMES; i++) {
        if (i == 0)
            t0 = clock_now();
        if (rank == 0)
            for (int j = 0; j < late; j++)
                asm volatile("mad.lo.u32 %0, %0, %0, 3;" : "+r"(x));
        asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    }
    if (threadIdx.x == 0 && rank == 0)
        *out = float(clock_now() - t0 + (x == 12345)) / TIMES;
}

// The first times around of a producer and a consumer: clocks since the start of the CTA.
template <int LOADS>
__global__ void first_turns(const __grid_constant__ CUtensorMap A, int depth, int turns,
                            int compute, uint32_t *log) {
    extern __shared__ uint8_t raw[];
    __shared__ __align__(8) uint64_t full[16], empty[16];
    __shared__ uint32_t at[2][64];
    uint32_t base = (shared_address(raw) + 1023u) & ~1023u;
    if (threadIdx.x == 0) {
        for (int i = 0; i < depth; i++) {
            init(shared_address(full + i), 1);
            init(shared_address(empty + i), 4);
        }
        fence_init();
        asm volatile("prefetch.tensormap [%0];" ::"l"(&A) : "memory");
        spin(4000);
    }
    __syncthreads();
    uint32_t t0 = clock_now();
    __syncthreads();
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    uint32_t s = 0, ph = 0;
    if (warp == 4) {
        if (lane == 0)
#pragma unroll 1
            for (int i = 0; i < turns; i++) {
                wait(shared_address(empty + s), ph ^ 1);
                expect(shared_address(full + s), 1024 * LOADS);
                load(&A, 0, i * 8, base + 2048 * s, shared_address(full + s));
                if (LOADS > 1)
                    load(&A, 0, i * 8, base + 2048 * s + 1024, shared_address(full + s));
                at[0][i] = clock_now() - t0;
                if (++s == depth) {
                    s = 0;
                    ph ^= 1;
                }
            }
    } else if (warp < 4) {
#pragma unroll 1
        for (int i = 0; i < turns; i++) {
            wait(shared_address(full + s), ph);
            if (compute)
                spin(compute);
            if (lane == 0)
                arrive(shared_address(empty + s));
            __syncwarp();
            if (threadIdx.x == 0)
                at[1][i] = clock_now() - t0;
            if (++s == depth) {
                s = 0;
                ph ^= 1;
            }
        }
    }
    __syncthreads();
    if (threadIdx.x < 128)
        log[threadIdx.x] = at[threadIdx.x / 64][threadIdx.x % 64];
}

static CUtensorMap make_map(uint8_t *at, uint32_t columns, uint32_t rows) {
    CUtensorMap m;
    cuuint64_t d[2] = {64, 4096}, s[1] = {128};
    cuuint32_t box[2] = {columns, rows}, e[2] = {1, 1};
    if (cuTensorMapEncodeTiled(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, at, d, s, box, e,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        printf("# encode\n");
    return m;
}
static float *out, *sink;
static uint32_t *counter;
/* Launches a kernel as one cluster, and waits for its end. */
template <class... PARAMETERS, class... ARGUMENTS>
static cudaError_t launch_cluster(void (*kernel)(PARAMETERS...), int ctas, int threads,
                                  size_t shared, ARGUMENTS... arguments) {
    cudaLaunchConfig_t c = {};
    c.gridDim = ctas;
    c.blockDim = threads;
    c.dynamicSmemBytes = shared;
    cudaLaunchAttribute a[1];
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = ctas;
    a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
    c.attrs = a;
    c.numAttrs = 1;
    cudaLaunchKernelEx(&c, kernel, arguments...);
    return cudaDeviceSynchronize();
}
static void launch(const char *name, int what, int n, int warps, int cluster,
                   const CUtensorMap &m) {
    cudaFuncSetAttribute(again, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    cudaError_t e = launch_cluster(again, cluster, warps * 32, 65536, m, what, n, counter, out);
    float v = 0;
    cudaMemcpy(&v, out, 4, cudaMemcpyDeviceToHost);
    if (e)
        printf("# %s: %s\n", name, cudaGetErrorString(e));
    else
        printf("%s\t%d\t%d\t%.1f\n", name, n, warps, v);
}
template <int N> static void multiply(const CUtensorMap &m) {
    cudaFuncSetAttribute(products<N>, cudaFuncAttributeMaxDynamicSharedMemorySize, 120000);
    for (int groups = 1; groups <= 2; groups++)
        for (int leave = 0; leave <= 1; leave++)
            for (int loads = 0; loads <= 3; loads++) {
                products<N><<<1, groups * 128, 120000>>>(leave, loads, m, out, sink);
                cudaError_t e = cudaDeviceSynchronize();
                float v = 0;
                cudaMemcpy(&v, out, 4, cudaMemcpyDeviceToHost);
                if (e)
                    printf("# mma %s\n", cudaGetErrorString(e));
                else
                    printf("mma%d_leave%d_groups%d\t%d\t%d\t%.1f\n", N, leave, groups, loads,
                           groups * 4, v);
            }
}
/* What a time around takes: the difference of loops of 8 and of 16, which the unit's queue holds.
 */
template <int FORM, int N> static void time_turns(const char *name, const CUtensorMap &m) {
    enum { FEW = 8 };
    float took[2];
    for (int i = 0; i < 4; i++) { // the first two bring code and boxes
        turns<FORM, N><<<1, 32, 20000>>>(m, FEW * (1 + i % 2), out);
        cudaMemcpy(&took[i % 2], out, 4, cudaMemcpyDeviceToHost);
    }
    printf("%s\t%d\t1\t%.1f\n", name, N, (took[1] - took[0]) / FEW);
}
static void time_cluster(const char *name, int ctas, int late) {
    launch_cluster(cluster_turns, ctas, 128, 0, late, out);
    float took;
    cudaMemcpy(&took, out, 4, cudaMemcpyDeviceToHost);
    printf("%s\t%d\t4\t%.1f\n", name, ctas, took);
}
int main() {
    uint8_t *g;
    cudaMalloc(&g, 64 << 20);
    cudaMemset(g, 0, 64 << 20);
    cudaMalloc(&out, 4);
    cudaMalloc(&sink, 4);
    cudaMalloc(&counter, 4);
    CUtensorMap small = make_map(g, 64, 1), box8 = make_map(g, 64, 8),
                box128 = make_map(g, 64, 128), box64 = make_map(g, 64, 64);
    printf("what\tn\twarps\tcycles\n");
    struct {
        const char *name;
        int what;
    } plain[] = {{"nothing", NOTHING},    {"wait", WAIT},     {"arrive", ARRIVE},
                 {"expect", EXPECT},      {"load", LOAD},     {"turn_1_load", TURN1},
                 {"turn_2_loads", TURN2}, {"commit", COMMIT}, {"wait_group_read", GROUP},
                 {"atomic", ATOMIC}};
    for (int rep = 0; rep < 2; rep++) {
        for (auto &p : plain)
            launch(p.name, p.what, 0, 1, 1, small);
        launch("load_multicast", LOADMC, 0, 1, 2, small);
        launch("arrive_remote", REMOTE, 0, 1, 2, small);
        launch("arrive_release_cluster", RELEASE, 0, 1, 2, small);
        launch("store_1_row", STORE, 1, 1, 1, small);
        launch("store_8_rows", STORE, 8, 1, 1, box8);
        launch("store_64_rows", STORE, 64, 1, 1, box64);
        launch("store_128_rows", STORE, 128, 1, 1, box128);
        for (int n : {0, 50, 100, 200, 300, 400, 500, 800, 1000, 1600}) {
            launch("spin", SPIN, n, 1, 1, small);
            for (int w : {1, 4, 8})
                launch("consumer", CONSUMER, n, w, 1, small);
        }
        for (int w : {1, 2, 4, 8})
            launch("barrier", BARRIER, w, w, 1, small);
        for (int w : {1, 2, 4, 8})
            launch("barrier_arrive", BARRIER_ARRIVE, w, w, 1, small);
    }
    float v;
    for (int w : {1, 4}) {
        hand_over_barriers<<<1, 64 * w>>>(out);
        cudaDeviceSynchronize();
        cudaMemcpy(&v, out, 4, cudaMemcpyDeviceToHost);
        printf("barrier_hand_over\t0\t%d\t%.1f\n", 2 * w, v);
    }
    load_and_wait<0><<<1, 1, 20000>>>(small, 0, out);
    cudaMemcpy(&v, out, 4, cudaMemcpyDeviceToHost);
    printf("arrive_and_wait\t0\t1\t%.1f\n", v);
    for (int rows : {1, 8, 64, 128}) {
        load_and_wait<1><<<1, 1, 20000>>>(make_map(g, 64, rows), rows * 128, out);
        cudaMemcpy(&v, out, 4, cudaMemcpyDeviceToHost);
        printf("load_and_wait\t%d\t1\t%.1f\n", rows, v);
    }
    seen<0><<<1, 64, 20000>>>(small, 0, out);
    cudaMemcpy(&v, out, 4, cudaMemcpyDeviceToHost);
    printf("arrive_seen\t0\t2\t%.1f\n", v);
    for (int rows : {1, 8, 64, 128}) {
        seen<1><<<1, 64, 20000>>>(make_map(g, 64, rows), rows * 128, out);
        cudaMemcpy(&v, out, 4, cudaMemcpyDeviceToHost);
        printf("load_seen\t%d\t2\t%.1f\n", rows, v);
    }
    time_turns<LANE, 1>("turns_lane", small);
    time_turns<LANE, 2>("turns_lane", small);
    time_turns<LANE, 4>("turns_lane", small);
    time_turns<ELECTED, 1>("turns_elected", small);
    time_turns<ELECTED, 2>("turns_elected", small);
    time_turns<ELECTED, 4>("turns_elected", small);
    time_turns<ELECTED_EACH, 1>("turns_elected_each", small);
    time_turns<ELECTED_EACH, 2>("turns_elected_each", small);
    time_turns<ELECTED_EACH, 4>("turns_elected_each", small);
    time_turns<STORED, 1>("turns_stored", small);
    time_turns<STORED, 2>("turns_stored", small);
    time_turns<STORED, 4>("turns_stored", small);
    hand_over<0><<<1, 64>>>(out);
    cudaDeviceSynchronize();
    cudaMemcpy(&v, out, 4, cudaMemcpyDeviceToHost);
    printf("hand_over\t0\t2\t%.1f\n", v);
    launch_cluster(hand_over<1>, 2, 32, 0, out);
    cudaMemcpy(&v, out, 4, cudaMemcpyDeviceToHost);
    printf("hand_over_cluster\t0\t1\t%.1f\n", v);
    for (int ctas : {1, 2, 8})
        time_cluster("cluster_turns", ctas, 0);
    time_cluster("cluster_turns_late_100", 2, 100);
    multiply<64>(box128);
    multiply<128>(box128);
    multiply<256>(box128);
    long long *log;
    cudaMalloc(&log, 24 * 4096);
    std::vector<long long> h(3 * 4096);
    cudaFuncSetAttribute(follow, cudaFuncAttributeMaxDynamicSharedMemorySize, 220 * 1024);
    for (int per = 1; per <= 4; per *= 2)
        for (int threads : {160, 288}) {
            int grid = 132 * per * 5;
            follow<<<grid, threads, 200 * 1024 / per>>>(log, 5000);
            cudaDeviceSynchronize();
            cudaMemcpy(h.data(), log, 24 * grid, cudaMemcpyDeviceToHost);
            std::vector<double> gaps;
            for (int sm = 0; sm < 132; sm++) {
                std::vector<std::pair<long long, long long>> c;
                for (int i = 0; i < grid; i++)
                    if (h[3 * i] == sm)
                        c.push_back({h[3 * i + 1], h[3 * i + 2]});
                std::vector<long long> ends;
                std::sort(c.begin(), c.end());
                for (size_t i = 0; i < c.size(); i++) {
                    if ((int)i >= per) {
                        std::sort(ends.begin(), ends.end());
                        gaps.push_back(c[i].first - ends[0]);
                        ends.erase(ends.begin());
                    }
                    ends.push_back(c[i].second);
                }
            }
            std::sort(gaps.begin(), gaps.end());
            if (gaps.size())
                printf("next_cta\t%d\t%d\t%.1f\n# gaps min %.0f max %.0f\n", per, threads / 32,
                       gaps[gaps.size() / 2], gaps[0], gaps.back());
        }
    cudaFuncSetAttribute(first_turns<1>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    cudaFuncSetAttribute(first_turns<2>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    uint32_t *turns;
    cudaMalloc(&turns, 512);
    uint32_t t[128];
    for (int loads = 1; loads <= 2; loads++)
        for (int compute : {0, 200})
            for (int depth : {1, 4, 8})
                for (int rep = 0; rep < 2; rep++) {
                    if (loads == 1)
                        first_turns<1><<<1, 160, 65536>>>(box8, depth, 32, compute, turns);
                    else
                        first_turns<2><<<1, 160, 65536>>>(box8, depth, 32, compute, turns);
                    cudaDeviceSynchronize();
                    cudaMemcpy(t, turns, 512, cudaMemcpyDeviceToHost);
                    for (int who = 0; who < 2; who++) {
                        printf("# turns loads %d compute %d depth %d %s:", loads, compute, depth,
                               who ? "consumer" : "producer");
                        for (int i = 0; i < 32; i++)
                            printf(" %u", t[64 * who + i]);
                        printf("\n");
                    }
                }
    printf("# %s\n", cudaGetErrorString(cudaGetLastError()));
}
