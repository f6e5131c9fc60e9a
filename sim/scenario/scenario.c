#include "scenario/scenario.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "engine/roles/kernel_costs.h"
#include "scenario/config_path.h"
#include "scenario/document.h"
#include "scenario/expand.h"
#include "scenario/extend.h"
#include "scenario/kernel_program.h"
#include "scenario/kernel_reader.h"
#include "scenario/machine_file.h"
#include "scenario/parameters.h"
#include "scenario/scenario_reader.h"
#include "scenario/setting.h"
#include "scenario/suggestion.h"
#include "scenario/tree.h"

/* Errors of a scenario name the parameters that they come from. */

/* Most parameters that an error names. */
enum { MOST_VALUES = 8 };

/* The parameters that an error comes from, each once, in the order of the text. */
struct values {
    const struct tma_yaml_node *parameters; /* the mapping */
    const struct tma_parameters *read;      /* their values */
    const struct tma_expression_name *used[MOST_VALUES];
    size_t count;
    bool too_many;
};

static bool at_same_place(struct tma_location a, struct tma_location b) {
    return a.file != NULL && b.file != NULL && a.line == b.line && a.column == b.column &&
           strcmp(a.file, b.file) == 0;
}

/* True if the location is in the text of a scalar. */
static bool in_text(const struct tma_yaml_node *node, struct tma_location at) {
    struct tma_location start = {node->at.file, node->at.line, at.column};
    return node->kind == TMA_YAML_SCALAR && node->text_column > 0 &&
           at.column >= node->text_column && at.column < node->text_column + strlen(node->text) &&
           at_same_place(start, at);
}

/* The first node, in file order, that an error at this location is about. */
static const struct tma_yaml_node *find_node(const struct tma_yaml_node *node,
                                             struct tma_location at) {
    for (; node != NULL; node = node->next) {
        if (at_same_place(node->at, at) || at_same_place(node->key_at, at) || in_text(node, at))
            return node;
        const struct tma_yaml_node *found = find_node(node->first, at);
        if (found != NULL)
            return found;
    }
    return NULL;
}

static void use_text(struct values *values, const char *text, size_t end);

/* A parameter that is an expression stands for those that it uses, which are all before it. */
static void use_parameter(struct values *values, const struct tma_expression_name *item) {
    const struct tma_yaml_node *node = tma_yaml_find(values->parameters, item->name);
    if (node != NULL && node->text != NULL && tma_text_is_expression(node->text, values->read)) {
        use_text(values, node->text, (size_t)(item - values->read->items));
        return;
    }
    for (size_t i = 0; i < values->count; i++)
        if (values->used[i] == item)
            return;
    if (values->count < MOST_VALUES)
        values->used[values->count++] = item;
    else
        values->too_many = true;
}

/* Uses the parameters, of the first `end`, that a text names. */
static void use_text(struct values *values, const char *text, size_t end) {
    for (const char *at = text; *at != '\0';) {
        size_t length = tma_parameter_word_length(at);
        const struct tma_expression_name *item = tma_parameter_named(values->read, end, at, length);
        if (item != NULL)
            use_parameter(values, item);
        at += length > 0 ? length : 1;
    }
}

/* Uses the parameters of a node and its children. The programs of roles are left out: what an error
 * of a role or a kernel is about is not in there. */
static void use_node(struct values *values, const struct tma_yaml_node *node) {
    if (node->text != NULL && tma_text_is_expression(node->text, values->read))
        use_text(values, node->text, values->read->count);
    for (const struct tma_yaml_node *child = node->first; child != NULL; child = child->next)
        if (child->key == NULL || strcmp(child->key, "program") != 0)
            use_node(values, child);
}

/* True if the error says the value of a parameter already. */
static bool says_value(const char *text, const struct values *values) {
    char value[TMA_MAX_PARAMETER_TEXT];
    for (size_t i = 0; i < values->count; i++) {
        snprintf(value, sizeof value, "%s = ", values->used[i]->name);
        if (strstr(text, value) != NULL)
            return true;
    }
    return false;
}

