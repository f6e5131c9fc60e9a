/* Expressions: values, rounding, precedence, errors with their columns, limits, and a comparison
 * with a plain evaluator on random expressions. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "expression/expression.h"
#include "expression_reference.h"
#include "suite.h"

enum { K, N, SMALL, VARIABLES };

static const int64_t variable_values[VARIABLES] = {3, -7, INT64_MIN};

static const struct tma_expression_name names[] = {
    {.name = "M", .value = 4096},
    {.name = "BM", .value = 128},
    {.name = "STAGES", .value = 4},
    {.name = "zero", .value = 0},
    {.name = "huge", .value = INT64_MAX},
    {.name = "k", .is_variable = true, .variable = K},
    {.name = "n", .is_variable = true, .variable = N},
    {.name = "small", .is_variable = true, .variable = SMALL},
    {.name = "hidden", .value = 1},
    {.name = "hidden", .value = 2},
};

static const struct tma_expression_unit units[] = {
    {"B", 1}, {"KiB", 1024}, {"cycles", 1}, {"B/cycle", 1000}};

static const struct tma_expression_scope scope = {names, sizeof names / sizeof names[0], units,
                                                  sizeof units / sizeof units[0]};

/* Without the names that are there twice. */
static const struct tma_expression_scope distinct_scope = {names, TABLE_ROWS(names) - 2, units,
                                                           TABLE_ROWS(units)};

static struct tma_expression *parse(const char *text, struct tma_error *error) {
    struct tma_expression *expression = NULL;
    error->text[0] = '\0';
    tma_expression_parse(text, &scope, &expression, NULL, error);
    return expression;
}

static const struct {
    const char *text;
    int64_t value;
} values[] = {
    {"0", 0},
    {"42", 42},
    {"0x1F", 31},
    {"9223372036854775807", INT64_MAX},
    {" M\t/\nBM ", 32},
    {"hidden", 2},
    {"1 + 2 * 3", 7},
    {"(1 + 2) * 3", 9},
    {"7 - 2 - 1", 4},
    {"64 / 4 / 2", 8},
    {"64 / (4 / 2)", 32},
    {"7 / 2 * 2", 6},
    {"-3 * -k", 9},
    {"--k", 3},
    {"2 - -2", 4},
    {"-7 / 2", -4}, /* rounds down */
    {"7 / -2", -4},
    {"-7 / -2", 3},
    {"-8 / 2", -4},
    {"-7 % 4", 1},
    {"7 % -4", -1},
    {"-8 % 4", 0},
    {"n % STAGES", 1},
    {"small % -1", 0},
    {"ceil(M / BM)", 32},
    {"ceil((M + 1) / BM)", 33},
    {"ceil( k / 2 )", 2},
    {"ceil(n / 2)", -3},
    {"ceil(7 / -2)", -3},
    {"ceil(-7 / -2)", 4},
    {"ceil(6 / 2 / 3)", 1},
    {"ceil(7 / 2 / 2)", 2}, /* 1.75; rounding twice would give 2 as well */
    {"ceil(9 / 2 / 2)", 3}, /* 2.25; 9 / 2 rounded down, then halved, would give 2 */
    {"ceil(9 / 2) * 2", 10},
    {"ceil((9 / 2) / 2)", 2}, /* parentheses and floor give a whole number */
    {"ceil(floor(9 / 2) / 2)", 2},
    {"ceil(ceil(9 / 2) / 2)", 3},
    {"ceil(floor(3 / 4) / 5)", 0},
    {"floor(ceil(9 / 2) / 2 / 2)", 1},
    {"ceil((9 / 2) / 2 / 2)", 1},
    {"ceil(9 / (4 / 2))", 5},
    {"ceil((9 / 2 + 0) / 2)", 2},
    {"floor(n / 2)", -4},
    {"floor(9 / 2 / 2)", 2},
    {"ceil(9223372036854775807 / 2)", INT64_C(4611686018427387904)}, /* a double cannot */
    {"min(3, 1, 2)", 1},
    {"max(k, n)", 3},
    {"min(132, ceil(M / BM) * ceil(M / BM))", 132},
    {"pow2(0) + pow2(k)", 9},
    {"pow2(62)", INT64_C(1) << 62},
    {"1 < 2", 1},
    {"2 <= 1", 0},
    {"k == 3", 1},
    {"k != 3", 0},
    {"k >= 3 && n < 0", 1},
    {"k - 3 || zero", 0},
    {"5 || k / zero", 1},
    {"5 && 7", 1},
    {"zero && k / zero", 0},
    {"k && n", 1},
    {"!k", 0},
    {"!!k", 1},
    {"1 + !zero * 2", 3},
    {"k < 0 ? 1 : n < 0 ? 2 : 3", 2},
    {"zero ? k / zero : 5", 5},
    {"k ? k : k / zero", 3},
    {"(k == 3 ? 10 : 20) + 1", 11},
    {"1 || 0 && 0", 1},
    {"4 KiB", 4096},
    {"4KiB * STAGES", 16384},
    {"BM * 2 B", 256},
    {"0x10 KiB", 16384},
    {"10 B/cycle", 10000},
    {"10 B / 5", 2},
    {"small / 1", INT64_MIN},
    {"huge - 1 + 1", INT64_MAX},
};

