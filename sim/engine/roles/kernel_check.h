/* What the check of a kernel finds out by the way. Internal to sim/engine. */
#pragma once

#include "engine/roles/kernel.h"

/* The TMA operations of a CTA, and the bytes of their boxes. */
struct tma_cta_work {
    uint64_t operations, bytes;
};

/* As tma_kernel_check. *work becomes that of the first CTA; where its programs are long, that of
 * their beginning. */
enum tma_error_code tma_kernel_check_and_count(const struct tma_machine *machine,
                                               const struct tma_kernel *kernel,
                                               struct tma_cta_work *work,
                                               struct tma_kernel_place *place,
                                               struct tma_error *error);

/* Checks what the statements of a kernel do together: rings that no role fills or releases, stages
 * that are released twice, stores from stages that are still being filled, barriers that cannot
 * complete. What depends on the order in which roles run is left to the run, which reports a
 * deadlock. Internal to sim. */

/* Gets what is wrong, and where: a line of the scenario, or 0. */
typedef void tma_use_report(void *context, const struct tma_kernel_place *place, const char *text);

/* Reports all that is wrong. The statements refer to rings, buffers and barriers that there are.
 * False when out of memory. */
bool tma_kernel_check_use(const struct tma_kernel *kernel, tma_use_report *report, void *context);
