/* The bottleneck of a run, in one sentence with a remedy. */
#ifndef TMA_REPORT_BOTTLENECK_H
#define TMA_REPORT_BOTTLENECK_H

#include "report/figures.h"

struct tma_bottleneck {
    /* The key of a resource, or "bank_conflicts", "cluster", "consumers", "descriptor", "latency",
     * "nothing" or "start_up". */
    const char *key;
    char text[400]; /* one sentence without a full stop */
};

struct tma_bottleneck tma_bottleneck_of(const struct tma_report_input *input,
                                        const struct tma_figures *figures);

#endif
