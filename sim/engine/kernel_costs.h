/* The machine as a kernel finds it. */
#ifndef TMA_ENGINE_KERNEL_COSTS_H
#define TMA_ENGINE_KERNEL_COSTS_H

#include "engine/kernel.h"

/* The machine at the kernel's clock, with the costs of the kernel's own code in the place of the
 * machine's. */
struct tma_machine tma_kernel_machine(const struct tma_machine *machine,
                                      const struct tma_kernel *kernel);

#endif
