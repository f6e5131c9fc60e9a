/* The result of a run: exact counts, and cycles as the timing model finds them. */
#pragma once

#include "base/api.h"
#include "engine/workload.h"

TMA_API_BEGIN

/* Where the time of a pipeline slot goes, from its first issue to the end of its last consumer:
 * name, key in a report, text in a report. The time of a stage is split by the way of the request
 * that arrived last. */
#define TMA_CAUSES(X)                                                                              \
    X(TMA_CAUSE_ISSUE, "issue", "from the instruction to the TMA unit")                            \
    X(TMA_CAUSE_TMA_QUEUE, "tma_queue", "queue of the TMA unit")                                   \
    X(TMA_CAUSE_DESCRIPTOR, "descriptor", "waiting for the tensor map")                            \
    X(TMA_CAUSE_TMA_ROWS, "tma_rows", "TMA unit generating row requests")                          \
    X(TMA_CAUSE_CROSSBAR, "crossbar", "crossbar to L2 and back, without queues")                   \
    X(TMA_CAUSE_CROSSBAR_QUEUE, "crossbar_queue", "queues of the crossbar ports")                  \
    X(TMA_CAUSE_L2, "l2", "L2 slices: lookup and its queue")                                       \
    X(TMA_CAUSE_DRAM, "dram", "DRAM access")                                                       \
    X(TMA_CAUSE_DRAM_QUEUE, "dram_queue", "queues of the DRAM channels")                           \
    X(TMA_CAUSE_SHARED_WRITE, "shared_write",                                                      \
      "last data: written to shared memory, mbarrier completed; stores: last read to wait_group")  \
    X(TMA_CAUSE_WAKE, "wake", "from the mbarrier completion until the waiting warp resumes")       \
    X(TMA_CAUSE_CONSUME, "consume", "shared-memory wavefronts of the consumers")                   \
    X(TMA_CAUSE_CONSUME_QUEUE, "consume_queue", "queue of the shared-memory port")                 \
    X(TMA_CAUSE_CLUSTER, "cluster", "multicast: waiting until all CTAs released the previous tile")

enum tma_cause {
#define TMA_CAUSE_ENUM(name, key, text) name,
    TMA_CAUSES(TMA_CAUSE_ENUM)
#undef TMA_CAUSE_ENUM
        TMA_CAUSE_COUNT
};

/* The key and the text of a cause in a report. */
const char *tma_cause_key(enum tma_cause cause);
const char *tma_cause_text(enum tma_cause cause);

/* Nearest-rank percentiles: see histogram.h. */
struct tma_distribution {
    uint64_t count;
    uint64_t min, median, p95, max;
};

/* Sectors have 32 bytes. */
struct tma_counters {
    uint64_t operations;      /* that have completed; a multicast load is one */
    uint64_t lane_operations; /* of these, ones that lanes of warps carried out */
    uint64_t rows, rows_out_of_bounds;
    uint64_t bytes;        /* of loads: completed on mbarriers, out-of-bounds fill included */
    uint64_t tensor_bytes; /* the part of `bytes` that came from tensors */
    uint64_t
        copied_bytes; /* the part of `bytes` that multicast brought to SMs that did not issue */
    uint64_t stored_bytes;           /* of stores: written to tensors */
    uint64_t reduced_bytes;          /* of reductions: combined with elements of tensors */
    uint64_t prefetched_bytes;       /* of prefetches: bytes of tensors that L2 was told to fetch */
    uint64_t l2_requests;            /* from TMA units, as L2 counts them */
    uint64_t l2_sectors;             /* that these requests asked for */
    uint64_t l2_sector_hits;         /* the part of them that L2 had */
    uint64_t l2_sector_misses;       /* the other part */
    uint64_t l2_lookup_miss_sectors; /* that the SMs' partitions fetched: misses of the profiler */
    uint64_t sm_read_sectors;        /* L2 to SMs, out-of-bounds fill included */
    uint64_t sm_write_sectors;       /* SMs to L2 */
    uint64_t l2_fills;               /* fills from DRAM, each of the promotion's size */
    uint64_t l2_fill_sectors;        /* that they fetched */
    uint64_t l2_fill_unused_sectors; /* fetched by promotion, and never asked for in this run */
    uint64_t l2_evictions;           /* lines */
    uint64_t dram_read_sectors, dram_write_sectors;
    uint64_t shared_write_wavefronts; /* of arriving data into shared memory */
    uint64_t accesses;                /* instructions of warps that access global memory */
    uint64_t access_sectors;          /* that these touch */
    uint64_t access_bytes;            /* of these, that their lanes use */
    uint64_t access_repeats;          /* rounds of atomics beyond the first, of lanes with one
                                         address */
    uint64_t dsmem_accesses;        /* instructions of warps that access shared memory of others */
    uint64_t dsmem_bytes;           /* that lanes and copies move there or from there */
    uint64_t dsmem_flits;           /* of 32 bytes, between SMs */
    uint64_t l1_sectors;            /* of loads that L1 looked up, or passed on to L2 */
    uint64_t l1_hit_sectors;        /* of these, that L1 had */
    uint64_t descriptor_fetches;    /* tensor maps that SMs lacked */
    uint64_t descriptor_l2_fetches; /* tensor maps that GPCs lacked, and asked L2 for */
    uint64_t descriptor_dram_fetches; /* tensor maps that L2 lacked */
    uint64_t descriptor_cycles;       /* for which TMA units waited for tensor maps */
    uint64_t multiply_adds;           /* of the matrix products of kernels with roles */
};

