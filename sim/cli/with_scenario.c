#include "cli/complain.h"
#include "cli/verbs.h"

int cli_with_scenario(const struct cli_options *options, cli_scenario_work *work) {
    struct tma_scenario scenario;
    struct tma_diagnostics list = {0};
    int status = CLI_BAD_INPUT;
    bool good = tma_scenario_read(options->operands[0], options->settings, options->setting_count,
                                  &scenario, &list);
    cli_complain_all(&list);
    tma_diagnostics_free(&list);
    if (good)
        status = work(options, &scenario);
    tma_scenario_free(&scenario);
    return status;
}
