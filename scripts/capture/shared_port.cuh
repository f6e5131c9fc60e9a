/* What warps and slots of the captures of an SM's shared-memory port repeat: accesses, products,
 * operations of the TMA unit. */
#pragma once

#include "ptx.cuh"
#include "wgmma.cuh"

enum access {
    LD32,
    LD64,
    LD128,
    ST32,
    ST64,
    ST128,
    LDMATRIX1,
    LDMATRIX4,
    STMATRIX4,
    WGMMA64,
    WGMMA128,
    WGMMA256,
    NO_ACCESS
};

static const struct {
    const char *name;
    uint32_t lane_bytes;
} accesses[] = {
    {"ld.shared.b32", 4}, {"ld.shared.b64", 8},   {"ld.shared.b128", 16},  {"st.shared.b32", 4},
    {"st.shared.b64", 8}, {"st.shared.b128", 16}, {"ldmatrix.x1", 16},     {"ldmatrix.x4", 16},
    {"stmatrix.x4", 16},  {"wgmma.m64n64k16", 0}, {"wgmma.m64n128k16", 0}, {"wgmma.m64n256k16", 0},
    {"none", 0}};

/* An access of a warp. Returns something that depends on all results, which is 0 where shared
 * memory is. */
template <access WHAT> static __device__ uint32_t access_once(uint32_t at) {
    uint32_t a = 0, b = 0, c = 0, d = 0;
    if (WHAT == LD32)
        asm volatile("ld.volatile.shared.b32 %0, [%1];" : "=r"(a) : "r"(at) : "memory");
    else if (WHAT == LD64)
        asm volatile("ld.volatile.shared.v2.b32 {%0, %1}, [%2];"
                     : "=r"(a), "=r"(b)
                     : "r"(at)
                     : "memory");
    else if (WHAT == LD128)
        asm volatile("ld.volatile.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "r"(at)
                     : "memory");
    else if (WHAT == ST32)
        asm volatile("st.volatile.shared.b32 [%0], %1;" ::"r"(at), "r"(0) : "memory");
    else if (WHAT == ST64)
        asm volatile("st.volatile.shared.v2.b32 [%0], {%1, %1};" ::"r"(at), "r"(0) : "memory");
    else if (WHAT == ST128)
        asm volatile("st.volatile.shared.v4.b32 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(0)
                     : "memory");
    else if (WHAT == LDMATRIX1)
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                     : "=r"(a)
                     : "r"(at)
                     : "memory");
    else if (WHAT == LDMATRIX4)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "r"(at)
                     : "memory");
    else if (WHAT == STMATRIX4)
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};" ::"r"(at),
                     "r"(0)
                     : "memory");
    return a | b | c | d;
}

/* A warp group multiplies until a clock: A of 64 and B of N rows of 128 bytes, K-major, swizzle
 * 128B, all zero. Returns the number of products. */
template <int N>
static __device__ uint64_t multiply_until(uint64_t end, uint32_t a_at, uint32_t b_at,
                                          uint32_t *sink) {
    enum { PRODUCTS = 16 }; /* between two looks at the clock */
    float d[N / 2], sum = 0;
    uint64_t count = 0, a = desc(a_at), b = desc(b_at);
#pragma unroll
    for (int i = 0; i < N / 2; i++)
        d[i] = 0;
    for (; clock64() < end; count += PRODUCTS) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (uint64_t k = 0; k < PRODUCTS; k++)
            wgmma<N>(d, a + k % 4 * 2, b + k % 4 * 2);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
#pragma unroll
    for (int i = 0; i < N / 2; i++)
        sum += d[i];
    if (sum != 0)
        *sink = 1;
    return count;
}

/* A thread loads (`bytes` each), stores or reduces boxes of `rows` rows until a clock, one after
 * the other, from box `tile` of so many on. Returns their number. */
static __device__ uint64_t operate_until(uint64_t end, const CUtensorMap *map, bool loads,
                                         bool reduces, uint32_t tile, uint32_t tiles, uint32_t rows,
                                         uint32_t bytes, uint32_t place, uint32_t barrier) {
    uint32_t parity = 0;
    uint64_t count = 0;
    for (; clock64() < end; count++) {
        int32_t at = int32_t(tile * rows);
        tile = tile + 1 == tiles ? 0 : tile + 1;
        if (loads) {
            expect(barrier, bytes);
            load(map, 0, at, place, barrier);
            wait(barrier, parity);
            parity ^= 1;
        } else {
            if (reduces)
                reduce(map, 0, at, place);
            else
                store(map, 0, at, place);
            commit_group();
            wait_until_read();
        }
    }
    wait_until_written();
    return count;
}
