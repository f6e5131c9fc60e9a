// Takes a launch apart: what a profiler counts of it, and the time from the first instruction of
// its first CTA to the last one of its last CTA. Each kernel stamps the global timer at both ends
// of each CTA; some write memory, so that lines are dirty when they end. usage: ncu --csv --page
// raw --clock-control none --cache-control all -k regex:part
//            --metrics sm__cycles_elapsed.max,gpu__time_duration.sum launch_parts
// prints a row a launch (the profiler's rows stand between them): name, CTAs, threads, bytes of
// shared memory, CTAs of a cluster, bytes that each CTA writes, nanoseconds between the stamps.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

static __device__ uint64_t now() {
    uint64_t time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
    return time;
}

struct Large {
    uint64_t words[480];
};

static __device__ void work(uint64_t begin, ulonglong2 *stamps, uint4 *data, size_t bytes) {
    uint32_t cta = blockIdx.x;
    for (size_t at = threadIdx.x; at < bytes / 16; at += blockDim.x)
        data[cta * (bytes / 16) + at] = make_uint4(cta, 1, 2, 3);
    if (threadIdx.x == 0)
        stamps[cta] = make_ulonglong2(begin, now());
}

__global__ void part(ulonglong2 *stamps, uint4 *data, size_t bytes) {
    work(now(), stamps, data, bytes);
}

__global__ void part_parameters(ulonglong2 *stamps, uint4 *data, size_t bytes,
                                const __grid_constant__ Large large) {
    uint64_t begin = now();
    if (bytes == 1)
        data[large.words[threadIdx.x]] = make_uint4(1, 1, 1, 1);
    work(begin, stamps, data, bytes);
}

static void check(cudaError_t error) {
    if (error != cudaSuccess) {
        fprintf(stderr, "launch_parts: %s\n", cudaGetErrorString(error));
        exit(1);
    }
}

struct Row {
    const char *name;
    uint32_t grid, block, shared, cluster;
    size_t bytes;
};

int main() {
    static const Row rows[] = {
        {"one", 1, 32, 0, 1, 0},
        {"one", 1, 32, 0, 1, 0},
        {"one", 1, 128, 0, 1, 0},
        {"one", 1, 1024, 0, 1, 0},
        {"four", 4, 128, 0, 1, 0},
        {"sixteen", 16, 128, 0, 1, 0},
        {"all", 132, 32, 0, 1, 0},
        {"all", 132, 128, 0, 1, 0},
        {"all", 132, 1024, 0, 1, 0},
        {"two", 264, 128, 0, 1, 0},
        {"four_each", 528, 128, 0, 1, 0},
        {"waves", 4224, 128, 0, 1, 0},
        {"waves", 65536, 128, 0, 1, 0},
        {"shared", 4, 128, 16384, 1, 0},
        {"shared", 4, 128, 49152, 1, 0},
        {"shared", 4, 128, 98304, 1, 0},
        {"shared", 4, 128, 200000, 1, 0},
        {"shared", 132, 128, 49152, 1, 0},
        {"shared", 132, 128, 200000, 1, 0},
        {"shared", 264, 128, 98304, 1, 0},
        {"same_shared", 264, 128, 98304, 1, 0},
        {"none_again", 264, 128, 0, 1, 0},
        {"cluster", 4, 128, 0, 2, 0},
        {"cluster", 132, 128, 0, 2, 0},
        {"cluster", 132, 128, 200000, 2, 0},
        {"parameters", 4, 128, 0, 1, 0},
        {"parameters", 132, 128, 0, 1, 0},
        {"dirty", 4, 128, 0, 1, 65536},
        {"dirty", 132, 128, 0, 1, 4096},
        {"dirty", 132, 128, 0, 1, 65536},
        {"dirty", 132, 128, 0, 1, 262144},
        {"dirty", 132, 128, 0, 1, 1048576},
        {"dirty", 528, 128, 0, 1, 1048576},
        {"one", 1, 32, 0, 1, 0},
    };
    ulonglong2 *stamps;
    uint4 *data;
    check(cudaMalloc(&stamps, 65536 * sizeof *stamps));
    check(cudaMalloc(&data, size_t(528) << 20));
    check(cudaFuncSetAttribute(part, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000));
    Large large = {};
    std::vector<ulonglong2> host(65536);
    for (const Row &row : rows) {
        cudaLaunchConfig_t config = {};
        cudaLaunchAttribute attribute = {};
        config.gridDim = row.grid;
        config.blockDim = row.block;
        config.dynamicSmemBytes = row.shared;
        if (row.cluster > 1) {
            attribute.id = cudaLaunchAttributeClusterDimension;
            attribute.val.clusterDim.x = row.cluster;
            attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
            config.attrs = &attribute;
            config.numAttrs = 1;
        }
        if (row.name[0] == 'p')
            check(cudaLaunchKernelEx(&config, part_parameters, stamps, data, row.bytes, large));
        else
            check(cudaLaunchKernelEx(&config, part, stamps, data, row.bytes));
        check(cudaDeviceSynchronize());
        check(cudaMemcpy(host.data(), stamps, row.grid * sizeof *stamps, cudaMemcpyDeviceToHost));
        uint64_t first = UINT64_MAX, last = 0, latest = 0;
        for (uint32_t i = 0; i < row.grid; i++) {
            first = std::min<uint64_t>(first, host[i].x);
            latest = std::max<uint64_t>(latest, host[i].x);
            last = std::max<uint64_t>(last, host[i].y);
        }
        printf("row\t%s\t%u\t%u\t%u\t%u\t%zu\t%llu\t%llu\n", row.name, row.grid, row.block,
               row.shared, row.cluster, row.bytes, (unsigned long long)(last - first),
               (unsigned long long)(latest - first));
        fflush(stdout);
    }
}
