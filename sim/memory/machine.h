/* The machine: every property of a GPU that the timing model uses, each with its unit in its name.
 * Values come from configs/gpus/NAME.yaml, with their origin beside them. */
#ifndef TMA_MEMORY_MACHINE_H
#define TMA_MEMORY_MACHINE_H

#include "base/api.h"
#include "memory/policies.h"
#include "tensormap/rules.h"

TMA_API_BEGIN

enum {
    TMA_DRAM_MAX_GROUPS = 8, /* bank groups of a DRAM channel, in all ranks */
    TMA_MAX_SMS = 256,
    TMA_MAX_GPCS = 16,
    TMA_GROUP_SLICES = 8,      /* L2 slices that lie together */
    TMA_MAX_SLICE_GROUPS = 16, /* of a partition, of which distances are known */
    TMA_MAX_SLICE_DISTANCES = TMA_MAX_GPCS * TMA_MAX_SLICE_GROUPS,
    TMA_TPC_SMS = 2,  /* SMs 2k and 2k + 1 are a TPC */
    TMA_GPC_CPCS = 3, /* each has up to three TPCs of its GPC */
    TMA_MAX_CPCS = TMA_MAX_GPCS * TMA_GPC_CPCS,
    TMA_SCHEDULERS = 4, /* of an SM, to which its warps belong in turn */
    TMA_MAX_NAME = 64,
    TMA_MAX_COALESCED = 7,
    TMA_SECTOR_BYTES = 32,
    TMA_LINE_BYTES = 128,
    TMA_L2_MAX_WAYS = 16 /* of a set */
};

struct tma_machine {
    char name[TMA_MAX_NAME];
    enum tma_architecture architecture; /* its rules decide which tensor maps are legal */
    /* Its timing was compared with records of a real GPU, and has the values that it had then. */
    bool validated;
    bool edited; /* its timing was compared with records, but some value is another one now */

    uint32_t sm_count;            /* number of streaming multiprocessors (SMs) */
    uint32_t sm_clock_mhz;        /* clock of the SMs; all durations in cycles are cycles of it */
    uint32_t shared_memory_bytes; /* shared memory of one SM */
    uint32_t shared_memory_cta_bytes; /* largest shared memory of one CTA */

    /* Which SMs share a GPC's port, GPC by GPC, in the order in which CTAs are numbered. */
    struct {
        uint32_t gpc_count;
        uint32_t gpc_size[TMA_MAX_GPCS];
        uint32_t gpc_partition[TMA_MAX_GPCS]; /* the L2 partition that it is next to: 0 or 1 */
        uint32_t sms[TMA_MAX_SMS];            /* the SMs of all GPCs, end to end */
        uint32_t placement[TMA_MAX_SMS]; /* SMs in the order in which a growing grid takes them */
        /* TPCs whose two SMs form clusters with each other only. */
        uint32_t lone_tpcs[TMA_MAX_SMS / TMA_TPC_SMS], lone_tpc_count;
        /* Distance of each group of TMA_GROUP_SLICES slices of a partition from each GPC, GPC by
         * GPC, in percent of crossbar.spread_cycles. Without any, slices are evenly spread. */
        uint32_t slice_distances[TMA_MAX_SLICE_DISTANCES], slice_distance_count;
        /* Distance of each group of TMA_GROUP_SLICES slices of a partition from the same group of
         * the other partition, in percent of crossbar.partition_spread_cycles. Without any, slices
         * are evenly spread. */
        uint32_t partition_distances[TMA_MAX_SLICE_GROUPS], partition_distance_count;
        /* How much longer the way from a TPC to L2 and back takes than from the nearest TPC of the
         * chip. Without any, all TPCs are equally near. */
        uint32_t tpc_distances[TMA_MAX_SMS / TMA_TPC_SMS], tpc_distance_count;
        uint32_t launch_cycles; /* what a launch takes beyond its CTAs, as a profiler counts it */
        uint32_t launch_interval_cycles;  /* least time between the starts of two CTAs of a GPC */
        uint32_t launch_warp_millicycles; /* additional time for each warp of a CTA, of which each
                                             scheduler of an SM launches one at a time */
        uint32_t seed; /* for what varies between launches: which slot and which SM issues first,
                          how long a warp polls, when DRAM refreshes, and the order of accesses
                          after a refresh; 0: no variation. The key is topology.draw. */
    } topology;

