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
