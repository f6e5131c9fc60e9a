// Turns of bulk copies between the two CTAs of a cluster: cycles from one copy to the next, each of
// which waits for the one before. The receiver delays its first poll by 0 to 19 multiply-adds, so
// that the grid of polls does not show: a row is the median. 0 bytes: a remote arrival with release
// at the cluster's scope. usage: peer_copies > peer_copies.tsv
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static __device__ uint32_t sh(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}
static __device__ uint32_t peer_of(uint32_t a, uint32_t r) {
    uint32_t o;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(o) : "r"(a), "r"(r));
    return o;
}
static __device__ void waits(uint32_t b, uint32_t parity, int kind) {
    uint32_t done = 0;
    while (!done)
        if (kind == 0)
            asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
                         "selp.u32 %0, 1, 0, p;}"
                         : "=r"(done)
                         : "r"(b), "r"(parity)
                         : "memory");
        else
            asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; "
                         "selp.u32 %0, 1, 0, p;}"
                         : "=r"(done)
                         : "r"(b), "r"(parity)
                         : "memory");
}
static __device__ void send(uint32_t to, uint32_t b, uint32_t bytes, uint32_t rank) {
    if (bytes == 0)
        asm volatile(
            "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(peer_of(b, rank))
            : "memory");
    else
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], "
                     "[%1], %2, [%3];" ::"r"(peer_of(to, rank)),
                     "r"(to), "r"(bytes), "r"(peer_of(b, rank))
                     : "memory");
}
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    turns(uint32_t bytes, int kind, int delay, int count, uint32_t *out, uint32_t *sink) {
    extern __shared__ __align__(128) char stage[];
    __shared__ __align__(8) uint64_t bar;
    uint32_t b = sh(&bar), to = sh(stage), own;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(own));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b));
        asm volatile("fence.mbarrier_init.release.cluster;");
    }
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x == 0) {
        uint64_t start = 0;
        uint32_t x = own;
        for (int i = 0; i < count + 8; i++) {
            if (i == 8)
                start = clock64();
            if (bytes)
                asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b),
                             "r"(bytes)
                             : "memory");
            if (own == 0)
                send(to, b, bytes, 1);
            for (int j = 0; j < delay; j++)
                asm volatile("mad.lo.u32 %0, %0, %0, 1;" : "+r"(x)); // 4 cycles each
            waits(b, i & 1, kind);
            if (own == 1)
                send(to, b, bytes, 0);
        }
        if (own == 0)
            out[blockIdx.x / 2] = uint32_t((clock64() - start) * 10 / uint64_t(count) / 2);
        if (x == 0x7fffffff)
            *sink = x;
    }
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static void check(cudaError_t error) {
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "peer_copies: %s\n", cudaGetErrorString(error));
    exit(1);
}

int main() {
    enum { TURNS = 64, DELAYS = 20, RUNS = 3, STAGE_BYTES = 65536, MOST_BYTES = 32768 };
    uint32_t *out, *sink;
    check(cudaMalloc(&out, 4096));
    check(cudaMalloc(&sink, 4));
    check(cudaFuncSetAttribute(turns, cudaFuncAttributeMaxDynamicSharedMemorySize, STAGE_BYTES));
    printf("polls\tbytes\tcycles\n");
    for (int kind = 0; kind < 2; kind++)
        for (uint32_t bytes = 0; bytes <= MOST_BYTES; bytes = bytes == 0 ? 16 : 2 * bytes) {
            std::vector<uint32_t> all;
            for (int run = 0; run < RUNS * DELAYS; run++) {
                uint32_t cycles;
                turns<<<2, 32, STAGE_BYTES>>>(bytes, kind, run % DELAYS, TURNS, out, sink);
                check(cudaMemcpy(&cycles, out, sizeof cycles, cudaMemcpyDeviceToHost));
                all.push_back(cycles);
            }
            std::sort(all.begin(), all.end());
            printf("%s\t%u\t%.1f\n", kind ? "test_wait" : "try_wait", bytes,
                   all[all.size() / 2] / 10.0);
        }
    return 0;
}
