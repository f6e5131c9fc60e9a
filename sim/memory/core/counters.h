/* What the components count in a run. Counting observes: no component reads a counter. */
#pragma once

#include <stdint.h>

struct tma_memory_counters {
    uint64_t requests;            /* of SMs to L2, those of promotions included */
    uint64_t sectors;             /* of these requests */
    uint64_t hit_sectors;         /* of these, sectors that L2 held */
    uint64_t miss_sectors;        /* of these, sectors that L2 did not hold */
    uint64_t lookup_miss_sectors; /* as the profiler counts misses: all sectors that the partition
                                     of the requesting SM fetched */
    uint64_t response_sectors;    /* to SMs, out-of-bounds fill included */
    uint64_t write_sectors;       /* from SMs */
    uint64_t fills;               /* of L2 lines from DRAM */
    uint64_t fill_sectors;        /* of these fills */
    uint64_t unused_sectors;      /* of these, sectors that no request has asked for */
    uint64_t evictions;           /* of L2 lines */
    uint64_t partition_sectors;   /* from one L2 partition to the other */
    uint64_t dram_read_sectors, dram_write_sectors;
    uint64_t shared_write_wavefronts; /* of 128 bytes, into shared memory */
    uint64_t accesses;                /* of warps to global memory */
    uint64_t access_sectors;          /* that they touch */
    uint64_t access_bytes;            /* of these, that their lanes use */
    uint64_t access_repeats;          /* of atomics: further rounds for lanes with one address */
    uint64_t l1_sectors;              /* that their loads looked up in L1, or asked L2 for */
    uint64_t l1_hit_sectors;          /* of these, sectors that L1 held */
    uint64_t l1_miss_cycles;          /* for which these were on their way, summed over requests */
    uint64_t dsmem_accesses;          /* of warps to shared memory of other CTAs */
    uint64_t dsmem_bytes;             /* that their lanes, and copies, move there or from there */
    uint64_t dsmem_flits;             /* between SMs, with heads and answers */
    uint64_t tlb_misses;              /* translations that TLBs of CPCs lacked */
    uint64_t tlb_walks;               /* of these, ones that the TLB of the GPU lacked */
    uint64_t descriptor_fetches;      /* of tensor maps that an SM's cache lacked */
    uint64_t descriptor_l2_fetches;   /* of these, fetches that a GPC's cache sent to L2 */
    uint64_t descriptor_dram_fetches; /* of these, fetches that L2 sent to DRAM */
    uint64_t descriptor_cycles;       /* that TMA units waited for tensor maps */
    uint64_t
        last_cycle; /* when the last event happens, and DRAM has written what it has accepted */
    /* Cycles for which servers were busy, summed over all servers of a kind. */
    uint64_t tma_busy, sm_port_busy, gpc_port_busy, slice_busy, bus_busy, shared_busy, lsu_busy;
    uint64_t dsmem_busy;  /* of each SM's link, the busier direction */
    uint64_t atomic_busy; /* of the slice alone that most reductions and atomics keep busy: with
                             these */
};
