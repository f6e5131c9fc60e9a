// Measures what instructions take on an SM: cycles from one to the next that needs its result, of
// one warp; and cycles for which one occupies its scheduler's share of a pipe, of four warps a
// scheduler with two chains each. Each row of the output: the instruction (one that stands for its
// pipe, or two in turn, where ptxas would merge a chain of one), those cycles, and those cycles.
// usage: instruction_costs > instruction_costs.tsv
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

enum { STEPS = 64, TIMES = 16, WARPS = 16, CHAINS = 2 };

// A step: `number` instructions in a chain through x. y and z are not known to the compiler.
#define STEP(id, type, constraint, number, code)                                                   \
    struct id {                                                                                    \
        typedef type T;                                                                            \
        static const int count = number;                                                           \
        static constexpr __host__ __device__ const char *name() {                                  \
            return #id;                                                                            \
        }                                                                                          \
        static __device__ __forceinline__ void run(T &x, T y, T z, uint32_t shared) {              \
            asm volatile(code                                                                      \
                         : "+" constraint(x)                                                       \
                         : constraint(y), constraint(z), "r"(shared)                               \
                         : "memory");                                                              \
        }                                                                                          \
    };
#define WORD(id, number, code) STEP(id, uint32_t, "r", number, code)
#define LONG(id, number, code) STEP(id, unsigned long long, "l", number, code)
#define REAL(id, number, code) STEP(id, double, "d", number, code)

namespace step {
WORD(iadd_prmt, 2, "add.s32 %0, %0, %1; prmt.b32 %0, %0, %1, %2;")
WORD(prmt, 1, "prmt.b32 %0, %0, %1, %2;")
WORD(shf, 1, "shf.l.wrap.b32 %0, %0, %1, %2;")
WORD(vimnmx, 2, "min.s32 %0, %0, %1; max.s32 %0, %0, %2;")
WORD(imad, 1, "mad.lo.s32 %0, %0, %1, %2;")
WORD(imad_hi, 1, "mad.hi.u32 %0, %0, %1, %2;")
LONG(imad_wide, 1, "{.reg .u32 l, h; mov.b64 {l, h}, %0; mad.wide.u32 %0, l, l, %1;}")
LONG(iadd64_lop64, 2, "add.s64 %0, %0, %1; xor.b64 %0, %0, %2;")
LONG(u_iadd64_lop64, 2, "add.s64 %0, %0, %1; xor.b64 %0, %0, %2;")
LONG(u_imad, 1, "{.reg .u32 l, h; mov.b64 {l, h}, %0; mad.wide.u32 %0, l, l, %1;}")
WORD(ffma, 1, "fma.rn.f32 %0, %0, %1, %2;")
WORD(fadd_fmul, 2, "add.rn.f32 %0, %0, %1; mul.rn.f32 %0, %0, %2;")
WORD(fmnmx, 2, "min.f32 %0, %0, %1; max.f32 %0, %0, %2;")
WORD(hfma2, 1, "fma.rn.f16x2 %0, %0, %1, %2;")
WORD(hadd2_hmul2, 2, "add.rn.f16x2 %0, %0, %1; mul.rn.f16x2 %0, %0, %2;")
WORD(hfma2_bf16, 1, "fma.rn.bf16x2 %0, %0, %1, %2;")
REAL(dfma, 1, "fma.rn.f64 %0, %0, %1, %2;")
REAL(dadd, 1, "add.rn.f64 %0, %0, %1;")
WORD(f2fp, 1, "cvt.rn.f16x2.f32 %0, %0, %1;")
WORD(f2fp_bf16, 1, "cvt.rn.bf16x2.f32 %0, %0, %1;")
WORD(f2i, 1, "cvt.rzi.s32.f32 %0, %0;")
WORD(f2i_i2f, 2, "cvt.rzi.s32.f32 %0, %0; cvt.rn.f32.s32 %0, %0;")
WORD(frnd, 1, "cvt.rni.f32.f32 %0, %0;")
WORD(popc, 1, "popc.b32 %0, %0;")
WORD(brev_shf, 2, "brev.b32 %0, %0; shf.l.wrap.b32 %0, %0, %1, %2;")
WORD(flo, 1, "bfind.u32 %0, %0;")
WORD(ex2, 1, "ex2.approx.ftz.f32 %0, %0;")
WORD(rcp_ffma, 2, "rcp.approx.ftz.f32 %0, %0; fma.rn.f32 %0, %0, %1, %2;")
WORD(rsqrt, 1, "rsqrt.approx.ftz.f32 %0, %0;")
WORD(lg2, 1, "lg2.approx.ftz.f32 %0, %0;")
WORD(tanh_approx, 1, "tanh.approx.f32 %0, %0;")
WORD(setp_selp, 2, "{.reg .pred p; setp.lt.s32 p, %0, %1; selp.b32 %0, %2, %0, p;}")
WORD(shfl_bfly, 1, "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;")
WORD(redux_add, 1, "redux.sync.add.s32 %0, %0, -1;")
WORD(redux_min, 1, "redux.sync.min.s32 %0, %0, -1;")
WORD(ballot, 2, "{.reg .pred p; setp.lt.s32 p, %0, %1; vote.sync.ballot.b32 %0, p, -1;}")
WORD(match_any, 1, "match.any.sync.b32 %0, %0, -1;")
WORD(elect_selp, 2, "{.reg .pred p; elect.sync _|p, -1; selp.b32 %0, %1, %0, p;}")
WORD(s2r_prmt, 2, "{.reg .u32 l; mov.u32 l, %%smid; prmt.b32 %0, l, %0, %2;}")
WORD(lds, 1, "{.reg .u32 a; and.b32 a, %0, 4; add.s32 a, a, %3; ld.shared.b32 %0, [a];}")
WORD(atoms_add, 1, "atom.shared.add.u32 %0, [%3], %0;")
WORD(fence_cta, 1, "fence.acq_rel.cta;")
WORD(fence_gpu, 1, "fence.acq_rel.gpu;")
WORD(fence_proxy, 1, "fence.proxy.async.shared::cta;")
WORD(division, 1, "div.s32 %0, %1, %0;")
WORD(division_f32, 1, "div.full.f32 %0, %1, %0;")

} // namespace step

