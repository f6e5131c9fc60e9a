#include "scenario/map_file.h"

#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "placement/operation_architecture.h"
#include "placement/operation_check.h"
#include "scenario/document.h"
#include "scenario/expand.h"
#include "scenario/extend.h"
#include "scenario/parameters.h"
#include "scenario/scenario.h"
#include "scenario/scenario_reader.h"
#include "scenario/suggestion.h"

static char single_name[] = "map";

#define EXPECTED_MAPS "expected a mapping with at least one map, NAME: {...}"

/* The keys of a document with the key tensor_map: those that `tmasim decode --json` writes. */
static const struct tma_key wrapper_keys[] = {{.path = "tensor_map", .kind = TMA_KEY_MAPPING}};
static const struct tma_schema wrapper_schema = {wrapper_keys, 1};
static const char *const decode_keys[] = {"format",     "findings", "legal", "usable",
                                          "violations", "advice",   "name",  "operation"};

/* Returns the mapping of names to maps; NULL, with an error in the list, if there is none. For a
 * document with a single map, makes such a mapping. */
static const struct tma_yaml_node *find_maps(struct tma_map_file *file,
                                             struct tma_scenario_reader *reader) {
    const struct tma_yaml_node *root = file->scenario->document;
    const struct tma_yaml_node *maps = tma_yaml_find(root, "tensor_maps");
    if (maps != NULL) {
        tma_schema_check_keys(&tma_scenario_schema, root, NULL, 0, reader->list);
        return maps;
    }
    const struct tma_yaml_node *map = tma_yaml_find(root, "tensor_map");
    if (map == NULL && tma_document_is_scenario(root)) {
        tma_diagnose(reader->list, TMA_ERROR_SYNTAX, root->at,
                     "tensor_maps is missing; " EXPECTED_MAPS);
        return NULL;
    }
    reader->single_map = map == NULL ? "" : "tensor_map";
    if (map != NULL)
        tma_schema_check_keys(&wrapper_schema, root, decode_keys,
                              sizeof decode_keys / sizeof decode_keys[0], reader->list);
    file->origin = (struct tma_yaml_node *)(map == NULL ? root : map);
    file->single = *file->origin;
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
    return tma_diagnose(reader->list, TMA_ERROR_SYNTAX, maps->at, "tensor_maps %s; " EXPECTED_MAPS,
                        kinds[maps->kind]);
}

/* Replaces a text of a node. False when out of memory. */
static bool put_word(char **text, const char *word) {
    char *copy = tma_copy_text(word);
    if (copy == NULL)
        return false;
    tma_release(*text);
    *text = copy;
    return true;
}

/* Puts what was probably meant in the place of the keys and words of a map that are almost right,
 * and takes other unknown keys out. False where a key would be there twice, or when out of memory.
 */
static bool mend_map(struct tma_yaml_node *map) {
    for (struct tma_yaml_node **link = &map->first; *link != NULL;) {
        struct tma_yaml_node *node = *link;
        struct tma_suggestion meant = {.wanted = node->key}, word = {.wanted = node->text};
        if (!tma_schema_has(&tma_map_schema, node->key)) {
            tma_schema_suggest(&tma_map_schema, &meant);
            if (meant.best[0] == '\0') {
                *link = node->next;
                node->next = NULL;
                tma_yaml_free(node);
                continue;
            }
            if (tma_yaml_find(map, meant.best) != NULL || !put_word(&node->key, meant.best))
                return false;
        }
        const struct tma_key *key = tma_schema_key(&tma_map_schema, node->key);
        if (key != NULL && key->kind == TMA_KEY_ENUM && node->kind == TMA_YAML_SCALAR)
            tma_suggest_names(&word, tma_key_words(key));
        if (word.best[0] != '\0' && !put_word(&node->text, word.best))
            return false;
        link = &node->next;
    }
    return true;
}

/* Reads the maps again, as they were probably meant. */
static void mend_maps(struct tma_map_file *file, struct tma_scenario_reader *reader,
                      struct tma_yaml_node *maps) {
    struct tma_diagnostics errors = {0}, *list = reader->list;
    bool good = true;
    for (struct tma_yaml_node *map = maps->first; map != NULL && good; map = map->next)
        good = map->kind == TMA_YAML_MAPPING && mend_map(map);
    if (file->origin != NULL)
        file->origin->first = file->single.first;
    reader->list = &errors;
    file->scenario->workload.map_count = 0;
    if (good)
        tma_read_maps(reader, maps);
    reader->list = list;
    file->mended = good && tma_diagnostics_total(&errors) == 0;
    tma_diagnostics_free(&errors);
}