TEST_ROWS(test_value, TABLE_ROWS(values)) {
    struct tma_error error;
    int64_t value = 0;
    struct tma_expression *expression = parse(values[_i].text, &error);
    ck_assert_msg(expression != NULL, "%s", error.text);
    ck_assert_str_eq(tma_expression_text(expression), values[_i].text);
    ck_assert_int_eq(tma_expression_evaluate(expression, variable_values, &value, &error), TMA_OK);
    ck_assert_msg(value == values[_i].value, "%s is %" PRId64 ", not %" PRId64, values[_i].text,
                  value, values[_i].value);
    ck_assert_uint_eq(tma_expression_fault_column(expression, variable_values), 0);
    tma_expression_free(expression);
}

static const struct {
    const char *text;
    unsigned column;
    const char *says;
} syntax_errors[] = {
    {"", 1, "\"\", column 1: the expression ends here; expected a number, a name or \"(\""},
    {"1 +", 4, "the expression ends here"},
    {"1 2", 3, "\"2\" does not fit here; expected an operator or the end"},
    {"(1", 3, "expected \")\""},
    {"1)", 2, "\")\" does not fit here"},
    {"* 2", 1, "\"*\" does not fit here; expected a number, a name or \"(\""},
    {"STAGE * 2", 1, "unknown name \"STAGE\"; did you mean \"STAGES\"?"},
    {"2 * xyzzy", 5, "unknown name \"xyzzy\""},
    {"sqrt(4)", 1, "unknown function \"sqrt\"; allowed: ceil, floor, max, min, pow2"},
    {"min(4)", 6, "min and max take two values or more"},
    {"ceil(4)", 1, "ceil takes a quotient, such as ceil(a / b)"},
    {"1 + floor(k * 2)", 5, "floor takes a quotient"},
    {"ceil((k / 2))", 1, "ceil takes a quotient"},
    {"ceil(floor(k / 2))", 1, "ceil takes a quotient"},
    {"1 < 2 < 3", 7, "comparisons do not chain; write a < b && b < c"},
    {"2 > 1 == 1 < 2", 7, "comparisons do not chain"},
    {"k = 3", 3, "\"=\" is an operator; did you mean \"==\"?"},
    {"k & 3", 3, "did you mean \"&&\"?"},
    {"k ^ 3", 3, "\"^\" is a character that expressions do not have"},
    {"k \xc3\x97 3", 3, "\"\xc3\x97\" is a character"},
    {"1.5 * 2", 1, "\"1\" is a number that is not whole"},
    {"010", 1, "a number with a leading zero"},
    {"0x", 1, "a hexadecimal number without digits"},
    {"3k", 1, "a number with letters"},
    {"4 MiB", 3, "\"MiB\" does not fit here"},
    {"9223372036854775808", 1, "a number above 9223372036854775807"},
    {"9223372036854775807 KiB", 1, "a number above"},
    {"k ? 1", 6, "expected \":\""},
    {"k ? 1 : ", 9, "the expression ends here"},
};

