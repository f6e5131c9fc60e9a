/* Runs a kernel with roles on a machine. */
#pragma once

#include "engine/observe/event.h"
#include "engine/result.h"
#include "engine/watch.h"

TMA_API_BEGIN

/* A kernel with roles, which a scenario has (tma_scenario_kernel). */
struct tma_kernel;

/* What an error is about: a place in a scenario; where its line is 0, a key of the kernel. */
struct tma_kernel_place {
    uint32_t line, column;
    const char *key; /* "rings"; NULL: the kernel as a whole */
};

/* Fails with TMA_ERROR_ARGUMENT if the kernel has more TMA operations than anyone waits for, unless
 * more are allowed (tma_scenario_allow_long_kernel). *place is then the statement that has most of
 * them, and the text ends with `remedy`, which says how to allow them. */
enum tma_error_code tma_kernel_check_operations(const struct tma_kernel *kernel, const char *remedy,
                                                struct tma_kernel_place *place,
                                                struct tma_error *error);

/* Simulates a kernel from the start of its first CTA to the end of its last one. Checks it first,
 * as tma_kernel_check does. `sink` and errors are as in run.h; in events, the slot of an operation
 * is the number of its role, and that of an mbarrier is the number of its stage among those of all
 * rings. *place, which may be NULL, is the place in the scenario that an error is about. The result
 * has no cause_cycles or slot_cycles, but role_cycles; its consumers are the first access
 * statements. */
enum tma_error_code tma_kernel_run(const struct tma_machine *machine,
                                   const struct tma_kernel *kernel,
                                   const struct tma_event_sink *sink, struct tma_result *result,
                                   struct tma_kernel_place *place, struct tma_error *error);

/* The same, with `watch`, which may be NULL, as in run.h. The total number of operations is that of
 * the first CTA times the number of CTAs, and no less than those that are done. */
enum tma_error_code tma_kernel_run_watched(const struct tma_machine *machine,
                                           const struct tma_kernel *kernel,
                                           const struct tma_event_sink *sink,
                                           const struct tma_watch *watch, struct tma_result *result,
                                           struct tma_kernel_place *place, struct tma_error *error);

TMA_API_END