static void read_maps(struct tma_map_file *file, struct tma_scenario_reader *reader) {
    const struct tma_yaml_node *maps = find_maps(file, reader);
    if (maps == NULL || !check_maps(maps, reader))
        return;
    size_t before = tma_diagnostics_total(reader->list);
    tma_read_maps(reader, maps);
    if (before == 0 && tma_diagnostics_total(reader->list) > 0)
        mend_maps(file, reader, (struct tma_yaml_node *)maps);
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
    if (scenario == NULL || !tma_scenario_name_settings(scenario, setting_count))
        return tma_diagnose(list, TMA_ERROR_MEMORY, (struct tma_location){.file = name},
                            "out of memory");
    if (!tma_scenario_make_bases(scenario, NULL))
        return tma_diagnose(list, TMA_ERROR_MEMORY, (struct tma_location){.file = name},
                            "out of memory");
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
        if (scenario->parameters != NULL)
            tma_document_expand(scenario->document, list);
        read_machine(&reader, settings, setting_count);
        read_maps(file, &reader);
    } else {
        tma_yaml_not_mapping(scenario->document, "a scenario, or the keys of a tensor map", list);
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

static const char *const directions[] = {[TMA_LOAD] = "load",
                                         [TMA_STORE] = "store",
                                         [TMA_REDUCE] = "reduce",
                                         [TMA_PREFETCH] = "prefetch"};
enum { DIRECTIONS = sizeof directions / sizeof directions[0] };

/* Looks at the operations of a document on one map, in the document's order. */
struct operation_visit {
    const char *map_name;
    enum tma_map_kind kind;
    /* Is called for each operation that is well formed. False: look no further. */
    bool (*see)(struct operation_visit *visit, const struct tma_operation *operation,
                struct tma_location at);
    const struct tma_tensor_map *map;
    enum tma_architecture architecture;
    struct tma_location *at; /* of the operation that is refused */
    struct tma_error *error;
    bool refused;
    uint32_t operations, gathers;
};

/* Shows the visit an operation whose map `name` says. `node` has its other keys. */
static bool see_operation(struct operation_visit *visit, const struct tma_yaml_node *node,
                          const struct tma_yaml_node *name, size_t direction,
                          struct tma_location at) {
    const struct tma_yaml_node *access = tma_yaml_find(node, "access");
    struct tma_operation operation = {.direction = (enum tma_direction)direction,
                                      .cta_mask = tma_yaml_find(node, "multicast") != NULL};
    const char *word = access == NULL                    ? "auto"
                       : access->kind == TMA_YAML_SCALAR ? access->text
                                                         : "";
    if (name == NULL || name->kind != TMA_YAML_SCALAR || strcmp(name->text, visit->map_name) != 0 ||
        !tma_parse_access(word, visit->kind, &operation.access))
        return true;
    return visit->see(visit, &operation, at);
}

/* Do parameters rule out this part of the statement, `then` or `else` of an `if`? */
static bool is_ruled_out(const struct tma_yaml_node *statement, const struct tma_yaml_node *part) {
    const struct tma_yaml_node *condition = tma_yaml_find(statement, "if");
    bool then = part->key != NULL && strcmp(part->key, "then") == 0;
    int64_t holds = 1;
    if (condition == NULL || condition->kind != TMA_YAML_SCALAR ||
        (!then && (part->key == NULL || strcmp(part->key, "else") != 0)))
        return false;
    struct tma_diagnostics unknown = tma_diagnostics_empty(); /* it has variables of loops */
    bool known = tma_expression_number(condition, &tma_unit_none, "if", &holds, &unknown);
    tma_diagnostics_free(&unknown);
    return known && then == (holds == 0);
}

/* The statements below a node of `kernel`: load: {map: A, ...}. */
static bool see_statements(struct operation_visit *visit, const struct tma_yaml_node *node) {
    for (const struct tma_yaml_node *child = node->first; child != NULL; child = child->next) {
        if (is_ruled_out(node, child))
            continue;
        size_t direction = 0;
        while (direction < DIRECTIONS &&
               (child->key == NULL || strcmp(child->key, directions[direction]) != 0))
            direction++;
        if (direction < DIRECTIONS &&
            !see_operation(visit, child, tma_yaml_find(child, "map"), direction, child->key_at))
            return false;
        if (!see_statements(visit, child))
            return false;
    }
    return true;
}

/* The list `workload.operations`: {load: A, ...}. */
static void see_list(struct operation_visit *visit, const struct tma_yaml_node *list) {
    bool more = list != NULL && list->kind == TMA_YAML_LIST;
    for (const struct tma_yaml_node *node = more ? list->first : NULL; more && node != NULL;
         node = node->next)
        for (size_t i = 0; more && i < DIRECTIONS && node->kind == TMA_YAML_MAPPING; i++)
            more = see_operation(visit, node, tma_yaml_find(node, directions[i]), i, node->at);
}

static void see_operations(const struct tma_map_file *file, uint32_t map,
                           struct operation_visit *visit) {
    const struct tma_scenario *scenario = file->scenario;
    const struct tma_yaml_node *kernel = tma_yaml_find(scenario->document, "kernel");
    visit->map_name = scenario->map_names[map];
    visit->map = &scenario->workload.maps[map];
    visit->kind = visit->map->kind;
    if (kernel != NULL)
        see_statements(visit, kernel);
    else
        see_list(visit, tma_yaml_find(scenario->document, "workload.operations"));
}

/* The coordinates of operations are not known here, so that nothing faults. */
static bool see_refused(struct operation_visit *visit, const struct tma_operation *operation,
                        struct tma_location at) {
    enum tma_error_code code = tma_operation_check(visit->map, operation, visit->error);
    visit->refused = code == TMA_ERROR_ARGUMENT;
    if (!visit->refused)
        visit->refused =
            tma_operation_architecture_check(visit->map, operation, visit->architecture,
                                             visit->error) == TMA_ERROR_UNSUPPORTED;
    if (visit->refused)
        *visit->at = at;
    return !visit->refused;
}

bool tma_map_file_refused(const struct tma_map_file *file, uint32_t map,
                          enum tma_architecture architecture, struct tma_location *at,
                          struct tma_error *error) {
    struct operation_visit visit = {
        .see = see_refused, .architecture = architecture, .at = at, .error = error};
    see_operations(file, map, &visit);
    return visit.refused;
}

static bool see_gather(struct operation_visit *visit, const struct tma_operation *operation,
                       struct tma_location at) {
    (void)at;
    visit->operations++;
    visit->gathers += operation->access == TMA_ACCESS_GATHER4;
    return true;
}

bool tma_map_file_gathers(const struct tma_map_file *file, uint32_t map) {
    struct operation_visit visit = {.see = see_gather};
    see_operations(file, map, &visit);
    return visit.operations > 0 && visit.gathers == visit.operations;
}
