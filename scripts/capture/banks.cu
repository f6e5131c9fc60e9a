// Takes records of shared-memory loads on a GPU: how many wavefronts an instruction takes, by time.
//
// Eight warps of one SM run the same load over and over, so that the shared-memory pipe is always
// busy; then a load takes as many cycles as it has wavefronts. The first rows are loads whose
// wavefronts are known. usage: build/capture-banks > records.tsv
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

struct Pattern {
    char name[40];
    int bytes; // of a lane: 4, 8 or 16
    uint32_t mask;
    uint32_t address[32];
};

enum { WARPS = 8, LOADS = 16, ROUNDS = 64, SHARED_BYTES = 32768 };

template <int BYTES> __device__ uint32_t load(uint32_t address) {
    if constexpr (BYTES == 4) {
        uint32_t a;
        asm volatile("ld.volatile.shared.b32 %0, [%1];" : "=r"(a) : "r"(address) : "memory");
        return a;
    } else if constexpr (BYTES == 8) {
        uint32_t a, b;
        asm volatile("ld.volatile.shared.v2.b32 {%0, %1}, [%2];"
                     : "=r"(a), "=r"(b)
                     : "r"(address)
                     : "memory");
        return a ^ b;
    } else {
        uint32_t a, b, c, d;
        asm volatile("ld.volatile.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "r"(address)
                     : "memory");
        return a ^ b ^ c ^ d;
    }
}

template <int BYTES>
__device__ void measure(const Pattern &pattern, uint32_t base, uint64_t *cycles, uint32_t *sink) {
    uint32_t lane = threadIdx.x % 32, sum = 0;
    uint32_t address = base + pattern.address[lane];
    bool active = pattern.mask >> lane & 1;
    for (int round = 0; round < ROUNDS + 8; round++) {
        if (round == 8) {
            __syncthreads();
            if (threadIdx.x == 0)
                *cycles = clock64();
        }
        if (active) {
#pragma unroll
            for (int i = 0; i < LOADS; i++)
                sum ^= load<BYTES>(address);
        }
        __syncwarp();
    }
    __syncthreads();
    if (threadIdx.x == 0)
        *cycles = clock64() - *cycles;
    sink[threadIdx.x] = sum;
}

__global__ void run(const Pattern *patterns, uint64_t *cycles, uint32_t *sink) {
    extern __shared__ __align__(1024) uint8_t shared[];
    for (int i = threadIdx.x; i < SHARED_BYTES / 4; i += blockDim.x)
        ((uint32_t *)shared)[i] = i;
    __syncthreads();
    uint32_t base = (uint32_t)__cvta_generic_to_shared(shared);
    const Pattern &pattern = patterns[blockIdx.x];
    if (pattern.bytes == 4)
        measure<4>(pattern, base, &cycles[blockIdx.x], sink);
    else if (pattern.bytes == 8)
        measure<8>(pattern, base, &cycles[blockIdx.x], sink);
    else
        measure<16>(pattern, base, &cycles[blockIdx.x], sink);
}

static std::vector<Pattern> patterns;
static std::mt19937 generator(1);

template <class F> static void add(const char *name, int bytes, uint32_t mask, F address) {
    Pattern pattern = {};
    snprintf(pattern.name, sizeof pattern.name, "%s", name);
    pattern.bytes = bytes;
    pattern.mask = mask;
    for (uint32_t lane = 0; lane < 32; lane++)
        pattern.address[lane] = address(lane);
    patterns.push_back(pattern);
}

static uint32_t below(uint32_t limit) {
    return generator() % limit;
}

