#include "serve/scenario_figures.h"

#include "base/allocation.h"
#include "experiment/scenario_subject.h"

enum tma_error_code tma_scenario_figures(const struct tma_scenario *scenario,
                                         enum tma_sampling sampling,
                                         struct tma_sweep_figures *figures,
                                         struct tma_error *error) {
    const struct tma_watch watch = {.sampling = sampling};
    struct tma_result *result = tma_allocate(1, sizeof *result);
    if (result == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    enum tma_error_code code = tma_scenario_run(scenario, NULL, &watch, result, NULL, error);
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
