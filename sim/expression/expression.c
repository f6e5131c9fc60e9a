#include "expression/expression.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "expression/compiled.h"
#include "expression/syntax_tree.h"

/* A node needs at most three steps: its own, and two jumps. */
enum { MAX_STEPS = 3 * TMA_LIMIT_EXPRESSION_NODES };

struct emitter {
    const struct tma_syntax_tree *tree;
    struct tma_expression_step steps[MAX_STEPS];
    uint32_t count;
    unsigned height, highest; /* values on the stack */
    uint64_t variables;
};

static uint32_t add_step(struct emitter *emitter, enum tma_step_kind kind,
                         const struct tma_syntax_node *node, int64_t value) {
    emitter->steps[emitter->count] =
        (struct tma_expression_step){.kind = (uint8_t)kind,
                                     .operation = (uint8_t)node->operation,
                                     .column = (uint16_t)node->column,
                                     .value = value};
    return emitter->count++;
}

static void grow(struct emitter *emitter, int by) {
    emitter->height += (unsigned)by;
    if (emitter->height > emitter->highest)
        emitter->highest = emitter->height;
}

static void emit(struct emitter *emitter, uint32_t index);

static void emit_arithmetic(struct emitter *emitter, const struct tma_syntax_node *node) {
    const struct tma_syntax_node *second = &emitter->tree->nodes[node->operands[1]];
    emit(emitter, node->operands[0]);
    if (second->kind == TMA_SYNTAX_NUMBER) {
        add_step(emitter, TMA_STEP_WITH_NUMBER, node, second->value);
        return;
    }
    emit(emitter, node->operands[1]);
    add_step(emitter, TMA_STEP_ARITHMETIC, node, 0);
    grow(emitter, -1);
}

static void emit_logic(struct emitter *emitter, const struct tma_syntax_node *node) {
    emit(emitter, node->operands[0]);
    uint32_t jump =
        add_step(emitter, node->kind == TMA_SYNTAX_AND ? TMA_STEP_AND : TMA_STEP_OR, node, 0);
    grow(emitter, -1);
    emit(emitter, node->operands[1]);
    add_step(emitter, TMA_STEP_TRUTH, node, 0);
    emitter->steps[jump].target = emitter->count;
}

static void emit_conditional(struct emitter *emitter, const struct tma_syntax_node *node) {
    emit(emitter, node->operands[0]);
    uint32_t unless = add_step(emitter, TMA_STEP_UNLESS, node, 0);
    grow(emitter, -1);
    emit(emitter, node->operands[1]);
    uint32_t jump = add_step(emitter, TMA_STEP_JUMP, node, 0);
    grow(emitter, -1);
    emitter->steps[unless].target = emitter->count;
    emit(emitter, node->operands[2]);
    emitter->steps[jump].target = emitter->count;
}

/* Emits the steps that push the value of a node. */
static void emit(struct emitter *emitter, uint32_t index) {
    const struct tma_syntax_node *node = &emitter->tree->nodes[index];
    switch (node->kind) {
    case TMA_SYNTAX_NUMBER:
        add_step(emitter, TMA_STEP_NUMBER, node, node->value);
        grow(emitter, 1);
        break;
    case TMA_SYNTAX_VARIABLE:
        add_step(emitter, TMA_STEP_VARIABLE, node, node->value);
        emitter->variables |= UINT64_C(1) << node->value;
        grow(emitter, 1);
        break;
    case TMA_SYNTAX_ARITHMETIC:
        emit_arithmetic(emitter, node);
        break;
    case TMA_SYNTAX_CONDITIONAL:
        emit_conditional(emitter, node);
        break;
    case TMA_SYNTAX_LOOK_UP:
        emit(emitter, node->operands[0]);
        emitter->steps[add_step(emitter, TMA_STEP_LOOK_UP, node, 0)].table = node->table;
        break;
    default:
        emit_logic(emitter, node);
    }
}

/* Copies the steps and names into a new expression. NULL when out of memory. */
static struct tma_expression *create(const char *text, const struct tma_expression_step *steps,
                                     uint32_t step_count,
                                     const struct tma_expression_name *const *names,
                                     uint32_t name_count) {
    struct tma_expression *expression =
        tma_allocate(1, sizeof *expression + step_count * sizeof *expression->steps);
    if (expression == NULL)
        return NULL;
    expression->text = tma_copy_text(text);
    expression->names = tma_allocate(name_count + 1, sizeof *expression->names);
    bool good = expression->text != NULL && expression->names != NULL;
    for (uint32_t i = 0; i < name_count && good; i++) {
        expression->names[i] =
            (struct tma_used_name){tma_copy_text(names[i]->name), names[i]->is_variable,
                                   names[i]->variable, names[i]->value};
        expression->name_count++;
        good = expression->names[i].name != NULL;
    }
    memcpy(expression->steps, steps, step_count * sizeof *steps);
    expression->step_count = step_count;
    if (good)
        return expression;
    tma_expression_free(expression);
    return NULL;
}

static enum tma_error_code compile(const char *text, struct tma_syntax_tree *tree,
                                   struct emitter *emitter, struct tma_expression **expression,
                                   struct tma_error *error) {
    tma_syntax_fold(tree);
    emitter->tree = tree;
    emit(emitter, tree->root);
    if (emitter->highest > TMA_MAX_EXPRESSION_STACK)
        return tma_fail(error, TMA_ERROR_SYNTAX,
                        "\"%.160s\" is nested too deeply; allowed: %d values at a time", text,
                        TMA_MAX_EXPRESSION_STACK);
    *expression = create(text, emitter->steps, emitter->count, tree->used, tree->used_count);
    if (*expression == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    (*expression)->variables = emitter->variables;
    return TMA_OK;
}

enum tma_error_code tma_expression_parse(const char *text, const struct tma_expression_scope *scope,
                                         struct tma_expression **expression, unsigned *column,
                                         struct tma_error *error) {
    if (column != NULL)
        *column = 1;
    struct tma_syntax_tree *tree = tma_allocate(1, sizeof *tree);
    struct emitter *emitter = tma_allocate(1, sizeof *emitter);
    enum tma_error_code code = TMA_ERROR_MEMORY;
    if (tree == NULL || emitter == NULL)
        tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    else
        code = tma_syntax_parse(text, scope, tree, column, error);
    if (code == TMA_OK)
        code = compile(text, tree, emitter, expression, error);
    TMA_RELEASE(tree, emitter);
    return code;
}

struct tma_expression *tma_expression_of(int64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    struct tma_expression_step step = {.kind = TMA_STEP_NUMBER, .value = value};
    return create(text, &step, 1, NULL, 0);
}

void tma_expression_free(struct tma_expression *expression) {
    if (expression == NULL)
        return;
    for (uint32_t i = 0; i < expression->name_count; i++)
        tma_release(expression->names[i].name);
    TMA_RELEASE(expression->names, expression->text, expression);
}

bool tma_expression_constant(const struct tma_expression *expression, int64_t *value) {
    if (expression->step_count != 1 || expression->steps[0].kind != TMA_STEP_NUMBER)
        return false;
    *value = expression->steps[0].value;
    return true;
}

uint64_t tma_expression_variables(const struct tma_expression *expression) {
    return expression->variables;
}

const char *tma_expression_text(const struct tma_expression *expression) {
    return expression->text;
}