TEST_ROWS(test_syntax_error, TABLE_ROWS(syntax_errors)) {
    struct tma_expression *expression = NULL;
    struct tma_error error;
    unsigned column = 0;
    ck_assert_int_eq(
        tma_expression_parse(syntax_errors[_i].text, &scope, &expression, &column, &error),
        TMA_ERROR_SYNTAX);
    ck_assert_ptr_null(expression);
    ck_assert_msg(strstr(error.text, syntax_errors[_i].says) != NULL, "%s", error.text);
    ck_assert_uint_eq(column, syntax_errors[_i].column);
}

static const struct {
    const char *text;
    unsigned column;
    const char *says;
} faults[] = {
    {"M / (BM - 128)", 3, "\"M / (BM - 128)\", column 3: division by zero; M = 4096, BM = 128"},
    {"k % zero", 3, "column 3: division by zero; k = 3, zero = 0"},
    {"ceil(k / zero)", 1, "column 1: division by zero; k = 3, zero = 0"},
    {"1 / 0", 3, "column 3: division by zero"},
    {"k * (huge / 2)", 3, "the result does not fit in 64 bits; k = 3, huge = 9223372036854775807"},
    {"huge + k", 6, "the result does not fit in 64 bits"},
    {"small - 1", 7, "the result does not fit in 64 bits; small = -9223372036854775808"},
    {"pow2(63)", 1, "the result does not fit in 64 bits"},
    {"pow2(n)", 1, "the result does not fit in 64 bits; n = -7"},
    {"-small", 1, "the result does not fit in 64 bits"},
    {"small / -1", 7, "the result does not fit in 64 bits"},
    {"ceil(small / -1)", 1, "the result does not fit in 64 bits"},
    {"k && 1 / zero", 8, "division by zero"},
};

TEST_ROWS(test_fault, TABLE_ROWS(faults)) {
    struct tma_error error;
    struct tma_expression *expression = parse(faults[_i].text, &error);
    int64_t value = 77;
    ck_assert_msg(expression != NULL, "%s", error.text);
    ck_assert_int_eq(tma_expression_evaluate(expression, variable_values, &value, &error),
                     TMA_ERROR_ARGUMENT);
    ck_assert_int_eq(value, 77);
    ck_assert_msg(strstr(error.text, faults[_i].says) != NULL, "%s", error.text);
    ck_assert_uint_eq(tma_expression_fault_column(expression, variable_values), faults[_i].column);
    tma_expression_free(expression);
}

/* Whether an expression is constant, and which variables it has, after its constant parts have been
 * computed. */
static const struct {
    const char *text;
    bool constant;
    uint64_t variables;
} dependences[] = {
    {"M * BM", true, 0},
    {"k * BM", false, 1 << K},
    {"k + n * 2", false, 1 << K | 1 << N},
    {"zero && k", true, 0},
    {"1 || k", true, 0},
    {"zero ? k : M", true, 0},
    {"M == 4096 ? n : k", false, 1 << N},
    {"M / zero", false, 0}, /* fails when it is evaluated */
};

TEST_ROWS(test_dependence, TABLE_ROWS(dependences)) {
    struct tma_error error;
    struct tma_expression *expression = parse(dependences[_i].text, &error);
    int64_t value;
    ck_assert_int_eq(tma_expression_constant(expression, &value), dependences[_i].constant);
    ck_assert_uint_eq(tma_expression_variables(expression), dependences[_i].variables);
    tma_expression_free(expression);
}

