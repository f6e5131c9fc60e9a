/* Takes what copies without a tensor map, shared memory of other CTAs, atomics and L2 hints take:
 *
 *   build/capture-copies > copies.tsv
 *   build/capture-copies loads          only loads of shared memory of other CTAs
 *
 * A row has a family, its parameters as words, and figures: cycles of the SM unless the family says
 * otherwise. Families:
 *
 *   dsmem_latency  one lane accesses shared memory of another CTA of its cluster, one access after
 *                  the other: cycles of one
 *   dsmem_rate     `warps` warps of one CTA of each of `clusters` clusters of two access that of
 *                  the other CTA: cycles of an SM for one instruction of a warp
 *   bulk_latency   one cp.async.bulk after the other: global to shared memory (load), shared to
 *                  global memory until it is read (store_read) and written (store), to the other
 *                  CTA (peer)
 *   bulk_rate      eight of them in flight on each of `sms` SMs: cycles of an SM for one
 *   rows           each SM gathers rows of `bytes` bytes at random places of `mib` MiB into shared
 *                  memory, 512 rows in flight: by cp.async of 16 bytes a lane, by one bulk copy a
 *                  row, by loads through registers; cycles of an SM for a row
 *   conflict       `red` of all lanes of 8 warps of 132 SMs: `ways` lanes of a warp have one
 *                  address, and all warps share `places` lines; cycles of an SM for one instruction
 *   hints          L2 loads `mib` MiB with a hint, then `other` MiB without one: per cent of the
 *                  first that L2 still has */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#include "ptx.cuh"
#include "random.cuh"
#include "read_all.cuh"

static const int sm_count = 132, whole_sm = 200 * 1024, chunk = 8;
static const size_t mib = 1 << 20, big_bytes = size_t(8) << 30;

static void check(cudaError_t code, const char *where) {
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "capture-copies: %s: %s\n", where, cudaGetErrorString(code));
    exit(2);
}

static __device__ void sync_cluster() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

static __device__ uint32_t rank_of_cta() {
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

static __device__ uint32_t address_at(uint32_t address, uint32_t rank) {
    uint32_t there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

enum op { LD4, LD16, ST4, ST16, ATOM, RED };
static const char *const op_names[] = {"ld4", "ld16", "st4", "st16", "atom", "red"};

template <int OP> static __device__ uint32_t remote(uint32_t p) {
    uint32_t a = 0, b = 0, c = 0, d = 0;
    if (OP == LD4)
        asm volatile("ld.volatile.shared::cluster.u32 %0, [%1];" : "=r"(a) : "r"(p) : "memory");
    if (OP == LD16)
        asm volatile("ld.volatile.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "r"(p)
                     : "memory");
    if (OP == ST4)
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(p), "r"(0) : "memory");
    if (OP == ST16)
        asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(p), "r"(0)
                     : "memory");
    if (OP == ATOM)
        asm volatile("atom.relaxed.cluster.shared::cluster.add.u32 %0, [%1], %2;"
                     : "=r"(a)
                     : "r"(p), "r"(0)
                     : "memory");
    if (OP == RED)
        asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(p), "r"(0)
                     : "memory");
    return a ^ b ^ c ^ d;
}

/* Rank 0 of the cluster accesses the memory of each other rank; all words are 0. */
template <int OP>
static __global__ void dsmem_latency(int ctas, uint32_t *cycles, uint32_t *sms, uint32_t *sink) {
    __shared__ uint32_t words[256];
    for (uint32_t i = threadIdx.x; i < 256; i += blockDim.x)
        words[i] = 0;
    sync_cluster();
    uint32_t own = rank_of_cta(), at = 0;
    if (threadIdx.x == 0)
        sms[blockIdx.x] = sm_number();
    if (own == 0 && threadIdx.x == 0)
        for (int to = 0; to < ctas; to++) {
            uint32_t address = address_at(shared_address(words), uint32_t(to));
            uint64_t start = 0;
            for (int pass = 0; pass < 2; pass++) {
                start = clock64();
                for (int i = 0; i < 128; i++) {
                    at = remote<OP>(address + at * 4);
                    if (OP == ST4 || OP == ST16 || OP == RED) /* a load behind it waits for it */
                        at = remote<LD4>(address);
                }
            }
            cycles[blockIdx.x + uint32_t(to)] = uint32_t((clock64() - start) * 10 / 128);
        }
    if (at == 0x12345)
        *sink = at;
    sync_cluster();
}

