/* The machine: every property of a GPU that the timing model uses, each with its unit in its name.
 * Values come from configs/gpus/NAME.yaml, with their origin beside them. */
#ifndef TMA_MEMORY_MACHINE_H
#define TMA_MEMORY_MACHINE_H

#include "base/api.h"
#include "tensormap/rules.h"

TMA_API_BEGIN

enum {
    TMA_MAX_SMS = 256,
    TMA_MAX_GPCS = 16,
    TMA_TPC_SMS = 2,    /* SMs 2k and 2k + 1 are a TPC */
    TMA_SCHEDULERS = 4, /* of an SM, to which its warps belong in turn */
    TMA_MAX_NAME = 64,
    TMA_MAX_COALESCED = 7,
    TMA_SECTOR_BYTES = 32,
    TMA_LINE_BYTES = 128
};

/* Which L2 slice answers for a line (address.h). */
enum tma_slice_hash { TMA_HASH_EVEN, TMA_HASH_H200 };

extern const struct tma_names tma_slice_hash_names;

struct tma_machine {
    char name[TMA_MAX_NAME];
    enum tma_architecture architecture; /* whose rules tensor maps follow */
    bool validated;                     /* its timing was compared with records of a real one */

    uint32_t sm_count;
    uint32_t sm_clock_mhz;
    uint32_t shared_memory_bytes;     /* of one SM */
    uint32_t shared_memory_cta_bytes; /* that one CTA can have */

    /* Which SMs share a GPC's port, GPC by GPC, in the order in which CTAs are numbered. */
    struct {
        uint32_t gpc_count;
        uint32_t gpc_size[TMA_MAX_GPCS];
        uint32_t gpc_partition[TMA_MAX_GPCS]; /* the L2 partition that it is next to: 0 or 1 */
        uint32_t sms[TMA_MAX_SMS];            /* the SMs of all GPCs, end to end */
        uint32_t placement[TMA_MAX_SMS]; /* SMs in the order in which a growing grid takes them */
        uint32_t launch_interval_cycles; /* from the start of a GPC's CTA to that of its next */
        uint32_t draw; /* a number to draw by what differs from launch to launch: which slots of an
                          SM and which SM of a TPC are first, how long polling takes, when DRAM is
                          refreshed and in what order it serves what waits; 0: the first slot and
                          SM, as long as it takes on average, and in order */
    } topology;

    struct {
        uint32_t issue_cycles;             /* from the instruction to the TMA unit's queue */
        uint32_t descriptors;              /* tensor maps that an SM's cache holds, */
        uint32_t gpc_descriptors;          /* and that of its GPC, behind it */
        uint32_t descriptor_fetch_cycles;  /* from the GPC's cache into the SM's */
        uint32_t dispatch_interval_cycles; /* least time from one operation's start to the next's */
        uint32_t row_millicycles;          /* for each request */
        uint32_t complete_cycles;          /* last data in shared memory to the mbarrier's phase */
        uint32_t prefetch_gap_cycles;      /* after each prefetch, until the next operation */
        uint32_t store_sector_millicycles; /* reading shared memory for a store: each sector, */
        uint32_t store_partial_millicycles;  /* more for a request that writes part of one */
        uint32_t reduce_request_millicycles; /* for a reduction: each request, */
        uint32_t reduce_sector_millicycles;  /* and each whole sector */
        uint32_t store_complete_cycles; /* last byte read from shared memory to wait_group's end */
        uint32_t reduce_complete_cycles;
        uint32_t wait_group_cycles; /* that wait_group ends after wait_group.read: it does not wait
                                       for L2 */
        uint32_t first_pass_cycles; /* that the first operation of one of several slots comes
                                       late: its warp waits for instructions */
        uint32_t store_first_pass_cycles; /* likewise, a store or reduction */
        uint32_t store_turnaround_cycles; /* as turnaround, after a store or reduction */
        uint32_t store_issue_cycles;      /* least time between stores and reductions of two warps
                                             of a scheduler */
        uint32_t store_operations;        /* stores and reductions that it works on in turn */
        uint32_t write_flits;             /* that an SM may have on their way to L2 */
        uint32_t poll_millicycles;        /* that the polling of each further slot of a scheduler
                                             adds to turnaround, on average */
        uint32_t turnaround_cycles;       /* a waiting warp sees the phase, and issues again */
        uint32_t wake_interval_cycles;    /* how often warps can see phases, and the least time
                                             between two of an SM that issue again */
        uint32_t cluster_release_cycles;  /* a warp that is done with a multicast tile makes that
                                             known to its cluster, */
        uint32_t cluster_arrive_cycles;   /* and arrives on another SM's mbarrier */
    } tma;

