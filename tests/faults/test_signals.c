/* Signals at 100 random moments each: the command ends by the signal, leaves no temporary file, and
 * each output is either whole or as it was. */
#include <dirent.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../unit/suite.h"

enum { MOMENTS = 100, MOST_BYTES = 1 << 22 };

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
static const char *const outputs[] = {"report", "trace"};
enum { OUTPUTS = sizeof outputs / sizeof *outputs };

static char command[PATH_MAX], folder[] = "/tmp/tmasim-signals-XXXXXX";

/* A file's bytes; size 0 where there is none. */
struct content {
    char bytes[MOST_BYTES];
    size_t size;
};

static void path_of(const char *name, char path[128]) {
    snprintf(path, 128, "%s/%s", folder, name);
}

static void read_output(const char *name, struct content *content) {
    char path[128];
    path_of(name, path);
    FILE *file = fopen(path, "rb");
    content->size = file == NULL ? 0 : fread(content->bytes, 1, sizeof content->bytes, file);
    if (file != NULL)
        fclose(file);
}

static void write_old(void) {
    for (int i = 0; i < OUTPUTS; i++) {
        char path[128];
        path_of(outputs[i], path);
        FILE *file = fopen(path, "wb");
        ck_assert_ptr_nonnull(file);
        fputs("old\n", file);
        fclose(file);
    }
}

static pid_t start(void) {
    char report[128], trace[128];
    path_of("report", report);
    path_of("trace", trace);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        /* Check's own handlers and masks do not pass exec, but ignored signals do. */
        for (int i = 0; i < TABLE_ROWS(signals); i++)
            signal(signals[i], SIG_DFL);
        execl(command, command, "run", "tests/faults/small.yaml", "--set", "workload.iterations=64",
              "-o", report, "--trace", trace, (char *)NULL);
        _exit(127);
    }
    return child;
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int count_files(void) {
    int count = 0;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

static struct content whole[OUTPUTS], got;

/* Runs the command to its end; returns how long it took. */
static double measure(void) {
    int status;
    write_old();
    double before = seconds_now();
    ck_assert_int_gt(waitpid(start(), &status, 0), 0);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    double seconds = seconds_now() - before;
    for (int i = 0; i < OUTPUTS; i++)
        read_output(outputs[i], &whole[i]);
    return seconds;
}

START_TEST(test_random_moments) {
    int number = signals[_i], interrupted = 0, status;
    uint32_t random = 12345U + (uint32_t)number;
    double seconds = measure();
    for (int moment = 0; moment < MOMENTS; moment++) {
        random = random * 1664525U + 1013904223U;
        double wait = seconds * 1.1 * (double)(random >> 8) / (double)(1 << 24);
        struct timespec pause = {0, (long)(wait * 1e9) % 1000000000L};
        write_old();
        pid_t child = start();
        nanosleep(&pause, NULL);
        kill(child, number);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        bool by_signal = WIFSIGNALED(status) && WTERMSIG(status) == number;
        ck_assert(by_signal || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
        interrupted += by_signal;
        ck_assert_int_eq(count_files(), OUTPUTS);
        for (int i = 0; i < OUTPUTS; i++) {
            read_output(outputs[i], &got);
            bool old = got.size == 4 && memcmp(got.bytes, "old\n", 4) == 0;
            bool same =
                got.size == whole[i].size && memcmp(got.bytes, whole[i].bytes, got.size) == 0;
            ck_assert_msg(same || (old && by_signal), "%s after %g s", outputs[i], wait);
        }
    }
    ck_assert_int_gt(interrupted, MOMENTS / 4);
}
END_TEST

static void set_up(void) {
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void tear_down(void) {
    for (int i = 0; i < OUTPUTS; i++) {
        char path[128];
        path_of(outputs[i], path);
        unlink(path);
    }
    rmdir(folder);
}

int main(int count, char **arguments) {
    /* BUILD/tests/faults/test_signals runs BUILD/tmasim. */
    char self[PATH_MAX];
    if (count < 1 || realpath(arguments[0], self) == NULL)
        return EXIT_FAILURE;
    snprintf(command, sizeof command, "%.4000s/../../tmasim", dirname(self));
    Suite *suite = suite_create("signals");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, test_random_moments, 0, TABLE_ROWS(signals));
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
