#include "difference/difference.h"

#include <math.h>
#include <string.h>

#include "base/allocation.h"
#include "base/array.h"
#include "base/text_distance.h"
#include "difference/difference_formats.h"
#include "report/format_table.h"

TMA_FORMAT_NAMES(tma_difference_format_names, TMA_DIFFERENCE_FORMATS);

struct figure_comparing {
    struct tma_difference *difference;
    const struct tma_difference_rules *rules;
    const struct tma_measured_case **cases; /* owned; by variant: the case at hand, or NULL */
    bool out_of_memory;
};

static bool is_within_tolerance(const struct tma_difference_rules *rules, const char *name,
                                double base, double value) {
    double larger = fmax(fabs(base), fabs(value)), distance = fabs(value - base);
    double allowed = fmax(rules->absolute, rules->relative * larger);
    for (size_t i = rules->tolerance_count; i > 0; i--) {
        const struct tma_figure_tolerance *tolerance = &rules->tolerances[i - 1];
        if (!tma_figure_matches(tolerance->pattern, name))
            continue;
        allowed = tolerance->is_relative ? tolerance->amount * fabs(base) : tolerance->amount;
        break;
    }
    return distance <= allowed;
}

static bool differs(const struct tma_difference_rules *rules, const char *name,
                    const struct tma_measure *base, const struct tma_measure *value) {
    if (base == NULL || value == NULL)
        return base != value;
    if (base->is_number && value->is_number)
        return !is_within_tolerance(rules, name, base->number, value->number);
    return strcmp(base->text, value->text) != 0;
}

/* A run that failed has the reason as its figure "error", and no other that could be compared. */
static const char failure_name[] = "error";

static bool has_failed(const struct tma_measured_case *item) {
    return item != NULL && tma_case_find(item, failure_name, item->count - 1) != NULL;
}

static bool is_wanted(const struct tma_difference_rules *rules, const char *name) {
    for (size_t i = 0; i < rules->figure_count; i++)
        if (tma_figure_matches(rules->figures[i], name))
            return true;
    for (size_t i = 0; i < rules->condition_count; i++)
        if (tma_figure_matches(rules->conditions[i].pattern, name))
            return true; /* a condition on a figure that is not looked at would always pass */
    return rules->figure_count == 0 || strcmp(name, failure_name) == 0;
}

/* Judges a figure of a variant. Returns true if a condition is about it. */
static bool judge(const struct figure_comparing *comparing, const char *name,
                  const struct tma_measure *base, struct tma_difference_value *value) {
    const struct tma_difference_rules *rules = comparing->rules;
    bool named = false;
    value->differs = differs(rules, name, base, value->measure);
    bool fails_now = strcmp(name, failure_name) == 0 && base == NULL && value->measure != NULL;
    value->failed = fails_now || (value->differs && rules->condition_count == 0);
    for (size_t i = 0; i < rules->condition_count; i++) {
        const struct tma_figure_condition *condition = &rules->conditions[i];
        if (!tma_figure_matches(condition->pattern, name))
            continue;
        named = true;
        if (value->failed || (base == NULL && value->measure == NULL) ||
            !tma_figure_condition_holds(condition, base, value->measure))
            continue;
        value->failed = true;
        value->condition = condition;
    }
    return named;
}

/* Adds a row for a figure, unless there is nothing to show. `hint` is its place in its case. */
static void compare_figure(struct figure_comparing *comparing, const char *case_name,
                           const char *name, const struct tma_measure *base, size_t hint) {
    struct tma_difference *difference = comparing->difference;
    bool shown = comparing->rules->show_all;
    if (!is_wanted(comparing->rules, name))
        return;
    size_t first = difference->value_count;
    for (size_t v = 0; v < difference->variant_count; v++) {
        if (!TMA_GROW(difference->values, difference->value_count, difference->value_capacity)) {
            comparing->out_of_memory = true;
            return;
        }
        struct tma_difference_value value = {0};
        const struct tma_measured_case *own = comparing->cases[v];
        if (own != NULL)
            value.measure = tma_case_find(own, name, hint);
        if (!has_failed(own) || strcmp(name, failure_name) == 0) {
            shown |= judge(comparing, name, base, &value) || value.differs;
            difference->compared++;
        }
        difference->different += value.differs;
        difference->failed += value.failed;
        difference->values[difference->value_count++] = value;
    }
    if (!shown) {
        difference->value_count = first;
        return;
    }
    if (!TMA_GROW(difference->rows, difference->row_count, difference->row_capacity)) {
        comparing->out_of_memory = true;
        return;
    }
    difference->rows[difference->row_count++] =
        (struct tma_difference_row){case_name, name, base, NULL};
}

