#include "serve/scenario_figures.h"

#include "base/allocation.h"
#include "engine/roles/kernel_run.h"
#include "engine/slots/run.h"
#include "experiment/kernel_clock.h"
#include "scenario/kernel_program.h"

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
    const struct tma_report_input input = {
        .machine = &scenario->machine,
        .kernel = tma_scenario_kernel(scenario),
        .workload = &scenario->workload,
        .result = result,
    };
    if (code == TMA_OK)
        *figures = tma_sweep_figures_of(&input);
    tma_release(result);
    return code;
}
