#include "cli/files/map_input.h"

#include <string.h>

#include "base/allocation.h"
#include "base/array.h"
#include "bound/map_use.h"
#include "cli/files/output.h"
#include "cli/files/piped_input.h"
#include "cli/messages.h"
#include "engine/lane_accesses.h"
#include "scenario/kernel_program.h"
#include "scenario/printed_map.h"
#include "scenario/swizzle_phase.h"
#include "scenario/text_file.h"
#include "tensormap/rules.h"

bool cli_map_input_load(const struct cli_options *options, const char *path,
                        struct cli_map_input *input, struct tma_diagnostics *list) {
    struct tma_error error = {0};
    size_t length;
    *input = (struct cli_map_input){.name = cli_file_name(path)};
    enum tma_error_code code = tma_text_read(path, &input->text, &length, &error);
    if (code != TMA_OK)
        return tma_diagnose(list, code, (struct tma_location){path, 0, 0}, "%s", error.text);
    if (tma_is_printed_map(input->text)) {
        char *yaml = tma_printed_map_to_yaml(input->text);
        if (yaml == NULL)
            return tma_diagnose(list, TMA_ERROR_MEMORY, (struct tma_location){path, 0, 0},
                                "out of memory");
        tma_release(input->text);
        input->text = yaml;
        length = strlen(yaml);
    }
    return tma_map_file_read(input->text, length, input->name, options->settings.items,
                             options->settings.count, &input->file, list);
}

bool cli_map_input_read(const struct cli_options *options, bool mends,
                        struct cli_map_input *input) {
    struct tma_diagnostics list = {0};
    const char *path =
        options->operands.count == 0 ? cli_piped_input("-") : options->operands.items[0];
    *input = (struct cli_map_input){0};
    if (path == NULL)
        return false;
    bool good = cli_map_input_load(options, path, input, &list);
    cli_print_diagnostics(&list);
    tma_diagnostics_free(&list);
    if (!good && input->file.mended && mends) {
        cli_note("what follows is for what was probably meant");
        good = true;
    }
    return good && cli_output_spares(options->output, input->file.scenario->gpu_path);
}

/* A map alone may be used in any way. */
static struct tma_map_use use_of(const struct cli_map_input *input, uint32_t map,
                                 const struct tma_scenario *runs) {
    if (runs == NULL)
        return (struct tma_map_use){
            .loads = true, .stores = true, .gathers = tma_map_file_gathers(&input->file, map)};
    return runs->program != NULL ? tma_kernel_map_use(&runs->machine, &runs->program->kernel, map)
                                 : tma_workload_map_use(&runs->workload, map);
}

static bool add_access_check(struct cli_map_input *input, size_t *capacity,
                             const struct tma_statement *statement,
                             const struct tma_access_figures *figures) {
    for (int f = 0; f < TMA_ACCESS_FINDINGS; f++) {
        struct cli_access_check check = {statement->line, statement->column,
                                         (enum tma_access_finding)f, *figures, ""};
        if (!tma_access_finding_text(check.finding, figures, check.text))
            continue;
        if (!TMA_GROW(input->accesses, input->access_count, *capacity))
            return false;
        input->accesses[input->access_count++] = check;
    }
    return true;
}

/* Looks at each statement whose lanes carry a tile, at the origin of its tensor. */
static bool check_accesses(struct cli_map_input *input, const struct tma_kernel *kernel) {
    size_t capacity = 0;
    bool good = true;
    for (uint32_t i = 0; i < kernel->statement_count && good; i++) {
        const struct tma_statement *statement = &kernel->statements[i];
        struct tma_lanes_demand demand;
        struct tma_error error;
        if (statement->kind != TMA_STATEMENT_OPERATION || !tma_lanes_carry(statement->lanes.by) ||
            tma_lanes_demand(&kernel->maps[statement->map], &statement->operation,
                             &statement->lanes, &demand, &error) != TMA_OK)
            continue;
        const struct tma_access_figures figures = {demand.accesses, demand.sectors,
                                                   demand.ideal_sectors, demand.repeats};
        good = add_access_check(input, &capacity, statement, &figures);
    }
    return good;
}

bool cli_map_input_find_uses(const struct cli_options *options, struct cli_map_input *input) {
    struct tma_diagnostics list = {0};
    struct tma_scenario scenario;
    char text[TMA_PHASE_TEXT_BYTES];
    bool good = true;
    bool runs = tma_scenario_read_text(input->text, input->name, options->settings.items,
                                       options->settings.count, &scenario, &list) &&
                scenario.workload.map_count == cli_map_count(input);
    for (uint32_t i = 0; i < cli_map_count(input) && good; i++) {
        input->uses[i] = use_of(input, i, runs ? &scenario : NULL);
        if (runs && tma_swizzle_phase_find(&scenario, i, text))
            good = (input->phases[i] = tma_copy_text(text)) != NULL;
    }
    if (good && runs && scenario.program != NULL)
        good = check_accesses(input, &scenario.program->kernel);
    tma_diagnostics_free(&list);
    tma_scenario_free(&scenario);
    return good || cli_error("out of memory");
}

void cli_map_input_free(struct cli_map_input *input) {
    for (uint32_t i = 0; i < TMA_MAX_TENSOR_MAPS; i++)
        tma_release(input->phases[i]);
    tma_release(input->accesses);
    tma_map_file_free(&input->file);
    tma_release(input->text);
    *input = (struct cli_map_input){0};
}

uint32_t cli_map_count(const struct cli_map_input *input) {
    return input->file.scenario->workload.map_count;
}

const struct tma_tensor_map *cli_map(const struct cli_map_input *input, uint32_t index) {
    return &input->file.scenario->workload.maps[index];
}

const char *cli_map_name(const struct cli_map_input *input, uint32_t index) {
    return input->file.scenario->map_names[index];
}

enum tma_architecture cli_architecture(const struct cli_options *options,
                                       const struct cli_map_input *input) {
    if (options->architecture != 0)
        return (enum tma_architecture)options->architecture;
    enum tma_architecture from_machine =
        input == NULL ? 0 : input->file.scenario->machine.architecture;
    return from_machine == 0 ? TMA_SM_90 : from_machine;
}
