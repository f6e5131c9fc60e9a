/* The frame of every unit test: each test file runs one Check suite. The files of an area are
 * linked into one program (runner.c). */
#ifndef TMA_TESTS_SUITE_H
#define TMA_TESTS_SUITE_H

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>

/* Check writes the line of each assertion that holds to a file, so that it can say how far a test
 * came before it crashed. That takes a microsecond, and some tests have millions: here it does so
 * when a line is reached for the first time. */
static inline void mark_line_once(const char *file, int line) {
    enum { LINES = 1 << 12 };
    static bool marked[LINES];
    if (marked[line % LINES])
        return;
    marked[line % LINES] = true;
    _mark_point(file, line);
}
#define _mark_point(file, line) mark_line_once(file, line)

/* The number of rows of a table: the upper bound that tcase_add_loop_test takes. */
#define TABLE_ROWS(table) ((int)(sizeof(table) / sizeof(table)[0]))

/* Long tests take one of so many of their cases: 1 but where TMASIM_TEST_EVERY in the environment
 * says more, for builds that are slow. */
static inline int case_step(void) {
    const char *given = getenv("TMASIM_TEST_EVERY");
    int step = given == NULL ? 1 : atoi(given);
    return step < 1 ? 1 : step;
}

/* How many of `cases` these are: one at least. */
static inline int some_of(int cases) {
    return (cases + case_step() - 1) / case_step();
}

/* How many random kernels to try: `usual`, or what KERNELS in the environment says for a soak. */
static inline int kernels_to_try(int usual) {
    const char *soak = getenv("KERNELS");
    return soak != NULL ? atoi(soak) : some_of(usual);
}

/* A test file of the program. `run` makes and runs its suite, as run_suite does. */
struct test_file {
    const char *path;
    int (*run)(void);
    struct test_file *next;
};

/* Adds a file to those that the program runs. */
void test_file_add(struct test_file *file);

/* Stands for the head of the function that runs the suite of a file. The file adds itself before
 * main starts. A file that needs a program of its own has a main instead (ALONE in the Makefile).
 */
#define TEST_FILE()                                                                                \
    static int run_file(void);                                                                     \
    __attribute__((constructor)) static void add_file(void) {                                      \
        static struct test_file file = {__FILE__, run_file, NULL};                                 \
        test_file_add(&file);                                                                      \
    }                                                                                              \
    static int run_file(void)

/* Runs the suite and frees it. Returns the program's exit status: 0 if every test passed. Machines
 * are found by their names in configs/, which does not lie beside the program as it lies beside the
 * command. */
static inline int run_suite(Suite *suite) {
    setenv("TMASIM_PATH", "configs", 0);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
