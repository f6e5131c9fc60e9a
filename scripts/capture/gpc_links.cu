/* Measures how fast GPCs read lines of some slices of L2:
 *
 *   capture-gpc-links gpcs.tsv > gpc_links.tsv
 *
 * The first 16 SMs of each of `gpcs` GPCs next to one partition (gpcs.tsv says which SMs share a
 * GPC) load rows of `row_bytes` from lines of `slices`, which L2 holds. Eight warps of each SM
 * issue 512 operations of four rows, one after the other, without waiting for them. Each SM has
 * eight groups of four lines of its own in each slice, and takes them in random order.
 * `bytes_per_cycle`: of all SMs, from the first issue to the last arrival; the most of three
 * launches. */
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <fstream>
#include <sstream>
#include <string>

#include "ptx.cuh"
#include "random.cuh"
#include "slice_lines.cuh"

static const uint64_t buffer_bytes = uint64_t(4) << 30;
static const uint32_t line_bytes = 128, element_bytes = 4, warps = 8, operations = 512,
                      rows = 4 /* of an operation */, gpc_sms = 16, most_sms = 256,
                      own_groups = 8 /* of an SM, in each slice */;
static const uint32_t latency = 500; /* of the last rows */

static void check(cudaError_t code, const char *where) {
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "capture-gpc-links: %s: %s\n", where, cudaGetErrorString(code));
    exit(2);
}

static void die(const char *text) {
    fprintf(stderr, "capture-gpc-links: %s\n", text);
    exit(2);
}

struct device {
    char *buffer;
    uint32_t *groups; /* by SM and operation: the first line of four, divided by two */
    uint32_t *takes_part, *arrived, *cycles; /* by SM; of all; by SM */
    uint32_t sms, taking_part;
};

/* Loads a row of each of the lines l, l + 1, l + 4 and l + 5, which one slice has. */
static __device__ void load_four(const CUtensorMap *map, uint32_t group, uint32_t to,
                                 uint32_t barrier) {
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %2, %2, %3}], [%4];" ::"r"(to),
                 "l"(map), "r"(0), "r"(group), "r"(barrier)
                 : "memory");
}

__global__ static void run(const __grid_constant__ CUtensorMap map, device device,
                           uint32_t row_bytes) {
    __shared__ alignas(128) char stage[rows * line_bytes];
    __shared__ alignas(8) uint64_t phase;
    __shared__ uint32_t groups[operations];
    uint32_t sm = sm_number(), barrier = shared_address(&phase), to = shared_address(stage);
    if (!device.takes_part[sm])
        return;
    for (uint32_t i = threadIdx.x; i < operations; i += blockDim.x)
        groups[i] = device.groups[sm * operations + i];
    if (threadIdx.x == 0) {
        init(barrier, 1);
        fence_init();
        fence_async();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (uint32_t i = 0; i < operations; i++) { /* L2 holds the lines */
            expect(barrier, rows * row_bytes);
            load_four(&map, groups[i], to, barrier);
            wait(barrier, i % 2);
        }
        atomicAdd(device.arrived, 1);
        while (load_word((const char *)device.arrived) < device.taking_part)
            spin(50);
        expect(barrier, operations * rows * row_bytes);
    }
    __syncthreads();
    uint32_t begin = clock_now();
    if (threadIdx.x % 32 == 0)
        for (uint32_t i = threadIdx.x / 32; i < operations; i += warps)
            load_four(&map, groups[i], to, barrier);
    if (threadIdx.x == 0) {
        wait(barrier, 0);
        device.cycles[sm] = clock_now() - begin;
    }
}

/* The SMs of all GPCs that have 16 or more. */
static std::vector<std::vector<uint32_t>> read_gpcs(const char *path) {
    std::ifstream file(path);
    std::string line, number, count, list, sm;
    std::vector<std::vector<uint32_t>> gpcs;
    while (std::getline(file, line)) {
        std::istringstream cells(line);
        std::vector<uint32_t> sms;
        cells >> number >> count >> list;
        std::istringstream numbers(list);
        while (std::getline(numbers, sm, ','))
            sms.push_back(uint32_t(strtoul(sm.c_str(), nullptr, 10)));
        if (sms.size() >= gpc_sms)
            gpcs.push_back(sms);
    }
    return gpcs;
}

/* The groups of four lines of each slice, as operations name them. */
static std::vector<std::vector<uint32_t>> groups_of_slices() {
    std::vector<std::vector<uint32_t>> groups(slices);
    for (uint64_t line = 0; line < buffer_bytes / line_bytes / 16; line += 8)
        for (uint64_t first : {line, line + 2})
            groups[slice_of(first)].push_back(uint32_t(first / 2));
    return groups;
}

