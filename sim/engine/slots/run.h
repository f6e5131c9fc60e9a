/* Runs a workload on a machine. */
#pragma once

#include "base/api.h"
#include "base/error.h"
#include "engine/observe/event.h"
#include "engine/result.h"
#include "engine/watch.h"

TMA_API_BEGIN

/* Simulates the workload from its first issue to its last completion. `sink`, which may be NULL,
 * gets every event of the run in the order of event.h. The result is written where the run
 * succeeds; otherwise its contents mean nothing.
 *
 * One process can run many simulations, one after the other. It cannot run two at once: neither in
 * two threads, nor by a call from an event sink.
 *
 * The first run loads the engine, libtmasim-engine.so: the file that the environment variable
 * TMASIM_ENGINE names; else one in the folder of the program or of libtmasim.so, in ../lib,
 * ../lib/tmasim or ../tmasim beside that folder, or where the dynamic linker searches.
 *
 * Fails with
 * - TMA_ERROR_ARGUMENT: the workload asks for what the machine does not have;
 * - TMA_ERROR_FAULT: an operation faults;
 * - TMA_ERROR_DEADLOCK: an mbarrier never fills. The text names waiting slots, with the bytes that
 *   each expects and those that arrived;
 * - TMA_ERROR_MODEL: a fault of the model itself. The text says what is in flight;
 * - TMA_ERROR_UNSUPPORTED: another simulation is running in this process;
 * - TMA_ERROR_FILE: the engine is missing. The text says where it was searched;
 * - TMA_ERROR_MEMORY: out of memory. */
enum tma_error_code tma_run(const struct tma_machine *machine, const struct tma_workload *workload,
                            const struct tma_event_sink *sink, struct tma_result *result,
                            struct tma_error *error);

/* The same as tma_run, with `watch`, which may be NULL. Also fails with
 * - TMA_ERROR_INTERRUPTED: `look` returned false. The result then has what was done by that cycle:
 *   counters, operations and CTAs that have ended; waves are not counted. */
enum tma_error_code tma_run_watched(const struct tma_machine *machine,
                                    const struct tma_workload *workload,
                                    const struct tma_event_sink *sink,
                                    const struct tma_watch *watch, struct tma_result *result,
                                    struct tma_error *error);

TMA_API_END
