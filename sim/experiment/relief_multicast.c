/* A tile that several CTAs need can be one multicast load of a cluster, or one load of each. */
#include <stdio.h>

#include "experiment/pipeline_reliefs.h"

enum { SMALLEST_CLUSTER = 2 };

/* Every CTA loads the same tiles with such an operation, so that any CTAs can share them. */
static bool can_be_shared(const struct tma_stage_operation *stage) {
    return stage->operation.direction == TMA_LOAD && stage->operation.cta_mask == 0 &&
           stage->walk.order == TMA_WALK_SAME;
}

static bool share(struct tma_relieved *relieved) {
    struct tma_workload *workload = tma_pipeline_of(relieved);
    uint32_t ctas = (uint32_t)SMALLEST_CLUSTER << relieved->variant, first = 0;
    while (first < workload->operation_count && !can_be_shared(&workload->operations[first]))
        first++;
    if (tma_cluster_ctas(workload) > 1 || first == workload->operation_count ||
        workload->cta_count % ctas != 0)
        return false;
    workload->cluster_ctas = ctas;
    for (uint32_t i = first; i < workload->operation_count; i++)
        if (can_be_shared(&workload->operations[i]))
            workload->operations[i].operation.cta_mask = (uint16_t)((1u << ctas) - 1);
    snprintf(relieved->change, sizeof relieved->change,
             "of %s, which all CTAs load, to clusters of %u CTAs",
             tma_relieved_map_name(relieved, workload->operations[first].map).text, ctas);
    return true;
}

/* Each CTA walks as its cluster did. */
static bool load_alone(struct tma_relieved *relieved) {
    struct tma_workload *workload = tma_pipeline_of(relieved);
    uint32_t ctas = tma_cluster_ctas(workload);
    bool shares = false;
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        struct tma_stage_operation *stage = &workload->operations[i];
        if (stage->operation.cta_mask == 0)
            continue;
        if (stage->operation.cta_mask != (1u << ctas) - 1)
            return false; /* CTAs do different work */
        shares = true;
        stage->walk.ctas_per_walker = ctas;
        stage->operation.cta_mask = 0;
    }
    workload->cluster_ctas = 1;
    snprintf(relieved->change, sizeof relieved->change,
             "loads of each CTA's own instead of multicast to %u CTAs", ctas);
    return shares;
}

const struct tma_relief tma_relief_multicast = {
    .key = "multicast", .name = "multicast", .advice = true, .variants = 2, .apply = share};
const struct tma_relief tma_relief_unicast = {
    .key = "unicast", .name = "no multicast", .advice = true, .variants = 1, .apply = load_alone};
