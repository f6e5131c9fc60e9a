/* How much longer loads take of lines that only the other partition of L2 has:
 *
 *   capture-partition-distances SM OTHER_SM > partition_distances.tsv
 *
 * OTHER_SM, which is next to the other partition, loads lines, and then SM loads them, one after
 * the other: twice, so that it finds them in its own partition the second time. `cycles` is by how
 * much the first load takes longer, of lines whose home is the partition of OTHER_SM: the median of
 * those of one slice, and the mean of a group of slices, whose first one is `slice`. Then the two
 * SMs change places. */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#include "line_cycles.cuh"
#include "ptx.cuh"
#include "read_all.cuh"
#include "slice_lines.cuh"

enum { LINES = 8192, GROUP_SLICES = 8, LAUNCHES = 3, PASSES = 2 };

static const size_t buffer_bytes = size_t(1) << 30, flush_bytes = size_t(512) << 20;

static void check(cudaError_t code) {
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "capture-partition-distances: %s\n", cudaGetErrorString(code));
    exit(2);
}

static double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

struct device {
    char *buffer, *other;
    uint32_t *lines, *cycles, *sink;
    std::vector<uint32_t> numbers;
};

static void print_distances(const device &device, uint32_t sm, uint32_t other_sm) {
    std::vector<double> longer[2][most_slices];
    for (int launch = 0; launch < LAUNCHES; launch++) {
        std::vector<uint32_t> cycles(PASSES * LINES);
        check(cudaMemset(device.other, launch, flush_bytes));
        read_all<<<132, 1024>>>((const uint4 *)device.other, flush_bytes / sizeof(uint4),
                                device.sink);
        load_lines<<<132, 32, LINES * sizeof(uint32_t)>>>(device.buffer, device.lines, LINES,
                                                          other_sm, 1, device.cycles);
        load_lines<<<132, 32, LINES * sizeof(uint32_t)>>>(device.buffer, device.lines, LINES, sm,
                                                          PASSES, device.cycles);
        check(cudaMemcpy(cycles.data(), device.cycles, cycles.size() * sizeof cycles[0],
                         cudaMemcpyDeviceToHost));
        for (int i = 0; i < LINES; i++) {
            uint32_t line = device.numbers[i], home = sum_of(first_line + line) / 64;
            longer[home][slice_of(line)].push_back(double(cycles[i]) - double(cycles[LINES + i]));
        }
    }
    for (uint32_t home = 0; home < 2; home++)
        for (uint32_t first = 0; first < slices; first += GROUP_SLICES) {
            uint32_t count = std::min<uint32_t>(GROUP_SLICES, slices - first);
            double sum = 0;
            for (uint32_t i = 0; i < count; i++)
                sum += median(longer[home][first + i]);
            if (sum / count > 50) /* the home is the other partition */
                printf("%u\t%u\t%.1f\n", home, first, sum / count);
        }
}

int main(int count, char **arguments) {
    if (count != 3) {
        fprintf(stderr, "usage: capture-partition-distances SM OTHER_SM\n");
        return 2;
    }
    device device{};
    check(cudaMalloc(&device.buffer, buffer_bytes));
    check(cudaMalloc(&device.other, flush_bytes));
    check(cudaMalloc(&device.lines, LINES * sizeof(uint32_t)));
    check(cudaMalloc(&device.cycles, PASSES * LINES * sizeof(uint32_t)));
    check(cudaMalloc(&device.sink, sizeof(uint32_t)));
    check(cudaMemset(device.buffer, 0, buffer_bytes));
    for (uint32_t i = 0; i < LINES; i++)
        device.numbers.push_back(i * 33 * 7 + i % 5);
    check(cudaMemcpy(device.lines, device.numbers.data(), LINES * sizeof(uint32_t),
                     cudaMemcpyHostToDevice));
    printf("home\tslice\tcycles\n");
    print_distances(device, uint32_t(atoi(arguments[1])), uint32_t(atoi(arguments[2])));
    print_distances(device, uint32_t(atoi(arguments[2])), uint32_t(atoi(arguments[1])));
}
