/* The memory of a run does not grow with its operations: the peak is the same for 10^5 and 10^6 of
 * them, with and without a trace. OPERATIONS in the environment is another number for the longer
 * run. */
#define _GNU_SOURCE /* wait4 */
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/suite.h"

enum {
    FEWER = 100000,
    MORE = 1000000,
    OPERATIONS_OF_A_STEP = 4, /* a load and a store in each of two CTAs */
    MOST_GROWTH_KIB = 1024,   /* what the host's allocation and page cache make of equal runs */
};

static char command[PATH_MAX];

static const struct run {
    const char *scenario, *setting;
    bool traced;
} runs[] = {
    {"tests/faults/many.yaml", "workload.iterations", false},
    {"tests/faults/many.yaml", "workload.iterations", true},
    {"tests/faults/many_kernel.yaml", "STEPS", false},
    {"tests/faults/many_kernel.yaml", "STEPS", true},
};

/* Runs the command and returns the peak of its memory. */
static long peak_kib(const struct run *run, unsigned long operations) {
    char setting[64];
    struct rusage usage;
    int status;
    snprintf(setting, sizeof setting, "%s=%lu", run->setting, operations / OPERATIONS_OF_A_STEP);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        execl(command, command, "run", run->scenario, "--quiet", "--no-why", "--yes", "--set",
              setting, "-o", "/dev/null", run->traced ? "--trace" : NULL, "/dev/null",
              (char *)NULL);
        _exit(127);
    }
    ck_assert_int_eq(wait4(child, &status, 0, &usage), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %#x", status);
    return usage.ru_maxrss;
}

START_TEST(test_peak_is_the_same) {
    const char *given = getenv("OPERATIONS");
    unsigned long more = given == NULL ? MORE : strtoul(given, NULL, 10);
    long few = peak_kib(&runs[_i], FEWER), many = peak_kib(&runs[_i], more);
    if (given != NULL)
        printf("%s%s: %ld KiB for %d operations, %ld KiB for %lu\n", runs[_i].scenario,
               runs[_i].traced ? " with a trace" : "", few, FEWER, many, more);
    ck_assert_msg(many - few <= MOST_GROWTH_KIB, "%s: %ld KiB for %d operations, %ld for %lu",
                  runs[_i].scenario, few, FEWER, many, more);
}
END_TEST

int main(int count, char **arguments) {
    /* BUILD/tests/faults/test_constant_memory runs BUILD/tmasim. */
    char self[PATH_MAX];
    if (count < 1 || realpath(arguments[0], self) == NULL)
        return EXIT_FAILURE;
    snprintf(command, sizeof command, "%.4000s/../../tmasim", dirname(self));
    Suite *suite = suite_create("constant memory");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 1200);
    tcase_add_loop_test(tests, test_peak_is_the_same, 0, TABLE_ROWS(runs));
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