template <int OP>
static __global__ void __cluster_dims__(2, 1, 1)
    dsmem_rate(int both, uint32_t stride, uint32_t *cycles, uint32_t *sink) {
    extern __shared__ uint4 bytes[];
    uint32_t sum = 0, lane = threadIdx.x % 32, warp = threadIdx.x / 32, own = rank_of_cta();
    for (uint32_t i = threadIdx.x; i < 4096; i += blockDim.x)
        bytes[i] = make_uint4(0, 0, 0, 0);
    sync_cluster();
    uint32_t address =
        address_at(shared_address(bytes), own ^ 1) + warp % 16 * 2048 + lane * stride;
    if (own == 0 || both) {
        uint64_t start = 0;
        for (int pass = 0; pass < 2; pass++) {
            __syncthreads();
            start = clock64();
            for (int i = 0; i < 64; i++) {
                uint32_t got[chunk];
#pragma unroll
                for (int k = 0; k < chunk; k++)
                    got[k] = remote<OP>(address + uint32_t(k) * 16);
#pragma unroll
                for (int k = 0; k < chunk; k++)
                    sum ^= got[k];
            }
            if (OP == ST4 || OP == ST16 || OP == RED)
                sum ^= remote<LD4>(address);
            if (sum == 0x12345)
                *sink = sum;
            __syncthreads();
        }
        if (threadIdx.x == 0)
            cycles[blockIdx.x] = uint32_t((clock64() - start) * 100 / (64 * chunk));
    }
    sync_cluster();
}

enum { LOAD, STORE_READ, STORE, PEER };
static const char *const ways[] = {"load", "store_read", "store", "peer"};

static __device__ void to_peer(uint32_t place, uint32_t bytes, uint32_t barrier, uint32_t rank) {
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
                 " [%0], [%1], %2, [%3];" ::"r"(address_at(place, rank)),
                 "r"(place), "r"(bytes), "r"(address_at(barrier, rank))
                 : "memory");
}

/* The CTAs of a cluster copy to each other: in turns, or rank 0 all it has at once; the other one
 * sees when it has come. */
static __device__ void peer(uint32_t to, uint32_t barrier, uint32_t bytes, bool turns, int count,
                            uint32_t own, uint32_t *cycles) {
    uint64_t start = clock64();
    if (turns)
        for (int i = 0; i < count; i++) {
            expect(barrier, bytes);
            if (own == 0)
                to_peer(to, bytes, barrier, 1);
            wait(barrier, uint32_t(i) & 1);
            if (own == 1)
                to_peer(to, bytes, barrier, 0);
        }
    else if (own == 0)
        for (int i = 0; i < count; i++)
            to_peer(to + uint32_t(i % 8) * bytes, bytes, barrier, 1);
    else {
        expect(barrier, bytes * uint32_t(count));
        wait(barrier, 0);
    }
    if (own == (turns ? 0 : 1))
        *cycles = uint32_t((clock64() - start) * 10 / uint64_t(count) / (turns ? 2 : 1));
}

