#include "scenario/parameter_values.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "scenario/parameters.h"

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

void tma_add_parameter_values(const struct tma_yaml_node *root, struct tma_diagnostics *list,
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