/* False for an error that no value of a parameter mends: a key that is missing, an expression that
 * is malformed, a structure that is wrong, of which the error says no number. */
static bool depends_on_values(const struct tma_yaml_node *node,
                              const struct tma_diagnostic *error) {
    if (error->code == TMA_ERROR_MEMORY || strpbrk(error->text, "0123456789") == NULL)
        return false;
    return node->kind == TMA_YAML_SCALAR ? strstr(error->text, "\", column ") == NULL
                                         : error->code != TMA_ERROR_SYNTAX;
}

static void add_values(struct tma_diagnostic *error, const struct values *values) {
    size_t length = strlen(error->text);
    char *text =
        tma_resize(error->text, length + values->count * TMA_MAX_PARAMETER_TEXT + 1, sizeof *text);
    if (text == NULL)
        return;
    for (size_t i = 0; i < values->count; i++)
        length +=
            (size_t)snprintf(text + length, TMA_MAX_PARAMETER_TEXT, "%s %s = %" PRId64,
                             i == 0 ? ";" : ",", values->used[i]->name, values->used[i]->value);
    error->text = text;
}

/* Appends to each error of the list, from the one with index `first` on, the values of the
 * parameters that the text at its location uses, directly or through other parameters: "; BM = 100,
 * BK = 64". It leaves an error as it is where its text has a value already, where more than eight
 * are used, or without memory. */
static void add_parameter_values(const struct tma_yaml_node *root, struct tma_diagnostics *list,
                                 size_t first) {
    const struct tma_yaml_node *parameters = tma_yaml_find(root, "parameters");
    if (parameters == NULL || root->parameters == NULL)
        return;
    for (size_t i = first; i < list->count; i++) {
        struct values values = {.parameters = parameters, .read = root->parameters};
        const struct tma_yaml_node *node =
            list->items[i].at.line == 0 ? NULL : find_node(root, list->items[i].at);
        if (node == NULL || find_node(parameters->first, list->items[i].at) != NULL ||
            !depends_on_values(node, &list->items[i]))
            continue;
        use_node(&values, node);
        if (values.count > 0 && !values.too_many && !says_value(list->items[i].text, &values))
            add_values(&list->items[i], &values);
    }
}

struct scenario_input {
    char name[TMA_MAX_NAME];
    char description[512];
    char extends[512]; /* has no effect any more: the document is extended */
    const struct tma_yaml_node *gpu, *parameters, *requirements, *tensor_maps, *workload, *kernel;
};

#define IN(member) offsetof(struct scenario_input, member)

static const struct tma_key keys[] = {
    TMA_TEXT_KEY("name", CHARS, TMA_MAX_NAME - 1, TMA_REQUIRED, IN(name),
                 "name of the scenario in reports and traces"),
    TMA_TEXT_KEY("description", CHARS, 511, TMA_OPTIONAL, IN(description),
                 "what the scenario shows, for its readers"),
    TMA_TEXT_KEY("gpu", CHARS_OR_MAPPING, 511, TMA_OPTIONAL, IN(gpu),
                 "the machine: the name of one that belongs to tmasim (default: h200) or lies in "
                 "`gpus` of a folder that TMASIM_PATH names; or the path of a machine file, "
                 "relative to the scenario's file; or the keys of a machine file themselves, where "
                 "`extends` names a machine whose values hold where the mapping has none"),
    TMA_TEXT_KEY("extends", CHARS, 511, TMA_OPTIONAL, IN(extends),
                 "another scenario, by its path or its name, whose values hold where this one has "
                 "none: mappings are joined key by key, lists and single values replaced"),
    TMA_PLAIN_KEY("parameters", MAPPING, TMA_OPTIONAL, IN(parameters),
                  "whole numbers by name, `NAME: EXPRESSION`, that the expressions of the scenario "
                  "use; each may use those before it; `--set NAME=VALUE` changes one"),
    TMA_PLAIN_KEY("requires", LIST, TMA_OPTIONAL, IN(requirements),
                  "what has to hold of the parameters, else the scenario is wrong; keys of each "
                  "entry below"),
    TMA_PLAIN_KEY("tensor_maps", MAPPING, TMA_REQUIRED, IN(tensor_maps),
                  "the tensor maps by name: `NAME: {...}`; keys below"),
    TMA_PLAIN_KEY(
        "workload", MAPPING, TMA_OPTIONAL, IN(workload),
        "what the CTAs do, in the short form: slots that refill themselves; keys below; a "
        "scenario has this key or `kernel`"),
    TMA_PLAIN_KEY("kernel", MAPPING, TMA_OPTIONAL, IN(kernel),
                  "what the CTAs do, as programs of roles; `tmasim help kernel` lists its keys and "
                  "statements"),
};