/* One thread of each CTA has `depth` copies in flight, each of its own `bytes`. */
static __global__ void __cluster_dims__(2, 1, 1)
    bulk(char *base, int way, uint32_t bytes, int depth, int count, int sms, uint32_t range,
         uint32_t *cycles) {
    extern __shared__ __align__(128) char stage[];
    __shared__ __align__(8) uint64_t barriers[8];
    uint32_t to = shared_address(stage);
    if (threadIdx.x == 0) {
        for (int i = 0; i < 8; i++)
            init(shared_address(&barriers[i]), 1);
        fence_init();
    }
    sync_cluster();
    if (int(blockIdx.x) < sms && threadIdx.x == 0 && way == PEER)
        peer(to, shared_address(barriers), bytes, depth == 1, count, rank_of_cta(),
             &cycles[blockIdx.x]);
    else if (int(blockIdx.x) < sms && threadIdx.x == 0) {
        uint64_t start = 0;
        uint32_t phases = 0;
        for (int pass = 0; pass < 2; pass++) {
            uint32_t used = 0;
            start = clock64();
            for (int i = 0; i < count + depth; i++) {
                int slot = i % depth;
                uint32_t barrier = shared_address(&barriers[slot]);
                if (i >= depth && way == LOAD) {
                    wait(barrier, phases >> slot & 1);
                    phases ^= 1u << slot;
                }
                if (i >= count)
                    continue;
                char *p = base + uint64_t(blockIdx.x) * range + used % range;
                uint32_t place = to + uint32_t(slot) * bytes;
                used += bytes;
                if (way == LOAD) {
                    expect(barrier, bytes);
                    load_bytes(p, bytes, place, barrier);
                    continue;
                }
                asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(p),
                             "r"(place), "r"(bytes)
                             : "memory");
                commit_group();
                if (depth > 1)
                    asm volatile("cp.async.bulk.wait_group.read 7;" ::: "memory");
                else if (way == STORE_READ)
                    wait_until_read();
                else
                    wait_until_written();
            }
            wait_until_written();
        }
        cycles[blockIdx.x] = uint32_t((clock64() - start) * 10 / uint64_t(count));
    }
    sync_cluster();
}

/* One CTA of 128 threads an SM gathers rows into a buffer of 512 rows at most 128 KiB. */
static __global__ void gather(const char *base, const uint32_t *places, uint32_t bytes,
                              uint32_t in_flight, int rounds, int how, uint32_t *cycles) {
    extern __shared__ __align__(128) char stage[];
    __shared__ __align__(8) uint64_t barrier;
    uint32_t to = shared_address(stage), at = shared_address(&barrier);
    const uint32_t *mine = places + blockIdx.x * 16384;
    if (threadIdx.x == 0) {
        init(at, 1);
        fence_init();
    }
    __syncthreads();
    uint64_t start = clock64();
    for (int round = 0; round < rounds; round++) {
        const uint32_t *now = mine + (uint32_t(round) * in_flight) % 16384;
        if (how == 0 || how == 2) {
            uint32_t lanes = bytes / 16, total = in_flight * lanes;
            for (uint32_t i = threadIdx.x; i < total; i += blockDim.x) {
                uint32_t row = i / lanes, part = i % lanes * 16;
                const char *p = base + uint64_t(now[row]) * bytes + part;
                uint32_t place = to + row * bytes + part;
                if (how == 0) {
                    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place), "l"(p)
                                 : "memory");
                } else {
                    uint4 got = *(const uint4 *)p;
                    *(uint4 *)(stage + row * bytes + part) = got;
                }
            }
            if (how == 0)
                asm volatile("cp.async.wait_all;" ::: "memory");
            __syncthreads();
        } else if (threadIdx.x < 32) {
            if (threadIdx.x == 0)
                expect(at, in_flight * bytes);
            __syncwarp();
            for (uint32_t row = threadIdx.x; row < in_flight; row += 32)
                load_bytes(base + uint64_t(now[row]) * bytes, bytes, to + row * bytes, at);
            wait(at, uint32_t(round) & 1);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = uint32_t((clock64() - start) * 100 / (uint64_t(rounds) * in_flight));
}

