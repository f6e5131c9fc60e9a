/* The syntax tree of an expression, between its text and its compiled form. Internal to this
 * folder. */
#pragma once

#include "base/limits.h"
#include "expression/arithmetic.h"
#include "expression/expression.h"

enum tma_syntax_kind {
    TMA_SYNTAX_NUMBER,      /* `value` */
    TMA_SYNTAX_VARIABLE,    /* `value` is its index */
    TMA_SYNTAX_ARITHMETIC,  /* of operands 0 and 1 */
    TMA_SYNTAX_AND,         /* of operands 0 and 1 */
    TMA_SYNTAX_OR,          /* of operands 0 and 1 */
    TMA_SYNTAX_CONDITIONAL, /* operand 0 ? operand 1 : operand 2 */
    TMA_SYNTAX_LOOK_UP,     /* entry of `table` whose number operand 0 is */
};

struct tma_syntax_node {
    enum tma_syntax_kind kind;
    enum tma_arithmetic operation;
    bool whole;      /* in parentheses or of a function: ceil and floor take it as it is */
    uint32_t column; /* of its operator or name, from 1 */
    int64_t value;
    uint32_t operands[3]; /* indices of nodes */
    const struct tma_expression_table *table;
};

struct tma_syntax_tree {
    struct tma_syntax_node nodes[TMA_LIMIT_EXPRESSION_NODES];
    uint32_t count;
    uint32_t root;
    const struct tma_expression_name *used[TMA_LIMIT_EXPRESSION_NODES]; /* names, once each */
    uint32_t used_count;
};

/* Parses the text. Fails as tma_expression_parse does. */
enum tma_error_code tma_syntax_parse(const char *text, const struct tma_expression_scope *scope,
                                     struct tma_syntax_tree *tree, unsigned *column,
                                     struct tma_error *error);

/* Computes the parts that do not depend on variables and do not fail. */
void tma_syntax_fold(struct tma_syntax_tree *tree);
