/* What a run gives: counts that are exact, cycles that are modelled. */
#ifndef TMA_ENGINE_RESULT_H
#define TMA_ENGINE_RESULT_H

#include "engine/workload.h"

/* Where the time of a pipeline slot goes, from its first issue to the end of its last consumer. */
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
      "write of the last data to shared memory, mbarrier completion")                              \
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

const char *tma_cause_key(enum tma_cause cause);
const char *tma_cause_text(enum tma_cause cause);

struct tma_distribution {
    uint64_t count;
    uint64_t min, median, p95, max;
};

struct tma_counters {
    uint64_t operations; /* a multicast load is one */
    uint64_t rows, rows_out_of_bounds;
    uint64_t bytes;        /* completed on mbarriers, out-of-bounds fill included */
    uint64_t tensor_bytes; /* of them, from the tensor */
    uint64_t copied_bytes; /* of them, by multicast at SMs other than the issuing one */
    uint64_t l2_requests;  /* of the TMA units, as L2 counts them */
    uint64_t l2_sectors, l2_sector_hits, l2_sector_misses; /* 32 bytes each */
    uint64_t
        l2_lookup_miss_sectors; /* as the profiler counts: all that the SMs' partitions fetched */
    uint64_t sm_read_sectors;   /* L2 to SMs, out-of-bounds fill included */
    uint64_t sm_write_sectors;  /* SMs to L2 */
    uint64_t l2_fills;          /* fills from DRAM, of the promotion's size each */
    uint64_t l2_fill_sectors;
    uint64_t l2_fill_unused_sectors; /* fetched by promotion, and never asked for in this run */
    uint64_t l2_evictions;
    uint64_t dram_read_sectors, dram_write_sectors;
    uint64_t shared_write_wavefronts; /* arriving data into shared memory */
    /* Tensor maps that SMs lacked; that their GPCs asked L2 for, and that came from DRAM; and the
     * cycles that TMA units waited for them. */
    uint64_t descriptor_fetches, descriptor_l2_fetches, descriptor_dram_fetches, descriptor_cycles;
};

/* One consumer, summed over the run. */
struct tma_consumer_total {
    uint64_t instructions, wavefronts, ideal_wavefronts;
    struct tma_consumer_report tile; /* one pass over one tile, with its worst access */
};

struct tma_result {
    uint64_t cycles;                        /* first issue to last completion, over all CTAs */
    struct tma_distribution cta_cycles;     /* first issue to last completion of a CTA */
    struct tma_distribution latency_cycles; /* operation: issue to the mbarrier's completion */
    struct tma_counters counters;
    struct tma_consumer_total consumers[TMA_MAX_CONSUMERS];
    uint64_t cause_cycles[TMA_CAUSE_COUNT]; /* slot-cycles; their sum is slot_cycles */
    uint64_t slot_cycles;
    /* Busy cycles of each resource, as a fraction of the run times their number: what limits. */
    double busy_tma, busy_sm_port, busy_crossbar, busy_l2, busy_dram, busy_shared;
};

#endif
