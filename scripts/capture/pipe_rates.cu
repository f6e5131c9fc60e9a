// Measures what warps on the same scheduler take for instructions of one kind, while a warp group
// multiplies without end beside them, and while none does. Each row of the output: the kind of work
// (_chain: each instruction waits for the one before; softmax: a pass over 64 registers), the
// columns of the wgmma beside it, warp groups that do it, cycles of a wgmma, and cycles of an
// instruction of a warp, or of a pass (of the slowest group). usage: pipe_rates > pipe_rates.tsv
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

#include "wgmma.cuh"

enum { PRODUCTS = 8, TIMES = 100, BODY = 256, LIMIT = 40000, REGISTERS = 66 };

enum Work {
    ADD_CHAIN,
    ADD,
    FMA_CHAIN,
    FMA,
    MAX_CHAIN,
    MAX,
    EX2_CHAIN,
    EX2,
    ADD_CHAIN_REGISTERS,
    MUL,
    MAX_TWO_CHAINS,
    ADD_TWO_CHAINS,
    MAX_ADD,
    EX2_ADD,
    SOFTMAX,
    SOFTMAX_WITHOUT_EX2
};
static const char *const names[] = {"add_chain",
                                    "add",
                                    "fma_chain",
                                    "fma",
                                    "max_chain",
                                    "max",
                                    "ex2_chain",
                                    "ex2",
                                    "add_chain_registers",
                                    "mul",
                                    "max_two_chains",
                                    "add_two_chains",
                                    "max_add",
                                    "ex2_add",
                                    "softmax",
                                    "softmax_without_ex2"};

template <int WORK> __device__ __forceinline__ void pass(float *v) {
    float most = v[64];
#pragma unroll
    for (int i = 0; i < 64; i++)
        most = fmaxf(most, v[i]);
#pragma unroll
    for (int i = 0; i < 64; i++) {
        float x = fmaf(v[i], 0.125f, -most);
        if (WORK == SOFTMAX)
            asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
        v[i] = x;
        v[65] += x;
    }
    v[64] = most * 0.5f;
}

template <int WORK> __device__ __forceinline__ void instruction(float *v, float c, int i) {
    if (WORK == ADD_CHAIN)
        asm volatile("add.f32 %0,%0,%1;" : "+f"(v[0]) : "f"(c));
    if (WORK == ADD)
        asm volatile("add.f32 %0,%0,%1;" : "+f"(v[i % 8]) : "f"(c));
    if (WORK == FMA_CHAIN)
        asm volatile("fma.rn.f32 %0,%0,%1,%2;" : "+f"(v[0]) : "f"(c), "f"(v[9]));
    if (WORK == FMA)
        asm volatile("fma.rn.f32 %0,%0,%1,%2;" : "+f"(v[i % 8]) : "f"(c), "f"(v[9]));
    if (WORK == MAX_CHAIN)
        asm volatile("max.f32 %0,%0,%1;" : "+f"(v[0]) : "f"(v[i % 8 + 1]));
    if (WORK == MAX)
        asm volatile("max.f32 %0,%0,%1;" : "+f"(v[i % 8]) : "f"(v[9 + i % 8]));
    if (WORK == EX2_CHAIN)
        asm volatile("ex2.approx.ftz.f32 %0,%0;" : "+f"(v[0]));
    if (WORK == EX2)
        asm volatile("ex2.approx.ftz.f32 %0,%0;" : "+f"(v[i % 8]));
    if (WORK == ADD_CHAIN_REGISTERS)
        asm volatile("add.f32 %0,%0,%1;" : "+f"(v[0]) : "f"(v[i % 16 + 1]));
    if (WORK == MUL)
        asm volatile("mul.f32 %0,%0,%1;" : "+f"(v[i % 8]) : "f"(v[8 + i % 8]));
    if (WORK == MAX_TWO_CHAINS)
        asm volatile("max.f32 %0,%0,%1;" : "+f"(v[i % 2]) : "f"(v[i % 8 + 2]));
    if (WORK == ADD_TWO_CHAINS)
        asm volatile("add.f32 %0,%0,%1;" : "+f"(v[i % 2]) : "f"(v[i % 8 + 2]));
    if (WORK == MAX_ADD && i % 2 == 1)
        asm volatile("max.f32 %0,%0,%1;" : "+f"(v[i % 8]) : "f"(v[9 + i % 8]));
    if (WORK == EX2_ADD && i % 4 == 0)
        asm volatile("ex2.approx.ftz.f32 %0,%0;" : "+f"(v[8 + i % 8]));
    if ((WORK == MAX_ADD && i % 2 == 0) || (WORK == EX2_ADD && i % 4 != 0))
        asm volatile("add.f32 %0,%0,%1;" : "+f"(v[i % 8]) : "f"(c));
}

