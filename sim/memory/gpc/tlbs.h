/* What TLBs hold. Internal to gpc/. */
#ifndef TMA_MEMORY_GPC_TLBS_H
#define TMA_MEMORY_GPC_TLBS_H

#include "memory/core/core.h"

/* A translation in the TLB of a CPC, or in that of the GPU. */
struct tma_tlb_entry {
    uint64_t key;   /* of the block and of the TLB; 0: none */
    uint64_t cycle; /* it is there from then on */
};

struct tma_tlbs {
    struct tma_tlb_entry *entries; /* owned: a hash table of those of all TLBs */
    uint32_t bits, count;          /* it has 2 to the power of bits; of which so many are in use */
    uint64_t arrivals[TMA_MAX_CPCS][TMA_MAX_TLB_MISSES]; /* of the last misses of a CPC: a ring */
    uint32_t next_arrival[TMA_MAX_CPCS];
    struct tma_port walker;
};

#endif
