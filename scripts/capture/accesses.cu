/* Takes what loads, stores and atomics of warps take, and what address translation adds:
 *
 *   build/capture-accesses > accesses.tsv
 *
 * A row has a family, its parameters as words, and cycles of the SM. Families:
 *
 *   latency      one lane, one access after the other: median, mean, 10th and 90th percentile
 *   rate         `warps` warps of each of `sms` SMs do the same access again and again, 8 at a
 * time: cycles of an SM for one instruction of a warp burst        `loads` single lanes of an SM
 * load a sector each at once: cycles until all have it capacity     a warp reads `kib` KiB again
 * and again, a line at a time: mean cycles of a load translation  one lane loads a line in each of
 * `pages` places, `stride` MiB apart, that L2 holds: the first pass of a launch and the third one
 *   sharing      SMs load lines of one place, one SM after the other, after each has loaded
 *                from many other places: place in the order, SM, cycles of its first and second
 * load walks        `lanes` lanes of a warp load from a place each, `stride` MiB apart cluster
 * shared memory of another CTA of the cluster */
#include <algorithm>
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#include "ptx.cuh"
#include "random.cuh"
#include "read_all.cuh"

static const size_t flush_bytes = size_t(512) << 20, mib = 1 << 20;
static const int sm_count = 132, whole_sm = 200 * 1024, chunk = 8;

static void check(cudaError_t code, const char *where) {
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "capture-accesses: %s: %s\n", where, cudaGetErrorString(code));
    exit(2);
}

enum op { CA, CG, ST, RED, ATOM, NOALLOC };
static const char *const op_names[] = {"ld.ca", "ld.cg", "st", "red", "atom", "ld.no_allocate"};

/* One access of `WORDS` words of 32 bits. */
template <int OP, int WORDS> static __device__ uint32_t access(char *p) {
    uint32_t a = 0, b = 0, c = 0, d = 0;
    if (OP == CA && WORDS == 1)
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(a) : "l"(p) : "memory");
    if (OP == CA && WORDS == 2)
        asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(p) : "memory");
    if (OP == CA && WORDS == 4)
        asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "l"(p)
                     : "memory");
    if (OP == CG && WORDS == 1)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(a) : "l"(p) : "memory");
    if (OP == CG && WORDS == 2)
        asm volatile("ld.global.cg.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(p) : "memory");
    if (OP == CG && WORDS == 4)
        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "l"(p)
                     : "memory");
    if (OP == NOALLOC)
        asm volatile("ld.global.L1::no_allocate.u32 %0, [%1];" : "=r"(a) : "l"(p) : "memory");
    if (OP == ST && WORDS == 1)
        asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(1) : "memory");
    if (OP == ST && WORDS == 2)
        asm volatile("st.global.v2.u32 [%0], {%1, %1};" ::"l"(p), "r"(1) : "memory");
    if (OP == ST && WORDS == 4)
        asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(p), "r"(1) : "memory");
    if (OP == RED)
        asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(p), "r"(1) : "memory");
    if (OP == ATOM)
        asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], %2;"
                     : "=r"(a)
                     : "l"(p), "r"(1)
                     : "memory");
    return a ^ b ^ c ^ d;
}

/* One lane of SM `sm` accesses the lines of `numbers`, one after the other, `passes` times. */
template <int OP>
static __global__ void probe(char *base, const uint32_t *numbers, int count, int passes,
                             uint32_t sm, uint32_t *cycles, uint32_t *sink) {
    extern __shared__ uint32_t entries[];
    __shared__ volatile uint32_t keep;
    uint32_t sum = 0;
    if (sm_number() != sm || threadIdx.x != 0)
        return;
    for (int i = 0; i < count; i++)
        entries[i] = numbers[i];
    for (int pass = 0; pass < passes; pass++)
        for (int i = 0; i < count; i++) {
            char *p = base + uint64_t(((volatile uint32_t *)entries)[i]) * 128;
            asm volatile("" ::"l"(p) : "memory");
            uint64_t start = clock64();
            sum += access<OP, 1>(p);
            if (OP == ST || OP == RED)
                asm volatile("fence.acq_rel.gpu;" ::: "memory");
            keep = sum;
            uint32_t took = uint32_t(clock64() - start);
            if (pass == 0 || pass == passes - 1)
                cycles[(pass == 0 ? 0 : count) + i] = took;
        }
    *sink = sum;
}

