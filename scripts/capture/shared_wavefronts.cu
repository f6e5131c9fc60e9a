/* Takes records of what a profiler counts as wavefronts and conflicts of shared memory, where other
 * things use it, too. One CTA: `warps` warps repeat one access, a batch of 8 every `gap` cycles, of
 * 4 KiB that begin `offset` bytes behind the stages of the others. These are slots of one thread
 * that load or store tiles by TMA, warps that load lines from L2, or a warp group that multiplies.
 *
 *   ncu --csv --page raw --clock-control none --cache-control none -k regex:run --metrics
 *       l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,..._op_st.sum,
 *       l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum,..._op_st.sum
 *       build/capture-shared-wavefronts
 *
 * prints the rows of shared_wavefronts.tsv, but for the last two columns, which are the profiler's,
 * of the launch with the same number. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>
#include <vector>

#include "shared_port.cuh"

enum {
    WINDOW = 60000,
    STAGES = 4,
    STAGE_BYTES = 16384,
    SHARED_BYTES = 160 * 1024 + 1024,
    PITCH_BYTES = 256,
    TENSOR_ROWS = 4 << 20,
    NEAR_ROWS = 16384 /* stay in L2 */
};

enum operation { NOTHING, LOAD, STORE, COPY, PRODUCT64, PRODUCT128, PRODUCT256, LINES };
static const char *const operation_names[] = {"none",
                                              "load",
                                              "store",
                                              "copy",
                                              "wgmma.m64n64k16",
                                              "wgmma.m64n128k16",
                                              "wgmma.m64n256k16",
                                              "ld.global.cg.b128"};

struct row {
    uint32_t kernel; /* in kernels */
    uint32_t gap, offset;
    operation other;
    uint32_t slots, swizzle, dram;
};

struct counts {
    unsigned long long instructions, operations;
};

static __device__ uint64_t load_lines(const uint4 *from, uint64_t end, uint32_t *sink) {
    uint32_t sum = 0;
    uint64_t count = 0;
    for (; clock64() < end; count += 4) {
        uint4 v[4];
#pragma unroll
        for (uint32_t k = 0; k < 4; k++)
            v[k] = __ldcg(from + (count + k) % 256 * 32);
        for (uint32_t k = 0; k < 4; k++)
            sum |= v[k].x | v[k].y | v[k].z | v[k].w;
    }
    if (sum != 0)
        *sink = sum;
    return count;
}

template <access WHAT>
static __global__ void __launch_bounds__(384, 1)
    run(const __grid_constant__ CUtensorMap map, const row row, const uint4 *lines, counts *total,
        uint32_t *sink) {
    extern __shared__ char dynamic[];
    __shared__ uint64_t barriers[STAGES];
    __shared__ uint64_t begin;
    char *stages = dynamic + (1024 - shared_address(dynamic) % 1024) % 1024;
    uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, base = shared_address(stages);
    for (uint32_t i = threadIdx.x; i < (SHARED_BYTES - 1024) / 16; i += blockDim.x)
        ((uint4 *)stages)[i] = uint4{};
    if (threadIdx.x < STAGES)
        init(shared_address(&barriers[threadIdx.x]), 1);
    fence_init();
    fence_async();
    if (threadIdx.x == 0)
        begin = clock64() + 2000;
    __syncthreads();
    uint64_t end = begin + WINDOW, count = 0;
    if (warp < 4) {
        if (row.other == PRODUCT64)
            count = multiply_until<64>(end, base, base + 8192, sink);
        else if (row.other == PRODUCT128)
            count = multiply_until<128>(end, base, base + 8192, sink);
        else if (row.other == PRODUCT256)
            count = multiply_until<256>(end, base, base + 8192, sink);
        if (threadIdx.x == 0)
            atomicAdd(&total->operations, count);
        return;
    }
    if (warp < 8) {
        uint32_t sum = 0, next = clock_now(),
                 at = base + row.offset + lane * (WHAT == LD32 || WHAT == ST32 ? 4 : 16);
        for (; clock64() < end; count += 8) {
#pragma unroll
            for (int i = 0; i < 8; i++)
                sum |= access_once<WHAT>(at + i * 512);
            next += row.gap;
            while (row.gap != 0 && int32_t(clock_now() - next) < 0) {
            }
        }
        if (sum != 0)
            *sink = sum;
        if (lane == 0)
            atomicAdd(&total->instructions, count);
        return;
    }
    warp -= 8;
    if (row.other == LINES)
        count = load_lines(lines + warp * 8192 + lane, end, sink);
    else if (lane == 0) {
        uint32_t tiles = (row.dram ? TENSOR_ROWS : NEAR_ROWS) / 128;
        bool loads = row.other == LOAD || (row.other == COPY && warp % 2 == 0);
        count =
            operate_until(end, &map, loads, false, warp * (tiles / STAGES), tiles, 128, STAGE_BYTES,
                          base + warp * STAGE_BYTES, shared_address(&barriers[warp]));
    }
    if (lane == 0)
        atomicAdd(&total->operations, count);
}

