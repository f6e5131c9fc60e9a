/* Takes records of an SM's shared-memory port: warps that access shared memory while the TMA unit
 * writes it (loads) or reads it (stores, reductions). Each row is one kernel of one CTA:
 *
 *   build/capture-shared-port > shared_port.tsv
 *
 * `warps` warps repeat one instruction. Slots of one thread each repeat one operation of the TMA
 * unit: issue, wait for its completion, issue again. The tensor stays in L2. Both run for WINDOW
 * cycles: the row has how many instructions and operations came to an end in that time.
 * tests/hardware/README.md describes the columns. */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>
#include <vector>

#include "shared_port.cuh"

enum {
    WINDOW = 200000,
    BATCH = 8, /* instructions between two looks at the clock */
    REPEATS = 3,
    MAX_WARPS = 24,
    MAX_SLOTS = 8,
    STAGE_BYTES = 16384,
    WARP_BYTES = 49152, /* that the warps access, behind the stages */
    SHARED_BYTES = MAX_SLOTS * STAGE_BYTES + WARP_BYTES + 1024,
    PITCH_BYTES = 256,
    TENSOR_ROWS = 16384
};

enum operation { LOAD, STORE, REDUCE, COPY, NO_OPERATION };

static const char *const operation_names[] = {"load", "store", "reduce", "copy", "none"};

struct row {
    access what;
    uint32_t ways, warps;
    operation other;
    uint32_t row_bytes, rows, slots;
};

struct counts {
    unsigned long long instructions, operations;
};

template <access WHAT>
static __global__ void run(const __grid_constant__ CUtensorMap map, const row row, counts *total,
                           uint32_t *sink) {
    extern __shared__ char dynamic[];
    __shared__ uint64_t barriers[MAX_SLOTS];
    __shared__ uint64_t begin;
    char *stages = dynamic + (1024 - shared_address(dynamic) % 1024) % 1024;
    uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, slot = warp - row.warps;
    for (uint32_t i = threadIdx.x; i < (SHARED_BYTES - 1024) / 4; i += blockDim.x)
        ((uint32_t *)stages)[i] = 0;
    if (threadIdx.x < MAX_SLOTS)
        init(shared_address(&barriers[threadIdx.x]), 1);
    fence_init();
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0)
        begin = clock64();
    __syncthreads();
    uint64_t end = begin + WINDOW, count = 0;
    if (warp >= row.warps) {
        if (lane == 0) {
            /* Half of the slots of a copy load, the others store. */
            bool loads = row.other == LOAD || (row.other == COPY && slot % 2 == 0);
            uint32_t tiles = TENSOR_ROWS / row.rows;
            count = operate_until(end, &map, loads, row.other == REDUCE, slot * (tiles / MAX_SLOTS),
                                  tiles, row.rows, row.rows * row.row_bytes,
                                  shared_address(stages) + slot * STAGE_BYTES,
                                  shared_address(&barriers[slot]));
            atomicAdd(&total->operations, count);
        }
        return;
    }
    uint32_t base = shared_address(stages) + MAX_SLOTS * STAGE_BYTES, zero = 0;
    if constexpr (WHAT >= WGMMA64 && WHAT != NO_ACCESS) {
        enum { N = WHAT == WGMMA64 ? 64 : WHAT == WGMMA128 ? 128 : 256 };
        count = multiply_until<N>(end, base + threadIdx.x / 128 % 2 * 8192, base + 16384, sink);
        if (warp % 4 != 0)
            count = 0;
    } else if constexpr (WHAT != NO_ACCESS) {
        uint32_t bytes = WHAT == LD32 || WHAT == ST32 ? 4 : WHAT == LD64 || WHAT == ST64 ? 8 : 16;
        uint32_t lanes = 128 / bytes, place = lane % lanes;
        uint32_t address = base + place % row.ways * 128 + place / row.ways * bytes +
                           lane / lanes * 128 * row.ways;
        while (clock64() < end) {
            uint32_t sum = 0;
#pragma unroll
            for (int i = 0; i < BATCH; i++)
                sum |= access_once<WHAT>(address);
            zero |= sum;
            count += BATCH;
        }
    }
    count = count * WINDOW / (clock64() - begin); /* the last batch may end later */
    if (zero != 0)
        *sink = zero;
    if (lane == 0)
        atomicAdd(&total->instructions, count);
}

typedef void (*kernel)(const CUtensorMap, const row, counts *, uint32_t *);

static const kernel kernels[] = {run<LD32>,      run<LD64>,    run<LD128>,     run<ST32>,
                                 run<ST64>,      run<ST128>,   run<LDMATRIX1>, run<LDMATRIX4>,
                                 run<STMATRIX4>, run<WGMMA64>, run<WGMMA128>,  run<WGMMA256>,
                                 run<NO_ACCESS>};