static __global__ void shared_latency(uint32_t *cycles, uint32_t *sink) {
    __shared__ volatile uint32_t next[64];
    for (int i = 0; i < 64; i++)
        next[i] = uint32_t(i * 7 + 1) % 64;
    uint32_t at = 0;
    uint64_t start = clock64();
    for (int i = 0; i < 1024; i++)
        at = next[at];
    *cycles = uint32_t((clock64() - start) / 1024);
    *sink = at;
}

/* Chains of dependent loads: cycles of a load without the clock around it. */
static __global__ void chain(uint64_t *cells, int cached, int count, uint32_t sm, uint32_t *cycles,
                             uint64_t *sink) {
    if (sm_number() != sm)
        return;
    uint64_t at = uint64_t(cells), start = 0;
    for (int pass = 0; pass < 3; pass++) {
        start = clock64();
        for (int i = 0; i < count; i++)
            if (cached)
                asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory");
            else
                asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
    }
    cycles[0] = uint32_t((clock64() - start) * 10 / uint64_t(count));
    *sink = at;
}

/* Warps of the first `sms` SMs do `rounds` times `chunk` accesses; lanes are `stride` bytes apart,
 * an access and the next one of the warp `step` bytes, within `bytes` bytes of the SM. */
template <int OP, int WORDS>
static __global__ void rate(char *base, int sms, int rounds, uint32_t stride, uint32_t warp_step,
                            uint32_t step, uint32_t bytes, uint64_t sm_bytes, uint32_t *cycles,
                            uint32_t *sink) {
    uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;
    if (int(blockIdx.x) >= sms)
        return;
    char *mine = base + blockIdx.x * sm_bytes + lane * stride;
    uint64_t start = 0;
    for (int pass = 0; pass < 2; pass++) {
        __syncthreads();
        start = clock64();
        uint32_t at = warp * warp_step;
        for (int i = 0; i < (pass == 0 ? rounds / 4 + 1 : rounds); i++) {
            uint32_t got[chunk];
#pragma unroll
            for (int k = 0; k < chunk; k++)
                got[k] = access<OP, WORDS>(mine + ((at + uint32_t(k) * step) & (bytes - 1)));
            at += chunk * step;
#pragma unroll
            for (int k = 0; k < chunk; k++)
                sum ^= got[k];
        }
        if (OP == ST || OP == RED)
            asm volatile("fence.acq_rel.gpu;" ::: "memory");
        if (sum == 0x12345)
            *sink = sum;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = uint32_t(clock64() - start);
}

/* `loads` lanes load a sector each at once: a lane of each warp `EACH` of them, or all of its
 * lanes. */
template <int EACH>
static __global__ void burst(char *base, int lanes, uint32_t stride, uint32_t sm, uint32_t *cycles,
                             uint32_t *sink) {
    uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0, got[EACH];
    if (sm_number() != sm)
        return;
    __syncthreads();
    uint64_t start = clock64();
    if (int(lane) < lanes) {
#pragma unroll
        for (int k = 0; k < EACH; k++)
            got[k] = access<CG, 1>(base + ((warp * EACH + uint32_t(k)) * uint32_t(lanes) + lane) *
                                              uint64_t(stride));
#pragma unroll
        for (int k = 0; k < EACH; k++)
            sum ^= got[k];
    }
    if (sum == 0x12345)
        *sink = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        *cycles = uint32_t(clock64() - start);
}

static __global__ void capacity(char *base, int lines, uint32_t sm, uint32_t *cycles,
                                uint32_t *sink) {
    uint32_t sum = 0;
    uint64_t start = 0;
    if (sm_number() != sm)
        return;
    for (int pass = 0; pass < 4; pass++) {
        start = clock64();
        for (int i = 0; i < lines; i++)
            sum += access<CA, 1>(base + uint64_t(i) * 128 + ((threadIdx.x * 4 + sum * 128) & 127));
    }
    if (threadIdx.x == 0) {
        cycles[0] = uint32_t((clock64() - start) * 10 / uint64_t(lines));
        *sink = sum;
    }
}

static __global__ void sharing(char *base, const uint32_t *numbers, int count,
                               const uint32_t *place_of, uint64_t place, volatile uint32_t *turn,
                               uint32_t *cycles, uint32_t *sink) {
    __shared__ volatile uint32_t keep;
    if (threadIdx.x != 0)
        return;
    uint32_t sm = sm_number(), mine = place_of[sm], sum = 0;
    char *p = base + place + uint64_t(mine) * 256;
    for (int i = 0; i < count; i++)
        sum +=
            access<CG, 1>(base + uint64_t(numbers[(uint32_t(i) + sm * 7) % uint32_t(count)]) * 128);
    keep = sum;
    atomicAdd((uint32_t *)turn + 32, 1);
    while (turn[32] < sm_count) {
    }
    while (turn[0] != mine) {
    }
    spin(2000);
    for (int k = 0; k < 2; k++) {
        uint64_t start = clock64();
        sum += access<CG, 1>(p + k * 128);
        keep = sum;
        cycles[sm * 2 + uint32_t(k)] = uint32_t(clock64() - start);
    }
    *sink = sum;
    __threadfence();
    turn[0] = mine + 1;
}

static __global__ void walks(char *base, const uint32_t *numbers, int count, uint64_t first,
                             uint64_t stride, int lanes, uint32_t sm, uint32_t *cycles,
                             uint32_t *sink) {
    uint32_t sum = 0, lane = threadIdx.x;
    if (sm_number() != sm)
        return;
    if (lane == 0)
        for (int i = 0; i < count; i++)
            sum += access<CG, 1>(base + uint64_t(numbers[i]) * 128);
    sum = __shfl_sync(~0u, sum, 0);
    asm volatile("" ::"r"(sum) : "memory");
    char *p = base + first + lane * (stride + 128);
    for (int k = 0; k < 2; k++) {
        __syncwarp();
        uint64_t start = clock64();
        if (int(lane) < lanes)
            sum += access<CG, 1>(p);
        sum = __reduce_add_sync(~0u, sum);
        cycles[k] = uint32_t(clock64() - start);
    }
    if (lane == 0)
        *sink = sum;
}

/* Rank 0 of each cluster of two reads the shared memory of rank 1: a chain of one lane, then whole
 * warps. */
static __global__ void __cluster_dims__(2, 1, 1)
    cluster(int warps, int remote, uint32_t *cycles, uint32_t *sink) {
    extern __shared__ uint32_t words[];
    namespace cg = cooperative_groups;
    cg::cluster_group group = cg::this_cluster();
    for (uint32_t i = threadIdx.x; i < 8192; i += blockDim.x)
        words[i] = (i * 33 + 1) % 8192;
    group.sync();
    uint32_t sum = 0, address;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(address)
                 : "r"(shared_address(words)),
                   "r"(remote ? group.block_rank() ^ 1 : group.block_rank()));
    if (group.block_rank() == 0) {
        uint64_t start = clock64();
        if (warps == 0) {
            uint32_t at = 0;
            if (threadIdx.x == 0)
                for (int i = 0; i < 256; i++)
                    asm volatile("ld.shared::cluster.u32 %0, [%1];"
                                 : "=r"(at)
                                 : "r"(address + at * 4)
                                 : "memory");
            sum = at;
            start = clock64() - start;
            if (threadIdx.x == 0)
                cycles[blockIdx.x] = uint32_t(start * 10 / 256);
        } else {
            __syncthreads();
            start = clock64();
            for (int i = 0; i < 32; i++) {
                uint32_t got[chunk][4];
#pragma unroll
                for (int k = 0; k < chunk; k++)
                    asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                                 : "=r"(got[k][0]), "=r"(got[k][1]), "=r"(got[k][2]),
                                   "=r"(got[k][3])
                                 : "r"(address + (threadIdx.x % 1024) * 16 + uint32_t(k) * 512)
                                 : "memory");
#pragma unroll
                for (int k = 0; k < chunk; k++)
                    sum ^= got[k][0] ^ got[k][1] ^ got[k][2] ^ got[k][3];
            }
            __syncthreads();
            if (threadIdx.x == 0)
                cycles[blockIdx.x] =
                    uint32_t((clock64() - start) * 10 / uint64_t(32 * chunk * warps));
        }
        if (sum == 0x12345)
            *sink = sum;
    }
    group.sync();
}

