/* Comparisons of figures: patterns, tolerances, conditions, and runs that failed. */
#include "difference/difference.h"
#include "suite.h"

static const struct {
    const char *pattern, *name;
    bool matches;
} patterns[] = {
    {"cycles", "cycles", true},
    {"cycles", "cycles.max", false},
    {"*", "anything.at.all", true},
    {"l2.*", "l2.hit_fraction", true},
    {"l2.*", "l2", false},
    {"*.max", "cta_cycles.max", true},
    {"*.max", "max.min", false},
    {"a*b*c", "a1b2b3c", true},
    {"a*b*c", "a1c2", false},
    {"", "", true},
    {"**", "", true},
};

TEST_ROWS(patterns_match_whole_names, TABLE_ROWS(patterns)) {
    ck_assert(tma_figure_matches(patterns[_i].pattern, patterns[_i].name) == patterns[_i].matches);
}

static const struct {
    const char *condition, *base, *value;
    bool holds;
} conditions[] = {
    {"cycles > +2%", "100", "102", false},
    {"cycles > +2%", "100", "102.001", true},
    {"cycles > 2%", "100", "103", true}, /* a percentage is a change */
    {"cycles > +2%", "100", "50", false},
    {"cycles < -2%", "100", "98", false},
    {"cycles < -2%", "100", "97", true},
    {"cycles >= +2%", "100", "102", true},
    {"cycles<=-2", "100", "98", true},
    {"cycles<=-2", "100", "99", false},
    {"cycles > +5", "100", "105", false},
    {"cycles > +5", "100", "106", true},
    {"cycles > 99", "100", "100", true},
    {"cycles > 100", "5", "100", false},
    {"cycles > +2%", "-100", "-99", false}, /* 1 % of what the base is in size */
    {"cycles > +2%", "-100", "-97", true},
    {"cycles > +2%", "0", "1", true}, /* any change of nothing is more than 2 % of it */
    {"cycles > +2%", "0", "0", false},
    {"cycles changed", "1", "1", false},
    {"cycles changed", "dram", "l2", true},
    {"cycles > +2%", "100", NULL, true},
    {"cycles > +2%", NULL, "1", true},
    {"cycles > +2%", "100", "null", true},
    {"cycles > +2%", "null", "null", false},
};

/* A variant with one figure, or with a run without figures. */
static void make(struct tma_variant *variant, const char *name, const char *value) {
    *variant = (struct tma_variant){0};
    ck_assert(tma_variant_add_case(variant, ""));
    if (value != NULL)
        ck_assert(tma_variant_add_measure(variant, name, value, false));
}

/* Compares one figure, and returns how many fail. */
static size_t failures(const char *name, const char *base, const char *value,
                       const struct tma_difference_rules *rules) {
    struct tma_variant variants[2];
    make(&variants[0], name, base);
    make(&variants[1], name, value);
    struct tma_difference difference = {
        .base = &variants[0], .variants = &variants[1], .variant_count = 1, .title = ""};
    ck_assert_int_eq(tma_difference_compare(&difference, rules, NULL), TMA_OK);
    tma_difference_free(&difference);
    tma_variant_free(&variants[0]);
    tma_variant_free(&variants[1]);
    return difference.failed;
}

TEST_ROWS(conditions_hold_beyond_their_bound, TABLE_ROWS(conditions)) {
    struct tma_figure_condition condition;
    ck_assert_int_eq(tma_figure_condition_parse(conditions[_i].condition, &condition, NULL),
                     TMA_OK);
    struct tma_difference_rules rules = {.conditions = &condition, .condition_count = 1};
    ck_assert_uint_eq(failures("cycles", conditions[_i].base, conditions[_i].value, &rules),
                      conditions[_i].holds);
}

static const char *const wrong_conditions[] = {
    "",           "cycles",         "cycles >",      "cycles > x",   "> 2%",
    "cycles = 2", "cycles > 2 % x", "cycles > 0x10", "cycles > nan", "cycles changed 2",
};

TEST_ROWS(wrong_conditions_are_errors, TABLE_ROWS(wrong_conditions)) {
    struct tma_figure_condition condition;
    struct tma_error error;
    ck_assert_int_eq(tma_figure_condition_parse(wrong_conditions[_i], &condition, &error),
                     TMA_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "for example"));
}

static const struct {
    const char *tolerance; /* NULL: none */
    double absolute, relative;
    const char *base, *value;
    bool fails;
} tolerances[] = {
    {NULL, 0, 0, "100", "100", false},       {NULL, 0, 0, "100", "100.001", true},
    {NULL, 1, 0, "100", "101", false},       {NULL, 1, 0, "100", "101.5", true},
    {NULL, 0, 0.01, "99", "100", false},     {NULL, 0, 0.01, "98", "100", true},
    {"cycles=2%", 0, 0, "100", "98", false}, {"cycles=2%", 0, 0, "100", "97", true},
    {"cycles=0", 9, 0, "100", "101", true}, /* that of the figure counts, not that of all */
    {"c*=3", 0, 0, "100", "103", false},     {NULL, 1000, 1, "text", "other", true},
    {NULL, 1000, 1, "100", "text", true},
};

TEST_ROWS(tolerances_accept_up_to_their_amount, TABLE_ROWS(tolerances)) {
    struct tma_figure_tolerance tolerance;
    struct tma_difference_rules rules = {.absolute = tolerances[_i].absolute,
                                         .relative = tolerances[_i].relative};
    if (tolerances[_i].tolerance != NULL) {
        ck_assert_int_eq(tma_figure_tolerance_parse(tolerances[_i].tolerance, &tolerance, NULL),
                         TMA_OK);
        rules.tolerances = &tolerance;
        rules.tolerance_count = 1;
    }
    ck_assert_uint_eq(failures("cycles", tolerances[_i].base, tolerances[_i].value, &rules),
                      tolerances[_i].fails);
}

/* No condition is about the error, and no figure is left that one could be about. */
TEST(a_run_that_failed_fails) {
    struct tma_figure_condition condition;
    struct tma_variant base, now;
    ck_assert_int_eq(tma_figure_condition_parse("cycles > 1000000", &condition, NULL), TMA_OK);
    struct tma_difference_rules rules = {.conditions = &condition, .condition_count = 1};
    make(&base, "cycles", "100");
    make(&now, "error", "deadlock");
    struct tma_difference difference = {
        .base = &base, .variants = &now, .variant_count = 1, .title = ""};
    ck_assert_int_eq(tma_difference_compare(&difference, &rules, NULL), TMA_OK);
    ck_assert_uint_eq(difference.failed, 1);
    ck_assert_str_eq(difference.rows[difference.row_count - 1].name, "error");
    tma_difference_free(&difference);
    tma_variant_free(&base);
    tma_variant_free(&now);
}

TEST(a_pattern_that_matches_nothing_is_an_error) {
    struct tma_figure_condition condition;
    struct tma_variant base;
    struct tma_error error;
    ck_assert_int_eq(tma_figure_condition_parse("cycle > 1", &condition, NULL), TMA_OK);
    struct tma_difference_rules rules = {.conditions = &condition, .condition_count = 1};
    make(&base, "cycles", "100");
    struct tma_difference difference = {
        .base = &base, .variants = &base, .variant_count = 1, .title = ""};
    ck_assert_int_eq(tma_difference_compare(&difference, &rules, &error), TMA_ERROR_ARGUMENT);
    ck_assert_str_eq(error.text, "no figure is named \"cycle\"; did you mean cycles?");
    tma_difference_free(&difference);
    tma_variant_free(&base);
}

TEST_SUITE("difference");
