/* The value of an expression, computed in 128 bits straight from its text by what the operators
 * mean, with exact quotients: what the library's parser, folding and stack machine are compared
 * with. */
#pragma once

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "expression/expression.h"

enum { MOST_DIVISORS = 8 };

/* What a part of the text is worth. A quotient keeps its dividend and divisors, the exact rational
 * number, because ceil and floor round it once. */
struct part {
    bool failed; /* if it is needed */
    int64_t value;
    bool is_quotient, dividend_failed, too_many;
    int64_t dividend, divisors[MOST_DIVISORS];
    unsigned divisor_count;
};

struct reader {
    const char *at;
    const struct tma_expression_scope *scope;
    const int64_t *values;
};

static struct part read_conditional(struct reader *reader);

static void skip_space(struct reader *reader) {
    reader->at += strspn(reader->at, " \t\r\n");
}

static bool take(struct reader *reader, const char *symbol) {
    skip_space(reader);
    if (strncmp(reader->at, symbol, strlen(symbol)) != 0)
        return false;
    reader->at += strlen(symbol);
    return true;
}

static struct part part_of(__int128 value, bool failed) {
    bool fits = value >= INT64_MIN && value <= INT64_MAX;
    return (struct part){.failed = failed || !fits, .value = fits ? (int64_t)value : 0};
}

