/* What a run of a kernel with roles did, for the model of clock and power (memory/power.h), and a
 * second simulation, which says how long the kernel takes at a lower clock of the SMs. */
#pragma once

#include "base/api.h"
#include "base/error.h"
#include "engine/result.h"
#include "engine/watch.h"
#include "memory/power.h"

TMA_API_BEGIN

struct tma_kernel;

/* Of a simulation at the machine's own clock. */
struct tma_activity tma_kernel_activity(const struct tma_kernel *kernel,
                                        const struct tma_result *result);

/* Simulates the kernel again at a lower clock, where its time depends on one, and sets
 * result->memory_share: of a long run the first quarter of the operations. `watch` may be NULL.
 * Fails as tma_kernel_run_watched does. */
enum tma_error_code tma_kernel_find_memory_share(const struct tma_machine *machine,
                                                 const struct tma_kernel *kernel,
                                                 const struct tma_watch *watch,
                                                 struct tma_result *result,
                                                 struct tma_error *error);

TMA_API_END
