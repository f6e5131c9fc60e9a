/* The wavefronts of a consumer's pass that an experiment counts. */
#pragma once

#include "engine/workload.h"

static inline uint64_t tma_tenth_faster(uint64_t work) {
    return (work * 20 + 11) / 22;
}

static inline uint64_t tma_relieved_wavefronts(enum tma_wavefronts kind,
                                               const struct tma_consumer_report *report) {
    switch (kind) {
    case TMA_WAVEFRONTS_TENTH_FASTER:
        return tma_tenth_faster(report->wavefronts);
    case TMA_WAVEFRONTS_IDEAL:
        return report->ideal_wavefronts;
    case TMA_WAVEFRONTS_MEASURED:
        break;
    }
    return report->wavefronts;
}
