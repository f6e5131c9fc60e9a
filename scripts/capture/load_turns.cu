// Measures what loads take where their SM stores or reduces tiles besides, from one SM up to all.
// One thread of each SM has `depth` loads of `rows` rows of 128 bytes on their way; for each that
// has come it stores or reduces a tile, and issues the next load. Each row of the output: what,
// from where, SMs, depth, rows, times, cycles of one time around of the median SM, and of the last
// one. usage: load_turns > load_turns.tsv
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
#include <vector>

#include "ptx.cuh"
#include "read_all.cuh"

enum Beside { NOTHING, STORE, STORE_AND_WAIT, REDUCE, LATE_STORE, STORE_ONLY, REDUCE_ONLY };

struct Work {
    int depth, rows, rounds, times;
    int tiles; // of an SM, after which it begins again
};

template <int BESIDE>
__global__ void __launch_bounds__(32)
    load_turns(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
               const __grid_constant__ CUtensorMap C, Work work, uint32_t *out) {
    extern __shared__ uint8_t raw[];
    __shared__ __align__(8) uint64_t bars[8];
    uint32_t base = (shared_address(raw) + 1023u) & ~1023u, b0 = shared_address(bars);
    if (threadIdx.x == 0)
        for (int i = 0; i < 8; i++)
            init(b0 + 8 * i, 1);
    fence_init();
    __syncthreads();
    if (threadIdx.x)
        return;
    const int rows = work.rows, depth = work.depth, times = work.times;
    const uint32_t bytes = rows * 128;
    const uint32_t from = base + depth * bytes;
    uint32_t begin = 0, end = 0, turn = 0;
    for (int round = 0; round < work.rounds; round++) {
        begin = clock_now();
        uint32_t first = turn;
        int tile = blockIdx.x, ahead = blockIdx.x;
        const int most = work.tiles * gridDim.x;
        if (BESIDE < STORE_ONLY)
            for (int i = 0; i < depth && i < times; i++) {
                uint32_t slot = (first + i) % depth;
                expect(b0 + 8 * slot, bytes);
                load(&A, 0, ahead * rows, base + slot * bytes, b0 + 8 * slot);
                ahead += gridDim.x;
                if (ahead >= most)
                    ahead = blockIdx.x;
            }
#pragma unroll 1
        for (int i = 0; i < times; i++, turn++) {
            uint32_t slot = turn % depth, full = b0 + 8 * slot;
            if (BESIDE < STORE_ONLY)
                wait(full, (turn / depth) & 1);
            if (BESIDE == STORE || BESIDE == STORE_AND_WAIT || BESIDE == STORE_ONLY) {
                store(&B, 0, tile * rows, from);
                commit_group();
            }
            if (BESIDE == REDUCE || BESIDE == REDUCE_ONLY) {
                reduce(&C, 0, tile * rows, from);
                commit_group();
            }
            if (BESIDE == STORE_AND_WAIT || BESIDE == STORE_ONLY || BESIDE == REDUCE_ONLY)
                wait_until_read();
            if (BESIDE < STORE_ONLY && i + depth < times) {
                expect(full, bytes);
                load(&A, 0, ahead * rows, base + slot * bytes, full);
                ahead += gridDim.x;
                if (ahead >= most)
                    ahead = blockIdx.x;
            }
            if (BESIDE == LATE_STORE) {
                store(&B, 0, tile * rows, from);
                commit_group();
            }
            tile += gridDim.x;
            if (tile >= most)
                tile = blockIdx.x;
        }
        end = clock_now();
        wait_until_written();
    }
    out[blockIdx.x] = end - begin;
}

static const size_t bytes = size_t(256) << 20, flush_bytes = size_t(512) << 20;
static uint8_t *a, *b, *flush;
static uint32_t *out, *sink;

static CUtensorMap make_map(uint8_t *at, bool floats, uint32_t rows) {
    CUtensorMap m;
    cuuint64_t d[2] = {floats ? 32u : 64u, bytes / 128}, s[1] = {128};
    cuuint32_t box[2] = {floats ? 32u : 64u, rows}, e[2] = {1, 1};
    if (cuTensorMapEncodeTiled(
            &m, floats ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, at,
            d, s, box, e, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
            CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        printf("# encode\n");
    return m;
}

template <int BESIDE>
static void time_turns(const char *what, int sms, int depth, int rows, bool cold) {
    enum { LAUNCHES = 5 };
    Work work = {depth, rows, cold ? 1 : 3, 64, cold ? 64 : 4};
    CUtensorMap A = make_map(a, false, rows), B = make_map(b, false, rows),
                C = make_map(b, true, rows);
    size_t shared = std::max(size_t(depth + 1) * rows * 128 + 1024, size_t(120) << 10);
    cudaFuncSetAttribute(load_turns<BESIDE>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         225 << 10);
    std::vector<uint32_t> medians, lasts;
    for (int launch = 0; launch <= LAUNCHES; launch++) {
        read_all<<<1056, 512>>>((const uint4 *)flush, flush_bytes / 16, sink);
        load_turns<BESIDE><<<sms, 32, shared>>>(A, B, C, work, out);
        if (cudaError_t e = cudaDeviceSynchronize()) {
            printf("# %s: %s\n", what, cudaGetErrorString(e));
            return;
        }
        std::vector<uint32_t> took(sms);
        cudaMemcpy(took.data(), out, sms * sizeof *out, cudaMemcpyDeviceToHost);
        std::sort(took.begin(), took.end());
        if (launch > 0) { // the first one brings code
            medians.push_back(took[sms / 2]);
            lasts.push_back(took[sms - 1]);
        }
    }
    std::sort(medians.begin(), medians.end());
    std::sort(lasts.begin(), lasts.end());
    printf("%s\t%s\t%d\t%d\t%d\t%d\t%.1f\t%.1f\n", what, cold ? "dram" : "l2", sms, depth, rows,
           work.times, medians[LAUNCHES / 2] / float(work.times),
           lasts[LAUNCHES / 2] / float(work.times));
}

int main() {
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&flush, flush_bytes);
    cudaMemset(a, 0, bytes);
    cudaMemset(b, 0, bytes);
    cudaMemset(flush, 1, flush_bytes);
    cudaMalloc(&out, 4096);
    cudaMalloc(&sink, sizeof *sink);
    printf("what\tplace\tsms\tdepth\trows\ttimes\tcycles\tlast\n");
    for (int cold = 0; cold <= 1; cold++)
        for (int sms : {1, 8, 33, 66, 132})
            for (int rows : {8, 64, 128})
                for (int depth : {1, 2, 4}) {
                    if ((sms == 8 || sms == 33) && rows != 64)
                        continue;
                    time_turns<NOTHING>("load", sms, depth, rows, cold);
                    time_turns<STORE>("store_load", sms, depth, rows, cold);
                    time_turns<STORE_AND_WAIT>("store_wait_load", sms, depth, rows, cold);
                    time_turns<LATE_STORE>("load_store", sms, depth, rows, cold);
                    time_turns<REDUCE>("reduce_load", sms, depth, rows, cold);
                    if (depth == 1) {
                        time_turns<STORE_ONLY>("store", sms, depth, rows, cold);
                        time_turns<REDUCE_ONLY>("reduce", sms, depth, rows, cold);
                    }
                }
}