struct device {
    char *big, *flush;
    size_t bytes;
    uint32_t *numbers, *cycles, *sink, *turn;
};

typedef std::vector<uint32_t> numbers;

static numbers results(const device &d, size_t count) {
    numbers all(count);
    check(cudaDeviceSynchronize(), "kernel");
    check(cudaMemcpy(all.data(), d.cycles, count * 4, cudaMemcpyDefault), "cycles");
    return all;
}

static void give(const device &d, const numbers &lines) {
    check(cudaMemcpy(d.numbers, lines.data(), lines.size() * 4, cudaMemcpyDefault), "numbers");
}

static void empty(const device &d) {
    read_all<<<1056, 256>>>((const uint4 *)d.flush, flush_bytes / sizeof(uint4), d.sink);
    check(cudaDeviceSynchronize(), "flush");
}

static void row(const char *family, const char *what, numbers cycles) {
    double sum = 0;
    for (uint32_t c : cycles)
        sum += c;
    std::sort(cycles.begin(), cycles.end());
    size_t n = cycles.size();
    printf("%s\t%s\t%u\t%.1f\t%u\t%u\n", family, what, cycles[n / 2], sum / double(n),
           cycles[n / 10], cycles[n * 9 / 10]);
    fflush(stdout);
}

static void value(const char *family, const char *what, double cycles) {
    printf("%s\t%s\t%.2f\t%.2f\t%.2f\t%.2f\n", family, what, cycles, cycles, cycles, cycles);
    fflush(stdout);
}

