#include "scenario/scenario.h"

#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "scenario/document.h"
#include "scenario/machine_file.h"
#include "scenario/scenario_reader.h"
#include "scenario/setting.h"

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
     .meaning = "name of the scenario in reports and traces"},
    {.path = "description",
     .kind = TMA_KEY_CHARS,
     .max = 511,
     .fallback = TMA_OPTIONAL,
     .offset = IN(description),
     .meaning = "what the scenario shows, for its readers"},
    {.path = "gpu",
     .kind = TMA_KEY_CHARS,
     .max = 511,
     .offset = IN(gpu),
     .meaning = "path of the machine file, relative to the scenario's file"},
    {.path = "tensor_maps",
     .kind = TMA_KEY_MAPPING,
     .offset = IN(tensor_maps),
     .meaning = "the tensor maps by name: `NAME: {...}`; keys below"},
    {.path = "workload",
     .kind = TMA_KEY_MAPPING,
     .offset = IN(workload),
     .meaning = "what the CTAs do; keys below"},
};

const struct tma_schema tma_scenario_schema = {keys, sizeof keys / sizeof keys[0]};

/* A setting "gpu.PATH=VALUE" applies to the machine's document. */
static const char gpu_prefix[] = "gpu.";

/* Returns "PATH=VALUE" of such a setting, or NULL. */
static const char *machine_setting(const char *setting) {
    size_t length = sizeof gpu_prefix - 1;
    return strncmp(setting, gpu_prefix, length) == 0 ? setting + length : NULL;
}

bool tma_scenario_name_settings(struct tma_scenario *scenario, size_t count) {
    scenario->setting_names = tma_allocate(count + 1, sizeof *scenario->setting_names);
    if (scenario->setting_names == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "--set %zu", i + 1);
        scenario->setting_names[i] = tma_copy_text(name);
        if (scenario->setting_names[i] == NULL)
            return false;
        scenario->setting_count = i + 1;
    }
    return true;
}

bool tma_scenario_apply_settings(struct tma_scenario *scenario, const char *const *settings,
                                 size_t count, bool to_machine, struct tma_diagnostics *list) {
    struct tma_yaml_node *root = to_machine ? scenario->gpu_document : scenario->document;
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        const char *for_machine = machine_setting(settings[i]);
        if ((for_machine != NULL) != to_machine)
            continue;
        const char *setting = to_machine ? for_machine : settings[i];
        good = tma_yaml_set(root, setting, scenario->setting_names[i], list) && good;
    }
    return good;
}

/* Returns `path`, made relative to the folder of the file `base` unless it is absolute. The caller
 * frees it. NULL when out of memory. */
static char *resolve_path(const char *base, const char *path) {
    const char *slash = strrchr(base, '/');
    if (path[0] == '/' || slash == NULL)
        return tma_copy_text(path);
    size_t folder = (size_t)(slash - base) + 1;
    char *joined = tma_allocate(folder + strlen(path) + 1, 1);
    if (joined != NULL) {
        memcpy(joined, base, folder);
        strcpy(joined + folder, path);
    }
    return joined;
}

bool tma_scenario_read_machine(struct tma_scenario_reader *reader, const char *gpu,
                               const char *const *settings, size_t setting_count) {
    struct tma_scenario *scenario = reader->scenario;
    struct tma_location at = tma_yaml_locate(reader->root, "gpu");
    scenario->gpu_path = resolve_path(at.file, gpu);
    if (scenario->gpu_path == NULL) {
        tma_diagnose(reader->list, TMA_ERROR_MEMORY, at, "out of memory");
        return false;
    }
    scenario->gpu_document = tma_yaml_read(scenario->gpu_path, reader->list);
    if (scenario->gpu_document == NULL) {
        tma_diagnose(reader->list, TMA_ERROR_FILE, at,
                     "gpu names a file that cannot be read or parsed");
        return false;
    }
    return tma_scenario_apply_settings(scenario, settings, setting_count, true, reader->list) &&
           tma_machine_from(scenario->gpu_document, &scenario->machine, reader->list);
}

static void read_parts(struct tma_scenario_reader *reader, const struct scenario_input *input) {
    if (input->tensor_maps != NULL)
        tma_read_maps(reader, input->tensor_maps);
    tma_assign_map_addresses(reader);
    tma_check_maps(reader);
    if (input->workload != NULL)
        tma_read_workload(reader, input->workload);
    tma_check_operations(reader);
    tma_assign_stage_offsets(reader);
    tma_check_stage(reader);
    tma_check_consumers(reader);
}

/* Reads a scenario from its document, or fails if that is NULL because it could not be parsed.
 * `errors_before` is the number of errors before the document was parsed. */
static bool read_scenario(struct tma_yaml_node *document, size_t errors_before,
                          const char *const *settings, size_t setting_count,
                          struct tma_scenario *scenario, struct tma_diagnostics *list) {
    *scenario = (struct tma_scenario){.document = document};
    if (document == NULL)
        return false;
    if (!tma_scenario_name_settings(scenario, setting_count)) {
        tma_diagnose(list, TMA_ERROR_MEMORY, document->at, "out of memory");
        return false;
    }
    tma_scenario_apply_settings(scenario, settings, setting_count, false, list);
    struct tma_scenario_reader reader = {
        .scenario = scenario, .root = scenario->document, .list = list};
    struct scenario_input input = {0};
    tma_schema_read(&tma_scenario_schema, scenario->document, "", &input, list);
    memcpy(scenario->name, input.name, sizeof scenario->name);
    memcpy(scenario->description, input.description, sizeof scenario->description);
    if (input.gpu[0] != '\0')
        reader.machine_valid =
            tma_scenario_read_machine(&reader, input.gpu, settings, setting_count);
    read_parts(&reader, &input);
    tma_diagnostics_sort(list);
    return tma_diagnostics_total(list) == errors_before;
}

bool tma_scenario_read(const char *path, const char *const *settings, size_t setting_count,
                       struct tma_scenario *scenario, struct tma_diagnostics *list) {
    size_t errors_before = tma_diagnostics_total(list);
    struct tma_yaml_node *document = tma_yaml_read(path, list);
    return read_scenario(document, errors_before, settings, setting_count, scenario, list);
}

bool tma_scenario_read_text(const char *text, const char *name, const char *const *settings,
                            size_t setting_count, struct tma_scenario *scenario,
                            struct tma_diagnostics *list) {
    size_t errors_before = tma_diagnostics_total(list);
    struct tma_yaml_node *document = tma_yaml_parse_mapping(text, strlen(text), name, list);
    return read_scenario(document, errors_before, settings, setting_count, scenario, list);
}

void tma_scenario_free(struct tma_scenario *scenario) {
    tma_yaml_free(scenario->document);
    tma_yaml_free(scenario->gpu_document);
    tma_release(scenario->gpu_path);
    for (size_t i = 0; i < scenario->setting_count; i++)
        tma_release(scenario->setting_names[i]);
    tma_release(scenario->setting_names);
    *scenario = (struct tma_scenario){0};
}
