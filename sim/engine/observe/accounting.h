/* Accumulates the figures of a run. It observes: the state machines tell it what they do, and it
 * calls none of them. */
#pragma once

#include "engine/observe/histogram.h"
#include "engine/result.h"
#include "engine/sm.h"
#include "memory/system.h"

/* When a CTA ran. */
struct tma_cta_span {
    uint64_t start_cycle, end_cycle;
};

/* What a sampled run left out. All 0: nothing. */
struct tma_skipped {
    uint64_t cycles;
    uint64_t latencies;
    uint64_t ctas;        /* whole CTAs */
    uint64_t cta_cycles;  /* of whole CTAs, all together */
    uint64_t each_cycles; /* of each CTA that was simulated, in part */
};

struct tma_accounting {
    const struct tma_machine *machine;
    struct tma_result *result;       /* where the figures go */
    struct tma_histogram *latencies; /* owned: of operations, in cycles */
    uint64_t *cta_cycles;            /* owned: of the CTAs that have ended */
    struct tma_cta_span *cta_spans;  /* owned: of these CTAs */
    uint64_t cta_count;
    uint64_t ended_ctas;
    uint64_t last_cycle; /* end of the last CTA so far */
    uint64_t quarter;    /* of the operations that the run has */
    struct tma_skipped skipped;
};

/* Starts with the result all zero, for a grid of `cta_count` CTAs. False when out of memory. */
bool tma_accounting_create(struct tma_accounting *accounting, const struct tma_machine *machine,
                           uint64_t cta_count, struct tma_result *result);
void tma_accounting_free(struct tma_accounting *accounting);

/* An operation has completed. */
void tma_account_completion(struct tma_accounting *accounting, enum tma_direction direction,
                            const struct tma_completion *completion);

/* Finds where the time of a stage went: `last` is the completion of its last operation, and its
 * slot was free to issue from free_cycle on. The causes, in the order of TMA_CAUSES but for the
 * cluster, which comes first, add up to the time from then until the completion. Another CTA may
 * have issued a multicast load before then: what happened before is no time of this slot. */
void tma_find_stage_causes(const struct tma_machine *machine, const struct tma_completion *last,
                           uint64_t free_cycle, uint64_t causes[TMA_CAUSE_COUNT]);

/* A stage is complete, and its warp went on: the time went to these causes. */
void tma_account_stage(struct tma_accounting *accounting, const uint64_t causes[TMA_CAUSE_COUNT]);

/* A consumer has read a tile: it waited for shared memory, then occupied it. `report` counts one
 * of `passes` over the tile. */
void tma_account_consumer(struct tma_accounting *accounting, uint32_t consumer,
                          const struct tma_consumer_report *report, uint64_t passes,
                          uint64_t waited_cycles, uint64_t busy_cycles);

/* The same without the times: of an access statement of a kernel, `passes` over the tile. */
void tma_account_passes(struct tma_accounting *accounting, uint32_t consumer,
                        const struct tma_consumer_report *report, uint64_t passes);

/* A CTA ended at end_cycle, `cycles` after its start. */
void tma_account_cta(struct tma_accounting *accounting, uint64_t cycles, uint64_t end_cycle);

/* After the run: adds to the result the counters of the memory system, and how busy the shared
 * memory of the SMs in use was. `places` CTAs can run at once. */
void tma_account_run(struct tma_accounting *accounting, const struct tma_memory_counters *counters,
                     const struct tma_sm *sms, uint32_t sm_count, uint32_t places);
