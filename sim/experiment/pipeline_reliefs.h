/* The reliefs of pipelines: of workloads of the kind struct tma_workload. One file each. */
#ifndef TMA_EXPERIMENT_PIPELINE_RELIEFS_H
#define TMA_EXPERIMENT_PIPELINE_RELIEFS_H

#include "experiment/relief.h"

#define TMA_PIPELINE_RELIEFS(X)                                                                    \
    X(stages)                                                                                      \
    X(wavefronts)                                                                                  \
    X(conflicts)                                                                                   \
    X(waves)                                                                                       \
    X(stages_doubled)                                                                              \
    X(swizzle)                                                                                     \
    X(promotion)                                                                                   \
    X(multicast)                                                                                   \
    X(unicast)                                                                                     \
    X(box)

#define TMA_PIPELINE_RELIEF(name) extern const struct tma_relief tma_relief_##name;
TMA_PIPELINE_RELIEFS(TMA_PIPELINE_RELIEF)
#undef TMA_PIPELINE_RELIEF

/* The workload of a relief. */
static inline struct tma_workload *tma_pipeline_of(struct tma_relieved *relieved) {
    return relieved->workload;
}

/* Whether the rules, which the reader of a scenario checks, accept the workload: tensor maps,
 * operations, alignment and size of shared memory. What the run checks itself is left out. */
bool tma_pipeline_is_legal(const struct tma_machine *machine, const struct tma_workload *workload);

/* The name of a tensor map: "A", or "map 0" where names are not known. */
struct tma_map_name {
    char text[TMA_MAX_NAME];
};
struct tma_map_name tma_relieved_map_name(const struct tma_relieved *relieved, uint32_t map);

#endif
