/* The arithmetic of expressions: one checked operation on 64-bit integers. Internal to this folder.
 */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/* Operations of two operands. Those of one operand have their operand first: 0 - a, a == 0. */
enum tma_arithmetic {
    TMA_ADD,
    TMA_SUBTRACT,
    TMA_MULTIPLY,
    TMA_DIVIDE,          /* rounds towards minus infinity */
    TMA_DIVIDE_ROUND_UP, /* rounds towards plus infinity */
    TMA_REMAINDER,       /* of TMA_DIVIDE: has the sign of the divisor */
    TMA_MINIMUM,
    TMA_MAXIMUM,
    TMA_POWER_OF_TWO, /* 2 to the power a; b is not used */
    TMA_EQUAL,
    TMA_UNEQUAL,
    TMA_LESS,
    TMA_LESS_EQUAL,
    TMA_GREATER,
    TMA_GREATER_EQUAL,
    TMA_ARITHMETIC_COUNT
};

enum tma_arithmetic_fault {
    TMA_ARITHMETIC_GOOD,
    TMA_ARITHMETIC_OVERFLOW,
    TMA_ARITHMETIC_ZERO_DIVISOR,
    TMA_ARITHMETIC_NO_ENTRY, /* of a table */
};

/* Computes *result = a operation b. On a fault leaves *result. */
static inline enum tma_arithmetic_fault tma_calculate(enum tma_arithmetic operation, int64_t a,
                                                      int64_t b, int64_t *result) {
    switch (operation) {
    case TMA_ADD:
        return __builtin_add_overflow(a, b, result) ? TMA_ARITHMETIC_OVERFLOW : TMA_ARITHMETIC_GOOD;
    case TMA_SUBTRACT:
        return __builtin_sub_overflow(a, b, result) ? TMA_ARITHMETIC_OVERFLOW : TMA_ARITHMETIC_GOOD;
    case TMA_MULTIPLY:
        return __builtin_mul_overflow(a, b, result) ? TMA_ARITHMETIC_OVERFLOW : TMA_ARITHMETIC_GOOD;
    case TMA_DIVIDE:
    case TMA_DIVIDE_ROUND_UP:
    case TMA_REMAINDER: {
        if (b == 0)
            return TMA_ARITHMETIC_ZERO_DIVISOR;
        /* -2^63 / -1 is 2^63, which does not fit, though its remainder does. */
        if (b == -1 && a == INT64_MIN) {
            if (operation != TMA_REMAINDER)
                return TMA_ARITHMETIC_OVERFLOW;
            *result = 0;
            return TMA_ARITHMETIC_GOOD;
        }
        int64_t quotient = a / b, rest = a % b; /* rounds towards zero */
        bool same_sign = (rest < 0) == (b < 0);
        if (operation == TMA_DIVIDE)
            *result = quotient - (rest != 0 && !same_sign);
        else if (operation == TMA_DIVIDE_ROUND_UP)
            *result = quotient + (rest != 0 && same_sign);
        else
            *result = rest != 0 && !same_sign ? rest + b : rest;
        return TMA_ARITHMETIC_GOOD;
    }
    case TMA_MINIMUM:
        *result = a < b ? a : b;
        return TMA_ARITHMETIC_GOOD;
    case TMA_MAXIMUM:
        *result = a > b ? a : b;
        return TMA_ARITHMETIC_GOOD;
    case TMA_POWER_OF_TWO:
        if (a < 0 || a > 62)
            return TMA_ARITHMETIC_OVERFLOW;
        *result = INT64_C(1) << a;
        return TMA_ARITHMETIC_GOOD;
    case TMA_EQUAL:
        *result = a == b;
        return TMA_ARITHMETIC_GOOD;
    case TMA_UNEQUAL:
        *result = a != b;
        return TMA_ARITHMETIC_GOOD;
    case TMA_LESS:
        *result = a < b;
        return TMA_ARITHMETIC_GOOD;
    case TMA_LESS_EQUAL:
        *result = a <= b;
        return TMA_ARITHMETIC_GOOD;
    case TMA_GREATER:
        *result = a > b;
        return TMA_ARITHMETIC_GOOD;
    default:
        assert(operation == TMA_GREATER_EQUAL);
        *result = a >= b;
        return TMA_ARITHMETIC_GOOD;
    }
}
