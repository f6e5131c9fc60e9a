/* More pipeline stages hide more of the latency. */
#include <stdio.h>

#include "experiment/pipeline_reliefs.h"

static bool deepen(struct tma_relieved *relieved, uint32_t depth) {
    struct tma_workload *workload = tma_pipeline_of(relieved);
    uint32_t before = workload->depth;
    if (depth > workload->iterations)
        depth = workload->iterations;
    if (depth <= before)
        return false;
    workload->depth = depth;
    snprintf(relieved->change, sizeof relieved->change, "%s (%u instead of %u)",
             depth == before + 1 ? "one more pipeline stage" : "more pipeline stages", depth,
             before);
    return tma_pipeline_is_legal(&relieved->machine, workload);
}

static bool one_more(struct tma_relieved *relieved) {
    return deepen(relieved, tma_pipeline_of(relieved)->depth + 1);
}

/* Twice the stages, or as many as shared memory holds, where these are at least two more. */
static bool twice(struct tma_relieved *relieved) {
    const struct tma_workload *workload = tma_pipeline_of(relieved);
    uint32_t depth = 2 * workload->depth;
    uint32_t free_bytes =
        relieved->machine.shared_memory_cta_bytes > workload->shared_base_bytes
            ? relieved->machine.shared_memory_cta_bytes - workload->shared_base_bytes
            : 0;
    if (workload->stage_bytes > 0 && free_bytes / workload->stage_bytes < depth)
        depth = free_bytes / workload->stage_bytes;
    return depth >= workload->depth + 2 && workload->iterations >= workload->depth + 2 &&
           deepen(relieved, depth);
}

const struct tma_relief tma_relief_stages = {
    .key = "stages", .name = "latency", .variants = 1, .apply = one_more};
const struct tma_relief tma_relief_stages_doubled = {.key = "stages_doubled",
                                                     .name = "pipeline depth",
                                                     .advice = true,
                                                     .smaller = &tma_relief_stages,
                                                     .variants = 1,
                                                     .apply = twice};
