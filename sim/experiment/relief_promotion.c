/* Another L2 promotion fetches fewer sectors that are never used, or fetches earlier what is. */
#include <stdio.h>

#include "experiment/pipeline_reliefs.h"
#include "tensormap/types.h"

static bool another_promotion(struct tma_relieved *relieved) {
    static const enum tma_l2_promotion modes[] = {TMA_L2_NONE, TMA_L2_256B};
    struct tma_workload *workload = tma_pipeline_of(relieved);
    bool changes = false;
    for (uint32_t i = 0; i < workload->map_count; i++) {
        changes |= workload->maps[i].l2_promotion != modes[relieved->variant];
        workload->maps[i].l2_promotion = modes[relieved->variant];
    }
    snprintf(relieved->change, sizeof relieved->change, "%s for every tensor map",
             tma_name_of(&tma_l2_promotion_names, (int)modes[relieved->variant]));
    return changes && relieved->before->counters.l2_fills > 0 &&
           tma_pipeline_is_legal(&relieved->machine, workload);
}

const struct tma_relief tma_relief_promotion = {.key = "promotion",
                                                .name = "L2 promotion",
                                                .advice = true,
                                                .variants = 2,
                                                .apply = another_promotion};
