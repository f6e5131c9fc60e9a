/* The tiles of a kernel with roles, for those that look at tiles and not at time. */
#pragma once

#include "engine/roles/kernel.h"

/* Writes the operations of a kernel's first CTA as one stage of a workload: each where it is
 * executed first, with its coordinates there, and with the shared memory of the first stage of its
 * ring or of its buffer. Consumers are those of the kernel's compute statements. A workload has
 * room for the first TMA_MAX_STAGE_OPERATIONS and TMA_MAX_CONSUMERS, in the order of the
 * statements; those that the CTA does not execute are left out. The maps of *workload are those of
 * the kernel. Fails as the expressions do. */
enum tma_error_code tma_kernel_first_tiles(const struct tma_kernel *kernel,
                                           struct tma_workload *workload, struct tma_error *error);
