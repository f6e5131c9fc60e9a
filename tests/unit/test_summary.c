/* Error statistics of a validation, and the validation of a whole record file. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "records/summary.h"
#include "records/validate.h"
#include "suite.h"

/* The errors 1 to n in a scrambled order: their mean and median are (n + 1) / 2, and the 95th
 * percentile is number ceil(0.95 n). */
static const struct {
    int count;
    double mean, median, p95, most;
} cases[] = {{1, 1, 1, 1, 1},          {2, 1.5, 1.5, 2, 2},        {19, 10, 10, 19, 19},
             {20, 10.5, 10.5, 19, 20}, {100, 50.5, 50.5, 95, 100}, {101, 51, 51, 96, 101}};

TEST_ROWS(errors_have_expected_statistics, TABLE_ROWS(cases)) {
    double errors[101];
    int count = cases[_i].count;
    for (int i = 0; i < count; i++)
        errors[i] = (7 * i) % count + 1;
    if (count % 7 == 0)
        ck_abort_msg("7 does not scramble %d", count);
    struct tma_errors sums = tma_errors_of(errors, (size_t)count);
    ck_assert_double_eq_tol(sums.mean, cases[_i].mean, 1e-12);
    ck_assert_double_eq(sums.median, cases[_i].median);
    ck_assert_double_eq(sums.p95, cases[_i].p95);
    ck_assert_double_eq(sums.most, cases[_i].most);
}

/* Twelve rows of 100 cycles. Rows 3 and 7 have the same error; rows 0 and 1 have the smallest. */
TEST(worst_rows_are_sorted_by_error) {
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

/* A file of two conversions: one agrees, one does not. */
TEST(difference_of_a_record_is_reported) {
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
    ck_assert(isnan(validation.errors.mean) && isnan(validation.errors.most));
    ck_assert_uint_eq(validation.row_count, 0);
    tma_validation_free(&validation);
}

TEST_SUITE("validation");
