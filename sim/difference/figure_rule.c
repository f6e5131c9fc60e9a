#include "difference/figure_rule.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool tma_figure_matches(const char *pattern, const char *name) {
    const char *star = NULL, *rest = NULL; /* where to go on if what follows a star does not fit */
    while (*name != '\0') {
        if (*pattern == '*') {
            star = ++pattern;
            rest = name;
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (star != NULL) {
            pattern = star;
            name = ++rest;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

static const char *skip_spaces(const char *text) {
    while (*text == ' ')
        text++;
    return text;
}

/* Reads the name of figures, which ends at a space or at one of `ends`. Returns what follows, or
 * NULL if there is no name. */
static const char *read_pattern(const char *text, const char *ends,
                                char pattern[TMA_MAX_FIGURE_PATTERN]) {
    text = skip_spaces(text);
    size_t length = 0;
    while (text[length] != '\0' && text[length] != ' ' && strchr(ends, text[length]) == NULL)
        length++;
    if (length == 0 || length >= TMA_MAX_FIGURE_PATTERN)
        return NULL;
    memcpy(pattern, text, length);
    pattern[length] = '\0';
    return skip_spaces(text + length);
}

/* Reads a number to the end of the text, and whether it is a percentage. A fraction is returned for
 * one. strtod: see variant.c. */
static bool read_amount(const char *text, double *amount, bool *is_percent) {
    char *end;
    if (!isdigit((unsigned char)*text) && strchr("+-.", *text) == NULL)
        return false;
    *amount = strtod(text, &end);
    /* strtod also reads hexadecimal numbers. */
    if (end == text || !isfinite(*amount) || strspn(text, "+-.0123456789eE") < (size_t)(end - text))
        return false;
    const char *rest = skip_spaces(end);
    *is_percent = *rest == '%';
    if (*is_percent) {
        *amount /= 100;
        rest = skip_spaces(rest + 1);
    }
    return *rest == '\0';
}

enum tma_error_code tma_figure_tolerance_parse(const char *text,
                                               struct tma_figure_tolerance *tolerance,
                                               struct tma_error *error) {
    const char *rest = read_pattern(text, "=", tolerance->pattern);
    if (rest != NULL && *rest == '=' &&
        read_amount(skip_spaces(rest + 1), &tolerance->amount, &tolerance->is_relative) &&
        tolerance->amount >= 0)
        return TMA_OK;
    return tma_fail(error, TMA_ERROR_ARGUMENT,
                    "the tolerance \"%s\" is not FIGURE=NUMBER; for example \"cycles=2%%\" or "
                    "\"dram.*=4096\"",
                    text);
}

/* Longer words first: ">=" begins with ">". */
static const struct {
    const char *word;
    enum tma_condition_relation relation;
} relations[] = {
    {">=", TMA_CONDITION_AT_LEAST}, {"<=", TMA_CONDITION_AT_MOST},      {">", TMA_CONDITION_ABOVE},
    {"<", TMA_CONDITION_BELOW},     {"changed", TMA_CONDITION_CHANGED},
};

/* Reads what follows the name: a relation and a bound. */
static bool read_condition(const char *rest, struct tma_figure_condition *condition) {
    for (size_t i = 0; i < sizeof relations / sizeof relations[0]; i++) {
        size_t length = strlen(relations[i].word);
        if (strncmp(rest, relations[i].word, length) != 0)
            continue;
        condition->relation = relations[i].relation;
        rest = skip_spaces(rest + length);
        if (condition->relation == TMA_CONDITION_CHANGED)
            return *rest == '\0';
        bool is_signed = *rest == '+' || *rest == '-', is_percent;
        if (!read_amount(rest, &condition->bound, &is_percent))
            return false;
        condition->kind = is_percent  ? TMA_CONDITION_FRACTION
                          : is_signed ? TMA_CONDITION_CHANGE
                                      : TMA_CONDITION_VALUE;
        return true;
    }
    return false;
}

enum tma_error_code tma_figure_condition_parse(const char *text,
                                               struct tma_figure_condition *condition,
                                               struct tma_error *error) {
    const char *rest = read_pattern(text, "<>", condition->pattern);
    condition->text = text;
    if (rest != NULL && read_condition(rest, condition))
        return TMA_OK;
    return tma_fail(error, TMA_ERROR_ARGUMENT,
                    "the condition \"%s\" is not FIGURE, then >, >=, < or <=, then a number; for "
                    "example \"cycles > +2%%\" (a change), \"l2.hit_fraction < 0.5\" (a value) or "
                    "\"limited_by.key changed\"",
                    text);
}

bool tma_figure_condition_holds(const struct tma_figure_condition *condition,
                                const struct tma_measure *base, const struct tma_measure *value) {
    if (base == NULL || value == NULL)
        return true;
    if (condition->relation == TMA_CONDITION_CHANGED)
        return strcmp(base->text, value->text) != 0;
    if (!base->is_number || !value->is_number)
        return strcmp(base->text, value->text) !=
               0; /* a figure that is now unknown, or is now known */
    double bound = condition->bound, change = value->number - base->number;
    if (condition->kind == TMA_CONDITION_FRACTION)
        bound *= fabs(base->number);
    double compared = condition->kind == TMA_CONDITION_VALUE ? value->number : change;
    switch (condition->relation) {
    case TMA_CONDITION_ABOVE:
        return compared > bound;
    case TMA_CONDITION_BELOW:
        return compared < bound;
    case TMA_CONDITION_AT_LEAST:
        return compared >= bound;
    case TMA_CONDITION_AT_MOST:
        return compared <= bound;
    case TMA_CONDITION_CHANGED:
        break;
    }
    return false;
}
