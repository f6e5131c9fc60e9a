#include "scenario/parameters.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "engine/roles/kernel.h"

/* At least the number of units that any quantity has. */
enum { MAX_UNITS = 8 };

bool tma_parameter_name_valid(const char *name, const char **why) {
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    static const char *const taken[] = {"min", "max",  "ceil", "floor",  "pow2",
                                        "cta", "rank", "ctas", "cluster"};
    const char *reason = NULL;
    if (name[0] == '\0' || strspn(name, allowed) != strlen(name) ||
        (name[0] >= '0' && name[0] <= '9') || strlen(name) >= TMA_KERNEL_NAME)
        reason = "expected a letter or _, then at most 38 letters, digits or _";
    for (size_t i = 0; i < sizeof taken / sizeof taken[0] && reason == NULL; i++)
        if (strcmp(name, taken[i]) == 0)
            reason = i < 5 ? "this is a function of expressions"
                           : "each kernel has a variable of this name";
    if (why != NULL)
        *why = reason;
    return reason == NULL;
}

struct tma_location tma_text_location(const struct tma_yaml_node *node, unsigned column) {
    struct tma_location at = node->at;
    if (node->text_column > 0 && column > 0)
        at.column = node->text_column + column - 1;
    return at;
}

static bool is_word_character(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

size_t tma_parameter_word_length(const char *text) {
    size_t length = 0;
    while (is_word_character(text[length]))
        length++;
    return length;
}

const struct tma_expression_name *tma_parameter_named(const struct tma_parameters *parameters,
                                                      size_t count, const char *word,
                                                      size_t length) {
    for (size_t i = 0; i < count; i++)
        if (strlen(parameters->items[i].name) == length &&
            strncmp(parameters->items[i].name, word, length) == 0)
            return &parameters->items[i];
    return NULL;
}

bool tma_text_is_expression(const char *text, const struct tma_parameters *parameters) {
    if (parameters == NULL)
        return false;
    for (const char *at = text; *at != '\0';) {
        if (strchr("+*/%()<>=!&|?,", *at) != NULL || (*at == '-' && at > text))
            return true;
        size_t length = tma_parameter_word_length(at);
        if (tma_parameter_named(parameters, parameters->count, at, length) != NULL)
            return true;
        at += length > 0 ? length : 1;
    }
    return false;
}

/* Parses and computes an expression of these parameters. */
static bool compute(const struct tma_yaml_node *node, const struct tma_parameters *parameters,
                    const struct tma_quantity_unit *unit, const char *name, int64_t *value,
                    struct tma_diagnostics *list) {
    struct tma_expression_unit units[MAX_UNITS];
    struct tma_expression_scope scope = {parameters->items, parameters->count, units, unit->count};
    for (size_t i = 0; i < unit->count && i < MAX_UNITS; i++)
        units[i] = (struct tma_expression_unit){unit->suffixes[i].name, unit->suffixes[i].scale};
    struct tma_expression *expression = NULL;
    struct tma_error error;
    unsigned column;
    enum tma_error_code code =
        tma_expression_parse(node->text, &scope, &expression, &column, &error);
    bool poisoned = code == TMA_OK && tma_expression_variables(expression) != 0;
    if (code == TMA_OK && !poisoned) {
        code = tma_expression_evaluate(expression, NULL, value, &error);
        if (code != TMA_OK)
            column = tma_expression_fault_column(expression, NULL);
    }
    tma_expression_free(expression);
    if (code != TMA_OK)
        tma_diagnose(list, code, tma_text_location(node, column), "%s is %s", name, error.text);
    return code == TMA_OK && !poisoned;
}

bool tma_expression_number(const struct tma_yaml_node *node, const struct tma_quantity_unit *unit,
                           const char *name, int64_t *value, struct tma_diagnostics *list) {
    return compute(node, node->parameters, unit, name, value, list);
}

/* True, with an error, if the expression uses a parameter that comes only later, itself included.
 */
static bool uses_later(const struct tma_yaml_node *node, struct tma_diagnostics *list) {
    for (const struct tma_yaml_node *later = node; later != NULL; later = later->next) {
        size_t length = strlen(later->key);
        for (const char *at = strstr(node->text, later->key); at != NULL && length > 0;
             at = strstr(at + 1, later->key)) {
            if ((at > node->text && is_word_character(at[-1])) || is_word_character(at[length]))
                continue;
            tma_diagnose(list, TMA_ERROR_SYNTAX,
                         tma_text_location(node, (unsigned)(at - node->text) + 1),
                         "parameters.%s is \"%.160s\", which uses %s; a parameter can use those "
                         "before it%s",
                         node->key, node->text, later == node ? "itself" : later->key,
                         later == node ? "" : ": write that one first");
            return true;
        }
    }
    return false;
}

static bool read_parameter(const struct tma_yaml_node *node,
                           const struct tma_parameters *parameters, int64_t *value,
                           struct tma_diagnostics *list) {
    char name[TMA_KERNEL_NAME + 16];
    const char *why;
    if (!tma_parameter_name_valid(node->key, &why))
        return tma_diagnose(list, TMA_ERROR_SYNTAX, node->key_at,
                            "\"%.60s\" is not a valid name of a parameter; %s", node->key, why);
    snprintf(name, sizeof name, "parameters.%s", node->key);
    if (node->kind == TMA_YAML_SCALAR && node->text[0] != '\0')
        return !uses_later(node, list) &&
               compute(node, parameters, &tma_unit_driver_bytes, name, value, list);
    return tma_diagnose(list, TMA_ERROR_SYNTAX, node->at,
                        "%s %s; expected a whole number or an expression", name,
                        node->kind == TMA_YAML_LIST      ? "is a list"
                        : node->kind == TMA_YAML_MAPPING ? "is a mapping"
                                                         : "has no value");
}

static void attach(struct tma_yaml_node *node, const struct tma_parameters *parameters) {
    for (; node != NULL; node = node->next) {
        node->parameters = parameters;
        attach(node->first, parameters);
    }
}

struct tma_parameters *tma_parameters_read(struct tma_yaml_node *root,
                                           struct tma_diagnostics *list) {
    struct tma_parameters *parameters = tma_allocate(1, sizeof *parameters);
    const struct tma_yaml_node *mapping = tma_yaml_find(root, "parameters");
    size_t count =
        mapping == NULL || mapping->kind != TMA_YAML_MAPPING ? 0 : tma_yaml_count(mapping);
    if (parameters != NULL)
        parameters->items = tma_allocate(count + 1, sizeof *parameters->items);
    if (parameters == NULL || parameters->items == NULL) {
        tma_release(parameters);
        tma_diagnose(list, TMA_ERROR_MEMORY, root->at, "out of memory");
        return NULL;
    }
    for (const struct tma_yaml_node *node = count == 0 ? NULL : mapping->first; node != NULL;
         node = node->next) {
        int64_t value = 0;
        bool good = read_parameter(node, parameters, &value, list);
        parameters->items[parameters->count++] =
            (struct tma_expression_name){.name = node->key, .is_variable = !good, .value = value};
    }
    attach(root, parameters);
    return parameters;
}

bool tma_parameters_valid(const struct tma_parameters *parameters) {
    for (size_t i = 0; i < parameters->count; i++)
        if (parameters->items[i].is_variable)
            return false;
    return true;
}

void tma_parameters_free(struct tma_parameters *parameters) {
    if (parameters != NULL)
        tma_release(parameters->items);
    tma_release(parameters);
}

void tma_parameters_visit(const struct tma_parameters *parameters,
                          void (*visit)(void *context, const char *key, const char *value),
                          void *context) {
    for (size_t i = 0; parameters != NULL && i < parameters->count; i++) {
        char key[TMA_KERNEL_NAME + 16], value[24];
        snprintf(key, sizeof key, "parameters.%s", parameters->items[i].name);
        snprintf(value, sizeof value, "%" PRId64, parameters->items[i].value);
        visit(context, key, value);
    }
}
