/* mbarriers, the barriers of CTAs and clusters, and instructions of the lanes of a warp together.
 * Internal to this folder. */
#pragma once

#include "ptx/execution_state.h"

/* mbarrier.*: op->a is the base of the address, op->d the token or the predicate. */
tma_handler tma_run_mbarrier_init, tma_run_mbarrier_inval, tma_run_mbarrier_arrive,
    tma_run_mbarrier_count, tma_run_mbarrier_transactions, tma_run_mbarrier_wait;

/* cp.async.mbarrier.arrive: op->a is the base of the address; op->mode 1: .noinc. */
tma_handler tma_run_cp_async_arrive;

/* How an mbarrier.arrive arrives (op->mode, bits). */
enum { TMA_ARRIVE_DROP = 1, TMA_ARRIVE_EXPECT = 2 };

tma_handler tma_run_barrier, tma_run_cluster_arrive, tma_run_cluster_wait, tma_run_registers;
enum { TMA_BARRIER_SYNC, TMA_BARRIER_ARRIVE, TMA_BARRIER_RED }; /* op->mode */

/* Counts an arrival, or bytes, on the mbarrier at an address of shared memory. False after
 * tma_stop. *state: NULL, or the state before. */
bool tma_mbarrier_change(struct tma_warp *warp, const struct tma_op *op, uint32_t lane,
                         uint64_t address, bool generic, uint32_t arrivals, int64_t transactions,
                         bool drop, uint64_t *state);

/* The same without an instruction and its checks, at an offset in the CTA's shared memory. */
void tma_mbarrier_complete(struct tma_ptx_cta *cta, uint32_t offset, uint32_t arrivals,
                           uint32_t bytes);

/* Bytes of a bulk operation on an mbarrier of shared memory: they are complete at once, or where
 * the launch is timed, when tma_stepper_complete says so. False after tma_stop. */
bool tma_mbarrier_receive(struct tma_warp *warp, const struct tma_op *op, uint32_t lane,
                          uint64_t address, uint32_t bytes, struct tma_ptx_transfer *transfer);

/* Is the phase that a path waits for over? */
bool tma_wait_over(const struct tma_warp *warp, const struct tma_ptx_wait *wait, uint32_t lanes);

/* Describes a wait: "mbarrier 0x400 of CTA 3, phase 0: ...". */
void tma_wait_text(const struct tma_warp *warp, const struct tma_ptx_wait *wait, char *text,
                   size_t size);

/* Are all lanes of the warp that have not ended on this path? If not, it waits for the others: the
 * caller returns TMA_STEP_PARKED, and takes the wait from the path when it runs again. */
bool tma_converged(struct tma_warp *warp);

/* Barriers may be complete now that lanes of a warp have ended. */
void tma_barriers_after_exit(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes);

/* shfl, vote, match, redux, elect, activemask, bar.warp.sync. */
tma_handler tma_run_shfl, tma_run_vote, tma_run_match, tma_run_redux, tma_run_elect,
    tma_run_activemask, tma_run_nothing;
