/* What limits a run and what would make it faster, in sentences, as the experiments show it. */
#pragma once

#include "report/findings.h"

enum { TMA_VERDICT_BYTES = 300 };

struct tma_verdict {
    /* The key of a relief; "nothing": no single relief helps, or there is nothing to relieve;
     * "not_tried": there were no experiments. */
    const char *key;
    char text[TMA_VERDICT_BYTES]; /* one sentence without a full stop */
};

/* `idle`: the run issued no operation. */
struct tma_verdict tma_verdict_of(const struct tma_findings *findings, bool idle);

/* What one experiment found: "DRAM bandwidth: 10 % more of it would save 7.9 % of the time". */
struct tma_verdict tma_experiment_sentence(const struct tma_experiment *experiment);
