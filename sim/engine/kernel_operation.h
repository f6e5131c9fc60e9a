/* The TMA operations of roles: from the statement to the memory system, and back. */
#ifndef TMA_ENGINE_KERNEL_OPERATION_H
#define TMA_ENGINE_KERNEL_OPERATION_H

#include "engine/kernel_state.h"

/* Finds what is known of the kernel's operations before the run. Fails as tma_rows_begin does. */
enum tma_error_code tma_kernel_find_facts(struct tma_kernel_engine *engine);

/* The bytes that a stage expects in the role's CTA, which the role acquires with this statement:
 * those of the loads that follow it. Negative where an expression fails; then the run stops. */
int64_t tma_acquired_bytes(struct tma_role_state *role, const struct tma_statement *acquire);

/* The role issues an operation at its cycle. Returns how long its warp takes for that. */
uint64_t tma_role_issue(struct tma_role_state *role, const struct tma_statement *statement);

/* Hands an issued operation to the memory system. Stops the run where it faults. */
void tma_kernel_hand_over(struct tma_kernel_engine *engine, const struct tma_queued_issue *issue);

/* An operation has completed, as warps see at `cycle`. */
void tma_kernel_complete(struct tma_kernel_engine *engine, const struct tma_completion *completion,
                         uint64_t cycle);

/* The number of a tensor map among all of the kernel's, from 1. */
uint32_t tma_kernel_descriptor(const struct tma_kernel *kernel, uint32_t map, uint32_t index);

#endif
