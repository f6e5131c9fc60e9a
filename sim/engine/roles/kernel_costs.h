/* The machine as a kernel finds it. */
#pragma once

#include "engine/roles/kernel.h"

/* The machine at the kernel's clock, with the costs of the kernel's own code in the place of the
 * machine's. */
struct tma_machine tma_kernel_machine(const struct tma_machine *machine,
                                      const struct tma_kernel *kernel);

/* Whether each cost is one with which the timing was compared with records: the machine's own, or
 * that of code whose kernels were. */
bool tma_kernel_costs_compared(const struct tma_machine *machine,
                               const struct tma_kernel_costs *costs);
