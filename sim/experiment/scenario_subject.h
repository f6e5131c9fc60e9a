/* Runs and experiments of a scenario, whatever it has: a workload or a kernel with roles. */
#pragma once

#include "engine/observe/event.h"
#include "engine/roles/kernel_run.h"
#include "experiment/experiment.h"
#include "scenario/scenario.h"

TMA_API_BEGIN

/* Simulates the scenario, as tma_run_watched or tma_kernel_run_watched does; of a kernel then what
 * tma_kernel_find_memory_share needs. `sink`, `watch` and `place`, which is the place in the
 * scenario that an error is about, may be NULL. */
enum tma_error_code tma_scenario_run(const struct tma_scenario *scenario,
                                     const struct tma_event_sink *sink,
                                     const struct tma_watch *watch, struct tma_result *result,
                                     struct tma_kernel_place *place, struct tma_error *error);

/* The scenario as the subject of experiments and launches. It borrows all of it. */
struct tma_experiment_subject tma_scenario_subject(const struct tma_scenario *scenario);

TMA_API_END
