/* Sequences of loads of single lines by SMs of several GPCs, whose requests at L2 the profiler
 * counts (scripts/capture/counters --coalescer):
 *
 *   build/capture-coalescer SM SAME_SIDE OTHER_SIDE
 *
 * The arguments are SMs below 16 of three GPCs: the first two next to the same partition of L2, the
 * third next to the other one. A load is a letter and a sector: a, b, c and d are SMs of the first
 * GPC, p and q of the second, x and y of the third. Loads of a sequence follow each other by
 * `spacing` cycles. Prints a row for each sequence. It is launched twice: the first launch loads no
 * line in sequence, so that the difference of the counts is what the sequences ask for.
 *
 * The clocks of GPCs differ, and run at different rates. So the SMs first take turns at counters in
 * L2, twice: the order of these turns, and the clocks at which each SM took its own, tell how far
 * its clock is ahead to within some 10 cycles, and by how much more each cycle. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#include "lines.cuh"
#include "ptx.cuh"

enum {
    LINES = 150,   /* of each sequence */
    PERIOD = 3000, /* cycles from one line to the next */
    LINE_STEP = 6, /* lines from one to the next */
    MAX_LOADS = 5,
    TURNS = 64, /* at each counter */
    LETTERS = 'y' - 'a' + 1,
    STAGE_BYTES = 1024,
    SHARED_BYTES = 200 * 1024, /* one CTA on each SM */
};
static const uint64_t interval_ns = 1 << 21;
static const size_t buffer_bytes = size_t(1) << 30;

struct load_of_line {
    int sm, sector;
};

struct sequence {
    load_of_line loads[MAX_LOADS];
    int count, spacing, first_line;
    bool from_l2, measured;
};

struct turns {
    unsigned long long counter[16]; /* a line of its own */
    int64_t clocks[MAX_LOADS][TURNS];
    uint64_t numbers[MAX_LOADS][TURNS];
};

/* What the SMs of a sequence share. */
struct shared_clock {
    turns rounds[2];
    int64_t start;
};

static __device__ void sleep_until(uint64_t ns) {
    while (global_ns() < ns)
        __nanosleep(200);
}

static __device__ void take_turns(turns *turns, int rank) {
    uint32_t random = uint32_t(rank) * 77 + 1;
    for (int i = 0; i < TURNS; i++) {
        volatile int64_t *clock = &turns->clocks[rank][i];
        *clock = clock64();
        turns->numbers[rank][i] = atomicAdd(&turns->counter[0], 1ull);
        random = random * 1664525u + 1013904223u;
        spin(random >> 24);
    }
    __threadfence();
}

/* How far the clock of `rank` is ahead of that of rank 0. A turn after another SM's took place
 * later. */
static __device__ int64_t find_offset(const turns *turns, int rank) {
    int64_t least = INT64_MIN / 2, most = INT64_MAX / 2, last_first = 0, last_own = 0;
    int first = 0, own = 0;
    while (rank != 0 && (first < TURNS || own < TURNS))
        if (own == TURNS ||
            (first < TURNS && turns->numbers[0][first] < turns->numbers[rank][own])) {
            last_first = turns->clocks[0][first++];
            if (own > 0)
                least = max(least, last_own - last_first);
        } else {
            last_own = turns->clocks[rank][own++];
            if (first > 0)
                most = min(most, last_own - last_first);
        }
    return rank == 0 ? 0 : (least + most) / 2;
}

static __device__ void load_all_sectors(const CUtensorMap *map, int line, uint32_t stage,
                                        uint32_t barrier) {
    expect(barrier, 128);
    for (int sector = 0; sector < 4; sector++)
        load(map, sector * 8, line, stage, barrier);
}

