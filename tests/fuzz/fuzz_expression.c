/* Expressions: an expression that parses has the value that a plain evaluator computes, or fails
 * where that one fails. The first 24 bytes are the values of three variables, the rest is the text.
 */
#include "../unit/expression_reference.h"
#include "fuzz.h"

enum { VARIABLES = 3 };

static const struct tma_expression_name names[] = {
    {.name = "BM", .value = 128},
    {.name = "Z", .value = 0},
    {.name = "i", .is_variable = true, .variable = 0},
    {.name = "k", .is_variable = true, .variable = 1},
    {.name = "tile_m", .is_variable = true, .variable = 2},
};
static const struct tma_expression_unit units[] = {{"B", 1}, {"KiB", 1024}};
static const struct tma_expression_scope scope = {names, sizeof names / sizeof *names, units,
                                                  sizeof units / sizeof *units};

static void check_value(const struct tma_expression *expression, const int64_t *values) {
    struct part expected = reference_value(tma_expression_text(expression), &scope, values);
    struct tma_error error = {0};
    int64_t value = 0, constant;
    enum tma_error_code code = tma_expression_evaluate(expression, values, &value, &error);
    FUZZ_ASSERT(code == TMA_OK || error.text[0] != '\0');
    FUZZ_ASSERT((code == TMA_OK) == (tma_expression_fault_column(expression, values) == 0));
    if (expected.too_many)
        return;
    FUZZ_ASSERT((code != TMA_OK) == expected.failed);
    FUZZ_ASSERT(code != TMA_OK || value == expected.value);
    if (tma_expression_constant(expression, &constant))
        FUZZ_ASSERT(code == TMA_OK && constant == value);
}

/* The value does not depend on variables that it is said not to depend on. */
static void check_dependence(const struct tma_expression *expression, const int64_t *values) {
    int64_t others[VARIABLES], value = 0, other = 0;
    uint64_t used = tma_expression_variables(expression);
    for (int i = 0; i < VARIABLES; i++)
        others[i] = (used >> i & 1) != 0 ? values[i] : values[i] / 2 + 7;
    enum tma_error_code code = tma_expression_evaluate(expression, values, &value, NULL);
    FUZZ_ASSERT(tma_expression_evaluate(expression, others, &other, NULL) == code);
    FUZZ_ASSERT(code != TMA_OK || value == other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fuzz_input input = {data, size};
    struct tma_expression *expression = NULL;
    struct tma_error error = {0};
    int64_t values[VARIABLES];
    size_t length;
    unsigned column = 0;
    for (int i = 0; i < VARIABLES; i++)
        values[i] = (int64_t)fuzz_bits(&input, 8);
    char *text = fuzz_text(&input, &length);
    if (tma_expression_parse(text, &scope, &expression, &column, &error) == TMA_OK) {
        check_value(expression, values);
        check_dependence(expression, values);
    } else {
        FUZZ_ASSERT(error.text[0] != '\0' && column >= 1 && column <= strlen(text) + 1);
    }
    tma_expression_free(expression);
    free(text);
    return 0;
}
