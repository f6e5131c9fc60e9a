#include "scenario/map_file.h"

#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "placement/operation_architecture.h"
#include "scenario/document.h"
#include "scenario/extend.h"
#include "scenario/parameters.h"
#include "scenario/scenario.h"
#include "scenario/scenario_reader.h"

static char single_name[] = "map";

/* The keys of a document with the key tensor_map: those that `tmasim decode --json` writes. */
static const struct tma_key wrapper_keys[] = {{.path = "tensor_map", .kind = TMA_KEY_MAPPING}};
static const struct tma_schema wrapper_schema = {wrapper_keys, 1};
static const char *const decode_keys[] = {"format", "findings",   "legal",
                                          "usable", "violations", "advice"};

/* Returns the mapping of names to maps. For a document with a single map, makes such a mapping. */
static const struct tma_yaml_node *find_maps(struct tma_map_file *file,
                                             struct tma_scenario_reader *reader) {
    const struct tma_yaml_node *root = file->scenario->document;
    const struct tma_yaml_node *maps = tma_yaml_find(root, "tensor_maps");
    if (maps != NULL) {
        tma_schema_check_keys(&tma_scenario_schema, root, NULL, 0, reader->list);
        return maps;
    }
    const struct tma_yaml_node *map = tma_yaml_find(root, "tensor_map");
    reader->single_map = map == NULL ? "" : "tensor_map";
    if (map != NULL)
        tma_schema_check_keys(&wrapper_schema, root, decode_keys,
                              sizeof decode_keys / sizeof decode_keys[0], reader->list);
    file->single = map == NULL ? *root : *map;
    file->single.key = single_name;
    file->single.next = NULL;
    file->around =
        (struct tma_yaml_node){.kind = TMA_YAML_MAPPING, .at = root->at, .first = &file->single};
    return &file->around;
}

/* Reads the machine if the document names one. Otherwise its architecture stays 0. */
static void read_machine(struct tma_scenario_reader *reader, const char *const *settings,
                         size_t count) {
    const struct tma_yaml_node *gpu = tma_yaml_find(reader->root, "gpu");
    if (gpu != NULL && gpu->kind != TMA_YAML_LIST)
        tma_scenario_read_machine(reader, gpu, settings, count);
    else if (gpu != NULL)
        tma_diagnose(reader->list, TMA_ERROR_SYNTAX, gpu->at,
                     "gpu is a list; expected the name, the path or the keys of a machine");
}

/* False, with the error appended to the list, if `tensor_maps` does not hold maps by name. */
static bool check_maps(const struct tma_yaml_node *maps, struct tma_scenario_reader *reader) {
    static const char *const kinds[] = {[TMA_YAML_SCALAR] = "is a single value",
                                        [TMA_YAML_LIST] = "is a list",
                                        [TMA_YAML_MAPPING] = "is empty"};
    if (maps->kind == TMA_YAML_MAPPING && maps->first != NULL)
        return true;
    tma_diagnose(reader->list, TMA_ERROR_SYNTAX, maps->at,
                 "tensor_maps %s; expected a mapping with at least one map, NAME: {...}",
                 kinds[maps->kind]);
    return false;
}

static void read_maps(struct tma_map_file *file, struct tma_scenario_reader *reader) {
    const struct tma_yaml_node *maps = find_maps(file, reader);
    if (!check_maps(maps, reader))
        return;
    tma_read_maps(reader, maps);
    tma_assign_map_addresses(reader);
    const struct tma_yaml_node *node = maps->first;
    for (uint32_t i = 0; i < file->scenario->workload.map_count; i++, node = node->next)
        file->nodes[i] = node;
}

bool tma_map_file_read(const char *text, size_t length, const char *name,
                       const char *const *settings, size_t setting_count, struct tma_map_file *file,
                       struct tma_diagnostics *list) {
    *file = (struct tma_map_file){.scenario = tma_allocate(1, sizeof *file->scenario)};
    size_t before = tma_diagnostics_total(list);
    struct tma_scenario *scenario = file->scenario;
    if (scenario == NULL || !tma_scenario_name_settings(scenario, setting_count)) {
        tma_diagnose(list, TMA_ERROR_MEMORY, (struct tma_location){.file = name}, "out of memory");
        return false;
    }
    scenario->bases = tma_allocate(1, sizeof *scenario->bases);
    if (scenario->bases == NULL) {
        tma_diagnose(list, TMA_ERROR_MEMORY, (struct tma_location){.file = name}, "out of memory");
        return false;
    }
    scenario->document = tma_document_extend(tma_yaml_parse(text, length, name, list),
                                             TMA_BASE_SCENARIO, scenario->bases, list);
    if (scenario->document == NULL)
        return false;
    if (scenario->document->kind == TMA_YAML_MAPPING) {
        struct tma_scenario_reader reader = {
            .scenario = scenario, .root = scenario->document, .list = list};
        tma_scenario_apply_settings(scenario, settings, setting_count, false, list);
        if (tma_yaml_find(scenario->document, "tensor_maps") != NULL)
            scenario->parameters = tma_parameters_read(scenario->document, list);
        read_machine(&reader, settings, setting_count);
        read_maps(file, &reader);
    } else {
        tma_diagnose(list, TMA_ERROR_SYNTAX, scenario->document->at,
                     "not a mapping; expected a scenario, or the keys of a tensor map");
    }
    tma_diagnostics_sort(list);
    return tma_diagnostics_total(list) == before;
}

