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

#include "ptx.cuh"

enum {
    WINDOW = 200000,
    BATCH = 8,            /* instructions between two looks at the clock */
    MULTIPLICATIONS = 16, /* likewise, of wgmma */
    REPEATS = 3,
    MAX_WARPS = 24,
    MAX_SLOTS = 8,
    STAGE_BYTES = 16384,
    WARP_BYTES = 49152, /* that the warps access, behind the stages */
    SHARED_BYTES = MAX_SLOTS * STAGE_BYTES + WARP_BYTES + 1024,
    PITCH_BYTES = 256,
    TENSOR_ROWS = 16384
};

enum access {
    LD32,
    LD64,
    LD128,
    ST32,
    ST64,
    ST128,
    LDMATRIX1,
    LDMATRIX4,
    STMATRIX4,
    WGMMA64,
    WGMMA128,
    WGMMA256,
    NO_ACCESS
};
enum operation { LOAD, STORE, REDUCE, COPY, NO_OPERATION };

static const struct {
    const char *name;
    uint32_t lane_bytes;
} accesses[] = {
    {"ld.shared.b32", 4}, {"ld.shared.b64", 8},   {"ld.shared.b128", 16},  {"st.shared.b32", 4},
    {"st.shared.b64", 8}, {"st.shared.b128", 16}, {"ldmatrix.x1", 16},     {"ldmatrix.x4", 16},
    {"stmatrix.x4", 16},  {"wgmma.m64n64k16", 0}, {"wgmma.m64n128k16", 0}, {"wgmma.m64n256k16", 0},
    {"none", 0}};
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

static __device__ void make_descriptor(uint64_t *descriptor, uint32_t address) {
    *descriptor =
        (address >> 4 & 0x3fffu) | uint64_t(1) << 16 | uint64_t(64) << 32 | uint64_t(1) << 62;
}

/* One batch of instructions of a warp. Returns something that depends on all results, which is 0
 * because all of the shared memory is. */
template <access WHAT> static __device__ uint32_t batch(uint32_t at) {
    uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < BATCH; i++) {
        uint32_t a = 0, b = 0, c = 0, d = 0;
        if (WHAT == LD32)
            asm volatile("ld.volatile.shared.b32 %0, [%1];" : "=r"(a) : "r"(at) : "memory");
        else if (WHAT == LD64)
            asm volatile("ld.volatile.shared.v2.b32 {%0, %1}, [%2];"
                         : "=r"(a), "=r"(b)
                         : "r"(at)
                         : "memory");
        else if (WHAT == LD128)
            asm volatile("ld.volatile.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                         : "r"(at)
                         : "memory");
        else if (WHAT == ST32)
            asm volatile("st.volatile.shared.b32 [%0], %1;" ::"r"(at), "r"(0) : "memory");
        else if (WHAT == ST64)
            asm volatile("st.volatile.shared.v2.b32 [%0], {%1, %1};" ::"r"(at), "r"(0) : "memory");
        else if (WHAT == ST128)
            asm volatile("st.volatile.shared.v4.b32 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(0)
                         : "memory");
        else if (WHAT == LDMATRIX1)
            asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                         : "=r"(a)
                         : "r"(at)
                         : "memory");
        else if (WHAT == LDMATRIX4)
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                         : "r"(at)
                         : "memory");
        else if (WHAT == STMATRIX4)
            asm volatile(
                "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(0)
                : "memory");
        sum |= a | b | c | d;
    }
    return sum;
}

/* clang-format off */
#define R8(b) "%" #b "0, %" #b "1, %" #b "2, %" #b "3, %" #b "4, %" #b "5, %" #b "6, %" #b "7, %" #b "8, %" #b "9, "
#define F10(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7]), "+f"(d[i + 8]), "+f"(d[i + 9])
#define R0 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, "
/* clang-format on */

