/* Takes what all SMs need to load, store, reduce and copy lines of L2 whose home is next to them,
 * or is the other partition:
 *
 *   build/capture-crossings > crossings.tsv
 *
 * A row has what the SMs next to partition 0 load and store, what those next to partition 1 do, how
 * many MiB each, where the loaded lines were, warps of an SM, and cycles from a barrier of the grid
 * to the end of an SM, the mean and the most. `near` lines have their home next to the SM, `far`
 * ones do not, of `any` every other block of 4 KiB is near. Loaded lines were
 *   fresh   in L2, written by SMs next to their home, so that the other partition has no copy
 *   copied  in L2, loaded by the same SMs before
 *   dram    not in L2
 * The buffers are the first allocation of the program, so that the homes of lines are known. */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#include "ptx.cuh"
#include "read_all.cuh"

enum place { NEAR, FAR, ANY, NONE };
enum op { LOAD, STORE, RED, ATOM };

static const char *const place_names[] = {"near", "far", "any", "none"};
static const char *const op_names[] = {"ld", "st", "red", "atom"};
static const uint64_t first_byte = uint64_t(528) << 20, block_bytes = 4096;
static const size_t mib = 1 << 20, flush_bytes = 512 * mib;
static const uint32_t part_bytes = 1024; /* of a block, for one warp */

static void check(cudaError_t code, const char *where) {
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "capture-crossings: %s: %s\n", where, cudaGetErrorString(code));
    exit(2);
}

/* Of an H100: the parity of these bits of the physical address. */
static __device__ uint32_t home(uint64_t offset) {
    return uint32_t(__popcll((first_byte + offset) & 0x13a78b3000ull)) & 1;
}

struct work {
    uint8_t places[4]; /* loads and writes of the SMs next to partition 0, and to partition 1 */
    uint32_t pairs;    /* blocks of 4 KiB of each home */
};

/* Cycles of an atomic of one lane at a line of home `at`. */
static __device__ uint32_t latency(char *base, uint32_t at) {
    __shared__ volatile uint32_t keep;
    uint32_t best = ~0u;
    for (uint32_t i = 0; i < 8; i++) {
        uint64_t offset = i * 2 * block_bytes;
        char *p = base + offset + (home(offset) == at ? 0 : block_bytes) + 1024;
        for (int k = 0; k < 3; k++) {
            uint32_t start = clock_now(), old;
            asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 0;"
                         : "=r"(old)
                         : "l"(p)
                         : "memory");
            keep = old; /* waits for it */
            uint32_t took = clock_now() - start;
            best = took < best ? took : best;
        }
    }
    return best;
}

static __device__ void arrive_and_wait(volatile uint32_t *counter, uint32_t until) {
    atomicAdd((uint32_t *)counter, 1);
    while (*counter < until) {
    }
}

/* An SM's part of the work, which is one of `count` parts of its side's. */
template <int WRITE>
static __device__ uint32_t pass(char *base, uint64_t from, uint64_t to, uint32_t load_place,
                                uint32_t write_place, uint32_t pairs, uint32_t side, uint32_t rank,
                                uint32_t count) {
    uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;
    uint32_t parts = (pairs - rank + count - 1) / count * (block_bytes / part_bytes);
    for (uint32_t i = warp; i < parts; i += blockDim.x / 32) {
        uint32_t pair = rank + i / (block_bytes / part_bytes) * count;
        uint64_t offset = pair * 2 * block_bytes, in = i % (block_bytes / part_bytes) * part_bytes;
        uint4 got[2] = {};
        if (load_place != NONE) {
            uint32_t wanted = side ^ (load_place == ANY ? pair & 1 : load_place);
            char *p = base + from + offset + (home(from + offset) == wanted ? 0 : block_bytes) +
                      in + lane * 16;
#pragma unroll
            for (int k = 0; k < 2; k++)
                asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(got[k].x), "=r"(got[k].y), "=r"(got[k].z), "=r"(got[k].w)
                             : "l"(p + k * 512)
                             : "memory");
        }
        if (write_place != NONE) {
            uint32_t wanted = side ^ (write_place == ANY ? pair & 1 : write_place);
            char *p = base + to + offset + (home(to + offset) == wanted ? 0 : block_bytes) + in;
            if (WRITE == STORE)
#pragma unroll
                for (int k = 0; k < 2; k++)
                    asm volatile(
                        "st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p + k * 512 + lane * 16),
                        "r"(got[k].x), "r"(got[k].y), "r"(got[k].z), "r"(got[k].w)
                        : "memory");
            uint32_t old[8] = {};
#pragma unroll
            for (int k = 0; k < 8; k++) {
                if (WRITE == RED)
                    asm volatile(
                        "red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(p + k * 128 + lane * 4),
                        "r"(got[k & 1].x)
                        : "memory");
                if (WRITE == ATOM)
                    asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], %2;"
                                 : "=r"(old[k])
                                 : "l"(p + k * 128 + lane * 4), "r"(got[k & 1].x)
                                 : "memory");
            }
