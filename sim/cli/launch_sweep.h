/* tmasim sweep of launch files: launches with many settings, the fastest first. */
#ifndef TMA_CLI_LAUNCH_SWEEP_H
#define TMA_CLI_LAUNCH_SWEEP_H

#include "cli/options.h"
#include "search/variants.h"

struct cli_launch_sweep {
    const struct cli_options *options; /* whose operands are the launch files */
    const struct tma_variants *variants;
    const char *list;   /* the file that variants come from, or NULL */
    const char *resume; /* journal; NULL: none */
    bool sample;        /* long launches are simulated in part */
};

/* Runs each launch with the settings of each variant, in worker processes, and writes the ranked
 * table. Returns the exit status. */
int cli_launch_sweep(const struct cli_launch_sweep *sweep);

#endif
