// Measures what all SMs move when they load from L2 or DRAM and store or reduce besides, by bulk
// operations of contiguous pieces. "each": every warp loads a piece, waits, stores or reduces it,
// waits until shared memory has been read, and goes on, once through `mib` of memory. "beside": of
// eight warps four load and four store or reduce, each `mib` of its own over and over; counted in a
// fixed time. A size that L2 has room for stays there: "beside" finds its lines in L2 (and "each",
// which begins with an empty L2, writes none back). Each row of the output: how, what is loaded and
// stored, MiB of loads and of stores, KiB of a piece, warps of an SM, nanoseconds, and GB/s of
// loads and of stores. usage: mixes > mixes.tsv
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#include "ptx.cuh"
#include "read_all.cuh"

enum Stores { NOTHING, IN_PLACE, ELSEWHERE, REDUCE_IN_PLACE, REDUCE_ELSEWHERE };

struct Work {
    int bytes;                       // of a piece
    int load_pieces, store_pieces;   // of all SMs; 0: none
    uint32_t warm_up_ns, counted_ns; // beside
};
struct Times {
    uint64_t begin, end;
    uint32_t loads, stores; // counted
};

static __device__ void store_piece(uint8_t *to, uint32_t from, uint32_t bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from),
                 "r"(bytes)
                 : "memory");
}
static __device__ void reduce_piece(uint8_t *to, uint32_t from, uint32_t bytes) {
    asm volatile(
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(to),
        "r"(from), "r"(bytes)
        : "memory");
}
static __device__ void load_and_wait(uint32_t to, const uint8_t *from, uint32_t bytes,
                                     uint32_t full, uint32_t &phase) {
    expect(full, bytes);
    load_bytes(from, bytes, to, full);
    wait(full, phase);
    phase ^= 1;
}
template <int STORES>
static __device__ void write_and_wait(uint8_t *to, uint32_t from, uint32_t bytes) {
    if (STORES < REDUCE_IN_PLACE)
        store_piece(to, from, bytes);
    else
        reduce_piece(to, from, bytes);
    commit_group();
    wait_until_read();
}

// The place of a warp's pieces in shared memory, which is zero, and its mbarrier, ready for use.
static __device__ uint32_t prepare(uint8_t *raw, uint64_t *bars, uint32_t bytes, uint32_t &full) {
    const int warp = threadIdx.x / 32;
    full = shared_address(bars + warp);
    for (uint32_t i = threadIdx.x % 32 * 4; i < bytes; i += 128)
        *(uint32_t *)(raw + warp * bytes + i) = 0;
    if (threadIdx.x % 32 == 0)
        init(full, 1);
    fence_init();
    fence_async();
    __syncthreads();
    return shared_address(raw) + warp * bytes;
}

template <int STORES>
__global__ void __launch_bounds__(256) each(uint8_t *a, uint8_t *b, Work work, Times *times) {
    extern __shared__ __align__(1024) uint8_t raw[];
    __shared__ __align__(8) uint64_t bars[8];
    const int warp = threadIdx.x / 32, slots = blockDim.x / 32;
    const uint32_t bytes = work.bytes;
    uint32_t full, phase = 0, place = prepare(raw, bars, bytes, full);
    if (threadIdx.x % 32)
        return;
    const int pieces = max(work.load_pieces, work.store_pieces);
    const bool loads = work.load_pieces > 0;
    uint8_t *to = STORES == IN_PLACE || STORES == REDUCE_IN_PLACE ? a : b;
    uint64_t begin = global_ns();
#pragma unroll 1
    for (int i = blockIdx.x + warp * gridDim.x; i < pieces; i += slots * gridDim.x) {
        if (loads)
            load_and_wait(place, a + size_t(i) * bytes, bytes, full, phase);
        if (STORES != NOTHING)
            write_and_wait<STORES>(to + size_t(i) * bytes, place, bytes);
    }
    if (STORES != NOTHING)
        wait_until_written();
    times[blockIdx.x * slots + warp] = {begin, global_ns(), 0, 0};
}

template <int STORES>
__global__ void __launch_bounds__(256) beside(uint8_t *a, uint8_t *b, Work work, Times *times) {
    extern __shared__ __align__(1024) uint8_t raw[];
    __shared__ __align__(8) uint64_t bars[8];
    const int warp = threadIdx.x / 32, number = warp / 2, step = 4 * gridDim.x;
    const bool loads = warp % 2;
    const uint32_t bytes = work.bytes;
    const int pieces = loads ? work.load_pieces : work.store_pieces;
    uint32_t full, phase = 0, place = prepare(raw, bars, bytes, full), count = 0;
    if (threadIdx.x % 32)
        return;
    const int first = blockIdx.x + number * gridDim.x;
    const uint64_t begin = global_ns(), counted = begin + work.warm_up_ns;
    uint64_t now = begin;
#pragma unroll 1
    for (int i = first; pieces > 0 && now < counted + work.counted_ns; now = global_ns()) {
        if (now >= counted)
            count++;
        if (loads)
            load_and_wait(place, a + size_t(i) * bytes, bytes, full, phase);
        else
            write_and_wait<STORES>(b + size_t(i) * bytes, place, bytes);
        i += step;
        if (i >= pieces)
            i = first;
    }
    times[blockIdx.x * 8 + warp] = {begin, now, loads ? count : 0, loads ? 0 : count};
}

