#include "expression/syntax_tree.h"

static bool is_number(const struct tma_syntax_tree *tree, uint32_t node) {
    return tree->nodes[node].kind == TMA_SYNTAX_NUMBER;
}

static void become_number(struct tma_syntax_node *node, int64_t value) {
    node->kind = TMA_SYNTAX_NUMBER;
    node->value = value;
}

/* `a && b` and `a || b`, where a is a number. `deciding` is the value of a that decides. */
static void fold_logic(struct tma_syntax_tree *tree, struct tma_syntax_node *node, bool deciding) {
    bool first = tree->nodes[node->operands[0]].value != 0;
    if (first == deciding)
        become_number(node, deciding);
    else if (is_number(tree, node->operands[1]))
        become_number(node, tree->nodes[node->operands[1]].value != 0);
}

static void fold_node(struct tma_syntax_tree *tree, struct tma_syntax_node *node) {
    const struct tma_syntax_node *operands[3];
    int64_t value;
    if (node->kind == TMA_SYNTAX_NUMBER || node->kind == TMA_SYNTAX_VARIABLE)
        return;
    for (int i = 0; i < 3; i++)
        operands[i] = &tree->nodes[node->operands[i]];
    if (operands[0]->kind != TMA_SYNTAX_NUMBER)
        return;
    if (node->kind == TMA_SYNTAX_LOOK_UP) {
        if (operands[0]->value >= 0 && operands[0]->value < (int64_t)node->table->count)
            become_number(node, node->table->values[operands[0]->value]);
    } else if (node->kind == TMA_SYNTAX_CONDITIONAL)
        *node = operands[0]->value != 0 ? *operands[1] : *operands[2];
    else if (node->kind != TMA_SYNTAX_ARITHMETIC)
        fold_logic(tree, node, node->kind == TMA_SYNTAX_OR);
    else if (operands[1]->kind == TMA_SYNTAX_NUMBER &&
             tma_calculate(node->operation, operands[0]->value, operands[1]->value, &value) ==
                 TMA_ARITHMETIC_GOOD)
        become_number(node, value);
}

/* The parser makes operands before the node that has them. */
void tma_syntax_fold(struct tma_syntax_tree *tree) {
    for (uint32_t i = 0; i < tree->count; i++)
        fold_node(tree, &tree->nodes[i]);
}
