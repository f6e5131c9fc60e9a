/* Every shared-memory record of an H200 agrees: wavefronts and bank conflicts of 900 instructions.
 */
#include "../unit/suite.h"
#include "records/validate.h"

START_TEST(every_record_agrees) {
    struct tma_validation validation;
    struct tma_error error;
    ck_assert_msg(tma_validate_file("tests/hardware/h200/banks.tsv", NULL, &validation, &error) ==
                      TMA_OK,
                  "%s", error.text);
    ck_assert_str_eq(validation.kind->name, "banks");
    ck_assert_uint_eq(validation.records, 900);
    ck_assert_uint_eq(validation.skipped, 0);
    ck_assert_msg(validation.agree == 900, "%s", validation.differences[0]);
    tma_validation_free(&validation);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("bank records");
    TCase *records = tcase_create("records");
    tcase_add_test(records, every_record_agrees);
    suite_add_tcase(suite, records);
    return run_suite(suite);
}
