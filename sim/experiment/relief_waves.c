/* A last wave with fewer CTAs than there are SMs leaves the other SMs idle. */
#include <stdio.h>

#include "experiment/pipeline_reliefs.h"

/* The grid without its last wave shows the rate of whole waves. */
static bool whole_waves(struct tma_relieved *relieved) {
    struct tma_workload *workload = tma_pipeline_of(relieved);
    uint32_t sms[TMA_MAX_SMS], ctas = workload->cta_count;
    uint32_t wave = tma_workload_place(&relieved->machine, workload, sms);
    if (wave == 0 || ctas <= wave || ctas % wave == 0)
        return false;
    workload->cta_count = ctas - ctas % wave;
    relieved->work = workload->cta_count;
    relieved->whole_work = ctas;
    snprintf(relieved->change, sizeof relieved->change,
             "the same work in whole waves of %u CTAs, without a last wave of %u,", wave,
             ctas % wave);
    return true;
}

const struct tma_relief tma_relief_waves = {
    .key = "waves", .name = "waves", .variants = 1, .apply = whole_waves};
