#include "cli/scenario_input.h"

#include "cli/messages.h"
#include "cli/output.h"
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

bool cli_workload_read(const struct cli_options *options, struct tma_scenario *scenario) {
    if (!cli_scenario_read(options, scenario))
        return false;
    if (scenario->program == NULL)
        return true;
    cli_error("%s has a kernel with roles; this verb takes scenarios with a workload",
              options->operands.items[0]);
    return false;
}