void tma_map_file_free(struct tma_map_file *file) {
    if (file->scenario != NULL)
        tma_scenario_free(file->scenario);
    tma_release(file->scenario);
    *file = (struct tma_map_file){0};
}

struct tma_location tma_map_file_locate(const struct tma_map_file *file, uint32_t map,
                                        enum tma_field field, int index) {
    char path[64];
    const char *name = field == TMA_FIELD_RANK ? "global_dim" : tma_field_info(field)->name;
    if (index < 0)
        snprintf(path, sizeof path, "%s", name);
    else
        snprintf(path, sizeof path, "%s.%d", name, index);
    return tma_yaml_locate(file->nodes[map], path);
}

/* Reads the direction and access of an operation on a map. False if it is on another map, or is not
 * well formed. */
static bool read_operation(const struct tma_yaml_node *node, const char *map_name,
                           enum tma_map_kind kind, struct tma_operation *operation) {
    static const char *const directions[] = {[TMA_LOAD] = "load",
                                             [TMA_STORE] = "store",
                                             [TMA_REDUCE] = "reduce",
                                             [TMA_PREFETCH] = "prefetch"};
    const struct tma_yaml_node *access = tma_yaml_find(node, "access");
    const char *word = "auto";
    if (access != NULL)
        word = access->kind == TMA_YAML_SCALAR ? access->text : "";
    for (size_t i = 0; i < sizeof directions / sizeof directions[0]; i++) {
        const struct tma_yaml_node *name = tma_yaml_find(node, directions[i]);
        if (name == NULL || name->kind != TMA_YAML_SCALAR || strcmp(name->text, map_name) != 0)
            continue;
        operation->direction = (enum tma_direction)i;
        return tma_parse_access(word, kind, &operation->access);
    }
    return false;
}

/* Finds, below a node of `kernel`, the first operation on a map that the architecture does not
 * have. A statement is a mapping whose first key is load, store, reduce or prefetch. */
static const struct tma_yaml_node *find_unsupported(const struct tma_yaml_node *node,
                                                    const struct tma_tensor_map *map,
                                                    const char *map_name,
                                                    enum tma_architecture architecture,
                                                    struct tma_error *error) {
    static const char *const directions[] = {[TMA_LOAD] = "load",
                                             [TMA_STORE] = "store",
                                             [TMA_REDUCE] = "reduce",
                                             [TMA_PREFETCH] = "prefetch"};
    for (const struct tma_yaml_node *child = node->first; child != NULL; child = child->next) {
        struct tma_operation operation = {.direction = TMA_LOAD};
        const struct tma_yaml_node *name = tma_yaml_find(child, "map");
        const struct tma_yaml_node *access = tma_yaml_find(child, "access");
        const char *word = access == NULL                    ? "auto"
                           : access->kind == TMA_YAML_SCALAR ? access->text
                                                             : "";
        size_t direction = 0;
        while (direction < 4 &&
               (child->key == NULL || strcmp(child->key, directions[direction]) != 0))
            direction++;
        bool on_map = direction < 4 && name != NULL && name->kind == TMA_YAML_SCALAR &&
                      strcmp(name->text, map_name) == 0;
        operation.direction = (enum tma_direction)(direction < 4 ? direction : 0);
        if (on_map && tma_parse_access(word, map->kind, &operation.access) &&
            tma_operation_architecture_check(map, &operation, architecture, error) ==
                TMA_ERROR_UNSUPPORTED)
            return child;
        const struct tma_yaml_node *found =
            find_unsupported(child, map, map_name, architecture, error);
        if (found != NULL)
            return found;
    }
    return NULL;
}

bool tma_map_file_unsupported(const struct tma_map_file *file, uint32_t map,
                              enum tma_architecture architecture, struct tma_location *at,
                              struct tma_error *error) {
    const struct tma_scenario *scenario = file->scenario;
    const struct tma_tensor_map *tensor_map = &scenario->workload.maps[map];
    const struct tma_yaml_node *kernel = tma_yaml_find(scenario->document, "kernel");
    const struct tma_yaml_node *found =
        kernel == NULL
            ? NULL
            : find_unsupported(kernel, tensor_map, scenario->map_names[map], architecture, error);
    if (found != NULL)
        *at = found->key_at;
    if (kernel != NULL)
        return found != NULL;
    const struct tma_yaml_node *operations =
        tma_yaml_find(scenario->document, "workload.operations");
    if (operations == NULL || operations->kind != TMA_YAML_LIST)
        return false;
    for (const struct tma_yaml_node *node = operations->first; node != NULL; node = node->next) {
        struct tma_operation operation = {.direction = TMA_LOAD};
        if (node->kind != TMA_YAML_MAPPING ||
            !read_operation(node, scenario->map_names[map], tensor_map->kind, &operation))
            continue;
        if (tma_operation_architecture_check(tensor_map, &operation, architecture, error) !=
            TMA_ERROR_UNSUPPORTED)
            continue;
        *at = node->at;
        return true;
    }
    return false;
}
