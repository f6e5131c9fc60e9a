/* Takes what the first loads of memory take that nothing has read or written since its allocation:
 *
 *   build/capture-first-touch > first_touch.tsv
 *
 * Lane 0 of an SM loads a line in each of many places, in order; then lanes of other SMs do the
 * same, one SM after the other. A row has the medians of the loads that are the first ones of
 * 32 MiB, and of the others. `lanes`: the lanes of a warp load from a place each, all at once. */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#include "ptx.cuh"
#include "random.cuh"

static const size_t mib = 1 << 20;
static const int sm_count = 132, whole_sm = 200 * 1024;

static void check(cudaError_t code, const char *where) {
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "capture-first-touch: %s: %s\n", where, cudaGetErrorString(code));
    exit(2);
}

static __global__ void probe(const char *base, const uint32_t *numbers, int count, int each,
                             uint32_t sm, uint32_t *cycles, uint32_t *sink) {
    extern __shared__ uint32_t entries[];
    __shared__ volatile uint32_t keep;
    uint32_t sum = 0;
    if (sm_number() != sm || int(threadIdx.x) >= each)
        return;
    for (int i = 0; i < count; i++)
        entries[i] = numbers[i];
    for (int i = -each; i < count; i += each) { /* the first time for the instructions alone */
        const char *p =
            i < 0
                ? (const char *)sink
                : base + uint64_t(((volatile uint32_t *)entries)[uint32_t(i) + threadIdx.x]) * 128;
        asm volatile("" ::"l"(p) : "memory");
        uint64_t start = clock64();
        sum += load_word(p);
        sum = __reduce_add_sync(each == 32 ? ~0u : (1u << each) - 1, sum);
        keep = sum;
        if (i >= 0 && threadIdx.x == 0)
            cycles[i / each] = uint32_t(clock64() - start);
    }
    sink[1] = sum;
}

struct device {
    char *big;
    uint32_t *numbers, *cycles, *sink;
};

static uint32_t percentile(std::vector<uint32_t> cycles, size_t percent) {
    if (cycles.empty())
        return 0;
    std::sort(cycles.begin(), cycles.end());
    return cycles[cycles.size() * percent / 100];
}

/* `block_loads`: every so many loads one is the first of its 32 MiB. */
static void run(const device &d, const char *step, uint32_t sm, const std::vector<uint32_t> &lines,
                int each, size_t block_loads) {
    std::vector<uint32_t> cycles(lines.size() / size_t(each));
    check(cudaMemcpy(d.numbers, lines.data(), lines.size() * 4, cudaMemcpyDefault), "numbers");
    probe<<<sm_count, 32, whole_sm>>>(d.big, d.numbers, int(lines.size()), each, sm, d.cycles,
                                      d.sink);
    check(cudaDeviceSynchronize(), step);
    check(cudaMemcpy(cycles.data(), d.cycles, cycles.size() * 4, cudaMemcpyDefault), "cycles");
    std::vector<uint32_t> first, others;
    for (size_t i = 0; i < cycles.size(); i++)
        (i % block_loads == 0 ? first : others).push_back(cycles[i]);
    printf("%s\t%u\t%d\t%zu\t%u\t%u\t%u\t%u\t%u\n", step, sm, each, cycles.size(),
           percentile(first, 50), percentile(others, 50), percentile(cycles, 10),
           percentile(cycles, 50), percentile(cycles, 90));
}

static std::vector<uint32_t> places(uint32_t first_mib, uint32_t count, uint32_t stride_kib,
                                    uint32_t line) {
    std::vector<uint32_t> lines;
    for (uint32_t i = 0; i < count; i++)
        lines.push_back(first_mib * uint32_t(mib / 128) + i * stride_kib * 8 + (i * 37 % 256) * 4 +
                        line);
    return lines;
}

int main() {
    device d;
    size_t bytes = size_t(70) << 30;
    check(cudaMalloc(&d.numbers, 1 << 20), "memory");
    check(cudaMalloc(&d.cycles, 1 << 20), "memory");
    check(cudaMalloc(&d.sink, 1 << 20), "memory");
    check(cudaMalloc(&d.big, bytes), "memory");
    check(cudaMemset(d.sink, 0, 1 << 20), "memory");
    check(cudaFuncSetAttribute(probe, cudaFuncAttributeMaxDynamicSharedMemorySize, whole_sm),
          "shared");
    printf("step\tsm\tlanes\tloads\tfirst\tothers\tall_p10\tall_median\tall_p90\n");
    run(d, "2MiB", 0, places(0, 2048, 2048, 0), 1, 16);
    for (uint32_t sm : {0u, 1u, 16u, 2u, 32u, 48u, 4u, 8u})
        run(d, "2MiB_again", sm, places(0, 2048, 2048, 0), 1, 16);
    run(d, "64KiB", 0, places(4096, 2048, 64, 0), 1, 512);
    for (uint32_t sm : {0u, 1u, 16u, 2u})
        run(d, "64KiB_again", sm, places(4096, 2048, 64, 0), 1, 512);
    run(d, "32MiB", 0, places(8192, 512, 32768, 0), 1, 1);
    run(d, "32MiB_again", 0, places(8192, 512, 32768, 0), 1, 1);
    run(d, "32MiB_again", 2, places(8192, 512, 32768, 0), 1, 1);
    uint32_t first = 24576 + 64;
    for (int each : {1, 2, 4, 8, 16, 32}) {
        run(d, "lanes_cold_32MiB", 0, places(first, uint32_t(each) * 8, 32768, 0), each, 1);
        run(d, "lanes_32MiB", 4, places(first, uint32_t(each) * 8, 32768, 0), each, 1);
        run(d, "lanes_32MiB_again", 4, places(first, uint32_t(each) * 8, 32768, 0), each, 1);
        first += uint32_t(each) * 8 * 32;
    }
    for (int each : {1, 2, 4, 8, 16, 32}) {
        run(d, "lanes_cold_2MiB", 0, places(first, uint32_t(each) * 16, 2048, 0), each, 1);
        run(d, "lanes_2MiB", 4, places(first, uint32_t(each) * 16, 2048, 0), each, 1);
        run(d, "lanes_2MiB_again", 4, places(first, uint32_t(each) * 16, 2048, 0), each, 1);
        first += uint32_t(each) * 16 * 2 + 64;
    }
    return 0;
}
