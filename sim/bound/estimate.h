/* An estimate of the time that a kernel with roles takes, from a simulation of its first part. */
#ifndef TMA_BOUND_ESTIMATE_H
#define TMA_BOUND_ESTIMATE_H

#include "engine/kernel.h"
#include "engine/result.h"

struct tma_kernel_estimate {
    uint64_t cycles;
    bool whole; /* the kernel is short: it was simulated to its end, and these are its cycles */
};

/* Simulates the first output tiles of a kernel, and takes the time of a tile for all. What this
 * leaves out: that tiles which come later find other data in L2, and how the last wave of CTAs runs
 * out. *result is that of the run, whole or not.
 * Fails as tma_kernel_run does. The same kernel has the same estimate on every host. */
enum tma_error_code tma_kernel_estimate(const struct tma_machine *machine,
                                        const struct tma_kernel *kernel, struct tma_result *result,
                                        struct tma_kernel_estimate *estimate,
                                        struct tma_error *error);

#endif