#pragma unroll
            for (int k = 0; k < 8; k++)
                sum ^= old[k];
        }
        sum ^=
            got[0].x ^ got[0].y ^ got[0].z ^ got[0].w ^ got[1].x ^ got[1].y ^ got[1].z ^ got[1].w;
    }
    if (write_place != NONE)
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
    __syncthreads();
    return sum;
}

/* How often all do their work: the last time counts. `fresh`: first the loaded lines are written by
 * SMs next to their home. */
template <int WRITE>
static __global__ void move(char *base, uint64_t from, uint64_t to, work work, uint32_t fresh,
                            uint32_t times, uint32_t *counters, uint32_t *cycles, uint32_t *sink) {
    __shared__ uint32_t side, rank, count;
    uint32_t sum = 0, start = 0, meetings = 2;
    if (threadIdx.x == 0) {
        side = latency(base, 1) < latency(base, 0);
        rank = atomicAdd(counters + side, 1);
        arrive_and_wait(counters + 2, gridDim.x);
        count = ((volatile uint32_t *)counters)[side];
    }
    __syncthreads();
    uint32_t loads = work.places[side * 2], writes = work.places[side * 2 + 1];
    if (fresh)
        pass<STORE>(base, from, from, NONE, NEAR, work.pairs, side, rank, count);
    for (uint32_t i = 0; i < times; i++) {
        if (threadIdx.x == 0)
            arrive_and_wait(counters + 2, gridDim.x * meetings++);
        __syncthreads();
        start = clock_now();
        sum ^= pass<WRITE>(base, from, to, loads, writes, work.pairs, side, rank, count);
    }
    if (sum == 0x12345)
        *sink = sum;
    if (threadIdx.x == 0) {
        cycles[blockIdx.x] = clock_now() - start;
        cycles[gridDim.x + blockIdx.x] = side;
    }
}

struct device {
    char *buffer, *flush;
    uint32_t *counters, *cycles, *sink;
    int sms;
};

static std::vector<uint32_t> run(const device &d, int write, const work &work, const char *state,
                                 int warps) {
    const uint64_t from = 16 * mib, to = 64 * mib;
    std::vector<uint32_t> cycles(size_t(d.sms) * 2);
    uint32_t fresh = state[0] != 'd', times = state[0] == 'c' ? 2 : 1;
    check(cudaMemset(d.counters, 0, 16), "counters");
    if (!fresh)
        read_all<<<1056, 256>>>((const uint4 *)d.flush, flush_bytes / sizeof(uint4), d.sink);
    check(cudaDeviceSynchronize(), "memset");
#define MOVE(W)                                                                                    \
    move<W><<<d.sms, warps * 32, 200 * 1024>>>(d.buffer, from, to, work, fresh, times, d.counters, \
                                               d.cycles, d.sink)
    if (write == RED)
        MOVE(RED);
    else if (write == ATOM)
        MOVE(ATOM);
    else
        MOVE(STORE);
    check(cudaMemcpy(cycles.data(), d.cycles, cycles.size() * 4, cudaMemcpyDefault), "cycles");
    return cycles;
}