static const size_t MIB = size_t(1) << 20, flush_bytes = 512 * MIB;
static uint8_t *a, *b, *flush;
static uint32_t *sink;
static Times *times;
enum { SMS = 132, LAUNCHES = 7, WARM_UP_NS = 20000, COUNTED_NS = 40000 };

static double median(std::vector<double> list) {
    std::sort(list.begin(), list.end());
    return list[list.size() / 2];
}

static void time_mix(void (*kernel)(uint8_t *, uint8_t *, Work, Times *), const char *how,
                     const char *loads, const char *stores, int slots, int kib, int load_mib,
                     int store_mib) {
    const bool timed = how[0] == 'b';
    Work work = {kib * 1024, load_mib * 1024 / kib, store_mib * 1024 / kib, WARM_UP_NS, COUNTED_NS};
    size_t shared = std::max(slots * kib * 1024, 120 << 10); // one CTA on an SM
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
    std::vector<double> ns, loaded, stored;
    for (int launch = 0; launch <= LAUNCHES; launch++) {
        read_all<<<1056, 512>>>((const uint4 *)flush, flush_bytes / 16, sink);
        kernel<<<SMS, 32 * slots, shared>>>(a, b, work, times);
        if (cudaError_t e = cudaDeviceSynchronize()) {
            printf("# %s: %s\n", how, cudaGetErrorString(e));
            exit(1);
        }
        std::vector<Times> took(SMS * slots);
        cudaMemcpy(took.data(), times, took.size() * sizeof *times, cudaMemcpyDeviceToHost);
        uint64_t begin = UINT64_MAX, end = 0, load_count = 0, store_count = 0;
        for (const Times &one : took) {
            begin = std::min(begin, one.begin);
            end = std::max(end, one.end);
            load_count += one.loads;
            store_count += one.stores;
        }
        if (launch == 0) // it brings code
            continue;
        double all = timed ? COUNTED_NS : double(end - begin);
        ns.push_back(all);
        loaded.push_back((timed ? load_count * work.bytes : load_mib * MIB) / all);
        stored.push_back((timed ? store_count * work.bytes : store_mib * MIB) / all);
    }
    printf("%s\t%s\t%s\t%d\t%d\t%d\t%d\t%.0f\t%.0f\t%.0f\n", how, loads, stores, load_mib,
           store_mib, kib, slots, median(ns), median(loaded), median(stored));
}

int main() {
    cudaMalloc(&a, 1024 * MIB);
    cudaMalloc(&b, 512 * MIB);
    cudaMalloc(&flush, flush_bytes);
    cudaMemset(a, 0, 1024 * MIB);
    cudaMemset(b, 0, 512 * MIB);
    cudaMemset(flush, 0, flush_bytes);
    cudaMalloc(&times, SMS * 8 * sizeof *times);
    cudaMalloc(&sink, sizeof *sink);
    printf("how\tloads\tstores\tload_mib\tstore_mib\tkib\tslots\tns\tload_GBps\tstore_GBps\n");
    for (int kib : {2, 8})
        for (int slots : {1, 2, 4, 8})
            for (int mib : {8, 24, 64, 128}) {
                time_mix(each<NOTHING>, "each", "load", "none", slots, kib, mib, 0);
                time_mix(each<ELSEWHERE>, "each", "none", "store", slots, kib, 0, mib);
                time_mix(each<REDUCE_ELSEWHERE>, "each", "none", "reduce", slots, kib, 0, mib);
                time_mix(each<IN_PLACE>, "each", "load", "store_in_place", slots, kib, mib, mib);
                time_mix(each<ELSEWHERE>, "each", "load", "store", slots, kib, mib, mib);
                time_mix(each<REDUCE_IN_PLACE>, "each", "load", "reduce_in_place", slots, kib, mib,
                         mib);
                time_mix(each<REDUCE_ELSEWHERE>, "each", "load", "reduce", slots, kib, mib, mib);
            }
    for (int kib : {2, 8})
        for (int load : {0, 8, 1024})
            for (int store : {0, 8, 256}) {
                if (load + store == 0)
                    continue;
                const char *loads = load ? "load" : "none";
                if (store == 0) {
                    time_mix(beside<NOTHING>, "beside", loads, "none", 8, kib, load, store);
                    continue;
                }
                time_mix(beside<ELSEWHERE>, "beside", loads, "store", 8, kib, load, store);
                time_mix(beside<REDUCE_ELSEWHERE>, "beside", loads, "reduce", 8, kib, load, store);
            }
}
