/* What a kernel with roles has left in L2. */
#pragma once

#include "engine/roles/kernel_state.h"

/* program->warm_up. */
void tma_kernel_warm_up(struct tma_simulation *simulation);