/* Fills `text` with `count` copies of `front`, `middle`, and `count` copies of `back`. */
static void repeat(char *text, const char *front, const char *middle, const char *back, int count) {
    text[0] = '\0';
    for (int i = 0; i < count; i++)
        strcat(text, front);
    strcat(text, middle);
    for (int i = 0; i < count; i++)
        strcat(text, back);
}

static const struct {
    const char *front, *middle, *back;
    int count;
    const char *says; /* NULL: allowed */
} sizes[] = {
    {"(", "k", ")", 31, NULL},
    {"(", "k", ")", 32, "nested too deeply; allowed: 32 levels"},
    {"-", "k", "", 31, NULL},
    {"-", "k", "", 32, "nested too deeply"},
    {"k ? 1 : ", "2", "", 31, NULL},
    {"k ? 1 : ", "2", "", 32, "nested too deeply"},
    {"k + (", "k", ")", 31, NULL},
    {"", "k", "+k", 127, NULL},
    {"", "k", "+k", 128, "the expression is too long; allowed: 256 names"},
    {"", "k", " ", 999, NULL},
    {"", "k", " ", 1000, "the expression is too long; allowed: 1000 bytes"},
};

TEST_ROWS(test_size, TABLE_ROWS(sizes)) {
    char text[2048];
    struct tma_error error;
    int64_t value;
    repeat(text, sizes[_i].front, sizes[_i].middle, sizes[_i].back, sizes[_i].count);
    struct tma_expression *expression = parse(text, &error);
    if (sizes[_i].says != NULL) {
        ck_assert_ptr_null(expression);
        ck_assert_msg(strstr(error.text, sizes[_i].says) != NULL, "%s", error.text);
        return;
    }
    ck_assert_msg(expression != NULL, "%s", error.text);
    ck_assert_int_eq(tma_expression_evaluate(expression, variable_values, &value, &error), TMA_OK);
    tma_expression_free(expression);
}

TEST(test_number) {
    struct tma_expression *expression = tma_expression_of(INT64_MIN);
    int64_t value = 0;
    ck_assert(tma_expression_constant(expression, &value));
    ck_assert(value == INT64_MIN);
    ck_assert_str_eq(tma_expression_text(expression), "-9223372036854775808");
    ck_assert_int_eq(tma_expression_evaluate(expression, NULL, &value, NULL), TMA_OK);
    tma_expression_free(expression);
    tma_expression_free(NULL);
}

/* Writes a random expression of the whole grammar. */
struct sample {
    char text[TMA_LIMIT_EXPRESSION_BYTES + 64];
    size_t length;
    uint64_t state;
};

static uint32_t draw(struct sample *sample, uint32_t below) {
    sample->state = sample->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(sample->state >> 33) % below;
}

static void write(struct sample *sample, const char *text) {
    for (; *text != '\0' && sample->length < sizeof sample->text - 1; text++)
        sample->text[sample->length++] = *text;
}

static void write_any(struct sample *sample, int depth);

static void write_leaf(struct sample *sample) {
    static const char *const leaves[] = {"k", "n", "small", "M", "BM", "zero", "huge", "4 KiB"};
    char number[32];
    if (draw(sample, 3) == 0) {
        write(sample, leaves[draw(sample, TABLE_ROWS(leaves))]);
        return;
    }
    snprintf(number, sizeof number, "%u", draw(sample, draw(sample, 4) == 0 ? 5000 : 13));
    write(sample, number);
}

static void write_operand(struct sample *sample, int depth) {
    static const char *const signs[] = {"-", "!"};
    if (draw(sample, 8) == 0)
        write(sample, signs[draw(sample, 2)]);
    if (depth <= 0 || draw(sample, 2) == 0) {
        write_leaf(sample);
        return;
    }
    uint32_t kind = draw(sample, 8);
    if (kind < 3) { /* a quotient of one divisor or more, each of which may be one itself */
        write(sample, kind == 0 ? "floor(" : "ceil(");
        write_operand(sample, depth - 1);
        for (uint32_t i = draw(sample, 3); i < 4; i += 1 + draw(sample, 3)) {
            write(sample, " / ");
            write_operand(sample, depth - 2);
        }
    } else if (kind == 3) {
        write(sample, draw(sample, 2) == 0 ? "min(" : "max(");
        write_any(sample, depth - 1);
        do {
            write(sample, ", ");
            write_any(sample, depth - 1);
        } while (draw(sample, 4) == 0);
    } else if (kind == 4) {
        write(sample, "pow2(");
        write_any(sample, depth - 1);
    } else {
        write(sample, "(");
        write_any(sample, depth - 1);
    }
    write(sample, ")");
}