static __global__ void conflict(char *base, int lane_ways, uint32_t places, int floats,
                                uint32_t *cycles) {
    uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32 + blockIdx.x * 8;
    char *p = base + uint64_t(warp % places) * 128 + lane / uint32_t(lane_ways) * 4;
    uint64_t start = 0;
    for (int pass = 0; pass < 2; pass++) {
        __syncthreads();
        start = clock64();
        for (int i = 0; i < 64; i++)
            if (floats)
                asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(p), "f"(1.0f)
                             : "memory");
            else
                asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(p), "r"(1)
                             : "memory");
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
        __syncthreads();
    }
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = uint32_t((clock64() - start) * 10 / (64 * 8));
}

enum { NORMAL, FIRST, LAST, HALF_LAST };
static const char *const hint_names[] = {"normal", "evict_first", "evict_last", "half_evict_last"};

static __global__ void hinted(const char *from, size_t lines, int hint, uint32_t *sink) {
    uint64_t policy = 0;
    uint32_t sum = 0;
    if (hint == FIRST)
        asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    if (hint == LAST)
        asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    if (hint == HALF_LAST)
        asm volatile("createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %0, 0.5;"
                     : "=l"(policy));
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < lines * 4;
         i += size_t(gridDim.x) * blockDim.x) {
        uint32_t got;
        if (hint == NORMAL)
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(got) : "l"(from + i * 32) : "memory");
        else
            asm volatile("ld.global.L1::no_allocate.L2::cache_hint.u32 %0, [%1], %2;"
                         : "=r"(got)
                         : "l"(from + i * 32), "l"(policy)
                         : "memory");
        sum ^= got;
    }
    if (sum == 0x12345)
        *sink = sum;
}

/* Per cent of sampled lines that L2 has: those that come in fewer cycles than DRAM takes. */
static __global__ void resident(const char *from, uint32_t lines, uint32_t seed, uint32_t *counts,
                                uint32_t *sink) {
    if (threadIdx.x != 0)
        return;
    uint32_t state = seed + blockIdx.x * 7919, hits = 0, sum = 0;
    for (int i = 0; i < 256; i++) {
        const char *p = from + uint64_t(random_below(&state, lines)) * 128;
        uint64_t start = clock64();
        uint32_t got;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(got) : "l"(p) : "memory");
        sum += got;
        asm volatile("" ::"r"(sum) : "memory");
        if (sum == 0x12345)
            *sink = sum;
        hits += clock64() - start < 560;
    }
    counts[blockIdx.x] = hits;
}

struct device {
    char *big;
    uint32_t *cycles, *sms, *sink, *places;
};

static std::vector<uint32_t> results(const uint32_t *from, size_t count) {
    std::vector<uint32_t> all(count);
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "kernel");
    check(cudaMemcpy(all.data(), from, count * 4, cudaMemcpyDefault), "copy");
    return all;
}

static double middle(std::vector<uint32_t> all) {
    std::vector<uint32_t> some;
    for (uint32_t value : all)
        if (value != 0)
            some.push_back(value);
    std::sort(some.begin(), some.end());
    return some.empty() ? 0 : some[some.size() / 2];
}

static void value(const char *family, const char *what, double figure) {
    printf("%s\t%s\t%.2f\n", family, what, figure);
    fflush(stdout);
}

static void clear(const device &d) {
    check(cudaMemset(d.cycles, 0, 1 << 16), "memset");
}

template <int OP> static void latency_of(const device &d) {
    for (int ctas : {2, 8}) {
        cudaLaunchConfig_t config = {};
        cudaLaunchAttribute attribute;
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim = {unsigned(ctas), 1, 1};
        config.gridDim = dim3(unsigned(ctas * 8));
        config.blockDim = dim3(32);
        config.attrs = &attribute;
        config.numAttrs = 1;
        clear(d);
        check(cudaLaunchKernelEx(&config, dsmem_latency<OP>, ctas, d.cycles, d.sms, d.sink),
              "launch");
        std::vector<uint32_t> all = results(d.cycles, size_t(ctas * 8)),
                              sms = results(d.sms, size_t(ctas * 8));
        for (int c = 0; c < 8; c++)
            for (int to = 0; to < ctas; to++) {
                char what[100];
                snprintf(what, sizeof what, "op=%s ctas=%d from=%u to=%u", op_names[OP], ctas,
                         sms[size_t(c * ctas)], sms[size_t(c * ctas + to)]);
                value("dsmem_latency", what, all[size_t(c * ctas + to)] / 10.0);
            }
    }
}

