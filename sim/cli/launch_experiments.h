/* What limits a launch of a compiled kernel: it runs again with one part of the machine a tenth
 * better, part by part, in worker processes. */
#ifndef TMA_CLI_LAUNCH_EXPERIMENTS_H
#define TMA_CLI_LAUNCH_EXPERIMENTS_H

#include "launch/launch.h"
#include "report/launch_report.h"

/* Runs the experiments for a launch that took `cycles` cycles. Returns how many parts save a
 * hundredth of them or more: limits[0] on, the one that saves most first. At most
 * TMA_LAUNCH_LIMITS. Prints an error and returns 0 if workers fail; Ctrl-C ends the experiments
 * early. */
uint32_t cli_launch_experiments(const struct tma_launch *launch, const struct tma_machine *machine,
                                uint64_t cycles, unsigned jobs, bool quiet,
                                struct tma_launch_limit limits[TMA_LAUNCH_LIMITS]);

#endif
