/* Whether a workload can be simulated on a machine. */
#ifndef TMA_ENGINE_WORKLOAD_CHECK_H
#define TMA_ENGINE_WORKLOAD_CHECK_H

#include "base/error.h"
#include "engine/workload.h"

/* Fails with TMA_ERROR_ARGUMENT if the workload asks for something that the machine does not have,
 * or that the simulator does not model. */
enum tma_error_code tma_workload_check(const struct tma_machine *machine,
                                       const struct tma_workload *workload,
                                       struct tma_error *error);

#endif
