#include "cli/scenario_input.h"

#include "cli/messages.h"
#include "cli/output.h"
#include "engine/kernel_first_tiles.h"
#include "scenario/extend.h"

bool cli_scenario_spared(const struct tma_scenario *scenario, const char *output) {
    bool good = cli_output_spares(output, scenario->gpu_path);
    for (size_t i = 0; good && scenario->bases != NULL && i < scenario->bases->count; i++)
        good = cli_output_spares(output, scenario->bases->paths[i]);
    return good;
}

bool cli_scenario_read(const struct cli_options *options, struct tma_scenario *scenario) {
    struct tma_diagnostics list = {0};
    bool good = tma_scenario_read(options->operands.items[0], options->settings.items,
                                  options->settings.count, scenario, &list);
    cli_print_diagnostics(&list);
    tma_diagnostics_free(&list);
    return good && cli_scenario_spared(scenario, options->output);
}

bool cli_tiles_read(const struct cli_options *options, struct tma_scenario *scenario) {
    struct tma_error error;
    if (!cli_scenario_read(options, scenario))
        return false;
    if (scenario->program == NULL)
        return true;
    if (tma_kernel_first_tiles(&scenario->program->kernel, &scenario->workload, &error) != TMA_OK)
        cli_error("%s: %s", scenario->name, error.text);
    else if (scenario->workload.operation_count == 0)
        cli_error("%s: the first CTA executes no operation", scenario->name);
    else
        return true;
    return false;
}
