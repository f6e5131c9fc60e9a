/* How long loads of lines in L2 take from each SM, by slice:
 *
 *   capture-slice-distances > slice_distances.tsv
 *
 * One SM at a time loads lines of all slices, one after the other: three times, so that it finds
 * them in its own partition. `cycles` is the mean of a group of slices, whose first one is `slice`:
 * of each slice the median of its loads. */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#include "line_cycles.cuh"
#include "slice_lines.cuh"

enum { LINES = 4096, GROUP_SLICES = 8, PASSES = 3, SHARED_BYTES = 200 * 1024 };

static const size_t buffer_bytes = size_t(256) << 20;

static void check(cudaError_t code) {
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "capture-slice-distances: %s\n", cudaGetErrorString(code));
    exit(2);
}

static double median(std::vector<uint32_t> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

int main() {
    char *buffer;
    uint32_t *on_device, *cycles;
    int sms;
    std::vector<uint32_t> lines;
    for (uint32_t i = 0; i < LINES; i++)
        lines.push_back(i * 33 * 7 + i % 5);
    check(cudaMalloc(&buffer, buffer_bytes));
    check(cudaMalloc(&on_device, LINES * sizeof(uint32_t)));
    check(cudaMalloc(&cycles, PASSES * LINES * sizeof(uint32_t)));
    check(cudaMemset(buffer, 0, buffer_bytes));
    check(cudaMemcpy(on_device, lines.data(), LINES * sizeof(uint32_t), cudaMemcpyDefault));
    check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    check(cudaFuncSetAttribute(load_lines, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               SHARED_BYTES));
    printf("sm\tslice\tcycles\n");
    for (uint32_t sm = 0; sm < uint32_t(sms); sm++) {
        std::vector<uint32_t> found(LINES), of_slice[most_slices];
        load_lines<<<sms, 32, SHARED_BYTES>>>(buffer, on_device, LINES, sm, PASSES, cycles);
        check(cudaMemcpy(found.data(), cycles + (PASSES - 1) * LINES, LINES * sizeof(uint32_t),
                         cudaMemcpyDefault));
        for (uint32_t i = 0; i < LINES; i++)
            of_slice[slice_of(lines[i])].push_back(found[i]);
        for (uint32_t first = 0; first < slices; first += GROUP_SLICES) {
            uint32_t end = std::min<uint32_t>(slices, first + GROUP_SLICES);
            double sum = 0;
            for (uint32_t slice = first; slice < end; slice++)
                sum += median(of_slice[slice]);
            printf("%u\t%u\t%.1f\n", sm, first, sum / (end - first));
        }
    }
}
