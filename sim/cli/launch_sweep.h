/* tmasim sweep of launch files: launches with many settings, the fastest first. */
#ifndef TMA_CLI_LAUNCH_SWEEP_H
#define TMA_CLI_LAUNCH_SWEEP_H

#include "cli/options.h"
#include "search/variants.h"

/* Runs each launch that the operands name with the settings of each variant, in worker processes,
 * and writes the ranked table. `list` is the file that variants come from, or NULL. Returns the
 * exit status. */
int cli_launch_sweep(const struct cli_options *options, const char *list,
                     const struct tma_variants *variants);

#endif