template <int OP>
static numbers probe_on(const device &d, uint32_t sm, const numbers &lines, int passes) {
    give(d, lines);
    check(cudaFuncSetAttribute(probe<OP>, cudaFuncAttributeMaxDynamicSharedMemorySize, whole_sm),
          "shared");
    probe<OP><<<sm_count, 32, whole_sm>>>(d.big, d.numbers, int(lines.size()), passes, sm, d.cycles,
                                          d.sink);
    return results(d, lines.size() * (passes > 1 ? 2 : 1));
}

static numbers last(const numbers &all) {
    return numbers(all.begin() + long(all.size() / 2), all.end());
}

static void latencies(const device &d) {
    char what[200];
    for (uint32_t sm : {0u, 4u, 16u, 50u}) {
        numbers lines, few;
        for (uint32_t i = 0; i < 2000; i++)
            lines.push_back(random_below(1 << 18));
        for (uint32_t i = 0; i < 64; i++)
            few.push_back(i);
#define LATENCY(OP, lines, where)                                                                  \
    snprintf(what, sizeof what, "op=%s where=%s sm=%u", op_names[OP], where, sm);                  \
    row("latency", what, last(probe_on<OP>(d, sm, lines, 3)));
        LATENCY(CA, few, "l1")
        LATENCY(CG, lines, "l2")
        LATENCY(ATOM, lines, "l2")
        LATENCY(RED, lines, "l2")
        LATENCY(ST, lines, "l2")
        empty(d);
        snprintf(what, sizeof what, "op=ld.cg where=dram sm=%u", sm);
        row("latency", what, probe_on<CG>(d, sm, lines, 1));
        uint64_t *cells;
        check(cudaMalloc(&cells, 1 << 20), "cells");
        for (int cached = 0; cached < 2; cached++) {
            int count = cached ? 64 : 4096, step = 256 / 8;
            std::vector<uint64_t> next(size_t(count * step));
            for (int i = 0; i < count; i++)
                next[size_t(i * step)] = uint64_t(cells + (i + 1) % count * step);
            check(cudaMemcpy(cells, next.data(), next.size() * 8, cudaMemcpyDefault), "cells");
            chain<<<sm_count, 1>>>(cells, cached, count, sm, d.cycles, (uint64_t *)d.sink);
            snprintf(what, sizeof what, "op=%s where=%s sm=%u chain=1", op_names[cached ? CA : CG],
                     cached ? "l1" : "l2", sm);
            value("latency", what, results(d, 1)[0] / 10.0);
        }
        check(cudaFree(cells), "cells");
    }
    shared_latency<<<1, 1>>>(d.cycles, d.sink);
    value("latency", "op=ld.shared chain=1", results(d, 1)[0]);
}

