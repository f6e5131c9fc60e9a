/* Finds how a load of DRAM moves the refreshes of its banks:
 *
 *   capture-refresh-drift > refresh_drift.tsv
 *
 * All SMs read 512 MiB, or DRAM is idle for some milliseconds. Right after that, the warps of one
 * SM load single lines of 128 bytes. Lines that waited for a refresh say when it ended. Each second
 * launch follows a load.
 *
 * Slices of lines are those that earlier records gave: slice_lines.cuh. */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <unistd.h>
#include <vector>

#include "ptx.cuh"
#include "random.cuh"
#include "read_all.cuh"
#include "slice_lines.cuh"

static const size_t buffer_bytes = size_t(70) << 30, busy_bytes = size_t(512) << 20;
static const size_t busy_from = size_t(20) << 30;
static const uint32_t warps = 32, loads = 200, count = warps * loads, launches = 24;
static const uint32_t units = 640; /* their lines take 64 MiB, which need few page translations */
static const uint32_t idle_us = 3000, waits_from = 60, waits_to = 530; /* cycles */

static void check(cudaError_t code, const char *where) {
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "capture-refresh-drift: %s: %s\n", where, cudaGetErrorString(code));
    exit(2);
}

struct place {
    uint32_t line, slice;
};

struct result {
    uint32_t start, cycles;
};

/* Each warp loads a line after the other. Numbers and results are in shared memory, so that no
 * other access comes between. */
__global__ static void probe(const char *buffer, const place *places, result *results,
                             uint32_t *sink) {
    extern __shared__ uint32_t entries[];
    uint32_t warp = threadIdx.x / 32, sum = 0;
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
        entries[2 * i] = places[i].line;
    __syncthreads();
    uint32_t begin = clock_now();
    for (uint32_t i = warp; threadIdx.x % 32 == 0 && i < count; i += warps) {
        const char *address = buffer + uint64_t(((volatile uint32_t *)entries)[2 * i]) * 128;
        asm volatile("" ::"l"(address) : "memory");
        uint32_t start = clock_now();
        sum += load_word(address);
        ((volatile uint32_t *)entries)[2 * i] = sum; /* waits for the data */
        uint32_t end = clock_now();
        entries[2 * i] = start - begin;
        entries[2 * i + 1] = end - start;
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
        results[i] = {entries[2 * i], entries[2 * i + 1]};
    sink[threadIdx.x] = sum;
}

static std::vector<place> random_places() {
    std::vector<place> places;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t home = random_below(2), slice = random_below(slices);
        uint32_t unit = first_unit() + random_below(units);
        places.push_back(
            {line_of(home, slice, unit, random_below(unit_lines)), home * slices + slice});
    }
    return places;
}

struct launch {
    std::vector<place> places;
    std::vector<result> results;
};

/* Cycles of a line of each slice that does not wait. */
static std::vector<double> usual_cycles(const std::vector<launch> &all) {
    const uint32_t from_l2 = 450; /* a shorter load found its line in L2 */
    std::vector<double> usual;
    for (uint32_t slice = 0; slice < 2 * slices; slice++) {
        std::vector<uint32_t> cycles;
        for (const launch &launch : all)
            for (uint32_t i = 0; i < count; i++)
                if (launch.places[i].slice == slice && launch.results[i].cycles > from_l2)
                    cycles.push_back(launch.results[i].cycles);
        std::sort(cycles.begin(), cycles.end());
        usual.push_back(cycles[cycles.size() * 3 / 10]);
    }
    return usual;
}

int main() {
    char *buffer;
    place *places;
    result *results;
    uint32_t *sink;
    std::vector<launch> all;
    check(cudaMalloc(&buffer, buffer_bytes), "memory");
    check(cudaMalloc(&places, count * sizeof *places), "places");
    check(cudaMalloc(&results, count * sizeof *results), "results");
    check(cudaMalloc(&sink, warps * 32 * sizeof *sink), "sink");
    check(cudaFuncSetAttribute(probe, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               count * sizeof *results),
          "shared memory");
    for (uint32_t i = 0; i < launches; i++) {
        launch launch{random_places(), std::vector<result>(count)};
        const uint4 *from = (const uint4 *)(buffer + busy_from + i * busy_bytes);
        check(cudaMemcpy(places, launch.places.data(), count * sizeof *places, cudaMemcpyDefault),
              "copy");
        read_all<<<1056, 256>>>(from, busy_bytes / sizeof *from, sink);
        check(cudaDeviceSynchronize(), "load");
        if (i % 2 == 0)
            usleep(idle_us);
        probe<<<1, warps * 32, count * sizeof *results>>>(buffer, places, results, sink);
        check(cudaDeviceSynchronize(), "probe");
        check(
            cudaMemcpy(launch.results.data(), results, count * sizeof *results, cudaMemcpyDefault),
            "copy");
        all.push_back(launch);
    }
    std::vector<double> usual = usual_cycles(all);
    printf("launch\tload\tline\tend_cycle\n");
    for (uint32_t i = 0; i < launches; i++)
        for (uint32_t k = 0; k < count; k++) {
            double late = all[i].results[k].cycles - usual[all[i].places[k].slice];
            if (late > waits_from && late < waits_to)
                printf("%u\t%u\t%u\t%.0f\n", i, i % 2, all[i].places[k].line,
                       all[i].results[k].start + late);
        }
}
