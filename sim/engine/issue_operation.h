/* Turns what a slot has issued into an operation of the memory system. */
#ifndef TMA_ENGINE_ISSUE_OPERATION_H
#define TMA_ENGINE_ISSUE_OPERATION_H

#include "engine/grid.h"

/* Hands a queued operation to the memory system. Stops the run where the operation faults, or when
 * out of memory. */
void tma_issue_operation(struct tma_grid *grid, struct tma_simulation *simulation,
                         const struct tma_queued_issue *issue);

/* The slot on whose mbarrier an operation completes. */
struct tma_slot *tma_completion_slot(const struct tma_grid *grid,
                                     const struct tma_completion *completion);

/* Number of the completed operation in its CTA: iteration * operations of a stage + index. */
static inline uint32_t tma_completion_number(const struct tma_completion *completion) {
    return (uint32_t)completion->tag;
}

/* The number of the tensor map of operation `number` of the slot's CTA, among all of the
 * workload's, from 1. */
uint32_t tma_slot_descriptor(const struct tma_slot *slot, uint32_t number);

#endif