static void make_patterns() {
    char name[40];
    add("words", 4, ~0u, [](uint32_t lane) { return 4 * lane; });
    for (uint32_t ways : {2, 4, 8, 16})
        add("words_ways", 4, ~0u,
            [=](uint32_t lane) { return lane % ways * 128 + lane / ways * 4; });
    for (int bytes : {8, 16}) {
        uint32_t size = (uint32_t)bytes;
        add("contiguous", bytes, ~0u, [=](uint32_t lane) { return size * lane; });
        add("same", bytes, ~0u, [](uint32_t) { return 0u; });
        for (uint32_t bit : {1, 2, 4, 8, 16}) {
            snprintf(name, sizeof name, "pairs_xor%u", bit);
            add(name, bytes, ~0u, [=](uint32_t lane) { return size * (lane & ~bit); });
            snprintf(name, sizeof name, "one_of_xor%u_active", bit);
            uint32_t mask = 0;
            for (uint32_t lane = 0; lane < 32; lane++)
                mask |= (uint32_t)((lane & bit) == 0) << lane;
            add(name, bytes, mask, [=](uint32_t lane) { return size * lane; });
            // One pair breaks the rule.
            snprintf(name, sizeof name, "pairs_xor%u_but_one", bit);
            add(name, bytes, ~0u,
                [=](uint32_t lane) { return size * (lane == 31 ? 31u : (lane & ~bit)); });
            for (uint32_t other : {1, 2, 4, 8, 16}) {
                if (other <= bit)
                    continue;
                snprintf(name, sizeof name, "groups_xor%u_xor%u", bit, other);
                add(name, bytes, ~0u, [=](uint32_t lane) { return size * (lane & ~bit & ~other); });
            }
        }
        // Half of the lanes pair by xor 1, the other half by xor 2.
        add("half_xor1_half_xor2", bytes, ~0u,
            [=](uint32_t lane) { return size * (lane < 16 ? lane & ~1u : lane & ~2u); });
        for (int i = 0; i < 150; i++) {
            uint32_t bit = 1u << below(5), window = 8u << below(6), mask = 0, base[32];
            int kind = (int)below(4);
            for (uint32_t lane = 0; lane < 32; lane++)
                base[lane] = size * below(window);
            for (uint32_t lane = 0; lane < 32; lane++)
                mask |= (uint32_t)(kind < 2 || below(4) != 0) << lane;
            if (mask == 0)
                mask = 1;
            snprintf(name, sizeof name, "random_xor%u_%d", bit, kind);
            add(name, bytes, mask,
                [&](uint32_t lane) { return kind % 2 == 0 ? base[lane & ~bit] : base[lane]; });
        }
        for (int i = 0; i < 60; i++) { // one lane of each pair active, or both with one address
            uint32_t bit = 1u << below(3), mask = 0, base[32];
            for (uint32_t lane = 0; lane < 32; lane++)
                base[lane] = size * below(64);
            for (uint32_t lane = 0; lane < 32; lane++)
                if ((lane & bit) == 0) {
                    uint32_t which = below(4);
                    mask |= (which != 1 ? 1u << lane : 0) | (which != 0 ? 1u << (lane | bit) : 0);
                }
            snprintf(name, sizeof name, "some_of_xor%u", bit);
            add(name, bytes, mask, [&](uint32_t lane) { return base[lane & ~bit]; });
        }
    }
}

int main() {
    make_patterns();
    Pattern *device;
    uint64_t *cycles;
    uint32_t *sink;
    size_t count = patterns.size();
    cudaMallocManaged(&device, count * sizeof *device);
    cudaMallocManaged(&cycles, count * sizeof *cycles);
    cudaMalloc(&sink, 4096);
    for (size_t i = 0; i < count; i++)
        device[i] = patterns[i];
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++) { // one at a time: no other CTA shares the SM
            run<<<1, 32 * WARPS, SHARED_BYTES>>>(device + i, cycles + i, sink);
            if (cudaDeviceSynchronize() != cudaSuccess) {
                fprintf(stderr, "banks: %s\n", cudaGetErrorString(cudaGetLastError()));
                return 1;
            }
        }
    printf("id\tinstruction\tlane_mask\tlane_address\tname\tcycles_per_load\n");
    for (size_t i = 0; i < count; i++) {
        printf("%zu\tld.b%d\t%08x\t", i, 8 * device[i].bytes, device[i].mask);
        for (int lane = 0; lane < 32; lane++)
            printf("%s%u", lane == 0 ? "" : ",", device[i].address[lane]);
        printf("\t%s\t%.3f\n", device[i].name, (double)cycles[i] / (WARPS * LOADS * ROUNDS));
    }
    return 0;
}