template <int OP, int WORDS>
static void rate_of(const device &d, int sms, int warps, uint32_t stride, const char *where,
                    uint32_t bytes, uint32_t step, uint32_t warp_step, uint64_t sm_bytes) {
    int rounds = 64;
    check(cudaMemset(d.big, 0, 64), "memset");
    rate<OP, WORDS><<<sms == 1 ? 1 : sm_count, warps * 32>>>(
        d.big, sms, rounds, stride, warp_step, step, bytes, sm_bytes, d.cycles, d.sink);
    numbers all = results(d, size_t(sms));
    std::sort(all.begin(), all.end());
    char what[200];
    snprintf(what, sizeof what,
             "op=%s where=%s bytes=%d stride=%u warps=%d sms=%d step=%u warp_step=%u range=%u "
             "sm_range=%llu",
             op_names[OP], where, WORDS * 4, stride, warps, sms, step, warp_step, bytes,
             (unsigned long long)sm_bytes);
    value("rate", what, double(all[all.size() / 2]) / (rounds * chunk * warps));
}

template <int OP, int WORDS> static void rates_of(const device &d) {
    for (int warps : {4, 8, 16, 32})
        for (uint32_t stride : {0u, uint32_t(WORDS) * 4, 32u, 64u, 128u}) {
            if (warps != 32 && stride != WORDS * 4 && stride != 128)
                continue;
            uint32_t span = stride * 32 > 128 ? stride * 32 : 128;
            if (OP == CA)
                rate_of<OP, WORDS>(d, 1, warps, stride, "l1", 16384, 0, 0, 0);
            if (OP == ATOM || OP == RED) {
                rate_of<OP, WORDS>(d, 1, warps, stride, "same", 1 << 20, 0, 0, 0);
                if (warps == 32)
                    rate_of<OP, WORDS>(d, sm_count, warps, stride, "same", 1 << 20, 0, 0, 0);
            }
            rate_of<OP, WORDS>(d, 1, warps, stride, "l2", 4 << 20, span * uint32_t(warps), span, 0);
            if (warps == 32 || warps == 8)
                rate_of<OP, WORDS>(d, sm_count, warps, stride, "l2", 128 << 10,
                                   span * uint32_t(warps), span, 128 << 10);
            if (warps == 32 && stride >= 4)
                rate_of<OP, WORDS>(d, sm_count, warps, stride, "dram", 64 << 20,
                                   span * uint32_t(warps), span, 64 << 20);
        }
}

template <int EACH> static void bursts_of(const device &d) {
    for (int dram = 0; dram < 2; dram++)
        for (int warps : {4, 8, 16, 24, 32})
            for (int lanes : {1, 4, 8, 32}) {
                int loads = warps * EACH * lanes;
                if (loads > 4096)
                    continue;
                numbers all;
                for (int i = 0; i < 7; i++) {
                    if (dram)
                        empty(d);
                    else
                        burst<EACH>
                            <<<sm_count, warps * 32>>>(d.big, lanes, 128, 0, d.cycles, d.sink);
                    burst<EACH><<<sm_count, warps * 32>>>(d.big, lanes, 128, 0, d.cycles, d.sink);
                    all.push_back(results(d, 1)[0]);
                }
                char what[200];
                snprintf(what, sizeof what, "where=%s warps=%d each=%d lanes=%d loads=%d",
                         dram ? "dram" : "l2", warps, EACH, lanes, loads);
                row("burst", what, all);
            }
}

