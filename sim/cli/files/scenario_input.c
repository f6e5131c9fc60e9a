#include "cli/files/scenario_input.h"

#include "cli/files/output.h"
#include "cli/messages.h"
#include "engine/roles/kernel_first_tiles.h"
#include "engine/roles/kernel_read_maps.h"
#include "scenario/extend.h"
#include "scenario/swizzle_phase.h"

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

/* Puts the tiles of the first CTA of a kernel with roles in the workload. */
static bool find_tiles(struct tma_scenario *scenario) {
    struct tma_error error;
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

bool cli_tiles_read(const struct cli_options *options, struct tma_scenario *scenario) {
    return cli_scenario_read(options, scenario) && find_tiles(scenario);
}

bool cli_tiles_alone_read(const struct cli_options *options, struct tma_scenario *scenario) {
    struct tma_diagnostics list = {0}, consumers = {0};
    char reason[1000];
    bool good = tma_scenario_read_tiles(options->operands.items[0], options->settings.items,
                                        options->settings.count, scenario, &list, &consumers);
    if (good && tma_diagnostics_total(&consumers) > 0) {
        cli_first_error(&consumers, reason, sizeof reason);
        cli_note("consumers are left out: %s", reason);
    }
    cli_print_diagnostics(&list);
    tma_diagnostics_free(&list);
    tma_diagnostics_free(&consumers);
    return good && cli_scenario_spared(scenario, options->output) && find_tiles(scenario);
}

bool cli_has_consumers(const char *path) {
    struct tma_diagnostics list = {0};
    struct tma_scenario scenario;
    struct tma_read_maps maps;
    struct tma_error error;
    bool good = tma_scenario_read(path, NULL, 0, &scenario, &list);
    if (good && scenario.program != NULL)
        good = tma_kernel_read_maps(&scenario.program->kernel, &maps, &error) == TMA_OK;
    else if (good)
        good = scenario.workload.consumer_count > 0;
    tma_diagnostics_free(&list);
    tma_scenario_free(&scenario);
    return good;
}

void cli_note_swizzle_phases(const struct tma_scenario *scenario) {
    char text[TMA_PHASE_TEXT_BYTES];
    for (uint32_t i = 0; i < scenario->workload.map_count; i++)
        if (tma_swizzle_phase_find(scenario, i, text))
            cli_note("%s", text);
}