static void row(const device &d, int write, const work &work, const char *state, int warps) {
    std::vector<double> means, mosts;
    double all[2] = {};
    for (int round = 0; round < 5; round++) {
        std::vector<uint32_t> cycles = run(d, write, work, state, warps);
        double sums[3] = {}, ones = 0, most = 0;
        for (int i = 0; i < d.sms; i++) {
            uint32_t side = cycles[size_t(d.sms + i)];
            sums[side] += cycles[size_t(i)];
            ones += side;
            most = std::max(most, double(cycles[size_t(i)]));
        }
        means.push_back((sums[0] + sums[1]) / d.sms);
        mosts.push_back(most);
        all[0] += sums[0] / (d.sms - ones) / 5;
        all[1] += sums[1] / ones / 5;
    }
    std::sort(means.begin(), means.end());
    std::sort(mosts.begin(), mosts.end());
    printf("%s\t%s\t%s\t%s\t%s\t%s\t%u\t%d\t%.0f\t%.0f\t%.0f\t%.0f\n", op_names[write], state,
           place_names[work.places[0]], place_names[work.places[1]], place_names[work.places[2]],
           place_names[work.places[3]], work.pairs / 128, warps, means[2], mosts[2], all[0],
           all[1]);
    fflush(stdout);
}

int main() {
    device d{};
    check(cudaMalloc(&d.buffer, 256 * mib), "buffer");
    check(cudaMalloc(&d.flush, flush_bytes), "flush");
    check(cudaMalloc(&d.counters, 16), "counters");
    check(cudaMalloc(&d.cycles, 4096), "cycles");
    check(cudaMalloc(&d.sink, 4), "sink");
    check(cudaMemset(d.buffer, 0, 256 * mib), "memset");
    check(cudaMemset(d.flush, 0, flush_bytes), "memset");
    check(cudaDeviceGetAttribute(&d.sms, cudaDevAttrMultiProcessorCount, 0), "SMs");
    check(
        cudaFuncSetAttribute(move<STORE>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024),
        "shared");
    check(cudaFuncSetAttribute(move<RED>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024),
          "shared");
    check(cudaFuncSetAttribute(move<ATOM>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024),
          "shared");
    printf(
        "write\tstate\tloads0\twrites0\tloads1\twrites1\tmib\twarps\tcycles\tmost\tside0\tside1\n");
    for (int m : {4, 8, 16})
        for (const char *state : {"fresh", "copied", "dram"})
            for (int l : {NEAR, FAR, ANY, NONE})
                for (int w : {NEAR, FAR, ANY, NONE}) {
                    uint8_t load = uint8_t(l), write = uint8_t(w);
                    if (l == NONE && (w == NONE || state[0] != 'f'))
                        continue;
                    row(d, STORE, {{load, write, load, write}, uint32_t(m) * 128}, state, 32);
                }
    for (int m : {4, 16})
        for (int op : {RED, ATOM})
            for (int l : {NONE, NEAR, FAR, ANY})
                for (int w : {NEAR, FAR, ANY}) {
                    uint8_t load = uint8_t(l), write = uint8_t(w);
                    row(d, op, {{load, write, load, write}, uint32_t(m) * 128}, "fresh", 32);
                }
    /* One side moves, or the sides do different things: which directions share. */
    for (int m : {4, 16})
        for (const char *state : {"fresh", "copied"})
            for (int l0 : {NEAR, FAR, NONE})
                for (int w0 : {NEAR, FAR, NONE})
                    for (int l1 : {NEAR, FAR, NONE})
                        for (int w1 : {NEAR, FAR, NONE}) {
                            if ((l0 == NONE && w0 == NONE) || (l0 == l1 && w0 == w1))
                                continue;
                            if (state[0] == 'c' && (l0 == NONE || l1 == NONE))
                                continue;
                            row(d, STORE,
                                {{uint8_t(l0), uint8_t(w0), uint8_t(l1), uint8_t(w1)},
                                 uint32_t(m) * 128},
                                state, 32);
                        }
    for (int warps : {4, 8, 16})
        for (const char *state : {"fresh", "copied", "dram"}) {
            row(d, STORE, {{ANY, ANY, ANY, ANY}, 2048}, state, warps);
            row(d, STORE, {{ANY, NONE, ANY, NONE}, 2048}, state, warps);
            row(d, STORE, {{NONE, ANY, NONE, ANY}, 2048}, state, warps);
        }
    return 0;
}
