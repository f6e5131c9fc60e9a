/* A launch and its clusters, from their start to their end. Internal to this folder. */
#pragma once

#include "ptx/execution_state.h"

/* Checks a launch whose first members are set (to those of struct tma_ptx_launch), and makes it
 * ready to run. Fails as tma_ptx_execute does; tma_close_launch is called in either case. */
enum tma_error_code tma_open_launch(struct tma_executor *launch);

/* Frees the launch, and its result unless `code` is TMA_OK. Returns `code`, or TMA_ERROR_MEMORY. */
enum tma_error_code tma_close_launch(struct tma_executor *launch, enum tma_error_code code);

/* Begins a cluster, in memory of one that has ended if there is one: *unused is a list of these.
 * NULL when out of memory. */
struct tma_ptx_cluster *tma_start_cluster(struct tma_executor *launch,
                                          struct tma_ptx_cluster **unused, uint64_t index);

/* NULL is allowed. */
void tma_free_cluster(struct tma_ptx_cluster *cluster);

/* Have all its warps ended? */
bool tma_cluster_ended(const struct tma_ptx_cluster *cluster);

/* Every warp waits, or spins: adds a finding for each path, which says what for. */
void tma_report_deadlock(struct tma_executor *launch, struct tma_ptx_cluster *const *active,
                         uint32_t count);