static CUtensorMap map_of(const device &device, uint32_t row_bytes) {
    CUtensorMap map;
    cuuint64_t dim[] = {line_bytes / element_bytes, 2, 2, buffer_bytes / (2 * line_bytes) - 8};
    cuuint64_t stride[] = {line_bytes, 4 * line_bytes, 2 * line_bytes};
    cuuint32_t box[] = {row_bytes / element_bytes, 2, 2, 1}, steps[] = {1, 1, 1, 1};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, device.buffer, dim, stride,
                               box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                               CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        die("the driver rejects the tensor map");
    return map;
}

/* Bytes a cycle that SMs read from the slices `first` to `last`. */
static double measure(device &device, const std::vector<uint32_t> &sms, uint32_t first,
                      uint32_t last, uint32_t row_bytes) {
    static const std::vector<std::vector<uint32_t>> groups = groups_of_slices();
    static uint32_t lists[most_sms * operations], takes_part[most_sms], cycles[most_sms];
    std::vector<size_t> used(slices);
    memset(takes_part, 0, sizeof takes_part);
    for (uint32_t sm : sms) {
        takes_part[sm] = 1;
        for (uint32_t i = 0; i < operations; i++) {
            uint32_t slice = first + random_below(last - first + 1);
            size_t group = used[slice] + random_below(own_groups);
            lists[sm * operations + i] = groups[slice][group % groups[slice].size()];
        }
        for (uint32_t slice = first; slice <= last; slice++)
            used[slice] += own_groups;
    }
    device.taking_part = uint32_t(sms.size());
    check(cudaMemcpy(device.groups, lists, device.sms * operations * sizeof *lists,
                     cudaMemcpyDefault),
          "cudaMemcpy");
    check(cudaMemcpy(device.takes_part, takes_part, device.sms * sizeof *takes_part,
                     cudaMemcpyDefault),
          "cudaMemcpy");
    CUtensorMap map = map_of(device, row_bytes);
    double most = 0;
    for (int launch = 0; launch < 3; launch++) {
        check(cudaMemset(device.arrived, 0, sizeof *device.arrived), "cudaMemset");
        check(cudaMemset(device.cycles, 0, device.sms * sizeof *cycles), "cudaMemset");
        run<<<device.sms, 32 * warps, 200 << 10>>>(map, device, row_bytes);
        check(cudaDeviceSynchronize(), "run");
        check(cudaMemcpy(cycles, device.cycles, device.sms * sizeof *cycles, cudaMemcpyDefault),
              "cudaMemcpy");
        double time = double(*std::max_element(cycles, cycles + device.sms)) - latency;
        most = std::max(most, double(sms.size()) * operations * rows * row_bytes / time);
    }
    return most;
}

int main(int count, char **arguments) {
    if (count != 2)
        die("usage: capture-gpc-links gpcs.tsv");
    std::vector<std::vector<uint32_t>> gpcs = read_gpcs(arguments[1]);
    if (gpcs.empty())
        die("no GPC of 16 SMs");
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    device device = {};
    device.sms = uint32_t(properties.multiProcessorCount);
    check(cudaMalloc(&device.buffer, buffer_bytes), "cudaMalloc");
    check(cudaMemset(device.buffer, 0, buffer_bytes), "cudaMemset");
    check(cudaMalloc(&device.groups, most_sms * operations * sizeof *device.groups), "cudaMalloc");
    check(cudaMalloc(&device.takes_part, most_sms * sizeof *device.takes_part), "cudaMalloc");
    check(cudaMalloc(&device.cycles, most_sms * sizeof *device.cycles), "cudaMalloc");
    check(cudaMalloc(&device.arrived, sizeof *device.arrived), "cudaMalloc");
    check(cudaFuncSetAttribute(run, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10),
          "cudaFuncSetAttribute");

    auto sms_of = [&](const std::vector<size_t> &chosen) {
        std::vector<uint32_t> sms;
        for (size_t gpc : chosen)
            sms.insert(sms.end(), gpcs[gpc].begin(), gpcs[gpc].begin() + gpc_sms);
        return sms;
    };
    /* GPCs next to the same partition share its slice. */
    std::vector<size_t> near[2];
    double alone = measure(device, sms_of({0}), 8, 8, line_bytes);
    for (size_t gpc = 0; gpc < gpcs.size(); gpc++)
        near[gpc > 0 && measure(device, sms_of({0, gpc}), 8, 8, line_bytes) > 1.5 * alone]
            .push_back(gpc);
    const std::vector<size_t> &side = near[near[1].size() > near[0].size()];

    puts("gpcs\tslices\trow_bytes\tbytes_per_cycle");
    static const uint32_t sets[][2] = {{8, 8}, {8, 15}, {12, 19}, {8, 23}, {0, 46}};
    for (auto &set : sets)
        for (size_t gpc = 1; gpc <= std::min<size_t>(side.size(), 4); gpc++)
            for (uint32_t row_bytes : {128u, 32u}) {
                std::vector<size_t> chosen(side.begin(), side.begin() + gpc);
                printf("%zu\t%u-%u\t%u\t%.1f\n", gpc, set[0], set[1], row_bytes,
                       measure(device, sms_of(chosen), set[0], set[1], row_bytes));
            }
}