    struct {
        uint32_t issue_cycles; /* latency from the TMA instruction to the queue of the TMA unit */
        uint32_t descriptors;  /* capacity of an SM's descriptor cache, in tensor maps */
        uint32_t gpc_descriptors; /* capacity of a GPC's descriptor cache, in tensor maps; serves
                                     the misses of its SMs */
        uint32_t descriptor_fetch_cycles; /* latency of a fetch from the GPC's descriptor cache into
                                             the SM's */
        uint32_t dispatch_interval_cycles; /* least time between the starts of two operations of a
                                              TMA unit */
        uint32_t row_millicycles; /* time that the TMA unit takes to generate one line request, the
                                     part of a row in one 128-byte line */
        uint32_t complete_cycles; /* latency from a load's last byte in shared memory to the end of
                                     its mbarrier's phase */
        uint32_t prefetch_gap_cycles;        /* time that the TMA unit pauses after each prefetch */
        uint32_t store_sector_millicycles;   /* stores: time to read one 32-byte sector from shared
                                                memory */
        uint32_t store_partial_millicycles;  /* stores: additional time for a request that writes
                                                only part of a sector */
        uint32_t reduce_request_millicycles; /* reductions: time to read shared memory, for each
                                                request */
        uint32_t reduce_sector_millicycles;  /* reductions: additional time for each whole sector of
                                                a request */
        uint32_t store_complete_cycles;  /* stores: latency from the last read of shared memory to
                                            the end of wait_group.read */
        uint32_t reduce_complete_cycles; /* reductions: latency from the last read of shared memory
                                            to the end of wait_group.read */
        uint32_t first_pass_cycles; /* delay of the first load of each slot, while its warp fetches
                                       instructions */
        uint32_t store_first_pass_cycles; /* the same delay of a slot's first store or reduction */
        uint32_t store_first_warp_cycles; /* what each further slot of its scheduler adds to it */
        uint32_t first_scheduler_percent; /* launches in which an SM's first scheduler begins; in
                                             others, any of the rest */
        uint32_t store_turnaround_cycles; /* time from the end of wait_group.read to the warp's next
                                             store or reduction */
        uint32_t store_issue_cycles; /* least time between stores or reductions of two warps of one
                                        scheduler */
        uint32_t store_backlog_cycles; /* most work of the store unit with which several warps of a
                                          scheduler issue before the first one commits */
        uint32_t store_operations; /* number of stores and reductions that the store unit serves in
                                      round robin */
        uint32_t write_flits; /* largest number of 32-byte flits that an SM has in flight to L2 */
        uint32_t poll_millicycles;  /* what each further slot that polls on the same scheduler adds
                                       to turnaround, on average */
        uint32_t turnaround_cycles; /* time from the end of an mbarrier's phase to the next
                                       operation that the waiting warp issues */
        uint32_t wake_interval_cycles; /* interval at which a warp can see the end of a phase; also
                                          the least time between the issues of two warps of an SM */
        uint32_t cluster_release_cycles; /* time that a warp takes to release a multicast tile to
                                            its cluster */
        uint32_t cluster_arrive_cycles;  /* latency from that release to the arrival on an mbarrier
                                            of another SM */
    } tma;

    struct {
        uint32_t request_cycles;  /* latency from an SM to the nearest L2 slice */
        uint32_t response_cycles; /* latency from the nearest L2 slice through the GPC's port to the
                                     SM's port */
        uint32_t spread_cycles;   /* how much longer the furthest slice takes than the nearest one,
                                     request and response together */
        uint32_t partition_cycles;        /* latency from a slice to the nearest one of the other L2
                                             partition, one way */
        uint32_t partition_spread_cycles; /* how much longer to the furthest one, one way */
        uint32_t sm_port_bytes_per_kcycle;  /* bandwidth of the response port of an SM */
        uint32_t gpc_port_bytes_per_kcycle; /* bandwidth of the response port of a GPC, which its
                                               SMs share */
        uint32_t link_bytes_per_kcycle; /* bandwidth of a link to that port, from TMA_GROUP_SLICES
                                           L2 slices */
        uint32_t coalesced_requests;    /* largest number of loads of the same sectors that a GPC's
                                           coalescer merges into one request */
    } crossbar;