static void capacities(const device &d) {
    check(cudaMemset(d.big, 0, 1 << 20), "memset");
    for (int shared : {0, 40 * 1024, 99 * 1024, 200 * 1024}) {
        check(cudaFuncSetAttribute(capacity, cudaFuncAttributeMaxDynamicSharedMemorySize, whole_sm),
              "shared");
        check(cudaFuncSetAttribute(capacity, cudaFuncAttributePreferredSharedMemoryCarveout,
                                   shared == 0 ? 0 : shared * 100 / (228 * 1024)),
              "carve-out");
        for (int kib :
             {4,   8,   16,  20,  24,  28,  32,  40,  48,  64,  96,  112, 120, 124, 128, 136, 144,
              152, 160, 176, 192, 200, 208, 216, 224, 232, 240, 248, 252, 256, 264, 280, 320}) {
            capacity<<<sm_count, 32, shared>>>(d.big, kib * 8, 0, d.cycles, d.sink);
            char what[200];
            snprintf(what, sizeof what, "shared_kib=%d kib=%d", shared / 1024, kib);
            value("capacity", what, results(d, 1)[0] / 10.0);
        }
    }
}

static void translations(const device &d) {
    for (uint64_t stride : {2ull, 4ull, 32ull, 64ull})
        for (uint32_t pages = 1; pages <= 32768 && pages * stride * mib <= d.bytes;
             pages = pages < 8 ? pages + 1 : pages * 5 / 4) {
            numbers lines;
            for (uint32_t i = 0; i < pages; i++)
                lines.push_back(uint32_t(i * stride * mib / 128 + random_below(2 << 13)));
            for (uint32_t i = pages; i-- > 1;)
                std::swap(lines[i], lines[random_below(i + 1)]);
            give(d, lines);
            probe_on<CG>(d, 0, lines, 1);
            read_all<<<1056, 256>>>((const uint4 *)d.flush, (8 << 20) / sizeof(uint4), d.sink);
            numbers all = probe_on<CG>(d, 0, lines, 3);
            char what[200];
            for (int pass = 0; pass < 2; pass++) {
                snprintf(what, sizeof what, "stride=%u pages=%u pass=%d", uint32_t(stride), pages,
                         pass == 0 ? 1 : 3);
                row("translation", what,
                    pass == 0 ? numbers(all.begin(), all.begin() + pages) : last(all));
            }
            if (pages > 2500 && pages < 32768 / 2)
                pages = pages * 3 / 2;
        }
}

static numbers far_places(const device &d, uint32_t first_mib, uint32_t count) {
    numbers lines;
    uint32_t blocks = uint32_t(d.bytes / mib - first_mib) / 32;
    for (uint32_t i = 0; i < count; i++)
        lines.push_back((first_mib + i % blocks * 32) * uint32_t(mib / 128) +
                        random_below(2 << 13));
    return lines;
}