static __int128 floor_quotient(__int128 a, __int128 b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static struct part divide(const struct part *a, const struct part *b) {
    bool failed = a->failed || b->failed || b->value == 0;
    struct part result = part_of(failed ? 0 : floor_quotient(a->value, b->value), failed);
    result.is_quotient = true;
    result.dividend = a->is_quotient ? a->dividend : a->value;
    result.dividend_failed = (a->is_quotient ? a->dividend_failed : a->failed) || b->failed;
    result.divisor_count = a->is_quotient ? a->divisor_count : 0;
    result.too_many = a->too_many || result.divisor_count == MOST_DIVISORS;
    memcpy(result.divisors, a->divisors, sizeof result.divisors);
    if (!result.too_many)
        result.divisors[result.divisor_count++] = b->value;
    return result;
}

static struct part round_part(const struct part *quotient, bool up) {
    __int128 divisor = 1;
    bool failed = quotient->dividend_failed;
    for (unsigned i = quotient->divisor_count; i-- > 0;) {
        divisor *= quotient->divisors[i];
        failed = failed || divisor < INT64_MIN || divisor > INT64_MAX;
        divisor = failed ? 1 : divisor;
    }
    failed = failed || divisor == 0;
    __int128 rounded = failed ? 0
                       : up   ? -floor_quotient(-(__int128)quotient->dividend, divisor)
                              : floor_quotient(quotient->dividend, divisor);
    struct part result = part_of(rounded, failed);
    result.too_many = quotient->too_many;
    return result;
}

static struct part read_function(struct reader *reader, const char *name, size_t length) {
    struct part a = read_conditional(reader);
    if (strncmp(name, "ceil", length) == 0 || strncmp(name, "floor", length) == 0)
        a = round_part(&a, name[0] == 'c');
    else if (strncmp(name, "pow2", length) == 0)
        a = part_of(a.value >= 0 && a.value <= 62 ? (__int128)1 << a.value : 0,
                    a.failed || a.value < 0 || a.value > 62);
    else
        while (take(reader, ",")) {
            struct part b = read_conditional(reader);
            bool first = name[1] == 'i' ? a.value <= b.value : a.value >= b.value;
            a = part_of(first ? a.value : b.value, a.failed || b.failed);
        }
    take(reader, ")");
    return a;
}

static struct part read_primary(struct reader *reader) {
    if (take(reader, "(")) {
        struct part inner = read_conditional(reader);
        take(reader, ")");
        inner.is_quotient = false; /* a whole number */
        return inner;
    }
    skip_space(reader);
    if (isdigit((unsigned char)*reader->at)) {
        char *end;
        int64_t value = (int64_t)strtoull(reader->at, &end, reader->at[1] == 'x' ? 16 : 10);
        reader->at = end;
        const char *before = reader->at;
        if (take(reader, "KiB"))
            return part_of((__int128)value * 1024, false);
        if (!take(reader, "B") || isalnum((unsigned char)*reader->at) || *reader->at == '_')
            reader->at = before;
        return part_of(value, false);
    }
    const char *name = reader->at;
    size_t length = 0;
    while (isalnum((unsigned char)name[length]) || name[length] == '_')
        length++;
    reader->at += length;
    if (take(reader, "("))
        return read_function(reader, name, length);
    for (size_t i = 0; i < reader->scope->name_count; i++) {
        const struct tma_expression_name *known = &reader->scope->names[i];
        if (strlen(known->name) == length && strncmp(known->name, name, length) == 0)
            return part_of(known->is_variable ? reader->values[known->variable] : known->value,
                           false);
    }
    abort(); /* the parser should have refused the text */
}

static struct part read_sign(struct reader *reader) {
    bool minus = take(reader, "-"), inverts = !minus && take(reader, "!");
    if (!minus && !inverts)
        return read_primary(reader);
    struct part a = read_sign(reader);
    return part_of(minus ? -(__int128)a.value : a.value == 0, a.failed);
}

static struct part read_product(struct reader *reader) {
    struct part a = read_sign(reader);
    for (;;) {
        if (take(reader, "*")) {
            struct part b = read_sign(reader);
            a = part_of((__int128)a.value * b.value, a.failed || b.failed);
        } else if (take(reader, "/")) {
            struct part b = read_sign(reader);
            a = divide(&a, &b);
        } else if (take(reader, "%")) {
            struct part b = read_sign(reader);
            bool failed = a.failed || b.failed || b.value == 0;
            a = part_of(failed ? 0 : a.value - floor_quotient(a.value, b.value) * b.value, failed);
        } else
            return a;
    }
}

static struct part read_sum(struct reader *reader) {
    struct part a = read_product(reader);
    for (;;) {
        bool plus = take(reader, "+");
        if (!plus && !take(reader, "-"))
            return a;
        struct part b = read_product(reader);
        a = part_of(plus ? (__int128)a.value + b.value : (__int128)a.value - b.value,
                    a.failed || b.failed);
    }
}

static struct part read_comparison(struct reader *reader) {
    static const char *const symbols[] = {"==", "!=", "<=", ">=", "<", ">"};
    struct part a = read_sum(reader);
    for (int i = 0; i < 6; i++)
        if (take(reader, symbols[i])) {
            struct part b = read_sum(reader);
            const bool truths[] = {a.value == b.value, a.value != b.value, a.value <= b.value,
                                   a.value >= b.value, a.value<b.value, a.value> b.value};
            return part_of(truths[i], a.failed || b.failed);
        }
    return a;
}

static struct part read_and(struct reader *reader) {
    struct part a = read_comparison(reader);
    while (take(reader, "&&")) {
        struct part b = read_comparison(reader);
        bool second = !a.failed && a.value != 0;
        a = part_of(second && b.value != 0, a.failed || (second && b.failed));
    }
    return a;
}

static struct part read_or(struct reader *reader) {
    struct part a = read_and(reader);
    while (take(reader, "||")) {
        struct part b = read_and(reader);
        bool second = !a.failed && a.value == 0;
        a = part_of(a.value != 0 || b.value != 0, a.failed || (second && b.failed));
    }
    return a;
}

static struct part read_conditional(struct reader *reader) {
    struct part condition = read_or(reader);
    if (!take(reader, "?"))
        return condition;
    struct part yes = read_conditional(reader);
    take(reader, ":");
    struct part no = read_conditional(reader);
    const struct part *chosen = condition.value != 0 ? &yes : &no;
    return part_of(chosen->value, condition.failed || chosen->failed);
}

/* The value of a text that the library's parser has accepted. Names differ, and units are B and
 * KiB. */
static inline struct part
reference_value(const char *text, const struct tma_expression_scope *scope, const int64_t *values) {
    struct reader reader = {text, scope, values};
    return read_conditional(&reader);
}
