#include "cli/plain_report.h"

#include "base/allocation.h"
#include "cli/scenario_findings.h"
#include "engine/roles/kernel_run.h"
#include "engine/slots/run.h"
#include "experiment/kernel_clock.h"
#include "report/report.h"
#include "scenario/kernel_program.h"

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
    if (code == TMA_OK && program != NULL)
        code =
            tma_kernel_find_memory_share(&scenario->machine, &program->kernel, NULL, result, error);
    const struct cli_report report = {.scenario = scenario, .digests = &digests, .result = result};
    if (code == TMA_OK)
        cli_report_write(&report, number, out);
    if (code == TMA_OK && cycles != NULL)
        *cycles = result->cycles;
    tma_release(result);
    return code;
}
