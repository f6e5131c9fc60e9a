#include "cli/files/scenario_input.h"

#include <inttypes.h>
#include <string.h>

#include "base/allocation.h"
#include "cli/files/map_input.h"
#include "cli/files/output.h"
#include "cli/messages.h"
#include "engine/roles/kernel_first_tiles.h"
#include "engine/roles/kernel_read_maps.h"
#include "scenario/document.h"
#include "scenario/extend.h"
#include "scenario/kernel_program.h"
#include "scenario/swizzle_phase.h"

/* Room for the text of a map. */
enum { MAP_TEXT_BYTES = 2000 };

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

static size_t add_numbers(char *text, size_t size, const char *key, const uint64_t *numbers,
                          uint32_t count) {
    size_t at = (size_t)snprintf(text, size, ", %s: [", key);
    for (uint32_t i = 0; i < count; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%" PRIu64, i == 0 ? "" : ", ", numbers[i]);
    return at + (size_t)snprintf(text + at, size - at, "]");
}

/* Adds what the rules refuse in the only map of a file, at its place there. */
static void check_alone(const struct cli_map_input *input, enum tma_architecture architecture,
                        struct tma_diagnostics *list) {
    struct tma_violation violations[TMA_MAX_VIOLATIONS];
    size_t count =
        tma_tensor_map_check(cli_map(input, 0), architecture, violations, TMA_MAX_VIOLATIONS);
    for (size_t i = 0; i < count; i++) {
        char text[TMA_ERROR_TEXT_BYTES];
        tma_violation_text(&violations[i], text, sizeof text);
        tma_diagnose(list, TMA_ERROR_TENSOR_MAP,
                     tma_map_file_locate(&input->file, 0, violations[i].field, violations[i].index),
                     "%s", text);
    }
}

/* A scenario with one load of a tiled map. */
static void write_load(const struct tma_tensor_map *map, char text[MAP_TEXT_BYTES]) {
    uint64_t box[TMA_MAX_RANK], strides[TMA_MAX_RANK];
    size_t at = (size_t)snprintf(
        text, MAP_TEXT_BYTES,
        "{name: map, gpu: h200, workload: {ctas: 1, iterations: 1, pipeline: {depth: 1}, "
        "operations: [{load: map}]}, tensor_maps: {map: {data_type: %s, interleave: %s, "
        "swizzle: %s",
        tma_name_of(&tma_data_type_names, (int)map->data_type),
        tma_name_of(&tma_interleave_names, (int)map->interleave),
        tma_name_of(&tma_swizzle_names, (int)map->swizzle));
    for (uint32_t d = 0; d < map->rank; d++) {
        box[d] = map->box_dim[d];
        strides[d] = map->element_strides[d];
    }
    at += add_numbers(text + at, MAP_TEXT_BYTES - at, "global_dim", map->global_dim, map->rank);
    at += add_numbers(text + at, MAP_TEXT_BYTES - at, "global_strides", map->global_strides,
                      map->rank - 1);
    at += add_numbers(text + at, MAP_TEXT_BYTES - at, "box_dim", box, map->rank);
    at += add_numbers(text + at, MAP_TEXT_BYTES - at, "element_strides", strides, map->rank);
    snprintf(text + at, MAP_TEXT_BYTES - at, "}}}");
}

/* Reads a file that has one tiled map and nothing else: a scenario that loads its first tile.
 * *alone is false where the file is none, and then nothing is said. */
static bool read_map_alone(const struct cli_options *options, struct tma_scenario *scenario,
                           bool *alone) {
    struct tma_diagnostics list = {0}, of_text = {0};
    struct cli_map_input input;
    const struct cli_list *settings = &options->settings;
    const char **of_machine = tma_allocate(settings->count, sizeof *of_machine);
    size_t count = 0;
    char text[MAP_TEXT_BYTES];
    bool good = false;
    for (size_t i = 0; of_machine != NULL && i < settings->count; i++)
        if (strncmp(settings->items[i], "gpu.", strlen("gpu.")) == 0)
            of_machine[count++] = settings->items[i];
    bool loaded = cli_map_input_load(options, options->operands.items[0], &input, &list);
    const struct tma_scenario *file = input.file.scenario;
    *alone = loaded ? input.file.nodes[0] == &input.file.single
                    : file != NULL && file->document != NULL &&
                          file->document->kind == TMA_YAML_MAPPING &&
                          tma_document_is_map(file->document);
    if (*alone)
        *scenario = (struct tma_scenario){0};
    if (*alone && of_machine == NULL) {
        cli_error("out of memory");
    } else if (*alone && !loaded) {
        cli_print_diagnostics(&list);
    } else if (*alone && cli_map(&input, 0)->kind != TMA_MAP_TILED) {
        cli_error("%s: a map alone is shown as a tiled load, and this one is for im2col: put it "
                  "into a scenario",
                  input.name);
    } else if (*alone) {
        write_load(cli_map(&input, 0), text);
        good = tma_scenario_read_text(text, "the map", of_machine, count, scenario, &of_text);
        if (!good)
            check_alone(&input, scenario->machine.architecture, &list);
        cli_print_diagnostics(tma_diagnostics_total(&list) > 0 ? &list : &of_text);
    }
    tma_diagnostics_free(&list);
    tma_diagnostics_free(&of_text);
    tma_release(of_machine);
    cli_map_input_free(&input);
    return good;
}

bool cli_tiles_alone_read(const struct cli_options *options, struct tma_scenario *scenario) {
    struct tma_diagnostics list = {0}, consumers = {0};
    char reason[1000];
    bool alone, map = read_map_alone(options, scenario, &alone);
    if (alone)
        return map;
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

void cli_note_machines(const struct cli_list *settings, const char *const *paths, size_t count) {
    char first[TMA_MAX_NAME] = "", machine[TMA_MAX_NAME] = "";
    bool differ = false;
    for (size_t i = 0; i < count && !differ; i++) {
        struct tma_diagnostics list = {0};
        struct tma_scenario scenario;
        if (tma_scenario_read(paths[i], settings->items, settings->count, &scenario, &list)) {
            differ = first[0] != '\0' && strcmp(machine, scenario.machine.name) != 0;
            if (differ)
                cli_note("%s is for %s and %s for %s: --gpu MACHINE compares them on one machine",
                         first, machine, scenario.name, scenario.machine.name);
            strcpy(first, scenario.name);
            strcpy(machine, scenario.machine.name);
        }
        tma_diagnostics_free(&list);
        tma_scenario_free(&scenario);
    }
}

void cli_note_swizzle_phases(const struct tma_scenario *scenario) {
    char text[TMA_PHASE_TEXT_BYTES];
    for (uint32_t i = 0; i < scenario->workload.map_count; i++)
        if (tma_swizzle_phase_find(scenario, i, text))
            cli_note("%s", text);
}