template <int OP> static void dsmem_rates(const device &d) {
    check(
        cudaFuncSetAttribute(dsmem_rate<OP>, cudaFuncAttributeMaxDynamicSharedMemorySize, whole_sm),
        "shared");
    uint32_t width = OP == LD16 || OP == ST16 ? 16 : 4;
    for (int clusters : {1, 66})
        for (int both : {0, 1})
            for (int warps : {1, 2, 4, 8, 16, 32})
                for (uint32_t stride : {0u, width, 2 * width}) {
                    if (stride != width && (warps != 32 || both != 0))
                        continue;
                    clear(d);
                    dsmem_rate<OP>
                        <<<clusters * 2, warps * 32, 128 * 1024>>>(both, stride, d.cycles, d.sink);
                    char what[100];
                    snprintf(what, sizeof what, "op=%s warps=%d stride=%u clusters=%d both=%d",
                             op_names[OP], warps, stride, clusters, both);
                    value("dsmem_rate", what,
                          middle(results(d.cycles, size_t(clusters * 2))) / 100.0 / warps);
                }
}

static void bulks(const device &d) {
    check(cudaFuncSetAttribute(bulk, cudaFuncAttributeMaxDynamicSharedMemorySize, whole_sm),
          "shared");
    for (int way = 0; way < 4; way++)
        for (uint32_t bytes : {16u, 32u, 64u, 128u, 256u, 512u, 1024u, 2048u, 4096u, 8192u, 16384u})
            for (int depth : {1, 8})
                for (int sms : {2, sm_count}) {
                    if (depth == 1 && sms != 2)
                        continue;
                    if (way == STORE_READ && depth == 8)
                        continue;
                    clear(d);
                    bulk<<<sms == 2 ? 2 : sm_count, 32, 8 * 16384>>>(d.big, way, bytes, depth,
                                                                     bytes > 1024 ? 63 : 512, sms,
                                                                     128 << 10, d.cycles);
                    char what[100];
                    snprintf(what, sizeof what, "way=%s bytes=%u sms=%d", ways[way], bytes, sms);
                    value(depth == 1 ? "bulk_latency" : "bulk_rate", what,
                          middle(results(d.cycles, sm_count)) / 10.0);
                }
}

static void gathers(const device &d) {
    static const char *const names[] = {"cp_async", "bulk", "registers"};
    check(cudaFuncSetAttribute(gather, cudaFuncAttributeMaxDynamicSharedMemorySize, whole_sm),
          "shared");
    for (uint64_t range : {uint64_t(16), uint64_t(4096)})
        for (uint32_t bytes : {16u, 32u, 64u, 128u, 256u, 512u, 1024u, 2048u}) {
            std::vector<uint32_t> places(sm_count * 16384);
            for (uint32_t &place : places)
                place = random_below(uint32_t(range * mib / bytes));
            check(cudaMemcpy(d.places, places.data(), places.size() * 4, cudaMemcpyDefault), "");
            uint32_t in_flight = bytes <= 256 ? 512 : 131072 / bytes;
            for (int how = 0; how < 3; how++) {
                if (range == 16)
                    read_all<<<1056, 256>>>((const uint4 *)d.big, range * mib / 16, d.sink);
                clear(d);
                gather<<<sm_count, 128, 128 * 1024>>>(d.big, d.places, bytes, in_flight,
                                                      int(16384 / in_flight), how, d.cycles);
                char what[100];
                snprintf(what, sizeof what, "by=%s bytes=%u mib=%u", names[how], bytes,
                         uint32_t(range));
                value("rows", what, middle(results(d.cycles, sm_count)) / 100.0);
            }
        }
}