template <access WHAT> static __device__ void multiply(float *d, uint64_t a, uint64_t b) {
    if (WHAT == WGMMA64)
        asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" R0 R8(1)
                         R8(2) "%30, %31}, %32, %33, 1, 1, 1, 0, 0;"
                     : F10(0), F10(10), F10(20), "+f"(d[30]), "+f"(d[31])
                     : "l"(a), "l"(b));
    else if (WHAT == WGMMA128)
        asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" R0 R8(1) R8(2) R8(3)
                         R8(4) R8(5) "%60, %61, %62, %63}, %64, %65, 1, 1, 1, 0, 0;"
                     : F10(0), F10(10), F10(20), F10(30), F10(40), F10(50), "+f"(d[60]),
                       "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
                     : "l"(a), "l"(b));
    else
        asm volatile(
            "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {" R0 R8(1) R8(2) R8(3) R8(4) R8(
                5) R8(6) R8(7) R8(8) R8(9) R8(10)
                R8(11) "%120, %121, %122, %123, %124, %125, %126, %127}, %128, %129, 1, 1, 1, 0, 0;"
            : F10(0), F10(10), F10(20), F10(30), F10(40), F10(50), F10(60), F10(70), F10(80),
              F10(90), F10(100), F10(110), "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123]),
              "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])
            : "l"(a), "l"(b));
}

/* A warpgroup: A of 64 and B of up to 256 rows of 128 bytes, K-major, swizzle 128B. */
template <access WHAT>
static __device__ uint64_t multiply_all(uint32_t base, uint64_t end, uint32_t *sink) {
    enum { REGISTERS = WHAT == WGMMA64 ? 32 : WHAT == WGMMA128 ? 64 : 128 };
    float d[REGISTERS];
    uint64_t count = 0, a, b;
#pragma unroll
    for (int i = 0; i < REGISTERS; i++)
        d[i] = 0;
    make_descriptor(&a, base + threadIdx.x / 128 % 2 * 8192);
    make_descriptor(&b, base + 16384);
    while (clock64() < end) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (uint64_t k = 0; k < MULTIPLICATIONS; k++)
            multiply<WHAT>(d, a + k % 4 * 2, b + k % 4 * 2);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        count += MULTIPLICATIONS;
    }
    float sum = 0;
#pragma unroll
    for (int i = 0; i < REGISTERS; i++)
        sum += d[i];
    if (sum != 0)
        *sink = 1;
    return count;
}

/* A slot repeats one operation. Half of the slots of a copy load, the others store. */
static __device__ uint64_t operate(const CUtensorMap *map, const row &row, uint32_t slot,
                                   uint32_t place, uint32_t barrier, uint64_t end) {
    bool load = row.other == LOAD || (row.other == COPY && slot % 2 == 0);
    uint32_t tiles = TENSOR_ROWS / row.rows, tile = slot * (tiles / MAX_SLOTS), parity = 0;
    uint64_t count = 0;
    while (clock64() < end) {
        int32_t at = int32_t(tile * row.rows);
        tile = tile + 1 == tiles ? 0 : tile + 1;
        if (load) {
            expect(barrier, row.rows * row.row_bytes);
            ::load(map, 0, at, place, barrier);
            wait(barrier, parity);
            parity ^= 1;
        } else {
            if (row.other == REDUCE)
                reduce(map, 0, at, place);
            else
                store(map, 0, at, place);
            commit_group();
            wait_until_read();
        }
        count++;
    }
    wait_until_written();
    return count;
}

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
            count = operate(&map, row, slot, shared_address(stages) + slot * STAGE_BYTES,
                            shared_address(&barriers[slot]), end);
            atomicAdd(&total->operations, count);
        }
        return;
    }
    uint32_t base = shared_address(stages) + MAX_SLOTS * STAGE_BYTES, zero = 0;
    if constexpr (WHAT >= WGMMA64 && WHAT != NO_ACCESS) {
        count = multiply_all<WHAT>(base, end, sink);
        if (warp % 4 != 0)
            count = 0;
    } else if constexpr (WHAT != NO_ACCESS) {
        uint32_t bytes = WHAT == LD32 || WHAT == ST32 ? 4 : WHAT == LD64 || WHAT == ST64 ? 8 : 16;
        uint32_t lanes = 128 / bytes, place = lane % lanes;
        uint32_t address = base + place % row.ways * 128 + place / row.ways * bytes +
                           lane / lanes * 128 * row.ways;
        while (clock64() < end) {
            zero |= batch<WHAT>(address);
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