static void write_any(struct sample *sample, int depth) {
    static const char *const operators[] = {" + ",  " - ",  " * ",  " / ", " / ",  " % ", " && ",
                                            " || ", " == ", " != ", " < ", " <= ", " > ", " >= "};
    uint32_t operands = 1 + draw(sample, 3);
    bool compared = false; /* comparisons do not chain */
    for (uint32_t i = 0; i < operands; i++) {
        uint32_t most = compared ? 8 : TABLE_ROWS(operators);
        uint32_t operator= i == 0 ? 0 : draw(sample, most);
        compared = compared || operator>= 8;
        if (i > 0)
            write(sample, operators[operator]);
        write_operand(sample, depth);
    }
    if (depth > 1 && draw(sample, 12) == 0) {
        write(sample, " ? ");
        write_any(sample, depth - 1);
        write(sample, " : ");
        write_any(sample, depth - 1);
    }
}

/* EXPRESSIONS in the environment takes another number of them (`make soak`). */
TEST(test_random) {
    const char *given = getenv("EXPRESSIONS");
    uint32_t count = (uint32_t)(given == NULL ? some_of(20000) : atoi(given));
    uint32_t good = 0, failed = 0;
    for (uint32_t seed = 1; seed <= count; seed++) {
        struct sample sample = {.state = seed};
        write_any(&sample, 4);
        struct tma_error error;
        int64_t value = 0;
        struct tma_expression *expression = parse(sample.text, &error);
        if (expression == NULL) {
            ck_assert_msg(strstr(error.text, "too long") != NULL, "%s", error.text);
            continue;
        }
        struct part expected = reference_value(sample.text, &distinct_scope, variable_values);
        enum tma_error_code code =
            tma_expression_evaluate(expression, variable_values, &value, &error);
        ck_assert(!expected.too_many);
        ck_assert_msg((code != TMA_OK) == expected.failed, "%s: %s", sample.text, error.text);
        ck_assert_msg(expected.failed || value == expected.value, "%s is %" PRId64 ", not %" PRId64,
                      sample.text, value, expected.value);
        *(expected.failed ? &failed : &good) += 1;
        tma_expression_free(expression);
    }
    ck_assert_uint_gt(good, count / 3);
    ck_assert_uint_gt(failed, count / 100);
}

/* Random bytes of the language's alphabet neither crash nor hang, and say where they are wrong. */
TEST(test_any_text) {
    static const char alphabet[] = "kM0129x(),+-*/%<>=!&|?: \tceilminB.";
    struct sample sample = {.state = 1};
    int parsed = 0;
    for (int i = 0; i < 50000; i++) {
        char text[24];
        uint32_t length = draw(&sample, sizeof text - 1);
        for (uint32_t c = 0; c < length; c++)
            text[c] = alphabet[draw(&sample, sizeof alphabet - 1)];
        text[length] = '\0';
        struct tma_expression *expression = NULL;
        struct tma_error error;
        unsigned column = 0;
        int64_t value;
        if (tma_expression_parse(text, &scope, &expression, &column, &error) == TMA_OK) {
            tma_expression_evaluate(expression, variable_values, &value, &error);
            parsed++;
        } else {
            ck_assert_uint_ge(column, 1);
            ck_assert_uint_le(column, length + 1);
        }
        tma_expression_free(expression);
    }
    ck_assert_int_gt(parsed, 300);
}

TEST_SUITE("expression", .timeout = 600); /* a million expressions; sanitizers are slow */
