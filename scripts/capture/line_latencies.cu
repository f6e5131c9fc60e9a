/* Takes latencies of single lines of 128 bytes that one SM loads:
 *
 *   capture-line-latencies [SM OTHER_SM] > LATENCIES.tsv
 *
 * OTHER_SM is next to the other partition of L2 (default: SMs 0 and 4). The first table has lines
 * in L2 and in DRAM, by the partition that is their home. The second has pairs of lines that are
 * loaded at the same time and whose addresses differ in one bit: how often one waits for a refresh
 * if the other does, and how far apart their waits end. The third has groups of 16 lines within a
 * region: how often none of them waits, and the longest wait of a group.
 *
 * Lines whose home is the other partition are those that take longer if only the other SM has
 * loaded them before. */
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#include "ptx.cuh"
#include "random.cuh"
#include "read_all.cuh"

typedef std::vector<uint32_t> lines;
typedef std::vector<uint32_t> latencies;

static const uint32_t line_bytes = 128, block_lines = 32, blocks = 8192;
static const size_t buffer_bytes = size_t(1) << 30, flush_bytes = size_t(512) << 20;
static const uint32_t most_lines = 16384, whole_sm = 200 * 1024;
static const uint32_t from_l2 = 450; /* cycles: a shorter load found its line in L2 */
static const double waits = 60;      /* cycles: a load that is so much longer waited */

static void check(cudaError_t code, const char *where) {
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "capture-line-latencies: %s: %s\n", where, cudaGetErrorString(code));
    exit(2);
}

/* On SM `sm`, the warps of a CTA load a line each at the same time, again and again. Addresses and
 * latencies are in shared memory, so that no other access comes between. */
__global__ static void probe(const char *buffer, const uint32_t *numbers, uint32_t count,
                             uint32_t sm, uint32_t *cycles, uint32_t *sink) {
    extern __shared__ uint32_t entries[];
    __shared__ volatile uint32_t keep[32];
    uint32_t warp = threadIdx.x / 32, warps = blockDim.x / 32, sum = 0;
    if (sm_number() != sm)
        return;
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
        entries[i] = numbers[i];
    __syncthreads();
    for (uint32_t i = warp; i < count; i += warps) {
        const char *address = buffer + uint64_t(((volatile uint32_t *)entries)[i]) * line_bytes;
        asm volatile("" ::"l"(address)
                     : "memory"); /* the address is known before the clock starts */
        __syncthreads();
        if (threadIdx.x % 32 == 0) {
            uint64_t start = clock64();
            sum += load_word(address);
            keep[warp] = sum; /* waits for the data */
            entries[i] = uint32_t(clock64() - start);
        }
        __syncthreads();
    }
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
        cycles[i] = entries[i];
    sink[threadIdx.x] = sum;
}

struct device {
    char *buffer, *flush;
    uint32_t *numbers, *cycles, *sink;
};

static void empty_l2(const device &device) {
    read_all<<<1056, 256>>>((const uint4 *)device.flush, flush_bytes / sizeof(uint4), device.sink);
    check(cudaDeviceSynchronize(), "flush");
}

