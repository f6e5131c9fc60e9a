/* Integer expressions, such as "ceil(K / BK)" or "n * BN + rank * 64": parsed once, with the values
 * of the parameters put in, and evaluated as often as needed with the values of the loop variables.
 *
 * Values are signed 64-bit integers. Every step is checked: an overflow is an error, never a wrong
 * number. The operators, from the ones that bind least to those that bind most:
 *
 *     c ? a : b     a if c is not 0, else b; only that one is evaluated
 *     ||            1 if one of them is not 0; evaluates the second one only if needed
 *     &&            1 if both are not 0; evaluates the second one only if needed
 *     == != < <= > >=   1 or 0; they do not chain: a < b < c is a syntax error
 *     + -
 *     * / %
 *     - !           of one operand
 *
 * `a / b` rounds down, towards minus infinity, and `a % b` is what remains, which has the sign of
 * b: -1 / 4 is -1, and -1 % 4 is 3. C rounds towards zero instead; the two agree where no operand
 * is negative. Functions: min(a, b, ...), max(a, b, ...), ceil(a / b), floor(a / b), pow2(a). ceil
 * rounds the exact quotient up, without floating point: its argument has to be a quotient. In
 * ceil(a / b / c), the exact value of a / (b * c) is rounded, once; what is in parentheses is a
 * whole number before: ceil((a / b) / c) rounds a / b down, and then the rest up. pow2(a) is 2 to
 * the power a, from 0 to 62: the bit of a mask. TABLE(a) is entry a of a table, from 0.
 *
 * Literals are decimal or hexadecimal (0x). Where the caller gives units, a literal may have one:
 * "4 KiB" is 4096 times the base unit. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { TMA_MAX_EXPRESSION_VARIABLES = 64 };

/* Numbers that an expression can look up. */
struct tma_expression_table {
    const int64_t *values;
    uint32_t count; /* at least 1 */
};

/* A name that an expression may use. */
struct tma_expression_name {
    const char *name;  /* letters, digits and "_"; borrowed while the expression is parsed */
    bool is_variable;  /* else a constant: a parameter */
    uint32_t variable; /* index of the variable's value in the array that evaluation takes */
    int64_t value;     /* of a constant */
    /* It is a table, which outlives the expression; NULL: it is not. */
    const struct tma_expression_table *table;
};

/* A unit that a literal may have. */
struct tma_expression_unit {
    const char *name; /* "KiB", "B/cycle" */
    int64_t scale;    /* base units in one of it */
};

/* The names and units that an expression may use. Of two names that are the same, the later one
 * holds: an inner loop hides the variable of an outer one. */
struct tma_expression_scope {
    const struct tma_expression_name *names;
    size_t name_count;
    const struct tma_expression_unit *units;
    size_t unit_count;
};

struct tma_expression;

/* Parses `text`. On success *expression is a new expression, for tma_expression_free. On failure
 * returns TMA_ERROR_SYNTAX or TMA_ERROR_MEMORY; the error's text says what is wrong, with the text
 * of the expression, and *column (may be NULL) is where, in bytes from 1. The limits are those of
 * base/limits.h. Constant parts are computed here, once. A part that would fail, such as 1 / 0,
 * fails when it is evaluated, because a condition may keep it from being evaluated. */
enum tma_error_code tma_expression_parse(const char *text, const struct tma_expression_scope *scope,
                                         struct tma_expression **expression, unsigned *column,
                                         struct tma_error *error);

/* Makes an expression that is one number. NULL when out of memory. */
struct tma_expression *tma_expression_of(int64_t value);

/* NULL is allowed. */
void tma_expression_free(struct tma_expression *expression);

/* Computes the value, with the variables' values in the array that the names' `variable` counts.
 * `variables` may be NULL if the expression has none. Allocates nothing. On failure returns
 * TMA_ERROR_ARGUMENT and leaves *value; the text of the error says which part divides by zero or
 * overflows, and the values of all names that the expression uses. */
enum tma_error_code tma_expression_evaluate(const struct tma_expression *expression,
                                            const int64_t *variables, int64_t *value,
                                            struct tma_error *error);

/* Returns true, and the value, if the expression is the same for all values of its variables. */
bool tma_expression_constant(const struct tma_expression *expression, int64_t *value);

/* The variables that the value can depend on: bit v for variable v. */
uint64_t tma_expression_variables(const struct tma_expression *expression);

/* The text as it was given; owned by the expression. */
const char *tma_expression_text(const struct tma_expression *expression);

/* Where the failing part of the last error lies is in its text. This gives it as a number: the
 * column, in bytes from 1, at which evaluation with these variables fails, or 0 if it does not. */
unsigned tma_expression_fault_column(const struct tma_expression *expression,
                                     const int64_t *variables);
