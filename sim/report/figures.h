/* What a report derives from a run's result, computed once: formats only print. */
#ifndef TMA_REPORT_FIGURES_H
#define TMA_REPORT_FIGURES_H

#include <stdbool.h>

#include "report/report.h"

/* Resources that can be busy: key, name in a sentence, and the result's figure. */
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

enum { TMA_LIMIT_SM_PORT, TMA_LIMIT_L2, TMA_LIMIT_DRAM, TMA_LIMIT_COUNT };

/* One of the machine's limits, shared out over the SMs that take part. */
struct tma_limit_figure {
    const char *key, *text;
    double bytes_per_cycle_per_sm; /* 0: not known */
    double used;                   /* fraction of it that the run reached */
};

struct tma_figures {
    uint32_t sms; /* that had a CTA */
    uint64_t stages;
    double time_ns;
    double gigabytes_per_second; /* 10^9 bytes */
    double bytes_per_cycle, bytes_per_cycle_per_sm;
    struct tma_limit_figure limits[TMA_LIMIT_COUNT];

    uint64_t fill_bytes; /* out-of-bounds fill */
    double row_bytes;    /* mean length of a row */

    double l2_hit_fraction; /* of sectors */
    uint64_t l2_fill_bytes, l2_fill_unused_bytes;
    double l2_over_fetch_fraction; /* unused ones of the filled sectors */

    uint64_t dram_read_bytes, dram_write_bytes;
    double dram_gigabytes_per_second;

    uint64_t wavefronts, ideal_wavefronts, excess_wavefronts; /* of all consumers */
    double excess_fraction;                                   /* of the wavefronts */
    int worst_consumer; /* the one with the most ways; -1 where none has a conflict */

    double busy[TMA_RESOURCE_COUNT];
    enum tma_resource busiest;
    double cause_fraction[TMA_CAUSE_COUNT];
    uint32_t
        cause_tenths[TMA_CAUSE_COUNT]; /* tenths of a percent; they sum to 1000, or all are 0 */
};

/* Fractions and rates are 0 where what they divide by is 0. */
struct tma_figures tma_figures_of(const struct tma_report_input *input);

/* Parts in tenths of a percent that sum to exactly 1000 (largest remainder; ties go to the earlier
 * part). All zero where the parts are. The sum times 1000 is to fit 64 bits. */
void tma_share_out_tenths(const uint64_t *parts, size_t count, uint32_t *tenths);

#endif
