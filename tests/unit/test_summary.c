/* Error statistics of a validation, and what a record file as a whole gives. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "records/summary.h"
#include "records/validate.h"
#include "suite.h"

/* Errors in percent: of 1 to n in a scrambled order the mean is (n + 1) / 2, as is the median; the
 * 95th percentile is the ceil(0.95 n)-th. */
static const struct {
    int count;
    double mean, median, p95, max;
} cases[] = {{1, 1, 1, 1, 1},          {2, 1.5, 1.5, 2, 2},        {19, 10, 10, 19, 19},
             {20, 10.5, 10.5, 19, 20}, {100, 50.5, 50.5, 95, 100}, {101, 51, 51, 96, 101}};

START_TEST(distribution) {
    struct tma_validation validation = {0};
    double errors[101];
    int count = cases[_i].count;
    for (int i = 0; i < count; i++)
        errors[i] = (7 * i) % count + 1;
    if (count % 7 == 0)
        ck_abort_msg("7 does not scramble %d", count);
    tma_summarise_errors(&validation, errors, (size_t)count);
    ck_assert_double_eq_tol(validation.mape, cases[_i].mean, 1e-12);
    ck_assert_double_eq(validation.median, cases[_i].median);
    ck_assert_double_eq(validation.p95, cases[_i].p95);
    ck_assert_double_eq(validation.max, cases[_i].max);
}
END_TEST

START_TEST(no_errors_leave_the_figures) {
    struct tma_validation validation = {.mape = 3, .median = 4};
    tma_summarise_errors(&validation, NULL, 0);
    ck_assert_double_eq(validation.mape, 3);
    ck_assert_double_eq(validation.median, 4);
}
END_TEST

/* Twelve rows of 100 cycles; rows 3 and 7 are equally wrong, rows 0 and 1 the least. */
START_TEST(worst_rows) {
    static const double predicted[12] = {101, 99, 110, 150, 120, 70, 103, 50, 105, 96, 108, 125};
    static const char *const order[TMA_WORST_ROWS] = {"row3", "row7",  "row5", "row11", "row4",
                                                      "row2", "row10", "row8", "row9",  "row6"};
    struct tma_validation validation = {0};
    for (int i = 0; i < 12; i++) {
        char name[16];
        struct tma_record_outcome outcome = {.measured = 100, .predicted = predicted[i]};
        snprintf(name, sizeof name, "row%d", i);
        struct tma_timed_row row = tma_validation_add_row(&validation, name, &outcome);
        ck_assert_str_eq(row.name, name);
        ck_assert_double_eq(row.measured, 100);
        ck_assert_double_eq(row.predicted, predicted[i]);
        ck_assert_double_eq_tol(row.error, fabs(predicted[i] - 100) / 100, 1e-12);
    }
    ck_assert_uint_eq(validation.worst_count, TMA_WORST_ROWS);
    for (int i = 0; i < TMA_WORST_ROWS; i++)
        ck_assert_str_eq(validation.worst[i].name, order[i]);
}
END_TEST

/* A file of conversions: one right, one wrong. */
START_TEST(a_file_with_a_difference) {
    static const char records[] = "in\tFLOAT32\tFLOAT32_FTZ\tTFLOAT32\tTFLOAT32_FTZ\n"
                                  "3f800001\t3f800001\t3f800001\t3f800000\t3f800000\n"
                                  "3f800003\t3f800003\t3f800003\t3f800003\t3f800000\n";
    char path[] = "/tmp/tmasim_summary_XXXXXX";
    struct tma_validation validation;
    int descriptor = mkstemp(path);
    ck_assert_int_ge(descriptor, 0);
    ck_assert_int_eq(write(descriptor, records, strlen(records)), (ssize_t)strlen(records));
    close(descriptor);
    ck_assert(tma_validate_file(path, NULL, &validation, NULL) == TMA_OK);
    unlink(path);
    ck_assert_str_eq(validation.kind->name, "convert");
    ck_assert_uint_eq(validation.records, 2);
    ck_assert_uint_eq(validation.agree, 1);
    ck_assert_uint_eq(validation.skipped, 0);
    ck_assert_str_eq(validation.differences[0],
                     "3f800003: TFLOAT32: measured 3f800003, model 3f800000");
    ck_assert(isnan(validation.mape) && isnan(validation.max));
    ck_assert_uint_eq(validation.row_count, 0);
    tma_validation_free(&validation);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("validation");
    TCase *all = tcase_create("summary");
    tcase_add_loop_test(all, distribution, 0, sizeof cases / sizeof cases[0]);
    tcase_add_test(all, no_errors_leave_the_figures);
    tcase_add_test(all, worst_rows);
    tcase_add_test(all, a_file_with_a_difference);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
