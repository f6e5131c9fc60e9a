#include "serve/scenario_figures.h"

#include "base/allocation.h"
#include "engine/roles/kernel_run.h"
#include "engine/slots/run.h"
#include "experiment/kernel_clock.h"
#include "report/clock_figures.h"
#include "scenario/kernel_program.h"

static struct tma_sweep_figures figures_of(const struct tma_scenario *scenario,
                                           const struct tma_machine *machine,
                                           const struct tma_workload *workload,
                                           const struct tma_result *result) {
    struct tma_report_input input = {
        .scenario = scenario->name,
        .machine = machine,
        .workload = workload,
        .result = result,
        .map_names = scenario->map_names,
        .limits = tma_report_limits_of(machine, result),
    };
    return tma_sweep_figures_of(&input);
}

/* The figures of a row take from a workload only its CTAs, its SMs and how many consumers it has,
 * and from a machine its clock. Consumers that the kernel lacks have no wavefronts. */
static struct tma_sweep_figures kernel_figures_of(const struct tma_scenario *scenario,
                                                  const struct tma_result *result) {
    const struct tma_kernel *kernel = &scenario->program->kernel;
    struct tma_machine machine = scenario->machine;
    struct tma_workload workload = {
        .cta_count = kernel->cta_count,
        .cluster_ctas = kernel->cluster_ctas,
        .consumer_count = TMA_MAX_CONSUMERS,
        .sm_count = kernel->sm_count > 0 ? kernel->sm_count : machine.sm_count,
    };
    machine.sm_clock_mhz = tma_kernel_clock_mhz(&scenario->machine, kernel, result);
    return figures_of(scenario, &machine, &workload, result);
}

enum tma_error_code tma_scenario_figures(const struct tma_scenario *scenario,
                                         enum tma_sampling sampling,
                                         struct tma_sweep_figures *figures,
                                         struct tma_error *error) {
    const struct tma_kernel_program *program = scenario->program;
    const struct tma_watch watch = {.sampling = sampling};
    struct tma_result *result = tma_allocate(1, sizeof *result);
    if (result == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    enum tma_error_code code =
        program != NULL
            ? tma_kernel_run_watched(&scenario->machine, &program->kernel, NULL, &watch, result,
                                     NULL, error)
            : tma_run_watched(&scenario->machine, &scenario->workload, NULL, &watch, result, error);
    if (code == TMA_OK && program != NULL)
        code = tma_kernel_find_memory_share(&scenario->machine, &program->kernel, &watch, result,
                                            error);
    if (code == TMA_OK)
        *figures = program != NULL
                       ? kernel_figures_of(scenario, result)
                       : figures_of(scenario, &scenario->machine, &scenario->workload, result);
    tma_release(result);
    return code;
}
