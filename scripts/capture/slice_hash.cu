/* Finds which slice of L2 answers for lines of a program's first allocation:
 *
 *   capture-slice-hash [MIB [SAMPLES]] > slice_hash.tsv
 *
 * All SMs load two lines of 128 bytes over and over. That takes twice as long if one slice answers
 * for both. So the lines of the first page of 2 MiB are sorted into classes, one for each slice of
 * a partition, and lines of other pages are compared with one line of each class. Slices have
 * numbers in the order in which the first page needs them.
 *
 * Of each 1 KiB, one slice has lines 0, 1, 4 and 5, and another one the rest. So lines 0 and 2 of
 * each are measured: all of the first page, and SAMPLES (default: 16) of other pages, which are the
 * next 31, those at powers of two, and 128 anywhere in MIB (default: 8192) of memory. The slice of
 * a line that matched no class, or several, is -1. */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#include "pages.cuh"
#include "ptx.cuh"
#include "random.cuh"

static const uint32_t entries = 4096, page_bytes = 2 << 20, line_bytes = 128;
static const uint32_t warps = 8, pairs_of_warp = 12, loaded_bytes = 32;
static const size_t most_tests = 1 << 16, most_slices = 200;

static void check(cudaError_t code, const char *where) {
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "capture-slice-hash: %s: %s\n", where, cudaGetErrorString(code));
    exit(2);
}

struct test {
    uint32_t page[2], entry[2]; /* an entry is half of a KiB's lines */
};

static __device__ __host__ uint32_t first_line(uint32_t entry) {
    return (entry >> 1) << 3 | (entry & 1) << 1;
}

/* The first line of an entry, or its second one, so that no test loads one line twice. */
static __device__ const char *line_of(const char *buffer, const test &test, uint32_t which) {
    uint32_t line = first_line(test.entry[which]) | which;
    return buffer + uint64_t(test.page[which]) * page_bytes + line * line_bytes;
}

/* Each test begins when all CTAs are done with the one before. */
static __device__ void wait_for_all(uint32_t *arrived, uint32_t goal) {
    atomicAdd(arrived, 1);
    while (*(volatile uint32_t *)arrived < goal)
        __nanosleep(100);
}

/* cycles[i]: those of test i, added over all CTAs. */
__global__ static void compare(const char *buffer, const test *tests, uint32_t count,
                               uint32_t *arrived, uint32_t *cycles) {
    __shared__ alignas(128) char data[warps][2][128];
    __shared__ alignas(8) uint64_t barrier;
    uint32_t warp = threadIdx.x / 32, to = shared_address(data[warp]);
    uint32_t loads = shared_address(&barrier);
    if (threadIdx.x == 0) {
        init(loads, 1);
        fence_init();
    }
    for (uint32_t i = 0; i < count; i++) {
        test test = tests[i];
        const char *first = line_of(buffer, test, 0), *second = line_of(buffer, test, 1);
        if (threadIdx.x == 0) {
            expect(loads, warps * pairs_of_warp * 2 * loaded_bytes);
            wait_for_all(arrived, (i + 1) * gridDim.x);
        }
        __syncthreads();
        uint32_t start = clock_now();
        if (threadIdx.x % 32 == 0)
            for (uint32_t pair = 0; pair < pairs_of_warp; pair++) {
                load_bytes(first, loaded_bytes, to, loads);
                load_bytes(second, loaded_bytes, to + 128, loads);
            }
        wait(loads, i & 1);
        if (threadIdx.x == 0)
            atomicAdd(&cycles[i], clock_now() - start);
        __syncthreads();
    }
}

struct device {
    char *buffer;
    test *tests;
    uint32_t *arrived, *cycles;
    unsigned sms;
};

/* Cycles of each test, the fewer ones of two runs: whatever disturbs a test makes it longer. */
static std::vector<uint32_t> measure(const device &device, const std::vector<test> &tests) {
    std::vector<uint32_t> all;
    for (size_t first = 0; first < tests.size(); first += most_tests) {
        auto count = uint32_t(std::min(most_tests, tests.size() - first));
        std::vector<uint32_t> cycles[2];
        check(cudaMemcpy(device.tests, &tests[first], count * sizeof(test), cudaMemcpyDefault),
              "tests");
        for (std::vector<uint32_t> &run : cycles) {
            run.resize(count);
            check(cudaMemset(device.arrived, 0, sizeof(uint32_t)), "arrived");
            check(cudaMemset(device.cycles, 0, count * sizeof(uint32_t)), "cycles");
            compare<<<device.sms, 32 * warps>>>(device.buffer, device.tests, count, device.arrived,
                                                device.cycles);
            check(cudaDeviceSynchronize(), "compare");
            check(
                cudaMemcpy(run.data(), device.cycles, count * sizeof(uint32_t), cudaMemcpyDefault),
                "cycles");
        }
        for (uint32_t i = 0; i < count; i++)
            all.push_back(std::min(cycles[0][i], cycles[1][i]));
    }
    return all;
}