static void check(cudaError_t code, const char *what) {
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "shared-port: %s: %s\n", what, cudaGetErrorString(code));
    exit(1);
}

static CUtensorMap encode(const row &row, void *tensor) {
    CUtensorMap map;
    cuuint64_t dim[] = {row.row_bytes / 4, TENSOR_ROWS}, stride[] = {PITCH_BYTES};
    cuuint32_t box[] = {row.row_bytes / 4, row.rows}, element_stride[] = {1, 1};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, tensor, dim, stride, box,
                               element_stride, CU_TENSOR_MAP_INTERLEAVE_NONE,
                               CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
        fprintf(stderr, "shared-port: the driver rejects the tensor map\n");
        exit(1);
    }
    return map;
}

static std::vector<row> make_rows() {
    static const struct {
        operation other;
        uint32_t row_bytes, rows, slots;
    } others[] = {
        {NO_OPERATION, 128, 128, 0}, {LOAD, 128, 128, 8},   {LOAD, 128, 1, 1},
        {LOAD, 64, 128, 8},          {LOAD, 32, 128, 8},    {LOAD, 16, 128, 8},
        {LOAD, 128, 128, 1},         {STORE, 128, 128, 8},  {STORE, 32, 128, 8},
        {STORE, 16, 128, 8},         {REDUCE, 128, 128, 8}, {COPY, 128, 128, 8},
    };
    static const struct {
        access what;
        uint32_t ways;
    } kinds[] = {{LD32, 1},    {LD32, 2},      {LD32, 4},      {LD32, 8},      {LD32, 32},
                 {LD64, 1},    {LD64, 4},      {LD128, 1},     {LD128, 2},     {LD128, 8},
                 {ST32, 1},    {ST32, 4},      {ST32, 32},     {ST64, 1},      {ST128, 1},
                 {ST128, 8},   {LDMATRIX1, 1}, {LDMATRIX4, 1}, {LDMATRIX4, 4}, {STMATRIX4, 1},
                 {WGMMA64, 1}, {WGMMA128, 1},  {WGMMA256, 1}};
    std::vector<row> rows;
    for (const auto &other : others) {
        rows.push_back({NO_ACCESS, 1, 0, other.other, other.row_bytes, other.rows, other.slots});
        for (const auto &kind : kinds)
            for (uint32_t warps : {2u, 4u, 8u, 24u}) {
                /* Registers are enough for one warpgroup of m64n256. */
                if (kind.what >= WGMMA64 ? warps != 4 && (warps != 8 || kind.what == WGMMA256)
                                         : warps == 4)
                    continue;
                rows.push_back({kind.what, kind.ways, warps, other.other, other.row_bytes,
                                other.rows, other.slots});
            }
    }
    rows.erase(rows.begin()); /* nothing at all */
    return rows;
}

int main() {
    char *tensor;
    counts *total;
    uint32_t *sink;
    check(cudaMalloc(&tensor, size_t(TENSOR_ROWS) * PITCH_BYTES), "cudaMalloc");
    check(cudaMemset(tensor, 0, size_t(TENSOR_ROWS) * PITCH_BYTES), "cudaMemset");
    check(cudaMalloc(&total, sizeof *total), "cudaMalloc");
    check(cudaMalloc(&sink, sizeof *sink), "cudaMalloc");
    for (kernel kernel : kernels)
        check(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES),
            "cudaFuncSetAttribute");
    printf("instruction\tways\twarps\toperation\trow_bytes\trows\tslots\tcycles\t"
           "instructions\toperations\n");
    for (const row &row : make_rows()) {
        CUtensorMap map = encode(row, tensor);
        std::vector<unsigned long long> instructions, operations;
        for (int i = -1; i < REPEATS; i++) {
            counts counts = {};
            check(cudaMemset(total, 0, sizeof counts), "cudaMemset");
            kernels[row.what]<<<1, 32 * (row.warps + row.slots), SHARED_BYTES>>>(map, row, total,
                                                                                 sink);
            check(cudaGetLastError(), accesses[row.what].name);
            check(cudaMemcpy(&counts, total, sizeof counts, cudaMemcpyDeviceToHost),
                  accesses[row.what].name);
            if (i < 0) /* the first one brings the tensor into L2 */
                continue;
            instructions.push_back(counts.instructions);
            operations.push_back(counts.operations);
        }
        std::sort(instructions.begin(), instructions.end());
        std::sort(operations.begin(), operations.end());
        printf("%s\t%u\t%u\t%s\t%u\t%u\t%u\t%d\t%llu\t%llu\n", accesses[row.what].name, row.ways,
               row.warps, operation_names[row.other], row.row_bytes, row.rows, row.slots, WINDOW,
               instructions[REPEATS / 2], operations[REPEATS / 2]);
    }
    return 0;
}