const struct tma_schema tma_scenario_schema = TMA_SCHEMA(keys);

static const char gpu_key[] = "gpu";

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

/* Lists parameters: "M, N, K". */
static void name_parameters(const struct tma_yaml_node *parameters, char *names, size_t size) {
    size_t used = 0;
    names[0] = '\0';
    for (const struct tma_yaml_node *node = parameters->first; node != NULL; node = node->next) {
        if (used + strlen(node->key) + sizeof ", ..." > size) {
            snprintf(names + used, size - used, ", ...");
            return;
        }
        used +=
            (size_t)snprintf(names + used, size - used, "%s%s", used == 0 ? "" : ", ", node->key);
    }
}

/* Applies "M=8192" to the parameter of that name, and other settings to the path that they name. A
 * parameter that the file lacks is an error: nothing would use it. */
static bool set_value(struct tma_yaml_node *root, const struct tma_yaml_node *parameters,
                      const char *setting, const char *name, struct tma_diagnostics *list) {
    static const char front[] = "parameters.";
    size_t length = strcspn(setting, "=");
    bool with_front = strncmp(setting, front, strlen(front)) == 0;
    const char *word = with_front ? setting + strlen(front) : setting;
    length -= (size_t)(word - setting);
    if (parameters == NULL || parameters->kind != TMA_YAML_MAPPING || word[length] != '=' ||
        length == 0 || memchr(word, '.', length) != NULL || memchr(word, '[', length) != NULL)
        return tma_yaml_set(root, setting, name, list);
    char wanted[TMA_MAX_SUGGESTION];
    snprintf(wanted, sizeof wanted, "%.*s", (int)(length < 60 ? length : 60), word);
    struct tma_suggestion suggestion = {.wanted = wanted};
    for (const struct tma_yaml_node *node = parameters->first; node != NULL; node = node->next) {
        tma_suggest(&suggestion, node->key);
        if (strcmp(node->key, wanted) != 0)
            continue;
        char *path = tma_allocate(1, strlen(front) + strlen(word) + 1);
        if (path == NULL)
            return tma_diagnose(list, TMA_ERROR_MEMORY, (struct tma_location){name, 0, 0},
                                "out of memory");
        strcat(strcpy(path, front), word);
        bool good = tma_yaml_set(root, path, name, list);
        tma_release(path);
        return good;
    }
    bool is_key = false;
    for (size_t i = 0; i < tma_scenario_schema.count; i++)
        is_key = is_key || strcmp(tma_scenario_schema.keys[i].path, wanted) == 0;
    if (is_key && !with_front)
        return tma_yaml_set(root, setting, name, list);
    for (size_t i = 0; i < tma_kernel_schema.count; i++)
        if (strcmp(tma_kernel_schema.keys[i].path, wanted) == 0)
            snprintf(suggestion.best, sizeof suggestion.best, "kernel.%.50s", wanted);
    char names[400];
    name_parameters(parameters, names, sizeof names);
    return tma_diagnose(list, TMA_ERROR_SYNTAX, (struct tma_location){name, 0, 0},
                        "the scenario has no parameter \"%s\"; %sit has %s", wanted,
                        tma_hint_of(&suggestion).text, names);
}

