/* How long loads of lines in L2 take from each SM:
 *
 *   build/capture-sm-distances > sm_distances.tsv
 *
 * One SM at a time loads LINES lines of 128 bytes, one after the other; all others are idle.
 * `cycles` is the mean of a load, from one issue to the next. */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#include "lines.cuh"
#include "ptx.cuh"

enum { LINES = 2048, LAUNCHES = 5, LINE_BYTES = 128, SHARED_BYTES = 200 * 1024 };

static __global__ void load_lines(const __grid_constant__ CUtensorMap map, uint32_t sm,
                                  uint32_t *cycles) {
    extern __shared__ __align__(1024) char stage[];
    __shared__ uint64_t barriers[1];
    if (sm_number() != sm || threadIdx.x != 0)
        return;
    uint32_t barrier = shared_address(barriers), parity = 0, start = 0;
    init(barrier, 1);
    fence_init();
    fence_async();
    for (int pass = 0; pass < 2; pass++) {
        start = clock_now();
        for (int line = 0; line < LINES; line++, parity ^= 1) {
            expect(barrier, LINE_BYTES);
            load(&map, 0, line, shared_address(stage), barrier);
            wait(barrier, parity);
        }
    }
    *cycles = clock_now() - start;
}

static void check(cudaError_t code) {
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "capture-sm-distances: %s\n", cudaGetErrorString(code));
    exit(2);
}

int main() {
    char *tensor;
    uint32_t *cycles;
    int sms;
    check(cudaMalloc(&tensor, LINES * LINE_BYTES));
    check(cudaMemset(tensor, 0, LINES * LINE_BYTES));
    check(cudaMallocManaged(&cycles, sizeof *cycles));
    check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    check(cudaFuncSetAttribute(load_lines, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               SHARED_BYTES));
    CUtensorMap map;
    if (encode_lines(&map, tensor, LINES, LINE_BYTES, CU_TENSOR_MAP_L2_PROMOTION_NONE) !=
        CUDA_SUCCESS) {
        fprintf(stderr, "capture-sm-distances: the driver rejects the tensor map\n");
        return 2;
    }
    printf("sm\tcycles\n");
    for (int sm = 0; sm < sms; sm++) {
        std::vector<uint32_t> all;
        for (int i = 0; i < LAUNCHES; i++) {
            load_lines<<<sms, 32, SHARED_BYTES>>>(map, uint32_t(sm), cycles);
            check(cudaDeviceSynchronize());
            all.push_back(*cycles);
        }
        std::sort(all.begin(), all.end());
        printf("%d\t%.1f\n", sm, double(all[LAUNCHES / 2]) / LINES);
    }
    return 0;
}
