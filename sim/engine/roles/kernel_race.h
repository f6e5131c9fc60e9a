/* Races of a kernel on shared memory: two accesses to the same bytes, one of which writes, that
 * nothing puts in order. They are found by order, not by time (happens-before): each role has a
 * clock of events for every role of its cluster, which says what it knows to have happened there.
 * Releases, signals, arrivals with expect_tx and barriers hand these clocks on; waits take them.
 *
 * Loads, stores and products go on after the role that issued them: a load has written when a role
 * has waited for its mbarrier, a product and a store have read when their role has waited for their
 * group. A role that has waited for a stage uses it until it releases it.
 *
 * The warps of a role access shared memory together; one thread issues its operations. That thread
 * knows what the other warps have done, and they know for what it has waited, behind a `sync`. */
#pragma once

#include "engine/roles/kernel_state.h"

/* For a kernel whose grid is ready. False when out of memory. */
bool tma_races_create(struct tma_kernel_engine *engine);
void tma_races_free(struct tma_kernel_engine *engine);

/* New CTAs start in the places of a cluster: nothing has happened in them. */
void tma_races_start(struct tma_kernel_cluster *cluster);

/* The role arrives on the full mbarrier of a stage of its CTA. */
void tma_race_arrive_full(struct tma_role_state *role, uint32_t ring, uint32_t stage);

/* The phase of a stage's full mbarrier, or of its empty one, has ended. */
void tma_race_end_full(struct tma_kernel_cta *cta, uint32_t ring, uint32_t stage);
void tma_race_end_empty(struct tma_kernel_cta *cta, uint32_t ring, uint32_t stage);

/* The role has waited for a stage to be empty. */
void tma_race_wait_empty(struct tma_role_state *role, uint32_t ring, uint32_t stage);

/* The role has waited for phase `phase` of a stage, which it uses from now on. */
void tma_race_wait_full(struct tma_role_state *role, const struct tma_statement *statement,
                        uint32_t stage, uint64_t phase);

/* The role no longer uses a stage, and arrives on its empty mbarrier in the CTAs of a mask; 0: it
 * has none. */
void tma_race_release(struct tma_role_state *role, uint32_t ring, uint32_t stage, uint32_t mask);

/* The role has filled a stage itself, and arrives on its full mbarrier. */
void tma_race_signal(struct tma_role_state *role, const struct tma_statement *statement,
                     uint32_t stage);

/* The role arrives at a named barrier; leaves it, where it waited there; and all have left it. */
void tma_race_arrive_barrier(struct tma_role_state *role, uint32_t barrier);
void tma_race_leave_barrier(struct tma_role_state *role, uint32_t barrier);
void tma_race_end_barrier(struct tma_kernel_cta *cta, uint32_t barrier);

/* The role has issued a load or a store, which touches `bytes` of shared memory. */
void tma_race_issue(struct tma_role_state *role, const struct tma_kernel_operation *operation,
                    uint32_t bytes);

/* The role has issued an EXCHANGE with the shared memory of `peer`; a copy reads the own from
 * `source` on. */
void tma_race_exchange(struct tma_role_state *role, const struct tma_kernel_operation *operation,
                       const struct tma_kernel_cta *peer, uint32_t source);

/* The role has executed a compute statement, which it began at `cycle`. */
void tma_race_compute(struct tma_role_state *role, const struct tma_statement *statement,
                      uint64_t cycle);

/* The role has waited for its first `count` groups of products, or of stores. */
void tma_race_know_products(struct tma_role_state *role, uint64_t count);
void tma_race_know_stores(struct tma_role_state *role, uint64_t count);

/* The role's program has ended: its stores have to have read, since its CTA may end. */
void tma_race_end_role(struct tma_role_state *role);