bool tma_scenario_apply_settings(struct tma_scenario *scenario, const char *const *settings,
                                 size_t count, bool to_machine, struct tma_diagnostics *list) {
    struct tma_yaml_node *root = to_machine ? scenario->gpu_document : scenario->document;
    bool good = true;
    const struct tma_yaml_node *parameters = to_machine ? NULL : tma_yaml_find(root, "parameters");
    for (size_t i = 0; i < count; i++) {
        const char *for_machine = machine_setting(settings[i]);
        if ((for_machine != NULL) != to_machine)
            continue;
        const char *name = scenario->setting_names[i];
        if (to_machine)
            good = !tma_setting_names_clock(settings[i], "kernel.sm_clock", name, list) &&
                   tma_yaml_set(root, for_machine, name, list) && good;
        else
            good = set_value(root, parameters, settings[i], name, list) && good;
    }
    return good;
}

static const char *const machine_folders[] = {"gpus", NULL};

/* The path of the machine's file: a machine by its name, or a file. One in a setting is relative to
 * where the user stands. */
static char *find_machine(struct tma_location at, const char *gpu, bool *own) {
    char found[TMA_PATH_TEXT_BYTES];
    *own = tma_config_find_word(gpu, machine_folders, found);
    return *own ? tma_copy_text(found) : tma_path_beside(at.file, gpu);
}

/* Reads the file of the machine that a value names, or of the default one. */
static struct tma_yaml_node *read_machine_file(struct tma_scenario_reader *reader,
                                               const struct tma_yaml_node *gpu) {
    struct tma_scenario *scenario = reader->scenario;
    struct tma_location at = gpu == NULL ? reader->root->at : gpu->at;
    bool own;
    char word[TMA_MAX_SUGGESTION];
    scenario->gpu_path = find_machine(at, gpu == NULL ? "h200" : gpu->text, &own);
    if (scenario->gpu_path == NULL) {
        tma_diagnose(reader->list, TMA_ERROR_MEMORY, at, "out of memory");
        return NULL;
    }
    if (gpu != NULL && scenario->bases->folder == NULL &&
        !tma_base_exists(at, "gpu", TMA_BASE_MACHINE, gpu->text, scenario->gpu_path, reader->list))
        return NULL;
    struct tma_yaml_node *document =
        tma_base_read(scenario->gpu_path, TMA_BASE_MACHINE, own, scenario->bases, at, reader->list);
    bool known =
        document == NULL && gpu != NULL && tma_config_word_of(gpu->text, machine_folders, word);
    if (document == NULL)
        tma_diagnose(reader->list, TMA_ERROR_FILE, at,
                     "gpu names a file that cannot be read or parsed%s%s%s",
                     known ? "; did you mean the machine that belongs to tmasim: gpu: " : "",
                     known ? word : "", known ? "?" : "");
    return document;
}

/* The machine that is a mapping of the scenario's document, which it leaves. */
static struct tma_yaml_node *take_machine(struct tma_scenario_reader *reader) {
    struct tma_scenario *scenario = reader->scenario;
    return tma_document_extend(tma_yaml_take(scenario->document, gpu_key), TMA_BASE_MACHINE,
                               scenario->bases, reader->list);
}

bool tma_scenario_read_machine(struct tma_scenario_reader *reader, const struct tma_yaml_node *gpu,
                               const char *const *settings, size_t setting_count) {
    struct tma_scenario *scenario = reader->scenario;
    size_t before = tma_diagnostics_total(reader->list);
    bool is_mapping = gpu != NULL && gpu->kind == TMA_YAML_MAPPING;
    scenario->gpu_document = is_mapping ? take_machine(reader) : read_machine_file(reader, gpu);
    return scenario->gpu_document != NULL && tma_diagnostics_total(reader->list) == before &&
           tma_scenario_apply_settings(scenario, settings, setting_count, true, reader->list) &&
           tma_machine_from(scenario->gpu_document, &scenario->machine, reader->list);
}

/* The timing is not one that was compared with records if the user says what instructions cost. */
static void note_own_costs(struct tma_scenario *scenario) {
    struct tma_machine *machine = &scenario->machine;
    if (scenario->program == NULL || !machine->trust.validated ||
        tma_kernel_costs_compared(machine, &scenario->program->kernel.costs))
        return;
    machine->trust.validated = false;
    machine->trust.edited = true;
}

