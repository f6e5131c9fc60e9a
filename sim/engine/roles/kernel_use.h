/* Checks what the statements of a kernel do together: rings that no role fills or releases, stages
 * that are released twice, stores from stages that are still being filled, barriers that cannot
 * complete. What depends on the order in which roles run is left to the run, which reports a
 * deadlock. Internal to sim. */
#pragma once

#include "engine/roles/kernel.h"

/* Gets what is wrong, and where: a line of the scenario, or 0. */
typedef void tma_use_report(void *context, const struct tma_kernel_place *place, const char *text);

/* Reports all that is wrong. The statements refer to rings, buffers and barriers that there are.
 * False when out of memory. */
bool tma_kernel_check_use(const struct tma_kernel *kernel, tma_use_report *report, void *context);