typedef void (*kernel)(const CUtensorMap, const row, const uint4 *, counts *, uint32_t *);
static const struct {
    access what;
    kernel run;
} kernels[] = {{LD32, run<LD32>},   {LD128, run<LD128>},         {ST32, run<ST32>},
               {ST128, run<ST128>}, {LDMATRIX4, run<LDMATRIX4>}, {STMATRIX4, run<STMATRIX4>}};

static void check(cudaError_t code, const char *what) {
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "shared-wavefronts: %s: %s\n", what, cudaGetErrorString(code));
    exit(1);
}

static CUtensorMap encode(const row &row, void *tensor) {
    CUtensorMap map;
    cuuint64_t dim[] = {32, TENSOR_ROWS}, stride[] = {PITCH_BYTES};
    cuuint32_t box[] = {32, 128}, element_stride[] = {1, 1};
    if (cuTensorMapEncodeTiled(
            &map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, tensor, dim, stride, box, element_stride,
            CU_TENSOR_MAP_INTERLEAVE_NONE,
            row.swizzle ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE,
            CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
        fprintf(stderr, "shared-wavefronts: the driver rejects the tensor map\n");
        exit(1);
    }
    return map;
}

int main() {
    char *tensor;
    uint4 *lines;
    counts *total;
    uint32_t *sink;
    check(cudaMalloc(&tensor, size_t(TENSOR_ROWS) * PITCH_BYTES), "cudaMalloc");
    check(cudaMemset(tensor, 0, size_t(TENSOR_ROWS) * PITCH_BYTES), "cudaMemset");
    check(cudaMalloc(&lines, 8 << 20), "cudaMalloc");
    check(cudaMemset(lines, 0, 8 << 20), "cudaMemset");
    check(cudaMalloc(&total, sizeof *total), "cudaMalloc");
    check(cudaMalloc(&sink, sizeof *sink), "cudaMalloc");
    std::vector<row> rows;
    const struct {
        operation other;
        uint32_t slots;
    } others[] = {{NOTHING, 0},   {LOAD, 1},       {LOAD, 4},       {STORE, 1}, {COPY, 4},
                  {PRODUCT64, 0}, {PRODUCT128, 0}, {PRODUCT256, 0}, {LINES, 4}};
    for (const auto &other : others)
        for (uint32_t what = 0; what < sizeof kernels / sizeof kernels[0]; what++) {
            bool tma = other.other >= LOAD && other.other <= COPY;
            for (uint32_t gap : {0u, 256u, 1024u})
                rows.push_back({what, gap, 131072, other.other, other.slots, 0, 0});
            for (uint32_t offset : {0u, 16384u, 65536u, 98304u})
                if (tma)
                    rows.push_back({what, 0, offset, other.other, other.slots, 0, 0});
            for (uint32_t dram : {0u, 1u})
                for (uint32_t gap : {0u, 256u})
                    if (tma)
                        rows.push_back({what, gap, 0, other.other, other.slots, 1, dram});
        }
    printf("instruction\tgap\toffset\toperation\tslots\tswizzle\tdram\tinstructions\toperations\n");
    for (const row &row : rows) {
        CUtensorMap map = encode(row, tensor);
        counts counts = {};
        kernel kernel = kernels[row.kernel].run;
        const char *name = accesses[kernels[row.kernel].what].name;
        check(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES),
            "cudaFuncSetAttribute");
        check(cudaMemset(total, 0, sizeof counts), "cudaMemset");
        kernel<<<1, 32 * (8 + row.slots), SHARED_BYTES>>>(map, row, lines, total, sink);
        check(cudaGetLastError(), name);
        check(cudaMemcpy(&counts, total, sizeof counts, cudaMemcpyDeviceToHost), name);
        printf("%s\t%u\t%u\t%s\t%u\t%u\t%u\t%llu\t%llu\n", name, row.gap, row.offset,
               operation_names[row.other], row.slots, row.swizzle, row.dram, counts.instructions,
               counts.operations);
    }
    return 0;
}