/* One consumer of all slots. */
struct tma_consumer_total {
    uint64_t instructions, wavefronts, ideal_wavefronts; /* of the run */
    struct tma_consumer_report tile; /* of one pass over one tile, with its worst access */
};

/* An SM has room for some CTAs at a time, a pipeline's for one: its places. So a grid with more
 * CTAs than places runs in waves. */
struct tma_waves {
    uint32_t count;
    uint32_t ctas;      /* of a whole wave: the places of all SMs in use */
    uint32_t last_ctas; /* of the last wave, if it is not whole; else 0 */
    uint64_t
        last_cycles; /* from the start of that wave's first CTA to the end of the run; else 0 */
    uint64_t last_idle_place_cycles; /* of all places, for which they had no CTA in that time */
    uint64_t idle_place_cycles;      /* the same, of the whole run */
};

/* Where the time of a role goes (kernels with roles): name, key and text as above. */
#define TMA_ROLE_CAUSES(X)                                                                         \
    X(TMA_ROLE_FULL, "full", "waiting for a full stage")                                           \
    X(TMA_ROLE_EMPTY, "empty", "waiting for an empty stage")                                       \
    X(TMA_ROLE_ISSUE, "issue", "issuing TMA operations")                                           \
    X(TMA_ROLE_FETCH, "fetch", "fetching instructions")                                            \
    X(TMA_ROLE_COMPUTE, "compute", "computing in ALUs and special-function units")                 \
    X(TMA_ROLE_UNITS, "units", "queues of these units, which other roles use")                     \
    X(TMA_ROLE_SHARED, "shared", "reading and writing shared memory")                              \
    X(TMA_ROLE_PRODUCTS, "products", "issuing matrix products and waiting for them")               \
    X(TMA_ROLE_TENSOR_QUEUE, "tensor_queue", "queue of the tensor cores behind other roles")       \
    X(TMA_ROLE_STORES, "stores", "waiting for stores")                                             \
    X(TMA_ROLE_LOADS, "loads", "waiting for loads into registers")                                 \
    X(TMA_ROLE_FLAG, "flags", "waiting for flags that other CTAs add to")                          \
    X(TMA_ROLE_BARRIER, "barrier", "waiting at named barriers")                                    \
    X(TMA_ROLE_TILE, "tile", "taking the next output tile")                                        \
    X(TMA_ROLE_MBARRIER, "mbarrier", "mbarrier instructions that need not wait")

enum tma_role_cause {
#define TMA_ROLE_CAUSE_ENUM(name, key, text) name,
    TMA_ROLE_CAUSES(TMA_ROLE_CAUSE_ENUM)
#undef TMA_ROLE_CAUSE_ENUM
        TMA_ROLE_CAUSE_COUNT
};

const char *tma_role_cause_key(enum tma_role_cause cause);
const char *tma_role_cause_text(enum tma_role_cause cause);