static latencies load(const device &device, const lines &wanted, uint32_t sm, uint32_t warps) {
    latencies all;
    for (size_t first = 0; first < wanted.size(); first += most_lines) {
        auto count = uint32_t(std::min(size_t(most_lines), wanted.size() - first));
        latencies part(count);
        check(
            cudaMemcpy(device.numbers, &wanted[first], count * sizeof(uint32_t), cudaMemcpyDefault),
            "lines");
        probe<<<132, 32 * warps, whole_sm>>>(device.buffer, device.numbers, count, sm,
                                             device.cycles, device.sink);
        check(cudaDeviceSynchronize(), "probe");
        check(cudaMemcpy(part.data(), device.cycles, count * sizeof(uint32_t), cudaMemcpyDefault),
              "latencies");
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

template <typename T> static double percentile(std::vector<T> values, double part) {
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    return double(values[std::min(values.size() - 1, size_t(part * double(values.size())))]);
}

static void print_latencies(const char *where, const char *home, const latencies &cycles) {
    printf("%s\t%s\t%zu", where, home, cycles.size());
    for (double part : {0.05, 0.25, 0.5, 0.75, 0.9, 0.99})
        printf("\t%.0f", percentile(cycles, part));
    printf("\n");
}

/* Which blocks of 4 KiB have their home in the partition of the other SM. */
struct homes {
    std::vector<bool> far;
    double base[2]; /* cycles of a load from DRAM that does not wait: near, far */

    bool of(uint32_t line) const {
        return far[line / block_lines];
    }
    double wait(uint32_t line, uint32_t cycles) const {
        return double(cycles) - base[of(line)];
    }
};

static homes find_homes(const device &device, uint32_t sm, uint32_t other) {
    lines two_of_each;
    for (uint32_t i = 0; i < 2 * blocks; i++)
        two_of_each.push_back(i / 2 * block_lines + random_below(block_lines));
    empty_l2(device);
    load(device, two_of_each, other, 1);
    latencies first = load(device, two_of_each, sm, 1), again = load(device, two_of_each, sm, 1);
    homes homes;
    for (uint32_t b = 0; b < blocks; b++)
        homes.far.push_back(first[2 * b] + first[2 * b + 1] >
                            again[2 * b] + again[2 * b + 1] + 160);
    latencies l2[2], copies[2], dram[2];
    for (uint32_t i = 0; i < 2 * blocks; i++) {
        l2[homes.far[i / 2]].push_back(first[i]);
        copies[homes.far[i / 2]].push_back(again[i]);
    }
    for (int round = 0; round < 6; round++) {
        for (uint32_t &line : two_of_each)
            line = line / block_lines * block_lines + random_below(block_lines);
        empty_l2(device);
        latencies cold = load(device, two_of_each, sm, 1);
        for (uint32_t i = 0; i < 2 * blocks; i++)
            dram[homes.far[i / 2]].push_back(cold[i]);
    }
    printf("where\thome\tloads\tp5\tp25\tp50\tp75\tp90\tp99\n");
    for (int far = 0; far < 2; far++) {
        const char *home = far ? "far" : "near";
        print_latencies("l2", home, l2[far]);
        print_latencies("l2_again", home, copies[far]);
        print_latencies("dram", home, dram[far]);
    }
    return homes;
}

/* Loads groups of `size` lines, and returns their latencies; `base` becomes that of such groups. */
static latencies load_groups(const device &device, const lines &wanted, uint32_t sm, uint32_t size,
                             homes &homes) {
    latencies cycles, found[2];
    for (size_t first = 0; first < wanted.size(); first += most_lines) {
        lines part(wanted.begin() + long(first),
                   wanted.begin() + long(std::min(wanted.size(), first + most_lines)));
        empty_l2(device);
        latencies some = load(device, part, sm, size);
        cycles.insert(cycles.end(), some.begin(), some.end());
    }
    for (size_t i = 0; i < wanted.size(); i++)
        if (cycles[i] >= from_l2)
            found[homes.of(wanted[i])].push_back(cycles[i]);
    for (int far = 0; far < 2; far++)
        homes.base[far] = percentile(found[far], 0.35);
    return cycles;
}

static void compare_pairs(const device &device, uint32_t sm, homes homes) {
    printf("bit\tpairs\twaits\tboth_of_waiting\tapart_p25\tapart_p50\tapart_p75\n");
    for (uint32_t bit = 0; bit < 18; bit++) {
        lines wanted;
        for (uint32_t i = 0; i < 2 * most_lines; i++) {
            uint32_t line = random_below(blocks * block_lines);
            wanted.push_back(line);
            wanted.push_back(line ^ 1u << bit);
        }
        latencies cycles = load_groups(device, wanted, sm, 2, homes);
        uint32_t pairs = 0, waiting = 0, both = 0;
        std::vector<double> apart;
        for (size_t i = 0; i < wanted.size(); i += 2) {
            if (cycles[i] < from_l2 || cycles[i + 1] < from_l2)
                continue;
            double a = homes.wait(wanted[i], cycles[i]),
                   b = homes.wait(wanted[i + 1], cycles[i + 1]);
            pairs++;
            waiting += uint32_t(a > waits) + uint32_t(b > waits);
            if (a > waits && b > waits) {
                both++;
                apart.push_back(fabs(a - b));
            }
        }
        printf("%u\t%u\t%.3f\t%.3f\t%.0f\t%.0f\t%.0f\n", bit + 7, pairs, waiting / 2.0 / pairs,
               2.0 * both / waiting, percentile(apart, 0.25), percentile(apart, 0.5),
               percentile(apart, 0.75));
    }
}

static void compare_regions(const device &device, uint32_t sm, homes homes) {
    const uint32_t size = 16;
    printf("region_bytes\tgroups\twaits\tnone_waits\tlongest_wait\n");
    for (uint32_t region : {32u, 128u, 512u, 1536u, 4096u, 16384u, 262144u}) {
        lines wanted;
        for (uint32_t i = 0; i < 8 * most_lines / size; i++) {
            uint32_t start = random_below(blocks * block_lines / region) * region;
            for (uint32_t k = 0; k < size; k++)
                wanted.push_back(start + random_below(region));
        }
        latencies cycles = load_groups(device, wanted, sm, size, homes);
        uint32_t groups = 0, waiting = 0, none = 0;
        double longest = 0;
        for (size_t i = 0; i < wanted.size(); i += size) {
            if (*std::min_element(&cycles[i], &cycles[i] + size) < from_l2)
                continue;
            double most = 0;
            for (size_t k = i; k < i + size; k++) {
                double wait = homes.wait(wanted[k], cycles[k]);
                waiting += wait > waits;
                most = std::max(most, wait);
            }
            groups++;
            none += most <= waits;
            longest += most;
        }
        printf("%u\t%u\t%.3f\t%.3f\t%.0f\n", region * line_bytes, groups,
               double(waiting) / size / groups, double(none) / groups, longest / groups);
    }
}

int main(int count, char **arguments) {
    if (count != 1 && count != 3) {
        fprintf(stderr, "usage: capture-line-latencies [SM OTHER_SM]\n");
        return 2;
    }
    uint32_t sm = count == 3 ? uint32_t(atoi(arguments[1])) : 0;
    uint32_t other = count == 3 ? uint32_t(atoi(arguments[2])) : 4;
    device device{};
    check(cudaMalloc(&device.buffer, buffer_bytes), "buffer");
    check(cudaMalloc(&device.flush, flush_bytes), "flush");
    check(cudaMalloc(&device.numbers, most_lines * sizeof(uint32_t)), "lines");
    check(cudaMalloc(&device.cycles, most_lines * sizeof(uint32_t)), "latencies");
    check(cudaMalloc(&device.sink, 4096), "sink");
    check(cudaMemset(device.buffer, 1, buffer_bytes), "memset");
    check(cudaMemset(device.flush, 1, flush_bytes), "memset");
    check(cudaFuncSetAttribute(probe, cudaFuncAttributeMaxDynamicSharedMemorySize, int(whole_sm)),
          "shared memory");
    homes homes = find_homes(device, sm, other);
    compare_pairs(device, sm, homes);
    compare_regions(device, sm, homes);
    return 0;
}