static void read_parts(struct tma_scenario_reader *reader, const struct scenario_input *input) {
    if (input->tensor_maps != NULL)
        tma_read_maps(reader, input->tensor_maps);
    tma_assign_map_addresses(reader);
    tma_check_maps(reader);
    if (input->workload == NULL && input->kernel == NULL)
        tma_diagnose(reader->list, TMA_ERROR_SYNTAX, reader->root->at,
                     "workload is missing; expected a mapping with at least one key, or a kernel");
    if (input->workload != NULL && input->kernel != NULL) {
        /* If a setting brought one of them, it is the setting that is wrong. It has no line. */
        bool is_set = input->workload->key_at.line == 0;
        tma_diagnose(reader->list, TMA_ERROR_SYNTAX,
                     is_set ? input->workload->key_at : input->kernel->key_at,
                     "kernel and workload are both there; expected one of them");
    }
    if (input->kernel != NULL) {
        tma_read_kernel(reader, input->kernel);
        note_own_costs(reader->scenario);
        return;
    }
    if (input->workload != NULL)
        tma_read_workload(reader, input->workload);
    tma_check_operations(reader);
    tma_assign_stage_offsets(reader);
    tma_check_stage(reader);
    tma_check_consumers(reader);
}

/* Reads a scenario from its document, or fails if that is NULL because it could not be parsed.
 * `errors_before` is the number of errors before the document was parsed. */
static bool read_scenario(size_t errors_before, const char *const *settings, size_t setting_count,
                          struct tma_scenario *scenario, struct tma_diagnostics *list,
                          struct tma_diagnostics *consumer_list) {
    size_t first = list->count;
    if (scenario->document == NULL)
        return false;
    if (tma_document_is_map(scenario->document))
        return tma_diagnose(
            list, TMA_ERROR_SYNTAX, scenario->document->at,
            "a tensor map alone is no scenario; check, layout and encode read it, explain "
            "and compare with --access ldmatrix.x4 or the like, and a scenario has it in "
            "tensor_maps, beside a workload or a kernel");
    if (!tma_scenario_name_settings(scenario, setting_count))
        return tma_diagnose(list, TMA_ERROR_MEMORY, scenario->document->at, "out of memory");
    tma_scenario_apply_settings(scenario, settings, setting_count, false, list);
    scenario->parameters = tma_parameters_read(scenario->document, list);
    if (scenario->parameters == NULL)
        return false;
    tma_document_expand(scenario->document, list);
    struct tma_scenario_reader reader = {.scenario = scenario,
                                         .root = scenario->document,
                                         .list = list,
                                         .consumer_list = consumer_list};
    struct scenario_input input = {0};
    tma_schema_read(&tma_scenario_schema, scenario->document, "", &input, list);
    memcpy(scenario->name, input.name, sizeof scenario->name);
    memcpy(scenario->description, input.description, sizeof scenario->description);
    if (input.requirements != NULL)
        tma_check_requirements(input.requirements, list);
    if (input.gpu != NULL || tma_yaml_find(scenario->document, gpu_key) == NULL)
        reader.machine_valid =
            tma_scenario_read_machine(&reader, input.gpu, settings, setting_count);
    read_parts(&reader, &input);
    add_parameter_values(scenario->document, list, first);
    tma_diagnostics_sort(list);
    return tma_diagnostics_total(list) == errors_before;
}

bool tma_scenario_make_bases(struct tma_scenario *scenario, const char *folder) {
    scenario->bases = tma_allocate(1, sizeof *scenario->bases);
    if (scenario->bases == NULL)
        return false;
    scenario->bases->schemas[TMA_BASE_SCENARIO] = &tma_scenario_schema;
    scenario->bases->schemas[TMA_BASE_MACHINE] = &tma_machine_schema;
    scenario->bases->folder = folder;
    return true;
}

static bool make_bases(struct tma_scenario *scenario, const char *folder,
                       struct tma_diagnostics *list) {
    *scenario = (struct tma_scenario){.document = NULL};
    bool made = tma_scenario_make_bases(scenario, folder);
    if (!made)
        tma_diagnose(list, TMA_ERROR_MEMORY, (struct tma_location){"scenario", 0, 0},
                     "out of memory");
    return made;
}

