/* The lines of a slice of L2, as earlier records gave them (capture-slice-hash,
 * capture-page-homes). A first allocation of gigabytes lies at byte 528 MiB. Another GPU needs a
 * row of `hashes`. */
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

static const uint64_t first_line = (528u << 20) / 128;
static const uint32_t most_slices = 47, unit_lines = 8, block_lines = 1024;

static uint32_t parity(uint64_t bits) {
    return uint32_t(__builtin_parityll(bits));
}

/* What each bit of a physical line adds to its unit in its 128 KiB (bits 0 to 5) and to its home
 * (bit 6), of a GPU with so many slices in a partition: those of an H200, and of an H100. */
static const struct slice_hash {
    uint32_t slices;
    uint8_t adds[30];
} hashes[] = {
    {47,
     {0x00, 0x08, 0x00, 0x14, 0x21, 0x48, 0x55, 0x22, 0x44, 0x1f, 0x72, 0x3e, 0x57, 0x0d, 0x75,
      0x5b, 0x15, 0x5c, 0x26, 0x5d, 0x56, 0x74, 0x51, 0x1b, 0x53, 0x36, 0x2b, 0x54, 0x6d, 0x67}},
    {40,
     {0x00, 0x08, 0x00, 0x10, 0x21, 0x48, 0x55, 0x22, 0x04, 0x40, 0x79, 0x12, 0x6e, 0x2c, 0x0d,
      0x16, 0x73, 0x62, 0x50, 0x75, 0x26, 0x0c, 0x60, 0x2f, 0x5d, 0x76, 0x7c, 0x3c, 0x31, 0x6a}},
};

/* The hash of this GPU. A slice has 64 bits of DRAM's bus. */
static const slice_hash &find_hash() {
    int bits = 0;
    cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, 0);
    for (const slice_hash &hash : hashes)
        if (int(2 * 64 * hash.slices) == bits)
            return hash;
    fprintf(stderr, "the slice hash of a GPU with %d bits of DRAM is not known\n", bits);
    exit(2);
}

static const slice_hash &gpu_hash = find_hash();
static const uint32_t slices = gpu_hash.slices;

static uint32_t sum_of(uint64_t line) {
    uint32_t sum = 0;
    for (size_t i = 0; i < sizeof gpu_hash.adds; i++)
        sum ^= (line >> i & 1) * gpu_hash.adds[i];
    return sum;
}

/* With the other home, slices of whole groups of eight change places with their neighbours. Its own
 * inverse. */
static uint32_t neighbour(uint32_t slice, uint32_t home) {
    return slice < slices / 8 * 8 ? slice ^ home : slice;
}

/* The slice of a line of the allocation. */
static uint32_t slice_of(uint64_t line) {
    uint64_t physical = first_line + line;
    uint32_t sum = sum_of(physical);
    return neighbour(uint32_t((physical / block_lines * 64 + sum % 64) % slices), sum / 64);
}

/* Line k of a slice's unit, as a line of the allocation. */
static uint32_t line_of(uint32_t home, uint32_t slice, uint32_t unit, uint32_t k) {
    uint64_t number = uint64_t(unit) * slices + neighbour(slice, home);
    uint64_t block = number / 64 * block_lines;
    static std::vector<uint32_t>
        sums; /* of the lines of a block; those of others differ by one sum */
    for (uint32_t line = 0; sums.size() < block_lines; line++)
        sums.push_back(sum_of(line));
    uint32_t wanted = sum_of(block) ^ (home * 64 + number % 64);
    for (uint32_t line = 0; line < block_lines; line++)
        if (sums[line] == wanted && k-- == 0)
            return uint32_t(block + line - first_line);
    abort();
}

/* The first unit of a slice that lies in the allocation, whatever the home. */
static uint32_t first_unit() {
    return uint32_t(first_line / block_lines * 64 / slices) + 32;
}
