/* The figures that a report derives from the result of a run. The formats only print them. */
#ifndef TMA_REPORT_FIGURES_H
#define TMA_REPORT_FIGURES_H

#include <stdbool.h>

#include "report/limit_figures.h"
#include "report/report.h"
#include "report/report_sections.h"

/* The resources of the machine: enumerator, key, name in a sentence, and the field of the result
 * that holds the busy fraction. */
#define TMA_RESOURCES(X)                                                                           \
    X(TMA_RESOURCE_TMA, "tma", "TMA row rate", busy_tma)                                           \
    X(TMA_RESOURCE_SM_PORT, "sm_port", "SM port", busy_sm_port)                                    \
    X(TMA_RESOURCE_CROSSBAR, "crossbar", "crossbar and GPC ports", busy_crossbar)                  \
    X(TMA_RESOURCE_L2, "l2", "L2 slices", busy_l2)                                                 \
    X(TMA_RESOURCE_DRAM, "dram", "DRAM bandwidth", busy_dram)                                      \
    X(TMA_RESOURCE_SHARED, "shared_memory", "shared-memory port", busy_shared)

enum tma_resource {
#define TMA_RESOURCE_ENUM(name, key, text, figure) name,
    TMA_RESOURCES(TMA_RESOURCE_ENUM)
#undef TMA_RESOURCE_ENUM
        TMA_RESOURCE_COUNT
};

const char *tma_resource_key(enum tma_resource resource);
const char *tma_resource_text(enum tma_resource resource);

struct tma_figures {
    uint32_t sms;    /* SMs that had a CTA */
    uint64_t stages; /* of all CTAs */
    double time_ns;
    double gigabytes_per_second; /* 1 GB is 10^9 bytes */
    double bytes_per_cycle;
    double bytes_per_cycle_per_sm;
    struct tma_limit_figure limits[TMA_LIMIT_COUNT];
    struct tma_memory_figures memory;

    uint64_t moved_bytes; /* loaded, stored and reduced; prefetches move no bytes to or from SMs */
    uint64_t fill_bytes;  /* out-of-bounds fill, a part of the loaded bytes */
    double row_bytes;     /* mean length of a row */

    uint64_t wavefronts;        /* of all consumers */
    uint64_t ideal_wavefronts;  /* the same without bank conflicts */
    uint64_t excess_wavefronts; /* the difference */
    double excess_fraction;     /* excess wavefronts of all wavefronts */
    int worst_consumer;         /* index of the worst conflict; -1 where there is no conflict */

    double busy[TMA_RESOURCE_COUNT];        /* fraction of the run */
    double cause_fraction[TMA_CAUSE_COUNT]; /* of the slot-cycles */
    uint32_t cause_tenths[TMA_CAUSE_COUNT]; /* in 0.1 %; the sum is 1000, or all are 0 */
};

/* A fraction or a rate is 0 where its divisor is 0. */
struct tma_figures tma_figures_of(const struct tma_report_input *input);

/* Rounds the shares of the parts to 0.1 % so that their sum is exactly 1000 (largest-remainder
 * method; the earlier part wins a tie). All shares are 0 where all parts are 0. The sum of the
 * parts times 1000 must fit 64 bits. */
void tma_share_out_tenths(const uint64_t *parts, size_t count, uint32_t *tenths);

/* The share of one cause of all slots' time. */
struct tma_cause_share tma_slot_share(const struct tma_result *result,
                                      const struct tma_figures *figures, enum tma_cause cause);

#endif
