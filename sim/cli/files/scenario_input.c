#include "cli/files/scenario_input.h"

#include <inttypes.h>
#include <string.h>

#include "base/allocation.h"
#include "cli/files/map_input.h"
#include "cli/files/output.h"
#include "cli/files/piped_input.h"
#include "cli/messages.h"
#include "engine/roles/kernel_first_tiles.h"
#include "engine/roles/kernel_read_maps.h"
#include "scenario/document.h"
#include "scenario/extend.h"
#include "scenario/kernel_program.h"
#include "scenario/suggestion.h"
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

/* Adds a key and its list. Negative numbers are in two's complement; none is above INT64_MAX. */
static size_t add_numbers(char *text, size_t size, const char *key, const uint64_t *numbers,
                          uint32_t count) {
    size_t at = (size_t)snprintf(text, size, ", %s: [", key);
    for (uint32_t i = 0; i < count; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%" PRId64, i == 0 ? "" : ", ",
                               (int64_t)numbers[i]);
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

/* A scenario with one load of a map, and an access to its tile if that is not NULL. */
static void write_load(const struct tma_tensor_map *map, const struct tma_consumer *access,
                       char text[MAP_TEXT_BYTES]) {
    uint64_t box[TMA_MAX_RANK], strides[TMA_MAX_RANK], ones[TMA_MAX_RANK] = {1, 1, 1, 1, 1},
                                                       lower[TMA_MAX_RANK], upper[TMA_MAX_RANK];
    char walk[80];
    size_t end = add_numbers(walk, sizeof walk, "walk: {tiles", ones, map->rank);
    end += add_numbers(walk + end, sizeof walk - end, "step", ones, map->rank);
    snprintf(walk + end, sizeof walk - end, "}");
    size_t at = (size_t)snprintf(
        text, MAP_TEXT_BYTES,
        "{name: map, gpu: h200, workload: {ctas: 1, iterations: 1, pipeline: {depth: 1}, "
        "operations: [{load: map%s}]",
        map->kind == TMA_MAP_TILED ? "" : walk);
    if (access != NULL)
        at += (size_t)snprintf(
            text + at, MAP_TEXT_BYTES - at,
            ", consumers: [{operation: 0, instruction: %s, lanes: %s, transposed: %s}]",
            tma_shared_instruction_info(access->instruction)->name,
            tma_name_of(&tma_lane_map_names, (int)access->lanes),
            access->transposed ? "true" : "false");
    at += (size_t)snprintf(
        text + at, MAP_TEXT_BYTES - at,
        "}, tensor_maps: {map: {kind: %s, data_type: %s, interleave: %s, swizzle: %s",
        tma_name_of(&tma_map_kind_names, (int)map->kind),
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
    at += add_numbers(text + at, MAP_TEXT_BYTES - at, "element_strides", strides, map->rank);
    if (map->kind == TMA_MAP_TILED) {
        at += add_numbers(text + at, MAP_TEXT_BYTES - at, "box_dim", box, map->rank);
    } else {
        uint32_t corners = map->kind == TMA_MAP_IM2COL ? map->rank - 2 : 1;
        for (uint32_t i = 0; i < corners; i++) {
            lower[i] = (uint64_t)map->lower_corner[i];
            upper[i] = (uint64_t)map->upper_corner[i];
        }
        at += add_numbers(text + at, MAP_TEXT_BYTES - at, "lower_corner", lower, corners);
        at += add_numbers(text + at, MAP_TEXT_BYTES - at, "upper_corner", upper, corners);
        at += (size_t)snprintf(text + at, MAP_TEXT_BYTES - at,
                               ", channels_per_pixel: %" PRIu32 ", pixels_per_column: %" PRIu32,
                               map->channels_per_pixel, map->pixels_per_column);
    }
    snprintf(text + at, MAP_TEXT_BYTES - at, "}}}");
}

/* Keeps the settings that are of the machine, or those that are not. */
static size_t machine_settings(const struct cli_list *settings, bool of_machine,
                               const char **kept) {
    size_t count = 0;
    for (size_t i = 0; i < settings->count; i++) {
        const char *item = settings->items[i];
        if ((strncmp(item, "gpu.", 4) == 0 || strncmp(item, "gpu=", 4) == 0) == of_machine)
            kept[count++] = item;
    }
    return count;
}

/* Reads a file that has one map and nothing else: a scenario that loads its first tile.
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
    if (of_machine != NULL)
        count = machine_settings(settings, true, of_machine);
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
    } else if (*alone) {
        write_load(cli_map(&input, 0), NULL, text);
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

/* Reads "INSTRUCTION" or "INSTRUCTION:LANES". */
static bool parse_access(const char *text, struct tma_consumer *access) {
    static const char trans[] = ".trans";
    char name[64];
    size_t length = strcspn(text, ":"), stem = length;
    int instruction, lanes = TMA_LANES_ROW;
    if (length > strlen(trans) && strncmp(text + length - strlen(trans), trans, strlen(trans)) == 0)
        stem -= strlen(trans);
    snprintf(name, sizeof name, "%.*s", (int)(stem < sizeof name ? stem : sizeof name - 1), text);
    struct tma_suggestion suggestion = {.wanted = name};
    tma_suggest_names(&suggestion, &tma_shared_instruction_names);
    if (!tma_value_of(&tma_shared_instruction_names, name, &instruction))
        return cli_error("--access %s: \"%s\" is no instruction; %sexpected ld.shared.b32, "
                         "st.shared.b128, ldmatrix.x4, ldmatrix.x4.trans, wgmma or the like",
                         text, name, tma_hint_of(&suggestion).text);
    if (strncmp(name, "ldmatrix", 8) == 0 || strncmp(name, "stmatrix", 8) == 0)
        lanes = TMA_LANES_MATRIX;
    else if (instruction == TMA_WGMMA_SHARED)
        lanes = TMA_LANES_DESCRIPTOR;
    if (text[length] == ':' && !tma_value_of(&tma_lane_map_names, text + length + 1, &lanes)) {
        char *names = tma_names_list(&tma_lane_map_names);
        cli_error("--access %s: \"%s\" is no lane map; expected %s", text, text + length + 1,
                  names == NULL ? "" : names);
        tma_release(names);
        return false;
    }
    *access = (struct tma_consumer){.instruction = (enum tma_shared_instruction)instruction,
                                    .lanes = (enum tma_lane_map)lanes,
                                    .transposed = stem < length};
    return true;
}

bool cli_put_access(const struct cli_options *options, const char *access,
                    struct cli_options *changed) {
    /* One verb runs in a process: these stay until it ends. */
    static const char *operand, **settings;
    static char text[MAP_TEXT_BYTES];
    struct tma_diagnostics list = {0};
    struct cli_map_input input = {0};
    struct tma_consumer consumer;
    *changed = *options;
    if (access == NULL)
        return true;
    if (!parse_access(access, &consumer))
        return false;
    struct cli_options of_map = *options;
    settings = tma_allocate(2 * options->settings.count + 1, sizeof *settings);
    if (settings == NULL)
        return cli_error("out of memory");
    of_map.settings.count =
        machine_settings(&options->settings, false, settings + options->settings.count);
    of_map.settings.items = settings + options->settings.count;
    changed->settings.items = settings;
    changed->settings.count = machine_settings(&options->settings, true, settings);
    const char *path = options->operands.items[0];
    bool good = cli_map_input_load(&of_map, path, &input, &list);
    if (good && input.file.nodes[0] != &input.file.single)
        good = cli_error("--access is for a file with one tensor map; a scenario has its accesses "
                         "in workload.consumers, or in the access statements of its roles");
    else if (good)
        check_alone(&input, cli_architecture(options, &input), &list);
    good = good && tma_diagnostics_total(&list) == 0;
    cli_print_diagnostics(&list);
    if (good) {
        write_load(cli_map(&input, 0), &consumer, text);
        operand = cli_text_input(text, cli_file_name(path));
        changed->operands.items = &operand;
    }
    tma_diagnostics_free(&list);
    cli_map_input_free(&input);
    return good && operand != NULL;
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

void cli_note_products(const struct tma_scenario *scenario) {
    enum tma_architecture architecture = scenario->machine.architecture;
    bool any = false;
    const struct tma_kernel *kernel = scenario->program == NULL ? NULL : &scenario->program->kernel;
    for (uint32_t i = 0; kernel != NULL && i < kernel->statement_count; i++)
        any = any || (kernel->statements[i].kind == TMA_STATEMENT_COMPUTE &&
                      kernel->statements[i].work == TMA_WORK_MMA);
    if (any && architecture != TMA_SM_90)
        cli_note(
            "products have the rates of this GPU, but are issued as wgmma of sm_90: what %s has "
            "instead (tcgen05, mma) is not simulated",
            tma_name_of(&tma_architecture_names, (int)architecture));
}

void cli_note_swizzle_phases(const struct tma_scenario *scenario) {
    char text[TMA_PHASE_TEXT_BYTES];
    for (uint32_t i = 0; i < scenario->workload.map_count; i++)
        if (tma_swizzle_phase_find(scenario, i, text))
            cli_note("%s", text);
}
