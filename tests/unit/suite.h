/* The frame of every unit test: each test file runs one Check suite. The files of an area are
 * linked into one program (runner.c). */
#pragma once

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

/* The tests of a file, in the order in which it defines them. */
struct test {
    const TTest *check;
    int first;
    int (*end)(void); /* first and one past the last _i */
    struct test *next;
};
static struct test *tests_of_file __attribute__((unused)),
    **end_of_tests __attribute__((unused)) = &tests_of_file;

/* Stand for the head of a test, which adds itself to those of its file before main starts. It runs
 * once; once for each row of a table, with _i from 0; or with _i from `from` up to `to`. */
#define TEST(name)            TEST_RANGE(name, 0, 1)
#define TEST_ROWS(name, rows) TEST_RANGE(name, 0, rows)
#define TEST_RANGE(name, from, to)                                                                 \
    static void name##_runs(int _i);                                                               \
    static int name##_end(void) {                                                                  \
        return (int)(to);                                                                          \
    }                                                                                              \
    __attribute__((constructor)) static void name##_adds(void) {                                   \
        static const TTest check = {#name, name##_runs, __FILE__, __LINE__};                       \
        static struct test test = {&check, from, name##_end, NULL};                                \
        *end_of_tests = &test;                                                                     \
        end_of_tests = &test.next;                                                                 \
    }                                                                                              \
    static void name##_runs(int _i __attribute__((unused)))

/* How the tests of a file run. */
struct suite_options {
    const char *name;
    void (*set_up)(void), (*tear_down)(void);           /* of each test; NULL: nothing */
    void (*set_up_once)(void), (*tear_down_once)(void); /* of all of them */
    void (*prepare)(void);                              /* before rows are counted */
    int timeout;                                        /* seconds of a test; 0: Check's own */
};
enum { NO_TIMEOUT = -1 };

int run_tests(const struct suite_options *options, const struct test *tests);

/* Stands at the end of a file with tests: TEST_SUITE("name", .set_up = set_up). The file adds
 * itself before main starts. A file that needs a program of its own has a main instead (ALONE in
 * the Makefile). */
#define TEST_SUITE(text, ...)                                                                      \
    static int run_file(void) {                                                                    \
        const struct suite_options options = {.name = text, __VA_ARGS__};                          \
        return run_tests(&options, tests_of_file);                                                 \
    }                                                                                              \
    __attribute__((constructor)) static void add_file(void) {                                      \
        static struct test_file file = {__FILE__, run_file, NULL};                                 \
        test_file_add(&file);                                                                      \
    }                                                                                              \
    _Static_assert(true, "takes the semicolon")

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
