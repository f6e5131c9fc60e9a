/* What reports derive from the counts of L2 and DRAM. Internal to sim/report. */
#ifndef TMA_REPORT_MEMORY_FIGURES_H
#define TMA_REPORT_MEMORY_FIGURES_H

#include "engine/result.h"

struct tma_memory_figures {
    uint64_t cycles;        /* until L2 and DRAM are done; at least the cycles of the run */
    double l2_hit_fraction; /* hits of all sectors that L2 was asked for */
    uint64_t l2_fill_bytes;
    uint64_t l2_fill_unused_bytes;
    double l2_over_fetch_fraction; /* unused sectors of all filled sectors */
    uint64_t dram_read_bytes, dram_write_bytes;
    double dram_gigabytes_per_second; /* while L2 and DRAM work, which can be longer than the run */
};

/* `sm_clock_mhz` is the clock that the run's cycles count. A fraction or a rate is 0 where its
 * divisor is 0. */
struct tma_memory_figures tma_memory_figures_of(const struct tma_result *result,
                                                uint32_t sm_clock_mhz);

#endif
