/* What one instruction of a warp asks of global memory, or of the shared memory of another SM of
 * its cluster: ld, st, red, atom, or a fence. The caller has combined the addresses of the lanes
 * into sectors of lines. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum tma_access_kind {
    TMA_ACCESS_LOAD,
    TMA_ACCESS_STORE,
    TMA_ACCESS_REDUCE,     /* red: at L2, without a result */
    TMA_ACCESS_ATOMIC,     /* atom: at L2, with a result */
    TMA_ACCESS_INVALIDATE, /* no data in the SM's L1 is valid behind it: part of a fence that
                              acquires */
};

/* What a load does to the L1 cache of its SM. Stores write through, and allocate no line; what is
 * reduced at L2 is valid in L1 no longer. */
enum tma_caching {
    TMA_CACHING_ALL,         /* the default, ld.ca, ld.nc */
    TMA_CACHING_L2,          /* passes by L1: .cg */
    TMA_CACHING_COHERENT,    /* so do .volatile, .relaxed, .acquire, which no coalescer merges */
    TMA_CACHING_NO_ALLOCATE, /* may hit in L1; what misses is not kept there */
    TMA_CACHING_EVICT_FIRST, /* the next victim */
    TMA_CACHING_EVICT_LAST,  /* the last victim */
};

enum { TMA_MAX_ACCESS_LINES = 32 /* each lane has its own, at most */ };

struct tma_access_line {
    uint64_t line;   /* byte address / 128 */
    uint8_t sectors; /* mask of those that the lanes touch */
    bool partial;    /* stores: some sector is written in part. Reductions: the lanes touch half of
                        one sector at most */
    uint8_t units;   /* of another SM's shared memory: mask of the units of 16 bytes that the lanes
                        touch */
    uint8_t rounds; /* reductions, atomics: the most lanes that have one address; 0 is 1. Each round
                       is a request of its own */
};

struct tma_access {
    uint64_t cycle; /* of the instruction; no earlier than the last advance, nor than the cycle of
                       an earlier access of the SM */
    uint64_t tag;   /* the caller's own */
    uint32_t sm;
    enum tma_access_kind kind;
    bool distant;             /* `lines` are those of the shared memory of the SM `peer` */
    uint32_t peer;            /* of distant ones */
    enum tma_caching caching; /* of loads of global memory */
    uint32_t policy;          /* of L2 (packet.h); 0: none */
    uint32_t wavefronts;      /* of 128 bytes, which the SM's data path takes one after the other,
                                 and that of `peer`; 0: cp.async, whose data
                                 go into shared memory beside all else */
    uint32_t bytes;           /* that its lanes use; 0: not said */
    uint32_t line_count;      /* at least 1, and no line twice; TMA_ACCESS_INVALIDATE: 0 */
    struct tma_access_line lines[TMA_MAX_ACCESS_LINES];
};

struct tma_access_completion {
    uint64_t tag;
    uint64_t cycle; /* loads, atomics: the last data is in registers. Stores, reductions: the SM
                       knows that L2 has them, for which a fence waits */
};
