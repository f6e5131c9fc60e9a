/* What limits a run, in one sentence. */
#ifndef TMA_REPORT_LIMITER_H
#define TMA_REPORT_LIMITER_H

#include "report/figures.h"

struct tma_limiter {
    const char *key; /* a resource's key, "bank_conflicts", "consumers", "latency", "start_up" or
                        "nothing" */
    char text[400];  /* one sentence, without a full stop */
};

struct tma_limiter tma_limiter_of(const struct tma_report_input *input,
                                  const struct tma_figures *figures);

#endif