enum { TMA_MAX_ROLES = 16, TMA_MAX_RINGS = 16 };

/* Why a run that may be sampled was simulated whole. */
#define TMA_WHOLE_REASONS(X)                                                                       \
    X(TMA_WHOLE_NO_REASON, "")                                                                     \
    X(TMA_WHOLE_SHORT, "it is short")                                                              \
    X(TMA_WHOLE_UNSTEADY, "no three windows in a row agreed")                                      \
    X(TMA_WHOLE_NO_UNIT,                                                                           \
      "it has no long loop that all roles or slots share, and few waves of CTAs")                  \
    X(TMA_WHOLE_ROUGH, "with parts left out, its cycles would be right within more than 20 % "     \
                       "only")

enum tma_whole_reason {
#define TMA_WHOLE_ENUM(name, text) name,
    TMA_WHOLE_REASONS(TMA_WHOLE_ENUM)
#undef TMA_WHOLE_ENUM
        TMA_WHOLE_REASON_COUNT
};

const char *tma_whole_reason_text(enum tma_whole_reason reason);

/* What a sampled run left out. All its figures are those of the part that was simulated, and of the
 * same windows again for the rest: but for the percentiles of latencies, which are of that part
 * alone. */
struct tma_sampled {
    bool asked;                  /* the run was to be sampled */
    enum tma_whole_reason whole; /* all of it was simulated, for this reason */
    uint64_t skipped_cycles;     /* 0: all of it was simulated */
    uint64_t error_cycles;       /* the cycles of the run are right within so many */
    bool rereads;                /* tiles are read again and again, so that it may drift slowly */
    /* With TMA_WHOLE_ROUGH, the estimate that was not trusted: by how much it may be off, and its
     * cycles. */
    uint64_t refused_error_cycles, refused_cycles;
};

struct tma_result {
    /* Of a kernel with roles that may have them (tma_kernel.allow_races): pairs of accesses to
     * shared memory that are in no order, and what the first one is. */
    uint64_t races;
    char first_race[TMA_ERROR_TEXT_BYTES];
    uint64_t cycles; /* first issue to last completion, over all CTAs */
    /* Until L2 and DRAM are done too: kernels do not wait for prefetches and write-backs. At least
     * `cycles`. */
    uint64_t memory_cycles;
    uint64_t quarter_cycles; /* when a quarter of the operations was complete; 0: it never was */
    uint32_t gpcs;           /* that have an SM with a CTA */
    uint32_t sms;            /* that have a CTA */
    struct tma_waves waves;
    struct tma_distribution cta_cycles;     /* first issue to last completion of each CTA */
    struct tma_distribution latency_cycles; /* issue to the mbarrier's completion, by operation */
    struct tma_counters counters;
    struct tma_consumer_total consumers[TMA_MAX_CONSUMERS]; /* of the workload, or of the kernel */
    uint64_t cause_cycles[TMA_CAUSE_COUNT];                 /* summed over slots */
    uint64_t slot_cycles;                                   /* sum of cause_cycles */
    /* Busy cycles of each kind of resource, as a fraction of the time times the number of such
     * resources in use. The time is memory_cycles for the crossbar, L2 and DRAM, else cycles. */
    double busy_tma, busy_sm_port, busy_crossbar, busy_l2, busy_dram, busy_shared;
    /* Kernels with roles only. Of the requests that L1 keeps track of: how many there are on
     * average. Of atomics: the slice that has most of them. */
    double busy_lsu, busy_l1_misses, busy_dsmem, busy_atomics;
    double busy_tensor, busy_fma, busy_alu, busy_sfu, busy_issue;
    double overlap_fma, overlap_alu, overlap_sfu; /* while the tensor cores are busy, too */
    uint32_t role_count;
    uint64_t role_cycles[TMA_MAX_ROLES][TMA_ROLE_CAUSE_COUNT]; /* by role, summed over CTAs */
    uint64_t ring_cycles[TMA_MAX_ROLES][TMA_MAX_RINGS]; /* of FULL and EMPTY, as far as simulated */
    uint32_t ctas_per_sm;
    uint64_t statements; /* executed */
    struct tma_sampled sampled;
    double memory_share; /* of tma_activity; 0 until a second run has found it */
};

TMA_API_END
