#include "scenario/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/machine_file.h"
#include "scenario/scenario_reader.h"

struct scenario_input {
    char name[TMA_MAX_NAME];
    char description[512];
    char gpu[512];
    const struct tma_yaml_node *tensor_maps, *workload;
};

#define IN(member) offsetof(struct scenario_input, member)

static const struct tma_key keys[] = {
    {.path = "name",
     .kind = TMA_KEY_CHARS,
     .max = TMA_MAX_NAME - 1,
     .offset = IN(name),
     .meaning = "how reports and traces call it"},
    {.path = "description",
     .kind = TMA_KEY_CHARS,
     .max = 511,
     .fallback = TMA_OPTIONAL,
     .offset = IN(description),
     .meaning = "what it shows"},
    {.path = "gpu",
     .kind = TMA_KEY_CHARS,
     .max = 511,
     .offset = IN(gpu),
     .meaning = "the machine's file, relative to the scenario's"},
    {.path = "tensor_maps",
     .kind = TMA_KEY_MAPPING,
     .offset = IN(tensor_maps),
     .meaning = "NAME: {...}, one for each tensor map: see below"},
    {.path = "workload",
     .kind = TMA_KEY_MAPPING,
     .offset = IN(workload),
     .meaning = "what the CTAs do: see below"},
};

const struct tma_schema tma_scenario_schema = {keys, sizeof keys / sizeof keys[0]};

/* A setting below "gpu." is for the machine's document, by its path there. */
static const char gpu_prefix[] = "gpu.";

static const char *machine_setting(const char *setting) {
    size_t length = sizeof gpu_prefix - 1;
    return strncmp(setting, gpu_prefix, length) == 0 ? setting + length : NULL;
}

bool tma_scenario_name_settings(struct tma_scenario *scenario, size_t count) {
    scenario->places = calloc(count + 1, sizeof *scenario->places);
    if (scenario->places == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        char place[32];
        snprintf(place, sizeof place, "--set %zu", i + 1);
        scenario->places[i] = strdup(place);
        if (scenario->places[i] == NULL)
            return false;
        scenario->place_count = i + 1;
    }
    return true;
}

bool tma_scenario_apply_settings(struct tma_scenario *scenario, const char *const *settings, size_t count,
                        bool to_machine, struct tma_diagnostics *list) {
    struct tma_yaml_node *root = to_machine ? scenario->gpu_document : scenario->document;
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        const char *for_machine = machine_setting(settings[i]);
        if ((for_machine != NULL) != to_machine)
            continue;
        const char *setting = to_machine ? for_machine : settings[i];
        good = tma_yaml_set(root, setting, scenario->places[i], list) && good;
    }
    return good;
}

/* Relative to the folder of `base`; paths from the command line are relative to where that is. */
static char *resolve(const char *base, const char *path) {
    const char *slash = strrchr(base, '/');
    if (path[0] == '/' || slash == NULL)
        return strdup(path);
    size_t folder = (size_t)(slash - base) + 1;
    char *joined = malloc(folder + strlen(path) + 1);
    if (joined != NULL) {
        memcpy(joined, base, folder);
        strcpy(joined + folder, path);
    }
    return joined;
}

bool tma_scenario_read_machine(struct tma_scenario_reader *reading, const char *gpu, const char *const *settings,
                  size_t setting_count) {
    struct tma_scenario *scenario = reading->scenario;
    struct tma_location at = tma_yaml_locate(reading->root, "gpu");
    scenario->gpu_path = resolve(at.file, gpu);
    if (scenario->gpu_path == NULL)
        return false;
    scenario->gpu_document = tma_yaml_read(scenario->gpu_path, reading->list);
    if (scenario->gpu_document == NULL) {
        tma_diagnose(reading->list, TMA_ERROR_FILE, at, "gpu names a file that cannot be used");
        return false;
    }
    return tma_scenario_apply_settings(scenario, settings, setting_count, true, reading->list) &&
           tma_machine_from(scenario->gpu_document, &scenario->machine, reading->list);
}

static void read_parts(struct tma_scenario_reader *reading, const struct scenario_input *input) {
    if (input->tensor_maps != NULL)
        tma_read_maps(reading, input->tensor_maps);
    tma_assign_map_addresses(reading);
    tma_check_maps(reading);
    if (input->workload != NULL)
        tma_read_workload(reading, input->workload);
    tma_check_operations(reading);
    tma_assign_stage_offsets(reading);
    tma_check_stage(reading);
    tma_check_consumers(reading);
}

bool tma_scenario_read(const char *path, const char *const *settings, size_t setting_count,
                       struct tma_scenario *scenario, struct tma_diagnostics *list) {
    *scenario = (struct tma_scenario){0};
    size_t before = list->count;
    scenario->document = tma_yaml_read(path, list);
    if (scenario->document == NULL || !tma_scenario_name_settings(scenario, setting_count))
        return false;
    tma_scenario_apply_settings(scenario, settings, setting_count, false, list);
    struct tma_scenario_reader reading = {.scenario = scenario, .root = scenario->document, .list = list};
    struct scenario_input input = {0};
    tma_schema_read(&tma_scenario_schema, scenario->document, "", &input, list);
    memcpy(scenario->name, input.name, sizeof scenario->name);
    memcpy(scenario->description, input.description, sizeof scenario->description);
    if (input.gpu[0] != '\0')
        reading.machine_good = tma_scenario_read_machine(&reading, input.gpu, settings, setting_count);
    read_parts(&reading, &input);
    tma_diagnostics_sort(list);
    return list->count == before;
}

void tma_scenario_free(struct tma_scenario *scenario) {
    tma_yaml_free(scenario->document);
    tma_yaml_free(scenario->gpu_document);
    free(scenario->gpu_path);
    for (size_t i = 0; i < scenario->place_count; i++)
        free(scenario->places[i]);
    free(scenario->places);
    *scenario = (struct tma_scenario){0};
}