template <int WORK, int COLUMNS> __global__ void kernel(long long *out, float *sink) {
    extern __shared__ __align__(1024) uint8_t shared[];
    uint32_t base = (uint32_t)__cvta_generic_to_shared(shared);
    volatile int *over = (volatile int *)(shared + 80000);
    int group = threadIdx.x / 128;
    long long count = 0, cycles = 0;
    float sum = 0;
    if (threadIdx.x == 0)
        *over = 0;
    __syncthreads();
    long long start = clock64();
    if (group == 0 && COLUMNS > 0) {
        float d[COLUMNS / 2 > 0 ? COLUMNS / 2 : 1];
        for (int i = 0; i < COLUMNS / 2; i++)
            d[i] = threadIdx.x;
#pragma unroll 1
        for (int r = 0; r < TIMES; r++) {
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (int q = 0; q < PRODUCTS; q++)
                wgmma<COLUMNS == 0 ? 64 : COLUMNS>(d, desc(base) + 2 * (q & 3),
                                                   desc(base + 49152) + 2 * (q & 3));
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        }
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        count = PRODUCTS * TIMES;
        cycles = clock64() - start;
        *over = 1;
        for (int i = 0; i < COLUMNS / 2; i++)
            sum += d[i];
    } else if (group > 0) {
        float v[REGISTERS];
        for (int i = 0; i < REGISTERS; i++)
            v[i] = threadIdx.x * 1e-3f + i;
        do {
            if (WORK >= SOFTMAX) {
                pass<WORK>(v);
            } else {
#pragma unroll
                for (int i = 0; i < BODY; i++)
                    instruction<WORK>(v, 1e-9f, i);
            }
            count += WORK >= SOFTMAX ? 1 : BODY;
            cycles = clock64() - start;
        } while (COLUMNS > 0 ? !*over : cycles < LIMIT);
        for (int i = 0; i < REGISTERS; i++)
            sum += v[i];
    }
    if (out == nullptr) // never; but the sums are needed, whatever they are of
        *sink = sum;
    if (threadIdx.x % 128 == 0) {
        out[2 * group] = count;
        out[2 * group + 1] = cycles;
    }
}

static long long *out;
static float *sink;

template <int WORK, int COLUMNS> static void measure() {
    auto run = kernel<WORK, COLUMNS>;
    cudaFuncSetAttribute(run, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000);
    for (int groups = 1; groups <= (COLUMNS == 256 ? 2 : 3); groups++) {
        long long seen[8];
        double slowest = 0;
        for (int i = 0; i < 2; i++)
            run<<<1, 128 * (1 + groups), 90000>>>(out, sink);
        if (cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost) != cudaSuccess)
            return;
        for (int g = 1; g <= groups; g++)
            slowest = fmax(slowest, (double)seen[2 * g + 1] / (double)seen[2 * g]);
        printf("%s\t%s%.0d\t%d\t%.2f\t%.3f\n", names[WORK], COLUMNS == 0 ? "none" : "n", COLUMNS,
               groups, COLUMNS == 0 ? 0 : (double)seen[1] / (double)seen[0], slowest);
    }
}

template <int WORK> static void measure_all() {
    measure<WORK, 0>();
    measure<WORK, 128>();
    measure<WORK, 64>();
}

int main() {
    cudaMalloc(&out, 64);
    cudaMalloc(&sink, 4);
    puts("work\tmma\tgroups\tcycles_a_wgmma\tcycles");
    measure_all<ADD_CHAIN>();
    measure_all<ADD>();
    measure_all<FMA_CHAIN>();
    measure_all<FMA>();
    measure_all<MAX_CHAIN>();
    measure_all<MAX>();
    measure_all<EX2_CHAIN>();
    measure_all<EX2>();
    measure_all<ADD_CHAIN_REGISTERS>();
    measure_all<MAX_ADD>();
    measure_all<EX2_ADD>();
    measure_all<MUL>();
    measure_all<MAX_TWO_CHAINS>();
    measure_all<ADD_TWO_CHAINS>();
    measure_all<SOFTMAX>();
    measure_all<SOFTMAX_WITHOUT_EX2>();
    measure<ADD, 256>();
    measure<MAX, 256>();
    measure<EX2, 256>();
    measure<SOFTMAX, 256>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