/* The middle between the time of two lines of one slice and that of lines of two slices. */
static uint32_t find_threshold(const device &device) {
    std::vector<test> tests;
    for (uint32_t entry = 0; entry < 256; entry++)
        for (uint32_t other : {entry, entry ^ 1u})
            tests.push_back({{0, 0}, {entry, other}});
    std::vector<uint32_t> cycles = measure(device, tests), same, different;
    for (size_t i = 0; i < cycles.size(); i++)
        (i % 2 == 0 ? same : different).push_back(cycles[i]);
    std::sort(same.begin(), same.end());
    std::sort(different.begin(), different.end());
    fprintf(stderr, "cycles of a line twice: %u to %u, of two slices: %u to %u\n",
            same[2] / device.sms, same[253] / device.sms, different[2] / device.sms,
            different[253] / device.sms);
    return (same[128] + different[128]) / 2;
}

static void print_slice(uint32_t page, uint32_t entry, int slice) {
    printf("%u\t%u\t%d\n", page, first_line(entry), slice);
}

/* The entries of the first page that stand for a slice each. */
static std::vector<uint32_t> sort_first_page(const device &device, uint32_t threshold) {
    std::vector<int> slices(entries, -1);
    std::vector<uint32_t> samples;
    for (uint32_t next = 0; next < entries; next++) {
        if (slices[next] >= 0)
            continue;
        std::vector<test> tests;
        for (uint32_t entry = next; entry < entries; entry++)
            if (slices[entry] < 0)
                tests.push_back({{0, 0}, {next, entry}});
        std::vector<uint32_t> cycles = measure(device, tests);
        for (size_t i = 0; i < tests.size(); i++)
            if (cycles[i] > threshold)
                slices[tests[i].entry[1]] = int(samples.size());
        slices[next] = int(samples.size());
        samples.push_back(next);
        check(samples.size() <= most_slices ? cudaSuccess : cudaErrorUnknown,
              "the two cases cannot be told apart");
    }
    for (uint32_t entry = 0; entry < entries; entry++)
        print_slice(0, entry, slices[entry]);
    fprintf(stderr, "%zu slices\n", samples.size());
    return samples;
}

static void sort_entries(const device &device, uint32_t page, const std::vector<uint32_t> &wanted,
                         const std::vector<uint32_t> &samples, uint32_t threshold) {
    std::vector<test> tests;
    for (uint32_t entry : wanted)
        for (uint32_t sample : samples)
            tests.push_back({{page, 0}, {entry, sample}});
    std::vector<uint32_t> cycles = measure(device, tests);
    for (size_t k = 0; k < wanted.size(); k++) {
        int slice = -1, matches = 0;
        for (size_t s = 0; s < samples.size(); s++)
            if (cycles[k * samples.size() + s] > threshold) {
                slice = int(s);
                matches++;
            }
        print_slice(page, wanted[k], matches == 1 ? slice : -1);
    }
}

int main(int count, char **arguments) {
    size_t mib = count > 1 ? size_t(atoi(arguments[1])) : 8192;
    uint32_t sampled = count > 2 ? uint32_t(atoi(arguments[2])) : 16;
    if (count > 3 || mib < 64 || sampled == 0) {
        fprintf(stderr, "usage: capture-slice-hash [MIB [SAMPLES]], MIB at least 64\n");
        return 2;
    }
    device device{};
    int sms;
    check(cudaMalloc(&device.buffer, mib << 20), "buffer");
    check(cudaMalloc(&device.tests, most_tests * sizeof(test)), "tests");
    check(cudaMalloc(&device.arrived, sizeof(uint32_t)), "arrived");
    check(cudaMalloc(&device.cycles, most_tests * sizeof(uint32_t)), "cycles");
    check(cudaMemset(device.buffer, 0, mib << 20), "memset");
    check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "SMs");
    device.sms = unsigned(sms);

    uint32_t threshold = find_threshold(device);
    printf("page\tline\tslice\n");
    std::vector<uint32_t> samples = sort_first_page(device, threshold);
    for (uint32_t page : choose_pages(uint32_t((mib << 20) / page_bytes))) {
        std::vector<uint32_t> wanted;
        for (uint32_t i = 0; i < sampled; i++)
            wanted.push_back(random_below(entries));
        sort_entries(device, page, wanted, samples, threshold);
    }
    return 0;
}
