#include "cli/plain_report.h"

#include "base/allocation.h"
#include "engine/kernel_run.h"
#include "engine/run.h"
#include "report/kernel_report.h"
#include "report/report.h"

static void write_report(const struct tma_scenario *scenario, const struct tma_digests *digests,
                         const struct tma_result *result, int format, FILE *out) {
    struct tma_report_input input = {
        .scenario = scenario->name,
        .digests = digests,
        .machine = &scenario->machine,
        .workload = &scenario->workload,
        .result = result,
        .map_names = scenario->map_names,
        .limits = tma_report_limits_of(&scenario->machine, result),
    };
    tma_report_write(&input, format, out);
}

static void write_kernel_report(const struct tma_scenario *scenario,
                                const struct tma_digests *digests, const struct tma_result *result,
                                int format, FILE *out) {
    struct tma_kernel_report_input input = {
        .scenario = scenario->name,
        .digests = digests,
        .machine = &scenario->machine,
        .kernel = &scenario->program->kernel,
        .result = result,
        .map_names = scenario->map_names,
    };
    tma_kernel_report_write(&input, format, out);
}

enum tma_error_code cli_plain_report(const struct tma_scenario *scenario, const char *format,
                                     uint64_t *cycles, FILE *out, struct tma_error *error) {
    const struct tma_kernel_program *program = scenario->program;
    struct tma_digests digests;
    int number = 0;
    struct tma_result *result = tma_allocate(1, sizeof *result);
    if (result == NULL || !tma_scenario_digest(scenario, &digests) ||
        !tma_value_of(&tma_report_format_names, format, &number)) {
        tma_release(result);
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    }
    enum tma_error_code code =
        program != NULL
            ? tma_kernel_run(&scenario->machine, &program->kernel, NULL, result, NULL, error)
            : tma_run(&scenario->machine, &scenario->workload, NULL, result, error);
    if (code == TMA_OK)
        (program != NULL ? write_kernel_report : write_report)(scenario, &digests, result, number,
                                                               out);
    if (code == TMA_OK && cycles != NULL)
        *cycles = result->cycles;
    tma_release(result);
    return code;
}