/* Compares the figures of a case: those of the base, then those that only variants have. */
static void compare_case(struct figure_comparing *comparing, const char *name, size_t hint) {
    struct tma_difference *difference = comparing->difference;
    const struct tma_measured_case *base = tma_variant_find_case(difference->base, name, hint);
    difference->case_count++;
    for (size_t v = 0; v < difference->variant_count; v++)
        comparing->cases[v] = tma_variant_find_case(&difference->variants[v], name, hint);
    for (size_t i = 0; base != NULL && i < base->count; i++)
        compare_figure(comparing, name, base->measures[i].name, &base->measures[i], i);
    for (size_t v = 0; v < difference->variant_count && !has_failed(base); v++) {
        const struct tma_measured_case *own = comparing->cases[v];
        for (size_t i = 0; own != NULL && i < own->count; i++) {
            const char *figure = own->measures[i].name;
            bool known = base != NULL && tma_case_find(base, figure, i) != NULL;
            for (size_t w = 0; w < v && !known; w++)
                known = comparing->cases[w] != NULL &&
                        tma_case_find(comparing->cases[w], figure, i) != NULL;
            if (!known)
                compare_figure(comparing, name, figure, NULL, i);
        }
    }
}

static void compare_cases(struct figure_comparing *comparing) {
    const struct tma_difference *difference = comparing->difference;
    for (size_t i = 0; i < difference->base->count; i++)
        compare_case(comparing, difference->base->cases[i].name, i);
    for (size_t v = 0; v < difference->variant_count; v++) {
        const struct tma_variant *variant = &difference->variants[v];
        for (size_t i = 0; i < variant->count; i++) {
            const char *name = variant->cases[i].name;
            bool known = tma_variant_find_case(difference->base, name, i) != NULL;
            for (size_t w = 0; w < v && !known; w++)
                known = tma_variant_find_case(&difference->variants[w], name, i) != NULL;
            if (!known)
                compare_case(comparing, name, i);
        }
    }
}

/* Returns whether a figure of the variant matches; else offers all names for a suggestion. */
static bool is_known(const struct tma_variant *variant, const char *pattern,
                     struct tma_suggestion *suggestion) {
    for (size_t i = 0; i < variant->count; i++)
        for (size_t j = 0; j < variant->cases[i].count; j++) {
            const char *name = variant->cases[i].measures[j].name;
            if (tma_figure_matches(pattern, name))
                return true;
            if (i == 0)
                tma_suggest(suggestion, name);
        }
    return false;
}

/* A pattern that matches nothing would accept everything. */
static enum tma_error_code check_pattern(const struct tma_difference *difference,
                                         const char *pattern, struct tma_error *error) {
    struct tma_suggestion suggestion = {.wanted = pattern};
    bool known = is_known(difference->base, pattern, &suggestion);
    for (size_t v = 0; v < difference->variant_count && !known; v++)
        known = is_known(&difference->variants[v], pattern, &suggestion);
    if (known)
        return TMA_OK;
    if (suggestion.best[0] != '\0')
        return tma_fail(error, TMA_ERROR_ARGUMENT, "no figure is named \"%s\"; did you mean %s?",
                        pattern, suggestion.best);
    return tma_fail(error, TMA_ERROR_ARGUMENT, "no figure is named \"%s\"; --all shows all figures",
                    pattern);
}

static enum tma_error_code check_patterns(const struct tma_difference *difference,
                                          const struct tma_difference_rules *rules,
                                          struct tma_error *error) {
    enum tma_error_code code = TMA_OK;
    for (size_t i = 0; i < rules->tolerance_count && code == TMA_OK; i++)
        code = check_pattern(difference, rules->tolerances[i].pattern, error);
    for (size_t i = 0; i < rules->condition_count && code == TMA_OK; i++)
        code = check_pattern(difference, rules->conditions[i].pattern, error);
    for (size_t i = 0; i < rules->figure_count && code == TMA_OK; i++)
        code = check_pattern(difference, rules->figures[i], error);
    return code;
}

enum tma_error_code tma_difference_compare(struct tma_difference *difference,
                                           const struct tma_difference_rules *rules,
                                           struct tma_error *error) {
    struct figure_comparing comparing = {.difference = difference, .rules = rules};
    enum tma_error_code code = check_patterns(difference, rules, error);
    if (code != TMA_OK)
        return code;
    comparing.cases = tma_allocate(difference->variant_count, sizeof *comparing.cases);
    comparing.out_of_memory = comparing.cases == NULL;
    if (comparing.cases != NULL)
        compare_cases(&comparing);
    tma_release(comparing.cases);
    if (comparing.out_of_memory)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    /* The array of values does not move any more. */
    for (size_t i = 0; i < difference->row_count; i++)
        difference->rows[i].values = &difference->values[i * difference->variant_count];
    return TMA_OK;
}

void tma_difference_free(struct tma_difference *difference) {
    TMA_RELEASE(difference->rows, difference->values);
    difference->rows = NULL;
    difference->values = NULL;
}

void tma_difference_write(const struct tma_difference *difference, int format, FILE *out) {
#define WRITER(name) tma_difference_write_##name,
    static void (*const writers[])(const struct tma_difference *,
                                   FILE *) = {TMA_DIFFERENCE_FORMATS(WRITER)};
#undef WRITER
    writers[format](difference, out);
}
