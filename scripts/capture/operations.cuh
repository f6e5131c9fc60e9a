/* The timed kernel: pipeline slots, each of which issues one operation after another. */
#pragma once

#include "ptx.cuh"
#include "read_all.cuh"

enum { MAX_RANK = 5, MAX_DEPTH = 32, MAX_SHARED = 227 * 1024, ALIGNMENT = 1024 };
enum { LOAD, STORE, REDUCE, PREFETCH };

/* SM clocks at which a slot issued an operation, and saw its completion. */
struct clocks {
    uint64_t issue, completion;
};

/* The times of one CTA. */
struct cta_times {
    uint64_t cycles;           /* first issue to last completion, in SM cycles */
    uint64_t start_ns, end_ns; /* by the global timer */
    uint64_t sm;
};

/* The scenario's words that the kernel needs. */
struct walk {
    uint32_t iterations, depth, order, tx, stage;
    int32_t start[MAX_RANK], step[MAX_RANK];
    uint32_t tiles[MAX_RANK];
    uint16_t offset[3];
    cta_times *times;
    clocks *log;     /* clocks of each operation; null: none */
    bool all_logged; /* the log has the operations of all CTAs, not only of CTA 0 */
};

/* Computes the coordinates of this CTA's operation number `iteration`. */
template <int RANK>
static __device__ void find_tile(const walk &walk, uint32_t iteration, int32_t *at) {
    uint32_t tile = walk.order == 0   ? iteration * gridDim.x + blockIdx.x
                    : walk.order == 1 ? blockIdx.x * walk.iterations + iteration
                    : walk.order == 2 ? iteration
                                      : blockIdx.x;
    for (int d = 0; d < RANK; d++) {
        at[d] = walk.start[d] + int32_t(tile % walk.tiles[d]) * walk.step[d];
        tile /= walk.tiles[d];
    }
}

/* clang-format off */
#define AT_1 "{%2}"
#define AT_2 "{%2, %3}"
#define AT_3 "{%2, %3, %4}"
#define AT_4 "{%2, %3, %4, %5}"
#define AT_5 "{%2, %3, %4, %5, %6}"
#define OPERANDS                                                                                   \
    "l"(map), "r"(place), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4])
#define OFFSETS "h"(walk.offset[0]), "h"(walk.offset[1]), "h"(walk.offset[2])
#define BULK_LOAD(rank, mode)                                                                      \
    "cp.async.bulk.tensor." #rank "d.shared::cluster.global." #mode                                \
    ".mbarrier::complete_tx::bytes [%1], [%0, " AT_##rank "], [%7]"

#define LOAD_TILE(rank)                                                                            \
    asm volatile(BULK_LOAD(rank, tile) ";" ::OPERANDS, "r"(barrier) : "memory")
#define LOAD_IM2COL(rank, offsets)                                                                 \
    asm volatile(BULK_LOAD(rank, im2col) ", " offsets ";" ::OPERANDS, "r"(barrier), OFFSETS : "memory")
