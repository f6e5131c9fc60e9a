/* Runs a workload on a machine. */
#ifndef TMA_ENGINE_RUN_H
#define TMA_ENGINE_RUN_H

#include "base/api.h"
#include "base/error.h"
#include "engine/event.h"
#include "engine/result.h"

TMA_API_BEGIN

/* Simulates the workload from its first issue to its last completion. `sink`, which may be NULL,
 * gets every event of the run in the order of event.h. The result is written where the run
 * succeeds; otherwise its contents mean nothing.
 *
 * One process can run many simulations, one after the other. It cannot run two at once: neither in
 * two threads, nor by a call from an event sink. The engine that runs them, libtmasim-engine.so, is
 * loaded by the first run (module.h says where it is searched).
 *
 * Fails with
 *   TMA_ERROR_ARGUMENT     the workload asks for what the machine does not have
 *   TMA_ERROR_FAULT        an operation faults
 *   TMA_ERROR_DEADLOCK     an mbarrier never fills; the text names each waiting slot, the bytes
 * that it expects and those that arrived TMA_ERROR_UNSUPPORTED  another simulation is running in
 * this process TMA_ERROR_FILE         the engine is missing; the text says where it was searched
 *   TMA_ERROR_MEMORY       out of memory */
enum tma_error_code tma_run(const struct tma_machine *machine, const struct tma_workload *workload,
                            const struct tma_event_sink *sink, struct tma_result *result,
                            struct tma_error *error);

TMA_API_END

#endif