static void conflicts(const device &d) {
    for (int floats : {0, 1})
        for (int lane_ways : {1, 2, 4, 8, 16, 32})
            for (uint32_t places : {1u, 16u, 132u, 1056u}) {
                clear(d);
                conflict<<<sm_count, 256>>>(d.big, lane_ways, places, floats, d.cycles);
                char what[100];
                snprintf(what, sizeof what, "type=%s ways=%d places=%u", floats ? "f32" : "u32",
                         lane_ways, places);
                value("conflict", what, middle(results(d.cycles, sm_count)) / 10.0);
            }
}

static void hints(const device &d) {
    for (int hint = 0; hint <= HALF_LAST; hint++) {
        for (size_t first : {size_t(8), size_t(24)})
            for (size_t other : {size_t(0), size_t(16), size_t(32), size_t(64), size_t(128)}) {
                read_all<<<1056, 256>>>((const uint4 *)(d.big + 2048 * mib), 512 * mib / 16,
                                        d.sink);
                hinted<<<1056, 256>>>(d.big, first * mib / 128, hint, d.sink);
                if (other > 0)
                    hinted<<<1056, 256>>>(d.big + 1024 * mib, other * mib / 128, NORMAL, d.sink);
                resident<<<16, 32>>>(d.big, uint32_t(first * mib / 128), 12345, d.cycles, d.sink);
                std::vector<uint32_t> all = results(d.cycles, 16);
                double sum = 0;
                for (uint32_t count : all)
                    sum += count;
                char what[100];
                snprintf(what, sizeof what, "hint=%s mib=%zu other=%zu", hint_names[hint], first,
                         other);
                value("hints", what, sum * 100 / (16 * 256));
            }
    }
    /* The other way round: what a stream with a hint leaves of memory that was loaded before. */
    for (int hint = 0; hint <= HALF_LAST; hint++) {
        for (size_t other : {size_t(32), size_t(64), size_t(128)}) {
            read_all<<<1056, 256>>>((const uint4 *)(d.big + 2048 * mib), 512 * mib / 16, d.sink);
            hinted<<<1056, 256>>>(d.big, 16 * mib / 128, NORMAL, d.sink);
            hinted<<<1056, 256>>>(d.big + 1024 * mib, other * mib / 128, hint, d.sink);
            resident<<<16, 32>>>(d.big, uint32_t(16 * mib / 128), 999, d.cycles, d.sink);
            std::vector<uint32_t> all = results(d.cycles, 16);
            double sum = 0;
            for (uint32_t count : all)
                sum += count;
            char what[100];
            snprintf(what, sizeof what, "stream=%s mib=16 other=%zu", hint_names[hint], other);
            value("hints", what, sum * 100 / (16 * 256));
        }
    }
}

int main(int argc, char **argv) {
    bool loads = argc > 1 && strcmp(argv[1], "loads") == 0;
    device d;
    check(cudaMalloc(&d.big, big_bytes), "memory");
    check(cudaMemset(d.big, 0, big_bytes), "memory");
    check(cudaMalloc(&d.cycles, 1 << 16), "memory");
    check(cudaMalloc(&d.sms, 1 << 16), "memory");
    check(cudaMalloc(&d.sink, 1 << 16), "memory");
    check(cudaMalloc(&d.places, sm_count * 16384 * 4), "memory");
    printf("family\twhat\tvalue\n");
    dsmem_rates<LD4>(d);
    dsmem_rates<LD16>(d);
    if (loads)
        return 0;
    latency_of<LD4>(d);
    latency_of<ATOM>(d);
    latency_of<ST4>(d);
    dsmem_rates<ST4>(d);
    dsmem_rates<ST16>(d);
    dsmem_rates<ATOM>(d);
    dsmem_rates<RED>(d);
    gathers(d);
    conflicts(d);
    hints(d);
    bulks(d);
    return 0;
}
