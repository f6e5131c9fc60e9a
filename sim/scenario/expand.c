#include "scenario/expand.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "base/limits.h"
#include "engine/roles/kernel.h"
#include "scenario/parameters.h"

enum { MOST_COPIES = 64 };

struct expander {
    struct tma_diagnostics *list;
    size_t nodes; /* made so far */
    bool failed;  /* out of memory, or too many nodes: the list says so */
};

/* The name of a number that differs from copy to copy, and its values. */
struct binding {
    char name[TMA_KERNEL_NAME];
    int64_t from, to;
};

static void out_of_memory(struct expander *expander, struct tma_location at) {
    if (!expander->failed)
        tma_diagnose(expander->list, TMA_ERROR_MEMORY, at, "out of memory");
    expander->failed = true;
}

/* --- $NAME and $(EXPRESSION) --- */

/* Length of the parenthesis at the beginning of a text; 0: it does not end. */
static size_t parenthesis(const char *text) {
    size_t depth = 0;
    for (size_t i = 0; text[i] != '\0'; i++) {
        depth += text[i] == '(';
        depth -= text[i] == ')';
        if (depth == 0)
            return i + 1;
    }
    return 0;
}

/* Copies `length` characters, in which the word `name` becomes a number. */
static void put_number(const char *text, size_t length, const char *name, int64_t number,
                       FILE *out) {
    for (size_t i = 0; i < length;) {
        size_t word = tma_parameter_word_length(text + i);
        if (word == strlen(name) && strncmp(text + i, name, word) == 0)
            fprintf(out, "%" PRId64, number);
        else
            fwrite(text + i, 1, word > 0 ? word : 1, out);
        i += word > 0 ? word : 1;
    }
}

/* The value of an expression of parameters. TMA_ERROR_MEMORY when out of memory; another error
 * where it has none yet, as names of other copies are in it. */
static enum tma_error_code evaluate(const char *text, const struct tma_parameters *parameters,
                                    int64_t *value) {
    struct tma_expression_scope scope = {.names = parameters->items,
                                         .name_count = parameters->count};
    struct tma_expression *expression = NULL;
    struct tma_error error;
    unsigned column;
    enum tma_error_code code = tma_expression_parse(text, &scope, &expression, &column, &error);
    if (code == TMA_OK && tma_expression_variables(expression) != 0)
        code = TMA_ERROR_SYNTAX;
    if (code == TMA_OK)
        code = tma_expression_evaluate(expression, NULL, value, &error);
    tma_expression_free(expression);
    return code;
}

/* "$(1 - g)" with g: its value; as it is, but for g, where it has names of other copies. False when
 * out of memory. */
static bool put_parenthesis(const char *text, size_t length, const char *name, int64_t number,
                            const struct tma_parameters *parameters, FILE *out) {
    char *inner = NULL;
    size_t bytes;
    int64_t value;
    FILE *stream = tma_open_text(&inner, &bytes);
    if (stream == NULL)
        return false;
    put_number(text, length, name, number, stream);
    enum tma_error_code code = TMA_ERROR_MEMORY;
    if (tma_close_text(stream, &inner))
        code = evaluate(inner, parameters, &value);
    if (code == TMA_OK)
        fprintf(out, "%" PRId64, value);
    else if (code != TMA_ERROR_MEMORY)
        fprintf(out, "$%s", inner);
    tma_release(inner);
    return code != TMA_ERROR_MEMORY;
}

/* A copy of a text with the number of this copy. NULL when out of memory. */
static char *substitute(const char *text, const char *name, int64_t number,
                        const struct tma_parameters *parameters) {
    char *made = NULL;
    size_t bytes;
    if (strchr(text, '$') == NULL)
        return tma_copy_text(text);
    FILE *out = tma_open_text(&made, &bytes);
    if (out == NULL)
        return NULL;
    bool good = true;
    while (*text != '\0' && good) {
        size_t word = text[0] == '$' ? tma_parameter_word_length(text + 1) : 0;
        size_t inner = text[0] == '$' && text[1] == '(' ? parenthesis(text + 1) : 0;
        if (inner > 0)
            good = put_parenthesis(text + 1, inner, name, number, parameters, out);
        else if (word > 0 && word == strlen(name) && strncmp(text + 1, name, word) == 0)
            fprintf(out, "%" PRId64, number);
        else
            fwrite(text, 1, 1 + word, out);
        text += 1 + (inner > 0 ? inner : word);
    }
    if (tma_close_text(out, &made) && good)
        return made;
    tma_release(made);
    return NULL;
}

/* --- Copies of nodes --- */

