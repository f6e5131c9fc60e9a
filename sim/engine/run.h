/* Runs a workload on a machine. */
#ifndef TMA_ENGINE_RUN_H
#define TMA_ENGINE_RUN_H

#include "base/api.h"
#include "base/error.h"
#include "engine/event.h"
#include "engine/result.h"

TMA_API_BEGIN

/* Simulates the workload from its first issue to its last completion. sink may be NULL. May be
 * called again in one process. Fails with TMA_ERROR_DEADLOCK where an mbarrier never fills (the
 * text names each waiting slot, the bytes that it expects and those that arrived), or with
 * TMA_ERROR_FAULT where an operation faults. */
enum tma_error_code tma_run(const struct tma_machine *machine, const struct tma_workload *workload,
                            const struct tma_event_sink *sink, struct tma_result *result,
                            struct tma_error *error);

TMA_API_END

#endif
