/* What a kernel with roles has left in L2. */
#ifndef TMA_ENGINE_KERNEL_WARM_START_H
#define TMA_ENGINE_KERNEL_WARM_START_H

#include "engine/roles/kernel_state.h"

/* program->warm_up. */
void tma_kernel_warm_up(struct tma_simulation *simulation);

#endif
