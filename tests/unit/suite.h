/* Runs one Check suite as a program: each unit test file is one. */
#ifndef TMA_TESTS_SUITE_H
#define TMA_TESTS_SUITE_H

#include <check.h>
#include <stdlib.h>

/* Returns the exit status: 0 where every test passed. */
static inline int run_suite(Suite *suite) {
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