    struct {
        uint64_t capacity_bytes;          /* capacity of all partitions */
        uint32_t partitions;              /* number of partitions of the cache */
        uint32_t slices;                  /* number of slices in all partitions */
        enum tma_slice_hash hash;         /* which slice serves a line */
        enum tma_replacement replacement; /* policy that chooses the victim in a full set */
        enum tma_promotion promotion;     /* policy that chooses the accesses which fetch the second
                                             line of a 256-byte block */
        uint32_t ways;                    /* associativity: lines of a set */
        uint32_t
            dirty_ways; /* largest number of dirty lines in a set; one more causes a write-back */
        uint32_t reduction_operands;  /* of 32 bytes, which a slice keeps */
        uint32_t lookup_cycles;       /* latency of tag look-up and data access in an idle slice */
        uint32_t request_millicycles; /* reads: time that a slice's tags take for each line */
        uint32_t
            line_conflict_millicycles; /* additional time of the tags for a line that they
                                          looked up two look-ups before, and another one since */
        uint32_t sector_millicycles;   /* reads: time that its data array takes for each sector */
        uint32_t queue_reads;          /* that wait in a slice's queue; others wait by CPC */
        uint32_t missing_sectors; /* that a slice waits for: of DRAM, and of the other partition */
        uint32_t fill_sector_millicycles; /* fills and copies: time that a slice takes for each
                                             sector that arrives */
        uint32_t fill_flit_millicycles;  /* fills: time that a slice's port from DRAM takes for each
                                            sector */
        uint32_t replay_millicycles;     /* additional time of that port for a line that further
                                            requests wait for */
        uint32_t fill_millicycles;       /* time that a slice takes for a read of the lines that
                                            out-of-bounds elements come from */
        uint32_t write_flit_millicycles; /* writes: time that a slice's input port takes for each
                                            32-byte flit */
        uint32_t
            write_request_millicycles; /* writes: time that a slice's tags take for each request */
        uint32_t invalidate_millicycles;    /* writes: additional time of the tags to invalidate the
                                               copy of the other partition */
        uint32_t write_sector_millicycles;  /* stores: time that a slice's data array takes for each
                                               sector */
        uint32_t reduce_sector_millicycles; /* reductions: the same */
        uint32_t promotion_wait_cycles; /* largest queueing delay of a promotion to 256 bytes in the
                                           other partition; a promotion that would wait longer is
                                           dropped */
    } l2;

    struct {
        enum tma_dram_scheduler scheduler;    /* order in which a channel serves its requests */
        enum tma_refresh_kind refresh_policy; /* which banks refresh at the same time */
        uint32_t bus_bits;                    /* width of the data bus, all channels together */
        uint32_t clock_mhz;   /* clock of the data bus, which transfers data on both edges */
        uint32_t channels;    /* number of independent channels */
        uint32_t stacks;      /* number of stacks of memory */
        uint32_t ranks;       /* number of ranks of a channel */
        uint32_t banks;       /* number of banks in a channel, in all ranks */
        uint32_t bank_groups; /* number of bank groups in a rank */
        uint32_t row_bytes;   /* size of the row buffer of a bank */
        uint32_t queue;       /* number of reads, and of writes, that a channel's scheduler chooses
                                 from */
        uint32_t bypass;      /* number of requests for the open row of a bank that may be served
                                 before an earlier request for another row of it */
        uint32_t write_queue; /* number of writes of a channel above which further ones wait in L2
                                 (back-pressure) */
        uint32_t write_high;  /* number of writes at which a channel begins to write */
        uint32_t write_low;   /* number of writes at which it reads again */
        uint32_t access_ps; /* latency from an L2 miss to the first data, on a row-buffer hit in an
                               idle channel */
        uint32_t access_spread_ps; /* an access takes up to so much longer, at random */
        uint32_t trcd_ps;          /* tRCD: from an activation to the first access of the row */
        uint32_t trp_ps;       /* tRP: from the precharge that closes a row to the activation of the
                                  next */
        uint32_t tras_ps;      /* tRAS: from an activation to the precharge, at least */
        uint32_t trtp_ps;      /* tRTP: from a read to the precharge, at least */
        uint32_t twr_ps;       /* tWR: from the end of a write's data to the precharge, at least */
        uint32_t trrd_ps;      /* tRRD: between two activations of a channel, at least */
        uint32_t tccd_long_ps; /* tCCD_L: between two bursts of one bank group */
        uint32_t trtw_ps;      /* pause of the data bus from reads to writes */
        uint32_t twtr_ps;      /* pause of the data bus from writes to reads */
        uint32_t trfc_ps;      /* tRFC: duration of a refresh */
        uint32_t trefi_ps;     /* tREFI: time between the starts of two refreshes of a bank */
        uint32_t trrefd_ps;    /* tRREFD: between the starts of refreshes of two banks */
        uint32_t refresh_spread_ps; /* channels of a partition begin the refresh of a bank within so
                                       much time */
        uint32_t refresh_drift_ps;  /* by how much refreshes come apart in a microsecond of load:
                                       standard deviation, which grows with the square root of
                                       time */
        uint32_t idle_before_ps;    /* cold starts: time since the load that emptied L2 */
        uint32_t halt_ps, halt_interval_ps; /* all channels halt for so long, so often; the buses
                                               are slower by this share */
    } dram;