    struct {
        uint32_t request_cycles;   /* SM to L2 slice, the nearest one */
        uint32_t response_cycles;  /* from there, past the GPC's port, to the SM's */
        uint32_t spread_cycles;    /* how much further the furthest slice is, both ways together */
        uint32_t partition_cycles; /* from one L2 partition to the other, one way */
        uint32_t sm_port_bytes_per_kcycle;  /* L2 to SM, in 1000 cycles */
        uint32_t gpc_port_bytes_per_kcycle; /* L2 to GPC, in 1000 cycles */
        uint32_t coalesced_requests; /* requests of a GPC for the same sectors that L2 answers as
                                        one, at most */
    } crossbar;

    struct {
        uint64_t capacity_bytes; /* both partitions */
        uint32_t partitions;
        uint32_t slices; /* of all partitions */
        enum tma_slice_hash hash;
        uint32_t ways;
        uint32_t dirty_ways;           /* that a set has at most: one more is written back */
        uint32_t lookup_cycles;        /* tag look-up and data, without waiting */
        uint32_t interval_millicycles; /* least time from a slice's request to its next */
        uint32_t request_millicycles;  /* to read data: for each request, */
        uint32_t sector_millicycles;   /* and for each sector */
        uint32_t fill_millicycles;     /* or where they stand for what is out of bounds; */
        uint32_t join_millicycles; /* for each further request that is answered with the first */
        uint32_t write_flit_millicycles;    /* each 32 bytes of a write that come in, */
        uint32_t write_request_millicycles; /* its tags, */
        uint32_t invalidate_millicycles;    /* more where the other partition has a copy, */
        uint32_t write_sector_millicycles;  /* and each sector that is written or reduced */
        uint32_t promotion_wait_cycles; /* that a promotion to 256 bytes in the other partition is
                                           made to wait at most: else it is dropped */
    } l2;

    struct {
        uint32_t bus_bits;
        uint32_t clock_mhz; /* data moves on both edges */
        uint32_t channels;
        uint32_t banks;           /* of one channel */
        uint32_t row_bytes;       /* of one bank's open row */
        uint32_t access_cycles;   /* L2 miss to first data, open row, without waiting */
        uint32_t activate_cycles; /* opening another row first */
        uint32_t activate_interval_millicycles; /* least time between activations in a channel */
        uint32_t row_gap_millicycles;           /* that the bus pauses for a row that is opened */
        uint32_t turnaround_millicycles;  /* of a channel's bus from reads to writes or back */
        uint32_t write_batch;             /* writes that a channel gathers, and then does at once */
        uint32_t refresh_cycles;          /* how long a channel is away */
        uint32_t refresh_interval_cycles; /* how often */
        uint32_t refresh_in_order;        /* accesses that wait for its end and are then served in
                                             order; */
        uint32_t refresh_disorder_cycles; /* the others' lines are there up to so much later */
        uint32_t queue_cycles; /* that a channel's bus may be behind before writes wait in L2 */
    } dram;

    struct {
        uint32_t wavefront_cycles; /* of one wavefront */
    } shared;
};

/* Bytes that DRAM moves in 1000 SM cycles, at the pins. */
uint64_t tma_machine_dram_bytes_per_kcycle(const struct tma_machine *machine);

TMA_API_END

#endif