/* Reads a scenario from a document that may extend others. */
static bool extend_and_read(struct tma_yaml_node *document, size_t errors_before,
                            const char *const *settings, size_t setting_count,
                            struct tma_scenario *scenario, struct tma_diagnostics *list,
                            struct tma_diagnostics *consumer_list) {
    size_t before = tma_diagnostics_total(list);
    scenario->document = tma_document_extend(document, TMA_BASE_SCENARIO, scenario->bases, list);
    /* What the document lacks without its base is not wrong. */
    if (tma_diagnostics_total(list) > before)
        return false;
    return read_scenario(errors_before, settings, setting_count, scenario, list, consumer_list);
}

bool tma_scenario_read(const char *path, const char *const *settings, size_t setting_count,
                       struct tma_scenario *scenario, struct tma_diagnostics *list) {
    size_t errors_before = tma_diagnostics_total(list);
    return make_bases(scenario, NULL, list) &&
           extend_and_read(tma_yaml_read(path, list), errors_before, settings, setting_count,
                           scenario, list, NULL);
}

bool tma_scenario_read_tiles(const char *path, const char *const *settings, size_t setting_count,
                             struct tma_scenario *scenario, struct tma_diagnostics *list,
                             struct tma_diagnostics *consumer_list) {
    size_t errors_before = tma_diagnostics_total(list);
    return make_bases(scenario, NULL, list) &&
           extend_and_read(tma_yaml_read(path, list), errors_before, settings, setting_count,
                           scenario, list, consumer_list);
}

static bool read_text(const struct tma_scenario_source *source, const char *const *settings,
                      size_t setting_count, struct tma_scenario *scenario,
                      struct tma_diagnostics *list) {
    size_t errors_before = tma_diagnostics_total(list);
    return make_bases(scenario, source->folder, list) &&
           extend_and_read(
               tma_yaml_parse_mapping(source->text, strlen(source->text), source->path, list),
               errors_before, settings, setting_count, scenario, list, NULL);
}

bool tma_scenario_read_text(const char *text, const char *name, const char *const *settings,
                            size_t setting_count, struct tma_scenario *scenario,
                            struct tma_diagnostics *list) {
    const struct tma_scenario_source source = {.path = name, .text = text};
    return read_text(&source, settings, setting_count, scenario, list);
}

bool tma_scenario_read_from(const struct tma_scenario_source *source, const char *const *settings,
                            size_t setting_count, struct tma_scenario *scenario,
                            struct tma_diagnostics *list) {
    size_t errors_before = tma_diagnostics_total(list);
    if (source->text != NULL)
        return read_text(source, settings, setting_count, scenario, list);
    return make_bases(scenario, source->folder, list) &&
           extend_and_read(tma_base_read(source->path, TMA_BASE_SCENARIO, false, scenario->bases,
                                         (struct tma_location){source->path, 0, 0}, list),
                           errors_before, settings, setting_count, scenario, list, NULL);
}

const struct tma_kernel *tma_scenario_kernel(const struct tma_scenario *scenario) {
    return scenario->program != NULL ? &scenario->program->kernel : NULL;
}

void tma_scenario_allow_long_kernel(struct tma_scenario *scenario, bool allowed) {
    if (scenario->program != NULL)
        scenario->program->kernel.unbounded = allowed;
}

void tma_scenario_free(struct tma_scenario *scenario) {
    tma_yaml_free(scenario->document);
    tma_yaml_free(scenario->gpu_document);
    tma_kernel_program_free(scenario->program);
    tma_parameters_free(scenario->parameters);
    tma_release(scenario->gpu_path);
    if (scenario->bases != NULL)
        tma_bases_free(scenario->bases);
    tma_release(scenario->bases);
    for (size_t i = 0; i < scenario->setting_count; i++)
        tma_release(scenario->setting_names[i]);
    tma_release(scenario->setting_names);
    *scenario = (struct tma_scenario){0};
}
