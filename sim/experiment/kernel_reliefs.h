/* The reliefs of kernels with roles: of workloads of the kind struct tma_kernel. */
#ifndef TMA_EXPERIMENT_KERNEL_RELIEFS_H
#define TMA_EXPERIMENT_KERNEL_RELIEFS_H

#include "engine/roles/kernel.h"
#include "experiment/relief.h"

#define TMA_KERNEL_RELIEFS(X)                                                                      \
    X(tensor_cores)                                                                                \
    X(alu)                                                                                         \
    X(sfu)                                                                                         \
    X(shared_memory)                                                                               \
    X(free_of_conflicts)                                                                           \
    X(computing)                                                                                   \
    X(instructions)                                                                                \
    X(ring_stage)                                                                                  \
    X(occupancy)                                                                                   \
    X(whole_waves)                                                                                 \
    X(cta_launch)                                                                                  \
    X(cluster_release)                                                                             \
    X(tile_counter)                                                                                \
    X(ring_depth)                                                                                  \
    X(kernel_promotion)                                                                            \
    X(tile_order)

#define TMA_KERNEL_RELIEF(name) extern const struct tma_relief tma_relief_##name;
TMA_KERNEL_RELIEFS(TMA_KERNEL_RELIEF)
#undef TMA_KERNEL_RELIEF

/* The kernel of a relief. */
static inline struct tma_kernel *tma_kernel_of(struct tma_relieved *relieved) {
    return relieved->workload;
}

/* The first statement at or behind index `from` that is of a kind; NULL: none. */
static inline struct tma_statement *tma_find_statement(struct tma_kernel *kernel, uint32_t from,
                                                       enum tma_statement_kind kind) {
    for (uint32_t i = from; i < kernel->statement_count; i++)
        if (kernel->statements[i].kind == kind)
            return &kernel->statements[i];
    return NULL;
}

/* Whether a compute statement does such work. */
static inline bool tma_kernel_does(const struct tma_kernel *kernel, enum tma_work work) {
    for (uint32_t i = 0; i < kernel->statement_count; i++)
        if (kernel->statements[i].kind == TMA_STATEMENT_COMPUTE &&
            kernel->statements[i].work == work)
            return true;
    return false;
}

#endif
