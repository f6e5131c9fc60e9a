// Lanes of a warp copy 16 bytes each, without a tensor map: cycles of the warp to issue them.
#include <cstdint>

extern "C" __global__ void lanes(const char *from, uint32_t count, uint32_t *cycles) {
    __shared__ __align__(128) char rows[512];
    __shared__ __align__(8) uint64_t barrier;
    uint32_t to = uint32_t(__cvta_generic_to_shared(rows)),
             at = uint32_t(__cvta_generic_to_shared(&barrier)), begin, end;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1; }" ::"r"(at), "r"(count * 16) : "memory");
    }
    __syncwarp();
    asm volatile("mov.u32 %0, %%clock;" : "=r"(begin)::"memory");
    if (threadIdx.x < count)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];" ::"r"(to + threadIdx.x * 16), "l"(from + threadIdx.x * 64), "r"(at) : "memory");
    __syncwarp();
    asm volatile("mov.u32 %0, %%clock;" : "=r"(end)::"memory");
    asm volatile("{\n.reg .pred done;\nLOOK:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n@!done bra LOOK;\n}" ::"r"(at) : "memory");
    if (threadIdx.x == 0)
        *cycles = end - begin;
}
