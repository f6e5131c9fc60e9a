/* Takes records of what L2 still holds after TMA loads of a region, block by block, once:
 *
 *   capture-l2-capacity [SM OTHER_SM] > l2_capacity.tsv
 *
 * OTHER_SM is next to the other partition of L2 (default: SM 0, and the first SM for which lines
 * that SM 0 loaded are partly far). Of each block of 4 KiB, the
 * home is one partition. `readers` are the SMs that load it: near (one next to its home), far (one
 * next to the other partition), both (one of each), any (one, of all SMs in turn). `in_partition`
 * is the part of sampled lines that the partition of their reader holds (of the home, for both) and
 * `in_other` that which the other partition holds: a load takes less than near_l2 cycles, by an SM
 * next to that partition. */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#include "ptx.cuh"
#include "read_all.cuh"

typedef std::vector<uint32_t> numbers;

static const uint32_t block_bytes = 4096, line_bytes = 128, block_lines = block_bytes / line_bytes;
static const size_t region_bytes = size_t(128) << 20, flush_bytes = size_t(512) << 20;
static const uint32_t blocks = region_bytes / block_bytes, at_once = 528, samples = 1500;
static const uint32_t near_l2 = 385; /* cycles: a shorter load found its line in the partition */
static const int sms = 132, whole_sm = 200 * 1024;

static void check(cudaError_t code, const char *where) {
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "capture-l2-capacity: %s: %s\n", where, cudaGetErrorString(code));
    exit(2);
}

/* Loads blocks by TMA, one after the other. SM s takes each block that is rank[s] modulo `of`; an
 * SM with a negative rank takes none. */
__global__ static void load_blocks(const char *region, const uint32_t *list, uint32_t count,
                                   const int *rank, int of) {
    extern __shared__ __align__(128) char stage[];
    __shared__ __align__(8) uint64_t full;
    uint32_t barrier = shared_address(&full), parity = 0;
    int first = rank[sm_number()];
    if (first < 0)
        return;
    init(barrier, 1);
    fence_init();
    for (uint32_t i = uint32_t(first); i < count; i += uint32_t(of)) {
        expect(barrier, block_bytes);
        load_bytes(region + size_t(list[i]) * block_bytes, block_bytes, shared_address(stage),
                   barrier);
        wait(barrier, parity);
        parity ^= 1;
    }
}

/* On SM `sm`, one thread loads one line after the other. */
__global__ static void probe(const char *region, const uint32_t *lines, uint32_t count, uint32_t sm,
                             uint32_t *cycles) {
    __shared__ volatile uint32_t keep;
    uint32_t sum = 0;
    if (sm_number() != sm)
        return;
    for (uint32_t i = 0; i < count; i++) {
        const char *address = region + size_t(((const volatile uint32_t *)lines)[i]) * line_bytes;
        keep = uint32_t(uintptr_t(address)); /* the address is known before the clock starts */
        uint64_t start = clock64();
        sum += load_word(address);
        keep = sum; /* waits for the data */
        cycles[i] = uint32_t(clock64() - start);
    }
}

static uint32_t random_below(uint32_t limit) {
    static uint64_t state = 88172645463325252ull;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return uint32_t((state >> 32) % limit); /* low bits depend on those of the number before */
}

struct device {
    char *region, *flush;
    uint32_t *list, *cycles, *sink;
    int *ranks; /* of the SMs next to each partition, then of all */
    int of[3];
};

static void empty_l2(const device &device) {
    read_all<<<1056, 256>>>((const uint4 *)device.flush, flush_bytes / sizeof(uint4), device.sink);
    check(cudaDeviceSynchronize(), "flush");
}

static numbers latencies(const device &device, const numbers &lines, uint32_t sm) {
    numbers cycles(lines.size());
    check(cudaMemcpy(device.list, lines.data(), lines.size() * 4, cudaMemcpyDefault), "lines");
    probe<<<sms, 32, whole_sm>>>(device.region, device.list, uint32_t(lines.size()), sm,
                                 device.cycles);
    check(cudaMemcpy(cycles.data(), device.cycles, lines.size() * 4, cudaMemcpyDefault), "probe");
    return cycles;
}

/* Loads blocks by the SMs of a group: those next to partition 0 or 1, or all (2). */
static void load_by(const device &device, const numbers &list, int group) {
    if (list.empty())
        return;
    check(cudaMemcpy(device.list, list.data(), list.size() * 4, cudaMemcpyDefault), "blocks");
    load_blocks<<<sms, 1, whole_sm>>>(device.region, device.list, uint32_t(list.size()),
                                      device.ranks + group * sms, device.of[group]);
    check(cudaDeviceSynchronize(), "load");
}

/* A line that `other` has loaded is near for the SMs next to its home. */
static std::vector<int> find_homes(const device &device, uint32_t sm, uint32_t other) {
    std::vector<int> homes;
    for (uint32_t first = 0; first < blocks; first += 4096) {
        numbers lines;
        for (uint32_t i = 0; i < 4096; i++)
            lines.push_back((first + i) * block_lines);
        empty_l2(device);
        latencies(device, lines, other);
        for (uint32_t cycles : latencies(device, lines, sm))
            homes.push_back(cycles > near_l2);
    }
    return homes;
}

/* The first SM that is next to the other partition than `sm`: half of the lines that `sm` has
 * loaded are far for it. SMs of its own partition find all of them near. */