#define STORE_TILE(rank)                                                                           \
    asm volatile("cp.async.bulk.tensor." #rank "d.global.shared::cta.tile.bulk_group [%0, "        \
                 AT_##rank "], [%1];" ::OPERANDS : "memory")
#define REDUCE_TILE(rank)                                                                          \
    asm volatile("cp.reduce.async.bulk.tensor." #rank                                              \
                 "d.global.shared::cta.add.tile.bulk_group [%0, " AT_##rank "], [%1];" ::OPERANDS  \
                 : "memory")
#define PREFETCH_TILE(rank)                                                                        \
    asm volatile("cp.async.bulk.prefetch.tensor." #rank "d.L2.global.tile [%0, " AT_##rank "];"    \
                 ::OPERANDS : "memory")
/* clang-format on */

#define FOR_RANK(MACRO)                                                                            \
    if (RANK == 1)                                                                                 \
        MACRO(1);                                                                                  \
    else if (RANK == 2)                                                                            \
        MACRO(2);                                                                                  \
    else if (RANK == 3)                                                                            \
        MACRO(3);                                                                                  \
    else if (RANK == 4)                                                                            \
        MACRO(4);                                                                                  \
    else                                                                                           \
        MACRO(5);

template <int RANK, int OPERATION, bool IM2COL>
static __device__ void issue(const CUtensorMap *map, const walk &walk, const int32_t *at,
                             uint32_t place, uint32_t barrier) {
    if (OPERATION == LOAD) {
        expect(barrier, walk.tx);
        if (IM2COL && RANK == 3)
            LOAD_IM2COL(3, "{%8}");
        else if (IM2COL && RANK == 4)
            LOAD_IM2COL(4, "{%8, %9}");
        else if (IM2COL)
            LOAD_IM2COL(5, "{%8, %9, %10}");
        else
            FOR_RANK(LOAD_TILE)
    } else if (OPERATION == PREFETCH) {
        FOR_RANK(PREFETCH_TILE)
    } else {
        if (OPERATION == STORE)
            FOR_RANK(STORE_TILE)
        else
            FOR_RANK(REDUCE_TILE)
        commit_group();
    }
}

/* A CTA has a warp for each slot, whose first lane issues and waits. The coordinates are computed
 * before the clock starts, because their divisions would delay a slot. The other lanes exit: if
 * they waited at a barrier, the warp would alternate between them and the first lane, and each
 * operation would take 100 cycles more. */
template <int RANK, int OPERATION, bool IM2COL>
static __global__ void operations(const __grid_constant__ CUtensorMap map,
                                  const __grid_constant__ walk walk) {
    extern __shared__ __align__(ALIGNMENT) char stages[];
    __shared__ uint64_t barriers[MAX_DEPTH], first[MAX_DEPTH], last[MAX_DEPTH];
    uint64_t start_ns = global_ns();
    int32_t *coordinates = (int32_t *)(stages + size_t(walk.depth) * walk.stage);
    for (uint32_t i = threadIdx.x; i < walk.iterations; i += blockDim.x)
        find_tile<RANK>(walk, i, coordinates + size_t(i) * RANK);
    uint32_t slot = threadIdx.x / 32;
    uint32_t barrier = shared_address(&barriers[slot]);
    uint32_t place = shared_address(stages) + slot * walk.stage;
    if (threadIdx.x % 32 == 0) {
        init(barrier, 1);
        fence_init();
        fence_async();
    }
    __syncthreads();
    if (threadIdx.x % 32 != 0)
        return;
    clocks *log = walk.log && (walk.all_logged || blockIdx.x == 0)
                      ? walk.log + size_t(blockIdx.x) * walk.iterations
                      : nullptr;
    uint32_t parity = 0;

    first[slot] = clock64();
    for (uint32_t i = slot; i < walk.iterations; i += walk.depth) {
        int32_t at[MAX_RANK] = {0, 0, 0, 0, 0};
        for (int d = 0; d < RANK; d++)
            at[d] = coordinates[i * RANK + d];
        uint64_t issued = clock64();
        issue<RANK, OPERATION, IM2COL>(&map, walk, at, place, barrier);
        if (OPERATION == LOAD)
            wait(barrier, parity);
        else if (OPERATION != PREFETCH && walk.depth == 1)
            wait_until_written();
        else if (OPERATION != PREFETCH)
            wait_until_read();
        parity ^= 1;
        if (log)
            log[i] = {issued, (uint64_t)clock64()};
    }
    if ((OPERATION == STORE || OPERATION == REDUCE) && walk.depth > 1)
        wait_until_written();
    last[slot] = clock64();

    __syncthreads();
    if (slot == 0) {
        uint64_t begin = first[0], end = last[0];
        for (uint32_t s = 1; s < walk.depth; s++) {
            begin = min(begin, first[s]);
            end = max(end, last[s]);
        }
        walk.times[blockIdx.x] = {end - begin, start_ns, global_ns(), sm_number()};
    }
}