    struct {
        uint32_t wavefront_cycles; /* time that shared memory takes for one wavefront */
    } shared;

    /* What the instructions of a role take (kernels with roles). */
    struct {
        uint32_t start_cycles;  /* time from the start of a CTA to the first instruction of its
                                   roles'  programs */
        uint32_t fetch_cycles;  /* additional time of a statement that runs on an SM for the first
                                   time:  its instructions are not in the SM's cache */
        uint32_t launch_cycles; /* time from the end of a CTA to the start of the next one on its SM
                                 */
        uint32_t wait_cycles;   /* time of a wait on an mbarrier whose phase is complete */
        uint32_t wake_cycles;   /* time from the end of an mbarrier's phase to the next instruction
                                   of a warp that waits for it */
        uint32_t arrive_cycles; /* time of an arrival on an mbarrier, in the warp that arrives */
        uint32_t arrive_latency_cycles; /* latency of an arrival until the phase of an mbarrier of
                                           the own CTA ends */
        uint32_t remote_arrive_cycles;  /* the same latency for another CTA of the cluster, without
                                           .release.cluster */
        uint32_t expect_cycles;         /* time of an arrival with expect_tx */
        uint32_t issue_cycles;          /* time of a TMA instruction in the warp that issues it */
        uint32_t commit_cycles;         /* time to commit a group of stores */
        uint32_t wait_group_cycles;     /* time of a wait for groups of stores that are done */
        uint32_t store_wake_cycles;     /* time from the end of a group of stores to the next
                                           instruction of a warp that waits for it */
        uint32_t barrier_cycles;        /* time from the last arrival at a named barrier to the next
                                           instruction of its warps */
        uint32_t spin_cycles; /* what a role takes longer than the cycles of a compute statement */
        uint32_t mma_issue_cycles; /* time to issue a group of matrix products and to commit it */
        uint32_t mma_wait_cycles;  /* latency from the end of a group of matrix products to the next
                                      instruction of the warps that wait for it */
        uint32_t tile_cycles; /* time to take the next tile from a counter in global memory, and
                                 to tell the roles of the CTA */
    } warp;

    /* What the CTAs of an SM share, besides shared memory. */
    struct {
        uint32_t threads;        /* most threads of an SM */
        uint32_t cta_threads;    /* most threads of a CTA */
        uint32_t ctas;           /* most CTAs of an SM */
        uint32_t registers;      /* registers of an SM, of 32 bits */
        uint32_t reserved_bytes; /* shared memory that each CTA takes besides its own */
        uint32_t mma_half;       /* multiply-adds that the tensor cores do in a cycle: f16, bf16 */
        uint32_t mma_tf32;       /* the same: tf32 */
        uint32_t mma_byte;       /* the same: 8-bit types */
        uint32_t mma_fp64;       /* the same: f64 */
        uint32_t mma_a_bytes;    /* bytes of A, in shared memory, that a warp group takes in a
                                    cycle; 0: any number */
        uint32_t mma_b_bytes;    /* the same: B */
        uint32_t mma_queue;      /* wgmma instructions that a warp group has in flight; its warps
                                    wait before they issue a further one; 0: any number */
        uint32_t alu;            /* operations of single precision in a cycle */
        uint32_t sfu;            /* special functions in a cycle */
    } sm;
};

/* Cycles from an L2 miss to the first data, where DRAM opens a row and nothing else is in the way.
 */
uint64_t tma_machine_dram_cycles(const struct tma_machine *machine);

/* The least time from the cycle in which the memory system finds that an operation is at its end,
 * to its completion: what completes within this time is known. */
uint32_t tma_machine_completion_cycles(const struct tma_machine *machine);

/* Bytes that DRAM moves in 1000 SM cycles, at the pins. */
uint64_t tma_machine_dram_bytes_per_kcycle(const struct tma_machine *machine);

/* Groups of slices that lie together, of one partition. */
static inline uint32_t tma_machine_slice_groups(const struct tma_machine *machine) {
    uint32_t slices = machine->l2.slices / machine->l2.partitions;
    return (slices + TMA_GROUP_SLICES - 1) / TMA_GROUP_SLICES;
}

/* The machine with its SMs at another clock; 0: at its own. L2 and DRAM keep their clocks, so their
 * durations count more or fewer cycles of the SMs, and so do the ports of the GPCs. The latencies
 * of the crossbar go with the SMs. */
struct tma_machine tma_machine_at_clock(const struct tma_machine *machine, uint32_t sm_clock_mhz);

TMA_API_END

#endif
