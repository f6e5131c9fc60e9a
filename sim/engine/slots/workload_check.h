/* Whether a workload can be simulated on a machine. */
#pragma once

#include "base/error.h"
#include "engine/workload.h"

/* Fails with TMA_ERROR_TENSOR_MAP, and names map and rule, if no architecture's rules accept a map.
 * Workloads and kernels of any origin pass this first: nothing computes with a map that was not
 * checked. */
enum tma_error_code tma_maps_check(const struct tma_tensor_map *maps, uint32_t count,
                                   struct tma_error *error);

/* Fails as tma_maps_check does, or with TMA_ERROR_ARGUMENT if the workload asks for something that
 * the machine does not have, or that the simulator does not model. */
enum tma_error_code tma_workload_check(const struct tma_machine *machine,
                                       const struct tma_workload *workload,
                                       struct tma_error *error);