/* A copy of a node and its children for one number. NULL after an error. */
static struct tma_yaml_node *copy_node(struct expander *expander, const struct tma_yaml_node *node,
                                       const char *name, int64_t number) {
    struct tma_yaml_node *copy = NULL;
    if (expander->nodes++ == TMA_LIMIT_YAML_VALUES)
        tma_diagnose(expander->list, TMA_ERROR_SYNTAX, node->at,
                     "copies make more than %d keys and values", TMA_LIMIT_YAML_VALUES);
    expander->failed = expander->failed || expander->nodes > TMA_LIMIT_YAML_VALUES;
    if (expander->failed || (copy = tma_allocate(1, sizeof *copy)) == NULL) {
        out_of_memory(expander, node->at);
        return NULL;
    }
    *copy = (struct tma_yaml_node){.kind = node->kind,
                                   .at = node->at,
                                   .key_at = node->key_at,
                                   .text_column = node->text_column,
                                   .parameters = node->parameters};
    if (node->key != NULL)
        copy->key = substitute(node->key, name, number, node->parameters);
    if (node->text != NULL) {
        copy->text = substitute(node->text, name, number, node->parameters);
        copy->text_column = strchr(node->text, '$') == NULL ? node->text_column : 0;
    }
    if ((node->key != NULL && copy->key == NULL) || (node->text != NULL && copy->text == NULL))
        out_of_memory(expander, node->at);
    struct tma_yaml_node **end = &copy->first;
    for (const struct tma_yaml_node *child = node->first; child != NULL && !expander->failed;
         child = child->next) {
        *end = copy_node(expander, child, name, number);
        end = *end == NULL ? end : &(*end)->next;
    }
    if (!expander->failed)
        return copy;
    tma_yaml_free(copy);
    return NULL;
}

/* Reads a number of a binding. */
static bool read_number(struct expander *expander, const struct tma_yaml_node *node,
                        const char *word, int64_t *number) {
    char name[TMA_KERNEL_NAME + 16];
    snprintf(name, sizeof name, "%.20s", word);
    if (node->kind == TMA_YAML_SCALAR && node->text[0] != '\0')
        return tma_expression_number(node, &tma_unit_none, name, number, expander->list);
    return tma_diagnose(expander->list, TMA_ERROR_SYNTAX, node->at, "%s: expected a number", name);
}

/* Reads COUNT, {NAME: COUNT} or {NAME: [FROM, TO]}. False, with an error, for anything else. */
static bool read_binding(struct expander *expander, const struct tma_yaml_node *node,
                         const char *word, const char *fallback, struct binding *binding) {
    const struct tma_yaml_node *range = node;
    const char *why, *name = fallback;
    *binding = (struct binding){.from = 0};
    if (node->kind == TMA_YAML_MAPPING && node->first != NULL && node->first->next == NULL) {
        range = node->first;
        name = range->key;
    }
    if (name == NULL || node->kind == TMA_YAML_LIST ||
        (node->kind == TMA_YAML_MAPPING && range == node))
        return tma_diagnose(expander->list, TMA_ERROR_SYNTAX, node->at,
                            "%s: expected a name with its number of copies, such as {g: 2}", word);
    if (!tma_parameter_name_valid(name, &why))
        return tma_diagnose(expander->list, TMA_ERROR_SYNTAX, range->key_at,
                            "\"%.60s\" is not a valid name of a number; %s", name, why);
    snprintf(binding->name, sizeof binding->name, "%s", name);
    bool good = true;
    if (range->kind == TMA_YAML_LIST && tma_yaml_count(range) == 2)
        good = read_number(expander, range->first, word, &binding->from) &&
               read_number(expander, range->first->next, word, &binding->to);
    else
        good = read_number(expander, range, word, &binding->to);
    int64_t copies = 0;
    if (__builtin_sub_overflow(binding->to, binding->from, &copies))
        copies = binding->to > binding->from ? INT64_MAX : INT64_MIN;
    if (good && (copies < 1 || copies > MOST_COPIES))
        return tma_diagnose(expander->list, TMA_ERROR_ARGUMENT, range->at,
                            "%s makes %" PRId64 " copies; allowed: 1 to %d", word, copies,
                            MOST_COPIES);
    return good;
}

/* --- Copies, each and let --- */

/* Puts nodes in the place of the one at a link. Returns the link behind them. */
static struct tma_yaml_node **replace(struct tma_yaml_node **link, struct tma_yaml_node *by) {
    struct tma_yaml_node *old = *link, *rest = old->next;
    old->next = NULL;
    tma_yaml_free(old);
    *link = by;
    while (*link != NULL)
        link = &(*link)->next;
    *link = rest;
    return link;
}

