/* What a kernel reads by a tensor map, from its loops, without running it. */
#pragma once

#include "engine/roles/kernel.h"
#include "tensormap/advice.h"

/* For a pipeline. */
struct tma_map_use tma_workload_map_use(const struct tma_workload *workload, uint32_t map);

/* For a kernel with roles that is laid out. */
struct tma_map_use tma_kernel_map_use(const struct tma_machine *machine,
                                      const struct tma_kernel *kernel, uint32_t map);