static void shares(const device &d) {
    check(cudaFuncSetAttribute(sharing, cudaFuncAttributeMaxDynamicSharedMemorySize, whole_sm),
          "shared");
    for (int round = 0; round < 6; round++) {
        numbers places(sm_count), lines = far_places(d, 4096, 2000);
        for (uint32_t i = 0; i < sm_count; i++)
            places[i] = i;
        if (round % 3 > 0)
            for (uint32_t i = sm_count; i-- > 1;)
                std::swap(places[i], places[random_below(i + 1)]);
        give(d, lines);
        check(cudaMemcpy(d.numbers + 40000, places.data(), sm_count * 4, cudaMemcpyDefault),
              "places");
        check(cudaMemset(d.turn, 0, 256), "turn");
        uint64_t place = uint64_t(round) * 64 * mib;
        read_all<<<8, 256>>>((const uint4 *)(d.big + place), (64 << 10) / sizeof(uint4), d.sink);
        sharing<<<sm_count, 32, whole_sm>>>(d.big, d.numbers, 2000, d.numbers + 40000, place,
                                            d.turn, d.cycles, d.sink);
        numbers all = results(d, 2 * sm_count);
        for (uint32_t sm = 0; sm < sm_count; sm++)
            printf("sharing\tround=%d place=%u sm=%u\t%u\t%u\t0\t0\n", round, places[sm], sm,
                   all[2 * sm], all[2 * sm + 1]);
    }
}

static void walk_many(const device &d) {
    for (uint64_t stride : {0ull, 2ull, 32ull})
        for (int lanes : {1, 2, 4, 8, 16, 32}) {
            numbers first, second;
            for (int i = 0; i < 15; i++) {
                numbers lines = far_places(d, 4096, 2000);
                give(d, lines);
                uint64_t start = uint64_t(i % 3) * 1024 * mib;
                for (int k = 0; k < lanes; k++)
                    read_all<<<1, 32>>>(
                        (const uint4 *)(d.big + start + uint64_t(k) * (stride * mib + 128)), 8,
                        d.sink);
                walks<<<sm_count, 32>>>(d.big, d.numbers, 2000, start, stride * mib, lanes, 0,
                                        d.cycles, d.sink);
                numbers all = results(d, 2);
                first.push_back(all[0]);
                second.push_back(all[1]);
            }
            char what[200];
            snprintf(what, sizeof what, "stride=%u lanes=%d pass=1", uint32_t(stride), lanes);
            row("walks", what, first);
            snprintf(what, sizeof what, "stride=%u lanes=%d pass=2", uint32_t(stride), lanes);
            row("walks", what, second);
        }
}

static void clusters(const device &d) {
    check(cudaFuncSetAttribute(cluster, cudaFuncAttributeMaxDynamicSharedMemorySize, whole_sm),
          "shared");
    for (int remote = 0; remote < 2; remote++)
        for (int warps : {0, 1, 2, 4, 8, 16, 32}) {
            cluster<<<2, warps == 0 ? 32 : warps * 32, 64 * 1024>>>(warps, remote, d.cycles,
                                                                    d.sink);
            char what[200];
            snprintf(what, sizeof what, "remote=%d warps=%d bytes=16", remote, warps);
            value("cluster", what, results(d, 1)[0] / 10.0);
        }
}

int main() {
    device d;
    size_t all;
    check(cudaMalloc(&d.flush, flush_bytes), "memory");
    check(cudaMalloc(&d.numbers, 1 << 20), "memory");
    check(cudaMalloc(&d.cycles, 1 << 20), "memory");
    check(cudaMalloc(&d.sink, 1 << 20), "memory");
    check(cudaMalloc(&d.turn, 256), "memory");
    check(cudaMemGetInfo(&d.bytes, &all), "memory");
    d.bytes = (d.bytes >> 30 << 30) - (size_t(2) << 30);
    check(cudaMalloc(&d.big, d.bytes), "memory");
    check(cudaMemset(d.big, 0, d.bytes), "memory");
    printf("family\twhat\tmedian\tmean\tp10\tp90\n");
    latencies(d);
    translations(d);
    shares(d);
    walk_many(d);
    capacities(d);
    clusters(d);
    bursts_of<1>(d);
    bursts_of<4>(d);
    bursts_of<16>(d);
    rates_of<CA, 1>(d);
    rates_of<CA, 4>(d);
    rates_of<CG, 1>(d);
    rates_of<CG, 2>(d);
    rates_of<CG, 4>(d);
    rates_of<ST, 1>(d);
    rates_of<ST, 2>(d);
    rates_of<ST, 4>(d);
    rates_of<RED, 1>(d);
    rates_of<ATOM, 1>(d);
    return 0;
}
