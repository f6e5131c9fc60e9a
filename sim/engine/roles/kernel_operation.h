/* The TMA operations of roles: from the statement to the memory system, and back. */
#pragma once

#include "engine/roles/kernel_state.h"

/* Finds what is known of the kernel's operations before the run. Fails as tma_rows_begin does. */
enum tma_error_code tma_kernel_find_facts(struct tma_kernel_engine *engine);

/* The bytes that a stage expects in the role's CTA, which the role acquires with this statement:
 * those of the loads that follow it. Negative where an expression fails; then the run stops. */
int64_t tma_acquired_bytes(struct tma_role_state *role, const struct tma_statement *acquire);

/* The role issues an operation at its cycle. Returns how long its warp takes for that. */
uint64_t tma_role_issue(struct tma_role_state *role, const struct tma_statement *statement);

/* The role issues a load into registers, number reads_issued. False where too many are on their
 * way, and the run stops. */
bool tma_role_begin_read(struct tma_role_state *role, const struct tma_statement *statement);

/* The cycles for which so many instructions of lanes occupy the schedulers: each has some of the
 * role's warps. */
uint64_t tma_role_lane_cycles(const struct tma_role_state *role, uint64_t instructions);

/* program->complete and describe. */
void tma_role_complete(struct tma_simulation *simulation, struct tma_issued *issued,
                       struct tma_cta *cta, const struct tma_completion *completion,
                       uint64_t cycle);
void tma_role_describe_operation(struct tma_simulation *simulation,
                                 const struct tma_issued *operation, char *text, size_t size);
