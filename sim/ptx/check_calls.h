/* Tells the checks (ptx/checks.h) what the executor does, in clusters that are checked. Internal to
 * this folder.
 *
 * Registers of matrix products are checked here, as they are a warp's own: an accumulator, or A in
 * registers, must not be touched between wgmma and the wait for its group, and what other
 * instructions wrote to them needs wgmma.fence before the next product. */
#pragma once

#include "ptx/checks.h"
#include "ptx/execution_state.h"
#include "ptx/matrix.h"

/* Begins to watch a cluster whose first CTA has this number in the grid, if it is among those that
 * are to be checked. False when out of memory. */
bool tma_watch_begin(struct tma_executor *launch, struct tma_ptx_cluster *cluster, uint64_t first);

/* Ends it. `completed`: all its CTAs have come to their end. */
void tma_watch_end(struct tma_ptx_cluster *cluster, bool completed);

static inline bool tma_watched(const struct tma_warp *warp) {
    return warp->cta->cluster->watch != NULL;
}

/* The calls below are for warps that are watched. */

/* An instruction is about to run for the lanes whose guard holds; that may be none. */
void tma_watch_registers(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes);

/* Lanes access `bytes` bytes each; only shared memory is of interest. */
void tma_watch_access(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes,
                      const uint64_t address[32], uint32_t bytes, enum tma_check_access access);

/* A range of shared memory, by its address as the instruction has it, with the rank of the CTA. */
void tma_watch_bulk_write(struct tma_warp *warp, const struct tma_op *op, uint32_t lane,
                          uint64_t address, uint32_t bytes, uint8_t layout, bool reduces,
                          uint64_t barrier);
void tma_watch_bulk_read(struct tma_warp *warp, const struct tma_op *op, uint32_t lane,
                         uint64_t address, uint32_t bytes, uint8_t layout);
void tma_watch_bulk_source(struct tma_warp *warp, const struct tma_op *op, uint32_t lane,
                           uint64_t address, uint32_t bytes, uint64_t barrier);
void tma_watch_copy(struct tma_warp *warp, const struct tma_op *op, uint32_t lane, uint64_t address,
                    uint32_t bytes);
void tma_watch_product(struct tma_warp *warp, const struct tma_op *op,
                       const struct tma_ptx_product *product, uint64_t a_descriptor,
                       uint64_t b_descriptor);

void tma_watch_barrier_init(struct tma_warp *warp, const struct tma_op *op, uint32_t lane,
                            uint32_t cta, uint64_t offset);
void tma_watch_barrier_arrive(struct tma_warp *warp, const struct tma_op *op, uint32_t lane,
                              uint32_t cta, uint64_t offset);
void tma_watch_copy_arrive(struct tma_warp *warp, const struct tma_op *op, uint32_t lane,
                           uint32_t cta, uint64_t offset);
void tma_watch_phase(struct tma_warp *warp, uint32_t cta, uint64_t offset);
void tma_watch_barrier_wait(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes,
                            uint32_t cta, uint64_t offset);

/* A barrier of the CTA, or TMA_CHECK_CLUSTER. */
void tma_watch_sync_arrive(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes,
                           uint32_t barrier);
void tma_watch_sync_complete(struct tma_warp *warp, uint32_t barrier);
void tma_watch_sync_wait(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes,
                         uint32_t barrier);
void tma_watch_converge(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes);
void tma_watch_exit(struct tma_warp *warp);

/* Groups and fences, which only the checks need: op->mode enum tma_check_group; op->mode2 1:
 * commit, 0: wait until op->a groups are left (absent: none). A fence's op->mode is enum
 * tma_check_fence. */
tma_handler tma_run_group, tma_run_fence, tma_run_product_fence;
