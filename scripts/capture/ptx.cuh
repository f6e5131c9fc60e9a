/* One function for each PTX instruction that several captures use. Barriers and places are
 * addresses of shared memory, `parity` is that of the phase to wait for. */
#pragma once

#include <cstdint>
#include <cuda.h>

/* clang-format off */
static __device__ uint32_t shared_address(const void *pointer) {
    return uint32_t(__cvta_generic_to_shared(pointer));
}
static __device__ uint64_t global_ns() {
    uint64_t ns;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
    return ns;
}
static __device__ uint32_t sm_number() {
    uint32_t sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}
static __device__ uint32_t clock_now() {
    uint32_t cycle;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(cycle)::"memory");
    return cycle;
}
static __device__ void spin(uint32_t cycles) {
    uint32_t start = clock_now();
    while (clock_now() - start < cycles) {
    }
}

static __device__ uint32_t load_word(const char *address) {
    uint32_t value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}

static __device__ void init(uint32_t barrier, uint32_t arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
static __device__ void fence_init() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
static __device__ void fence_async() {
    asm volatile("fence.proxy.async;" ::: "memory");
}
static __device__ void wait(uint32_t barrier, uint32_t parity) {
    asm volatile("{\n.reg .pred done;\n"
                 "LOOK:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@done bra SEEN;\nbra LOOK;\nSEEN:\n}" ::"r"(barrier), "r"(parity) : "memory");
}
static __device__ void arrive(uint32_t barrier) {
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(barrier) : "memory");
}
static __device__ void arrive_at(uint32_t barrier, uint32_t rank) {
    asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1;"
                 " mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(barrier), "r"(rank) : "memory");
}
static __device__ void expect(uint32_t barrier, uint32_t bytes) {
    asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1; }" ::"r"(barrier), "r"(bytes) : "memory");
}

static __device__ void load(const CUtensorMap *map, int x, int y, uint32_t to, uint32_t barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2,%3}], [%4];" ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier) : "memory");
}
static __device__ void load_for_all(const CUtensorMap *map, int x, int y, uint32_t to, uint32_t barrier, uint16_t mask) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster"
                 " [%0], [%1, {%2,%3}], [%4], %5;" ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier), "h"(mask) : "memory");
}
static __device__ void load_bytes(const void *from, uint32_t bytes, uint32_t to, uint32_t barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(bytes), "r"(barrier) : "memory");
}
static __device__ void store(const CUtensorMap *map, int x, int y, uint32_t from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1,%2}], [%3];" ::"l"(map), "r"(x), "r"(y), "r"(from) : "memory");
}
static __device__ void reduce(const CUtensorMap *map, int x, int y, uint32_t from) {
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1,%2}], [%3];" ::"l"(map), "r"(x), "r"(y), "r"(from) : "memory");
}
static __device__ void commit_group() {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
static __device__ void wait_until_read() {
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
static __device__ void wait_until_written() {
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
/* clang-format on */