static __global__ void load_in_sequence(const __grid_constant__ CUtensorMap map,
                                        const __grid_constant__ sequence sequence,
                                        shared_clock *shared) {
    extern __shared__ __align__(STAGE_BYTES) char stages[];
    __shared__ uint64_t barriers[1];
    int sm = int(sm_number()), rank = -1, ranks = 0, own = 0;
    for (int i = 0; i < sequence.count; i++) {
        bool seen = false;
        for (int j = 0; j < i; j++)
            seen |= sequence.loads[j].sm == sequence.loads[i].sm;
        if (sequence.loads[i].sm == sm && !seen)
            rank = ranks;
        ranks += !seen;
        own += sequence.loads[i].sm == sm;
    }
    if (rank < 0 || threadIdx.x != 0)
        return;
    uint32_t barrier = shared_address(barriers), stage = shared_address(stages), parity = 0;
    init(barrier, 1);
    fence_init();
    fence_async();

    uint64_t next_ns = global_ns() / interval_ns * interval_ns + interval_ns;
    take_turns(&shared->rounds[0], rank);
    sleep_until(next_ns += 4 * interval_ns);
    take_turns(&shared->rounds[1], rank);
    sleep_until(next_ns += interval_ns);
    int64_t middle[2] = {shared->rounds[0].clocks[0][TURNS / 2],
                         shared->rounds[1].clocks[0][TURNS / 2]};
    int64_t before = find_offset(&shared->rounds[0], rank);
    int64_t offset = find_offset(&shared->rounds[1], rank);
    double rate = double(offset - before) / double(middle[1] - middle[0]);

    for (int n = 0; sequence.from_l2 && n < LINES; n++, parity ^= 1) {
        load_all_sectors(&map, sequence.first_line + n * LINE_STEP, stage, barrier);
        wait(barrier, parity);
    }
    sleep_until(next_ns += interval_ns);
    if (rank == 0) {
        shared->start = clock64() + 400000;
        __threadfence();
    }
    sleep_until(next_ns + 60000);
    int64_t start = *(volatile int64_t *)&shared->start;
    for (int n = 0; sequence.measured && n < LINES; n++, parity ^= 1) {
        expect(barrier, uint32_t(own) * 32);
        for (int i = 0; i < sequence.count; i++) {
            if (sequence.loads[i].sm != sm)
                continue;
            int64_t at = start + int64_t(n) * PERIOD + int64_t(i) * sequence.spacing;
            at += offset + int64_t(rate * double(at - middle[1]));
            while (clock64() < at) {
            }
            load(&map, sequence.loads[i].sector * 8, sequence.first_line + n * LINE_STEP,
                 stage + uint32_t(i) * STAGE_BYTES, barrier);
        }
        wait(barrier, parity);
    }
}

static void check(cudaError_t code) {
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "capture-coalescer: %s\n", cudaGetErrorString(code));
    exit(2);
}

static CUtensorMap encode(void *tensor) {
    CUtensorMap map;
    if (encode_lines(&map, tensor, buffer_bytes / 128, 32, CU_TENSOR_MAP_L2_PROMOTION_NONE) !=
        CUDA_SUCCESS) {
        fprintf(stderr, "capture-coalescer: the driver rejects the tensor map\n");
        exit(2);
    }
    return map;
}

/* Reads loads as `a0 p1 b0`; `sms` has the SM of each letter. */
static sequence parse(const char *loads, const int *sms) {
    sequence parsed = {};
    for (const char *at = loads; *at != '\0'; at += at[2] == ' ' ? 3 : 2)
        parsed.loads[parsed.count++] = {sms[at[0] - 'a'], at[1] - '0'};
    return parsed;
}

int main(int count, char **arguments) {
    static const char *const sequences[] = {
        "a0",          "a0 b0",       "a0 b1",       "a0 b1 c0",    "a0 b1 c1",    "a0 b1 c0 d0",
        "a0 b0 c0 d0", "a0 p0",       "a0 p0 b0",    "a0 p1 b0",    "a0 b0 p1",    "a0 p1 b1",
        "p0 a0 b0",    "p1 a0 b0",    "p1 a0 b0 c0", "a0 p1 q1",    "a0 p1 b0 c0", "a0 p1 b1 c1",
        "a0 p0 b1 q0", "a0 p1 b0 q1", "a0 p0 b0 q0", "a0 x0 b0",    "a0 x1 b0",    "a0 b0 x1",
        "x1 a0 b0",    "x1 a0 b0 c0", "a0 x1 y1",    "a0 x1 b0 c0", "a0 x1 b1 c1", "a0 x0 b1 y0",
        "a0 x1 b0 y1", "a0 x0 b0 y0"};
    int sms[LETTERS] = {}, gpcs[3];
    if (count != 4) {
        fprintf(stderr, "usage: capture-coalescer SM SAME_SIDE OTHER_SIDE\n");
        return 2;
    }
    for (int i = 0; i < 3; i++) {
        gpcs[i] = atoi(arguments[i + 1]);
        for (int j = 0; j < (i == 0 ? 4 : 2); j++)
            sms["apx"[i] - 'a' + j] = gpcs[i] + 16 * j;
    }
    char *tensor;
    shared_clock *shared;
    check(cudaMalloc(&tensor, buffer_bytes));
    check(cudaMemset(tensor, 0, buffer_bytes));
    check(cudaMalloc(&shared, sizeof *shared));
    check(cudaFuncSetAttribute(load_in_sequence, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               SHARED_BYTES));
    CUtensorMap map = encode(tensor);
    int line = 0;
    printf("loads\tfrom\tspacing\tlines\n");
    for (bool from_l2 : {false, true})
        for (const char *loads : sequences) {
            sequence sequence = parse(loads, sms);
            sequence.from_l2 = from_l2;
            sequence.spacing = from_l2 ? 14 : 80;
            sequence.first_line = line;
            for (bool measured : {false, true}) {
                sequence.measured = measured;
                check(cudaMemset(shared, 0, sizeof *shared));
                load_in_sequence<<<132, 32, SHARED_BYTES>>>(map, sequence, shared);
                check(cudaDeviceSynchronize());
            }
            printf("%s\t%s\t%d\t%d\n", loads, from_l2 ? "l2" : "dram", sequence.spacing, LINES);
            line += LINES * LINE_STEP;
        }
    return 0;
}
