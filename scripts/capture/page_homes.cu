/* Finds which partition of L2 is the home of pages of 4 KiB of a program's first allocation:
 *
 *   capture-page-homes [MIB] > page_homes.tsv
 *
 * OTHER_SM is the first SM that is next to the other partition than SM 0. It loads lines; then SM 0
 * loads them. Those whose home is next to SM 0 are near for it, all others far. `home` is 0 for the
 * former. All blocks of 4 KiB of the first 2 MiB are measured, and 16 each of other pages of 2 MiB:
 * the next 31, those at powers of two, and 128 anywhere in MIB (default: 8192) of memory. Before
 * each measured load, SM 0 loads another line of the block, so that the TLB has its page. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#include "pages.cuh"
#include "ptx.cuh"
#include "random.cuh"
#include "read_all.cuh"

static const uint32_t line_bytes = 128, block_lines = 32, page_blocks = 512, sampled = 16;
static const uint32_t near_l2 = 385; /* cycles: a shorter load found its line in the partition */
static const size_t flush_bytes = size_t(512) << 20;
static const int whole_sm = 200 * 1024, rounds = 3;

static void check(cudaError_t code, const char *where) {
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "capture-page-homes: %s: %s\n", where, cudaGetErrorString(code));
    exit(2);
}

/* On SM `sm`, one thread loads one line after the other. */
__global__ static void probe(const char *buffer, const uint32_t *lines, uint32_t count, uint32_t sm,
                             uint32_t *cycles) {
    __shared__ volatile uint32_t keep;
    uint32_t sum = 0;
    if (sm_number() != sm || threadIdx.x != 0)
        return;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t line = ((const volatile uint32_t *)lines)[i];
        keep = sum += load_word(buffer + (line ^ block_lines / 2) * line_bytes);
        const char *address = buffer + line * line_bytes;
        asm volatile("" ::"l"(address) : "memory"); /* it is known before the clock starts */
        uint32_t start = clock_now();
        keep = sum += load_word(address); /* waits for the data */
        cycles[i] = clock_now() - start;
    }
}

struct device {
    char *buffer, *flush;
    uint32_t *lines, *cycles, *sink;
    int sms;
};

static std::vector<uint32_t> load(const device &device, const std::vector<uint32_t> &lines,
                                  uint32_t sm) {
    std::vector<uint32_t> cycles(lines.size());
    check(cudaMemcpy(device.lines, lines.data(), lines.size() * 4, cudaMemcpyDefault), "lines");
    probe<<<device.sms, 32, whole_sm>>>(device.buffer, device.lines, uint32_t(lines.size()), sm,
                                        device.cycles);
    check(cudaMemcpy(cycles.data(), device.cycles, lines.size() * 4, cudaMemcpyDefault), "probe");
    return cycles;
}

/* How many cycles SM `sm` takes for a line of each block that `first` has loaded. */
static std::vector<uint32_t> load_after(const device &device, const std::vector<uint32_t> &blocks,
                                        uint32_t first, uint32_t sm) {
    std::vector<uint32_t> lines;
    for (uint32_t block : blocks)
        lines.push_back(block * block_lines + random_below(block_lines));
    read_all<<<1056, 256>>>((const uint4 *)device.flush, flush_bytes / sizeof(uint4), device.sink);
    load(device, lines, first);
    return load(device, lines, sm);
}

static uint32_t other_partition(const device &device) {
    std::vector<uint32_t> blocks;
    for (uint32_t i = 0; i < 256; i++)
        blocks.push_back(i);
    for (uint32_t other = 1; other < uint32_t(device.sms); other++) {
        uint32_t far = 0;
        for (uint32_t cycles : load_after(device, blocks, other, 0))
            far += cycles > near_l2;
        if (far > blocks.size() / 4)
            return other;
    }
    fprintf(stderr, "capture-page-homes: SM 0 finds what all other SMs loaded near\n");
    exit(2);
}

static std::vector<uint32_t> choose_blocks(uint32_t pages) {
    std::vector<uint32_t> blocks;
    for (uint32_t block = 0; block < page_blocks; block++)
        blocks.push_back(block);
    for (uint32_t page : choose_pages(pages))
        for (uint32_t i = 0; i < sampled; i++)
            blocks.push_back(page * page_blocks + random_below(page_blocks));
    return blocks;
}

int main(int count, char **arguments) {
    size_t mib = count > 1 ? size_t(atoi(arguments[1])) : 8192;
    if (count > 2 || mib < 64) {
        fprintf(stderr, "usage: capture-page-homes [MIB], MIB at least 64\n");
        return 2;
    }
    device device{};
    std::vector<uint32_t> blocks = choose_blocks(uint32_t(mib / 2));
    check(cudaMalloc(&device.buffer, mib << 20), "buffer");
    check(cudaMalloc(&device.flush, flush_bytes), "flush");
    check(cudaMalloc(&device.lines, blocks.size() * 4), "lines");
    check(cudaMalloc(&device.cycles, blocks.size() * 4), "cycles");
    check(cudaMalloc(&device.sink, 4), "sink");
    check(cudaMemset(device.buffer, 0, mib << 20), "memset");
    check(cudaMemset(device.flush, 0, flush_bytes), "memset");
    check(cudaDeviceGetAttribute(&device.sms, cudaDevAttrMultiProcessorCount, 0), "SMs");
    check(cudaFuncSetAttribute(probe, cudaFuncAttributeMaxDynamicSharedMemorySize, whole_sm),
          "shared memory");
    uint32_t other = other_partition(device);
    fprintf(stderr, "SMs 0 and %u are next to different partitions\n", other);
    std::vector<int> far(blocks.size());
    for (int round = 0; round < rounds; round++) {
        std::vector<uint32_t> cycles = load_after(device, blocks, other, 0);
        for (size_t i = 0; i < blocks.size(); i++)
            far[i] += cycles[i] > near_l2;
    }
    printf("page\tblock\thome\n");
    for (size_t i = 0; i < blocks.size(); i++)
        printf("%u\t%u\t%d\n", blocks[i] / page_blocks, blocks[i] % page_blocks,
               far[i] > rounds / 2);
    return 0;
}