/* NAME: {copies: ...} becomes NAME_0, NAME_1, ... */
static void expand_copies(struct expander *expander, struct tma_yaml_node **link) {
    struct tma_yaml_node *node = *link, *made = NULL, **end = &made;
    struct tma_yaml_node *copies = tma_yaml_take(node, "copies");
    struct binding binding;
    bool good = read_binding(expander, copies, "copies", "copy", &binding);
    for (int64_t i = binding.from; good && i < binding.to && !expander->failed; i++) {
        char key[2 * TMA_KERNEL_NAME + 24];
        struct tma_yaml_node *copy = copy_node(expander, node, binding.name, i);
        if (copy == NULL)
            break;
        snprintf(key, sizeof key, "%.60s_%" PRId64, copy->key, i);
        tma_release(copy->key);
        copy->key = tma_copy_text(key);
        *end = copy;
        end = &copy->next;
        if (copy->key == NULL)
            out_of_memory(expander, node->at);
    }
    tma_yaml_free(copies);
    if (good && !expander->failed)
        replace(link, made);
    else
        tma_yaml_free(made);
}

static bool has(const struct tma_yaml_node *node, const char *key) {
    return node->kind == TMA_YAML_MAPPING && tma_yaml_find(node, key) != NULL;
}

/* let: {...} with statements behind it becomes one with these in its body. */
static void close_let(struct expander *expander, struct tma_yaml_node *node) {
    struct tma_yaml_node *body = tma_allocate(1, sizeof *body);
    struct tma_yaml_node **end = &node->first;
    if (body != NULL)
        *body = (struct tma_yaml_node){.kind = TMA_YAML_LIST,
                                       .at = node->next->at,
                                       .key_at = node->next->at,
                                       .key = tma_copy_text("do"),
                                       .parameters = node->parameters};
    if (body == NULL || body->key == NULL) {
        tma_yaml_free(body);
        out_of_memory(expander, node->at);
        return;
    }
    while (*end != NULL)
        end = &(*end)->next;
    body->first = node->next;
    node->next = NULL;
    *end = body;
}

/* The same for the first `let` of a list. */
static void close_first_let(struct expander *expander, struct tma_yaml_node *list) {
    for (struct tma_yaml_node *node = list->first; node != NULL; node = node->next)
        if (has(node, "let") && !has(node, "do") && node->next != NULL)
            close_let(expander, node); /* nothing follows it any more */
}

/* each: {NAME: ...} becomes its statements, so often. */
static void expand_each(struct expander *expander, struct tma_yaml_node **link) {
    struct tma_yaml_node *node = *link, *made = NULL, **end = &made;
    struct tma_yaml_node *body = (struct tma_yaml_node *)tma_yaml_find(node, "do");
    struct binding binding;
    if (body == NULL || body->kind != TMA_YAML_LIST || body->first == NULL) {
        tma_diagnose(expander->list, TMA_ERROR_SYNTAX, node->at,
                     "each has no body; expected `do`, a list of statements, beside `each`");
        return;
    }
    if (!read_binding(expander, tma_yaml_find(node, "each"), "each", NULL, &binding))
        return;
    close_first_let(expander, body); /* its names end with the copy */
    for (int64_t i = binding.from; i < binding.to; i++)
        for (const struct tma_yaml_node *at = body->first; at != NULL && !expander->failed;
             at = at->next)
            if ((*end = copy_node(expander, at, binding.name, i)) != NULL)
                end = &(*end)->next;
    if (!expander->failed)
        replace(link, made);
    else
        tma_yaml_free(made);
}

/* The statements of a list, and of the lists in them. */
static void expand_statements(struct expander *expander, struct tma_yaml_node *list) {
    if (list->kind == TMA_YAML_LIST)
        close_first_let(expander, list);
    for (struct tma_yaml_node **link = &list->first; *link != NULL && !expander->failed;) {
        struct tma_yaml_node *before = *link;
        if (list->kind == TMA_YAML_LIST && has(before, "each"))
            expand_each(expander, link);
        if (*link != before)
            continue; /* what came in its place can have copies, too */
        expand_statements(expander, before);
        link = &before->next;
    }
}

void tma_document_expand(struct tma_yaml_node *root, struct tma_diagnostics *list) {
    static const char *const parts[] = {"kernel.rings", "kernel.buffers", "kernel.barriers",
                                        "kernel.roles"};
    struct expander expander = {.list = list};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        /* The document is the caller's to change. */
        struct tma_yaml_node *part = (struct tma_yaml_node *)tma_yaml_find(root, parts[i]);
        if (part == NULL)
            continue;
        for (struct tma_yaml_node **link = &part->first; *link != NULL; link = &(*link)->next)
            while (has(*link, "copies") && !expander.failed)
                expand_copies(&expander, link);
        if (strcmp(parts[i], "kernel.roles") == 0)
            expand_statements(&expander, part);
    }
}
