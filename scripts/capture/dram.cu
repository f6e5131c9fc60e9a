/* Takes latencies of single lines that come from DRAM:
 *
 *   capture-dram OPERATIONS WARPS PAGES > LATENCIES
 *
 * In each operation, WARPS warps of one CTA load a line each at the same time. With PAGES 1 the
 * lines lie in one 2 MiB page, else each in a page of its own. No line is loaded twice but by
 * chance. The output is binary: for each operation the SM clock at its start (8 bytes), and for
 * each warp the number of its line in the buffer and its latency in cycles (4 bytes each).
 *
 * A bank that refreshes delays a load by what is left of the refresh: the delays, their times and
 * which lines they hit together tell how long refreshes are, how often they come, and what
 * refreshes together. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#include "ptx.cuh"
#include "read_all.cuh"

static const uint64_t line_bytes = 128, page_bytes = 2 << 20, buffer_pages = 1024;
static const uint64_t page_lines = page_bytes / line_bytes;
static const size_t flush_bytes = size_t(512) << 20;

static void check(cudaError_t code, const char *where) {
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "capture-dram: %s: %s\n", where, cudaGetErrorString(code));
    exit(2);
}

struct sample {
    uint32_t line, cycles;
};

__device__ __host__ static uint64_t mix(uint64_t x) {
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ull;
    return x ^ (x >> 33);
}

/* The line of a warp. In one page, odd warps take the line of the warp before with one address bit
 * flipped. */
__device__ static uint64_t line_of(uint64_t operation, uint32_t warp, uint32_t warps,
                                   uint32_t pages) {
    uint64_t page = mix(pages == 1 ? operation * 64 + 63 : operation * 64 + warp) % buffer_pages;
    uint64_t line =
        mix(operation * 64 + (pages == 1 ? warp & ~1u : warp) + (1ull << 40)) % page_lines;
    if (pages == 1 && (warp & 1) != 0)
        line ^= 1ull << mix(operation * 64 + warp + (1ull << 41)) % 14;
    return page * page_lines + line;
}

__global__ void probe(const char *buffer, uint64_t *starts, sample *samples, uint32_t operations,
                      uint32_t pages, uint32_t *sink) {
    __shared__ volatile uint32_t keep[32];
    uint32_t warp = threadIdx.x / 32, warps = blockDim.x / 32, sum = 0;
    for (uint32_t operation = 0; operation < operations; operation++) {
        uint64_t line = line_of(operation, warp, warps, pages);
        /* a line of the page that L2 has: the translation of the address is known from then on */
        sum += load_word(buffer + line / page_lines * page_bytes);
        __syncthreads();
        if (threadIdx.x % 32 == 0) {
            uint64_t start = clock64();
            sum += load_word(buffer + line * line_bytes);
            keep[warp] = sum; /* waits for the data, and the next instruction for this one */
            uint32_t cycles = uint32_t(clock64() - start);
            samples[uint64_t(operation) * warps + warp] = {uint32_t(line), cycles};
            if (warp == 0)
                starts[operation] = start;
        }
        __syncthreads();
    }
    sink[threadIdx.x] = sum;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: capture-dram OPERATIONS WARPS PAGES\n");
        return 2;
    }
    uint32_t operations = uint32_t(atoi(argv[1])), warps = uint32_t(atoi(argv[2]));
    uint32_t pages = uint32_t(atoi(argv[3]));
    char *buffer, *flush;
    uint64_t *starts;
    sample *samples;
    uint32_t *sink;
    size_t count = size_t(operations) * warps;
    check(cudaMalloc(&buffer, buffer_pages * page_bytes), "buffer");
    check(cudaMalloc(&flush, flush_bytes), "flush");
    check(cudaMalloc(&starts, operations * sizeof *starts), "starts");
    check(cudaMalloc(&samples, count * sizeof *samples), "samples");
    check(cudaMalloc(&sink, 4096), "sink");
    check(cudaMemset(buffer, 1, buffer_pages * page_bytes), "memset");
    check(cudaMemset(flush, 1, flush_bytes), "memset");
    read_all<<<528, 256>>>((const uint4 *)flush, flush_bytes / 16, sink);
    probe<<<1, 32 * warps>>>(buffer, starts, samples, operations, pages, sink);
    check(cudaDeviceSynchronize(), "probe");
    std::vector<uint64_t> begun(operations);
    std::vector<sample> taken(count);
    check(cudaMemcpy(begun.data(), starts, operations * sizeof *starts, cudaMemcpyDefault), "copy");
    check(cudaMemcpy(taken.data(), samples, count * sizeof *samples, cudaMemcpyDefault), "copy");
    for (uint32_t i = 0; i < operations; i++) {
        fwrite(&begun[i], sizeof begun[i], 1, stdout);
        fwrite(&taken[size_t(i) * warps], sizeof taken[0], warps, stdout);
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
