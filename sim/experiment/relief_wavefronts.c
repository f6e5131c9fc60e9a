/* The consumers occupy shared memory for less time. */
#include <stdio.h>

#include "experiment/pipeline_reliefs.h"

static bool a_tenth_fewer(struct tma_relieved *relieved) {
    struct tma_workload *workload = tma_pipeline_of(relieved);
    if (workload->consumer_count == 0)
        return false;
    workload->wavefronts = TMA_WAVEFRONTS_TENTH_FASTER;
    snprintf(relieved->change, sizeof relieved->change,
             "10 %% more wavefronts of the consumers per cycle");
    return true;
}

static bool without_conflicts(struct tma_relieved *relieved) {
    struct tma_workload *workload = tma_pipeline_of(relieved);
    uint64_t excess = 0;
    for (uint32_t i = 0; i < workload->consumer_count; i++) {
        const struct tma_consumer_total *total = &relieved->before->consumers[i];
        if (total->wavefronts > total->ideal_wavefronts)
            excess += total->wavefronts - total->ideal_wavefronts;
    }
    workload->wavefronts = TMA_WAVEFRONTS_IDEAL;
    snprintf(relieved->change, sizeof relieved->change, "consumers without any");
    return excess > 0;
}

const struct tma_relief tma_relief_wavefronts = {
    .key = "shared_memory", .name = "shared memory", .variants = 1, .apply = a_tenth_fewer};
const struct tma_relief tma_relief_conflicts = {
    .key = "bank_conflicts", .name = "bank conflicts", .variants = 1, .apply = without_conflicts};
