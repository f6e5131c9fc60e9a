/* What a report says beyond its one run: launches with other seeds, and the experiments that show
 * what limits the run. */
#pragma once

#include "experiment/experiment.h"

/* All pointers are borrowed. */
struct tma_findings {
    const struct tma_experiments *experiments; /* NULL: there were none */
    bool too_long;                             /* there were none because the run is long */
    const struct tma_launches *draws;          /* launches with several seeds; NULL: none */
};
