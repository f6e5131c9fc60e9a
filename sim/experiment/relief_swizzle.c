/* Another swizzle mode of the tiles that consumers read changes their bank conflicts. */
#include <stdio.h>

#include "experiment/pipeline_reliefs.h"
#include "tensormap/types.h"

/* Gives the mode of the tensor maps of consumed tiles, or -1 where they differ. */
static int consumed_mode(const struct tma_workload *workload) {
    int mode = -2;
    for (uint32_t i = 0; i < workload->consumer_count; i++) {
        uint32_t operation = workload->consumers[i].operation;
        int own = (int)workload->maps[workload->operations[operation].map].swizzle;
        mode = mode == -2 || mode == own ? own : -1;
    }
    return mode == -2 ? -1 : mode;
}

static bool another_mode(struct tma_relieved *relieved) {
    struct tma_workload *workload = tma_pipeline_of(relieved);
    enum tma_swizzle mode = (enum tma_swizzle)relieved->variant;
    int before = consumed_mode(workload);
    uint64_t excess = 0;
    for (uint32_t i = 0; i < workload->consumer_count; i++) {
        const struct tma_consumer_total *total = &relieved->before->consumers[i];
        struct tma_tensor_map *map =
            &workload->maps[workload->operations[workload->consumers[i].operation].map];
        excess += total->wavefronts - total->ideal_wavefronts;
        map->swizzle = mode;
        if (workload->consumers[i].lanes == TMA_LANES_DESCRIPTOR)
            return false; /* its matrix descriptor describes the layout, and would change too */
    }
    if (before >= 0)
        snprintf(relieved->change, sizeof relieved->change, "%s instead of %s for what they read",
                 tma_name_of(&tma_swizzle_names, (int)mode),
                 tma_name_of(&tma_swizzle_names, before));
    else
        snprintf(relieved->change, sizeof relieved->change, "%s for all that they read",
                 tma_name_of(&tma_swizzle_names, (int)mode));
    return excess > 0 && before != (int)mode && tma_pipeline_is_legal(&relieved->machine, workload);
}

const struct tma_relief tma_relief_swizzle = {.key = "swizzle",
                                              .name = "swizzle of the consumers' tiles",
                                              .advice = true,
                                              .variants = TMA_SWIZZLE_128B_ATOM_64B + 1,
                                              .apply = another_mode};
