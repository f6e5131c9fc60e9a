#include "experiment/scenario_subject.h"

#include "engine/slots/run.h"
#include "experiment/kernel_clock.h"

enum tma_error_code tma_scenario_run(const struct tma_scenario *scenario,
                                     const struct tma_event_sink *sink,
                                     const struct tma_watch *watch, struct tma_result *result,
                                     struct tma_kernel_place *place, struct tma_error *error) {
    const struct tma_machine *machine = &scenario->machine;
    const struct tma_kernel *kernel = tma_scenario_kernel(scenario);
    if (kernel == NULL)
        return tma_run_watched(machine, &scenario->workload, sink, watch, result, error);
    enum tma_error_code code =
        tma_kernel_run_watched(machine, kernel, sink, watch, result, place, error);
    if (code != TMA_OK)
        return code;
    struct tma_watch again = {0};
    if (watch != NULL)
        again = (struct tma_watch){
            .look = watch->look, .context = watch->context, .sampling = watch->sampling};
    return tma_kernel_find_memory_share(machine, kernel, &again, result, error);
}

struct tma_experiment_subject tma_scenario_subject(const struct tma_scenario *scenario) {
    const struct tma_kernel *kernel = tma_scenario_kernel(scenario);
    return (struct tma_experiment_subject){
        .machine = &scenario->machine,
        .kind = kernel != NULL ? &tma_kernel_kind : &tma_pipeline_kind,
        .workload = kernel != NULL ? (const void *)kernel : &scenario->workload,
        .map_names = scenario->map_names};
}