// Those of the uniform pipe have one value in all lanes.
template <class I> static constexpr __host__ __device__ bool is_uniform() {
    return I::name()[0] == 'u' && I::name()[1] == '_';
}

template <class I, int N>
__global__ void __launch_bounds__(32 * WARPS)
    chain(typename I::T start, typename I::T y, typename I::T z, uint32_t *cycles,
          typename I::T *out) {
    __shared__ uint32_t words[32 * WARPS];
    words[threadIdx.x] = 0;
    uint32_t shared = (uint32_t)__cvta_generic_to_shared(&words[threadIdx.x & ~31u]);
    typename I::T x[N];
    for (int c = 0; c < N; c++)
        x[c] = start + (typename I::T)(is_uniform<I>() ? 7 * c : 7 * c + threadIdx.x);
    uint32_t most = 0;
    for (int round = 0; round < 2; round++) { // the first one fills the instruction caches
        __syncthreads();
        uint32_t t0 = (uint32_t)clock64();
#pragma unroll 1
        for (int i = 0; i < TIMES; i++)
#pragma unroll
            for (int s = 0; s < STEPS; s++)
#pragma unroll
                for (int c = 0; c < N; c++)
                    I::run(x[c], y, z, shared);
        __syncthreads();
        most = (uint32_t)clock64() - t0;
    }
    if (threadIdx.x == 0)
        *cycles = most;
    for (int c = 0; c < N; c++)
        out[N * threadIdx.x + c] = x[c];
}

static uint32_t *cycles;
static void *out;

template <class I, int N> static double run(int warps) {
    uint32_t best = ~0u, now;
    for (int repeat = 0; repeat < 5; repeat++) {
        chain<I, N><<<1, 32 * warps>>>((typename I::T)1, (typename I::T)3, (typename I::T)5, cycles,
                                       (typename I::T *)out);
        if (cudaMemcpy(&now, cycles, sizeof now, cudaMemcpyDeviceToHost) != cudaSuccess) {
            fprintf(stderr, "instruction_costs: %s\n", cudaGetErrorString(cudaGetLastError()));
            exit(1);
        }
        best = std::min(best, now);
    }
    return (double)best / (TIMES * STEPS);
}

template <class I> static void row() {
    double latency = run<I, 1>(1), rate = run<I, CHAINS>(WARPS) / (CHAINS * WARPS / 4);
    printf("%s\t%d\t%.2f\t%.2f\n", I::name(), I::count, latency, rate);
    fflush(stdout);
}

template <class... Is> static void rows() {
    (row<Is>(), ...);
}

namespace step {
static void all() {
    rows<iadd_prmt, prmt, shf, vimnmx, imad, imad_hi, imad_wide, iadd64_lop64, u_iadd64_lop64,
         u_imad, ffma, fadd_fmul, fmnmx, hfma2, hadd2_hmul2, hfma2_bf16, dfma, dadd, f2fp,
         f2fp_bf16, f2i, f2i_i2f, frnd, popc, brev_shf, flo, ex2, rcp_ffma, rsqrt, lg2, tanh_approx,
         setp_selp, shfl_bfly, redux_add, redux_min, ballot, match_any, elect_selp, s2r_prmt, lds,
         atoms_add, fence_cta, fence_gpu, fence_proxy, division, division_f32>();
}
} // namespace step

int main() {
    cudaMalloc(&cycles, sizeof *cycles);
    cudaMalloc(&out, 8 * CHAINS * 32 * WARPS);
    printf("step\tinstructions\tlatency\tcycles_a_scheduler\n");
    step::all();
    return 0;
}
