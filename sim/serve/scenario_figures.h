/* The figures of a scenario that is run once. */
#pragma once

#include "engine/watch.h"
#include "report/sweep.h"
#include "scenario/scenario.h"

/* Simulates a scenario, a workload or a kernel with roles, in part if that is asked for and it is
 * long. Fails as tma_run and tma_kernel_run do. */
enum tma_error_code tma_scenario_figures(const struct tma_scenario *scenario,
                                         enum tma_sampling sampling,
                                         struct tma_sweep_figures *figures,
                                         struct tma_error *error);