static uint32_t other_partition(const device &device, uint32_t sm) {
    numbers lines;
    for (uint32_t i = 0; i < 256; i++)
        lines.push_back(i * block_lines);
    for (uint32_t other = 0; other < uint32_t(sms); other++) {
        uint32_t far = 0;
        if (other == sm)
            continue;
        empty_l2(device);
        latencies(device, lines, sm);
        for (uint32_t cycles : latencies(device, lines, other))
            far += cycles > near_l2;
        if (far > lines.size() / 4)
            return other;
    }
    fprintf(stderr, "capture-l2-capacity: all SMs find lines that SM %u loaded near\n", sm);
    exit(2);
}

/* Which SMs are next to the partition of `sm`: for them, a line whose home it is is near. */
static void rank_sms(device &device, uint32_t sm, const std::vector<int> &homes) {
    std::vector<int> ranks(3 * sms, -1);
    uint32_t line = 0;
    while (line < homes.size() && homes[line] != 0)
        line++;
    if (line == homes.size()) {
        fprintf(stderr, "capture-l2-capacity: SM %u is near no line\n", sm);
        exit(2);
    }
    for (int i = 0; i < sms; i++) {
        empty_l2(device);
        latencies(device, numbers(1, line * block_lines), sm);
        int partition = latencies(device, numbers(1, line * block_lines), uint32_t(i))[0] > near_l2;
        ranks[size_t(partition * sms + i)] = device.of[partition]++;
        ranks[size_t(2 * sms + i)] = device.of[2]++;
    }
    check(cudaMemcpy(device.ranks, ranks.data(), ranks.size() * sizeof(int), cudaMemcpyDefault),
          "ranks");
}

enum group { NEAR, FAR, BOTH, ANY };

static void fill(const device &device, group readers, uint32_t count,
                 const std::vector<int> &homes) {
    empty_l2(device);
    for (uint32_t first = 0; first < count; first += at_once) {
        numbers of_home[2], all;
        for (uint32_t i = first; i < std::min(count, first + at_once); i++) {
            of_home[homes[i]].push_back(i);
            all.push_back(i);
        }
        if (readers == ANY)
            load_by(device, all, 2);
        for (int home = 0; home < 2; home++) {
            if (readers == NEAR || readers == BOTH)
                load_by(device, of_home[home], home);
            if (readers == FAR || readers == BOTH)
                load_by(device, of_home[home], 1 - home);
        }
    }
}

/* The part of sampled lines whose loads by an SM next to their home (`away` is 0), or next to the
 * other partition, find them there. */
static double held(const device &device, uint32_t count, const std::vector<int> &homes, int away,
                   const uint32_t sm_of[2]) {
    uint32_t found = 0;
    for (int partition = 0; partition < 2; partition++) {
        numbers lines;
        while (lines.size() < samples) {
            uint32_t block = random_below(count);
            if (homes[block] == (partition ^ away))
                lines.push_back(block * block_lines + random_below(block_lines));
        }
        for (uint32_t cycles : latencies(device, lines, sm_of[partition]))
            found += cycles <= near_l2;
    }
    return double(found) / (2 * samples);
}

int main(int count, char **arguments) {
    static const char *const names[] = {"near", "far", "both", "any"};
    if (count != 1 && count != 3) {
        fprintf(stderr, "usage: capture-l2-capacity [SM OTHER_SM]\n");
        return 2;
    }
    uint32_t sm_of[2] = {count == 3 ? uint32_t(atoi(arguments[1])) : 0, 0};
    device device{};
    check(cudaMalloc(&device.region, region_bytes), "region");
    check(cudaMalloc(&device.flush, flush_bytes), "flush");
    check(cudaMalloc(&device.list, blocks * 4), "list");
    check(cudaMalloc(&device.cycles, blocks * 4), "cycles");
    check(cudaMalloc(&device.sink, 4), "sink");
    check(cudaMalloc(&device.ranks, 3 * sms * sizeof(int)), "ranks");
    check(cudaMemset(device.region, 0, region_bytes), "memset");
    check(cudaMemset(device.flush, 0, flush_bytes), "memset");
    check(cudaFuncSetAttribute(probe, cudaFuncAttributeMaxDynamicSharedMemorySize, whole_sm),
          "shared memory");
    check(cudaFuncSetAttribute(load_blocks, cudaFuncAttributeMaxDynamicSharedMemorySize, whole_sm),
          "shared memory");
    sm_of[1] = count == 3 ? uint32_t(atoi(arguments[2])) : other_partition(device, sm_of[0]);
    std::vector<int> homes = find_homes(device, sm_of[0], sm_of[1]);
    rank_sms(device, sm_of[0], homes);
    printf("readers\tmebibytes\tin_partition\tin_other\n");
    for (int readers = NEAR; readers <= ANY; readers++)
        for (uint32_t mebibytes = 16; mebibytes <= 72; mebibytes += 4) {
            uint32_t number = (mebibytes << 20) / block_bytes;
            double in[2];
            for (int away = 0; away < 2; away++) {
                fill(device, group(readers), number, homes);
                in[away] = held(device, number, homes, away, sm_of);
            }
            int reader = readers == FAR;
            printf("%s\t%u\t%.3f\t%.3f\n", names[readers], mebibytes, in[reader], in[1 - reader]);
        }
    return 0;
}
