/* Numbers of a kernel's program: expressions of parameters and of variables. */
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "base/array.h"
#include "base/limits.h"
#include "scenario/kernel_program.h"
#include "scenario/kernel_reader.h"
#include "scenario/parameters.h"

static const struct tma_expression_unit units[] = {
    {"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"cycles", 1}, {"cycle", 1}};

/* Keeps an expression as a value of the program: a constant one as a number. */
static bool keep(struct tma_kernel_reader *reader, struct tma_expression *expression,
                 struct tma_value *value) {
    struct tma_kernel_program *program = reader->program;
    if (tma_expression_constant(expression, &value->constant)) {
        tma_expression_free(expression);
        return true;
    }
    if (!TMA_GROW(program->expressions, program->expression_count, program->expression_capacity)) {
        tma_expression_free(expression);
        return tma_diagnose(reader->list, TMA_ERROR_MEMORY, reader->scenario_reader->root->at,
                            "out of memory");
    }
    program->expressions[program->expression_count++] = expression;
    value->expression = expression;
    return true;
}

bool tma_make_value(struct tma_kernel_reader *reader, const char *text,
                    const struct tma_yaml_node *node, const char *name, struct tma_value *value) {
    struct tma_expression_scope scope = {reader->names, reader->name_count, units,
                                         sizeof units / sizeof units[0]};
    struct tma_expression *expression = NULL;
    struct tma_error error;
    unsigned column;
    *value = (struct tma_value){0};
    enum tma_error_code code = tma_expression_parse(text, &scope, &expression, &column, &error);
    int64_t constant;
    /* An expression without variables that is not a number fails whenever it is evaluated. */
    if (code == TMA_OK && tma_expression_variables(expression) == 0 &&
        !tma_expression_constant(expression, &constant)) {
        code = tma_expression_evaluate(expression, NULL, &constant, &error);
        column = tma_expression_fault_column(expression, NULL);
    }
    if (code == TMA_OK)
        return keep(reader, expression, value);
    tma_expression_free(expression);
    return tma_diagnose(reader->list, code, tma_text_location(node, column), "%s is %s", name,
                        error.text);
}

bool tma_read_value(struct tma_kernel_reader *reader, const struct tma_yaml_node *node,
                    const char *name, struct tma_value *value) {
    *value = (struct tma_value){0};
    if (node->kind == TMA_YAML_SCALAR && node->text[0] != '\0')
        return tma_make_value(reader, node->text, node, name, value);
    return tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->at, "%s %s; expected an expression",
                        name,
                        node->kind == TMA_YAML_LIST      ? "is a list"
                        : node->kind == TMA_YAML_MAPPING ? "is a mapping"
                                                         : "has no value");
}

bool tma_read_ranks(struct tma_kernel_reader *reader, const struct tma_yaml_node *const *nodes,
                    uint32_t count, const char *name, struct tma_value *mask) {
    uint32_t ctas = tma_kernel_cluster_ctas(reader->kernel);
    char text[TMA_LIMIT_EXPRESSION_BYTES + 64] = "", part[TMA_LIMIT_EXPRESSION_BYTES];
    *mask = (struct tma_value){0};
    if (count == 1 && nodes[0]->kind == TMA_YAML_SCALAR && strcmp(nodes[0]->text, "all") == 0) {
        mask->constant = ctas == 1 ? 0 : (INT64_C(1) << ctas) - 1;
        return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct tma_value rank;
        char item[96];
        snprintf(item, sizeof item, "%.64s.%u", name, i);
        if (!tma_read_value(reader, nodes[i], item, &rank))
            return false;
        if (rank.expression == NULL && (rank.constant < 0 || rank.constant >= ctas))
            return tma_diagnose(reader->list, TMA_ERROR_ARGUMENT, nodes[i]->at,
                                "%s is %lld; allowed: ranks 0 to %u, because kernel.cluster is %u",
                                item, (long long)rank.constant, ctas - 1, ctas);
        snprintf(part, sizeof part, "%spow2(%.900s)", i == 0 ? "" : " + ", nodes[i]->text);
        if (strlen(text) + strlen(part) >= sizeof text)
            part[0] = '\0'; /* then the whole is too long as well, and is found so below */
        strcat(text, part);
    }
    if (!tma_make_value(reader, text, nodes[0], name, mask))
        return false;
    if (ctas == 1)
        *mask = (struct tma_value){0}; /* nothing is multicast */
    return true;
}

bool tma_declare_variable(struct tma_kernel_reader *reader, const char *name,
                          const struct tma_yaml_node *node, uint32_t *variable) {
    struct tma_kernel *kernel = reader->kernel;
    const char *why = NULL;
    if (!tma_parameter_name_valid(name, &why))
        return tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->key_at,
                            "\"%.60s\" is not a valid name of a loop's variable; %s", name, why);
    for (size_t i = 0; i < reader->name_count; i++)
        if (strcmp(reader->names[i].name, name) == 0)
            return tma_diagnose(
                reader->list, TMA_ERROR_SYNTAX, node->key_at,
                "\"%s\" is the name of a parameter or of the variable of an outer loop; "
                "expected another name",
                name);
    for (*variable = 0; *variable < kernel->variable_count; ++*variable)
        if (strcmp(kernel->variables[*variable], name) == 0)
            break;
    if (*variable == TMA_MAX_VARIABLES || reader->name_count == TMA_MAX_SCOPE_NAMES)
        return tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->key_at,
                            "the kernel has too many variables; allowed: %d",
                            TMA_MAX_VARIABLES - TMA_FIRST_LOOP_VARIABLE);
    if (*variable == kernel->variable_count)
        snprintf(kernel->variables[kernel->variable_count++], TMA_KERNEL_NAME, "%s", name);
    reader->names[reader->name_count++] = (struct tma_expression_name){
        .name = kernel->variables[*variable], .is_variable = true, .variable = *variable};
    return true;
}

void tma_kernel_program_free(struct tma_kernel_program *program) {
    if (program == NULL)
        return;
    for (size_t i = 0; i < program->expression_count; i++)
        tma_expression_free(program->expressions[i]);
    tma_release(program->expressions);
    for (uint32_t i = 0; i < TMA_MAX_TABLES; i++)
        tma_release(program->tables[i]);
    TMA_RELEASE(program->kernel.statements, program);
}
