#include <inttypes.h>
#include <stdio.h>

#include "expression/compiled.h"

struct evaluation {
    enum tma_arithmetic_fault fault;
    unsigned column; /* of the fault */
    int64_t value;
};

static struct evaluation run(const struct tma_expression *expression, const int64_t *variables) {
    int64_t stack[TMA_MAX_EXPRESSION_STACK];
    int64_t *top = stack; /* behind the last value */
    for (uint32_t i = 0; i < expression->step_count;) {
        const struct tma_expression_step *step = &expression->steps[i++];
        enum tma_arithmetic_fault fault = TMA_ARITHMETIC_GOOD;
        switch ((enum tma_step_kind)step->kind) {
        case TMA_STEP_NUMBER:
            *top++ = step->value;
            break;
        case TMA_STEP_VARIABLE:
            *top++ = variables[step->value];
            break;
        case TMA_STEP_ARITHMETIC:
            top--;
            fault = tma_calculate((enum tma_arithmetic)step->operation, top[-1], top[0], &top[-1]);
            break;
        case TMA_STEP_WITH_NUMBER:
            fault =
                tma_calculate((enum tma_arithmetic)step->operation, top[-1], step->value, &top[-1]);
            break;
        case TMA_STEP_TRUTH:
            top[-1] = top[-1] != 0;
            break;
        case TMA_STEP_AND:
        case TMA_STEP_OR: {
            bool is_or = step->kind == TMA_STEP_OR;
            if ((top[-1] != 0) == is_or) {
                top[-1] = is_or;
                i = step->target;
            } else {
                top--;
            }
            break;
        }
        case TMA_STEP_UNLESS:
            if (*--top == 0)
                i = step->target;
            break;
        case TMA_STEP_JUMP:
            i = step->target;
            break;
        case TMA_STEP_LOOK_UP:
            if (top[-1] < 0 || top[-1] >= (int64_t)step->table->count)
                fault = TMA_ARITHMETIC_NO_ENTRY;
            else
                top[-1] = step->table->values[top[-1]];
            break;
        }
        if (fault != TMA_ARITHMETIC_GOOD)
            return (struct evaluation){fault, step->column, 0};
    }
    return (struct evaluation){TMA_ARITHMETIC_GOOD, 0, top[-1]};
}

/* Writes "; M = 4096, k = 3", the values of the names of an expression. */
static void write_names(const struct tma_expression *expression, const int64_t *variables,
                        char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < expression->name_count && used + 1 < size; i++) {
        const struct tma_used_name *name = &expression->names[i];
        int64_t value = name->is_variable ? variables[name->variable] : name->value;
        int wrote = snprintf(text + used, size - used, "%s%.40s = %" PRId64, i == 0 ? "; " : ", ",
                             name->name, value);
        used += (size_t)wrote;
    }
}

enum tma_error_code tma_expression_evaluate(const struct tma_expression *expression,
                                            const int64_t *variables, int64_t *value,
                                            struct tma_error *error) {
    struct evaluation evaluation = run(expression, variables);
    if (evaluation.fault == TMA_ARITHMETIC_GOOD) {
        *value = evaluation.value;
        return TMA_OK;
    }
    char names[256];
    write_names(expression, variables, names, sizeof names);
    return tma_fail(error, TMA_ERROR_ARGUMENT, "\"%.160s\", column %u: %s%s", expression->text,
                    evaluation.column,
                    evaluation.fault == TMA_ARITHMETIC_ZERO_DIVISOR ? "division by zero"
                    : evaluation.fault == TMA_ARITHMETIC_NO_ENTRY
                        ? "the table has no entry of this number"
                        : "the result does not fit in 64 bits",
                    names);
}

unsigned tma_expression_fault_column(const struct tma_expression *expression,
                                     const int64_t *variables) {
    return run(expression, variables).column;
}
