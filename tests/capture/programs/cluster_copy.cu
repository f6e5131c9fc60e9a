/* CUDA C++ through the runtime: clusters of two CTAs load tiles with TMA, each half of a tile
 * multicast to both, add one to each element and store them with TMA. The tensor maps are
 * parameters of the kernel. */
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int ROWS = 8192, COLUMNS = 4096, BOX_ROWS = 64, BOX_COLUMNS = 64, THREADS = 128;
constexpr uint32_t TILE_BYTES = BOX_ROWS * BOX_COLUMNS * sizeof(__half);

__device__ uint32_t shared_address(const void *pointer) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ void wait_phase(uint32_t barrier, uint32_t phase) {
    asm volatile("{\n.reg .pred done;\nAGAIN:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra AGAIN;\n}" ::"r"(barrier),
                 "r"(phase)
                 : "memory");
}

/* Each cluster copies tiles of one row of tiles. Both CTAs of it need the whole tile: each loads a
 * half of the rows for both. Each stores its half. */
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(THREADS)
    cluster_copy(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                 int tiles) {
    __shared__ alignas(1024) __half tile[BOX_ROWS * BOX_COLUMNS];
    __shared__ alignas(8) uint64_t barrier;
    uint32_t rank, full = shared_address(&barrier), half = shared_address(tile);
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    half += rank * TILE_BYTES / 2;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    int row = static_cast<int>(blockIdx.x / 2) * BOX_ROWS + static_cast<int>(rank) * BOX_ROWS / 2;
    for (int i = 0; i < tiles; i++) {
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(full),
                         "r"(TILE_BYTES)
                         : "memory");
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx"
                         "::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(half),
                         "l"(&from), "r"(i * BOX_COLUMNS), "r"(row), "r"(full),
                         "h"(static_cast<uint16_t>(3))
                         : "memory");
        }
        wait_phase(full, i & 1);
        __half2 *pairs = reinterpret_cast<__half2 *>(tile) + rank * BOX_ROWS * BOX_COLUMNS / 4;
        for (int at = threadIdx.x; at < BOX_ROWS * BOX_COLUMNS / 4; at += THREADS)
            pairs[at] = __hadd2(pairs[at], __float2half2_rn(1));
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "
                         "[%0, {%1, %2}], [%3];" ::"l"(&to),
                         "r"(i * BOX_COLUMNS), "r"(row), "r"(half)
                         : "memory");
            asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
        }
        asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    }
}

static CUtensorMap map_of(void *memory) {
    void *encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault,
                                     &found);
    CUtensorMap map;
    const cuuint64_t sizes[] = {COLUMNS, ROWS}, strides[] = {COLUMNS * sizeof(__half)};
    const cuuint32_t box[] = {BOX_COLUMNS, BOX_ROWS / 2}, steps[] = {1, 1};
    reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
        &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, memory, sizes, strides, box, steps,
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return map;
}

int main() {
    __half *from, *to, last;
    size_t bytes = sizeof(__half) * ROWS * COLUMNS;
    cudaMalloc(&from, bytes);
    cudaMalloc(&to, bytes);
    cudaMemset(from, 0, bytes);
    CUtensorMap map_from = map_of(from), map_to = map_of(to);
    cluster_copy<<<2 * ROWS / BOX_ROWS, THREADS>>>(map_from, map_to, COLUMNS / BOX_COLUMNS);
    cudaMemcpy(&last, to + ROWS * COLUMNS - 1, sizeof last, cudaMemcpyDeviceToHost);
    std::printf("%s, last element %g\n", cudaGetErrorString(cudaGetLastError()),
                static_cast<double>(__half2float(last)));
}
