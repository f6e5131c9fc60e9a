/* What the check of a kernel finds out by the way. Internal to sim/engine. */
#ifndef TMA_ENGINE_KERNEL_CHECK_H
#define TMA_ENGINE_KERNEL_CHECK_H

#include "engine/kernel.h"

/* As tma_kernel_check. *operations becomes the operations of the first CTA; where its programs are
 * long, those of their beginning. */
enum tma_error_code tma_kernel_check_and_count(const struct tma_machine *machine,
                                               const struct tma_kernel *kernel,
                                               uint64_t *operations, struct tma_kernel_place *place,
                                               struct tma_error *error);

#endif
