/* Signals at 100 random moments each: the command ends by the signal, leaves no temporary file, and
 * each output is either whole or as it was. An interrupt while the engine runs ends the run
 * instead: the report then says that it is partial, the trace is as it was, and the status is 130.
 */
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
#include "cli/messages.h"

enum { MOMENTS = 100, MEASURED_RUNS = 3, MOST_BYTES = 1 << 22 };

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
    /* A signal before exec() has to wait: Check's handler would end the whole test. */
    sigset_t set, before;
    sigemptyset(&set);
    for (int i = 0; i < TABLE_ROWS(signals); i++)
        sigaddset(&set, signals[i]);
    sigprocmask(SIG_BLOCK, &set, &before);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child != 0)
        sigprocmask(SIG_SETMASK, &before, NULL);
    if (child == 0) {
        /* Check's own handlers do not pass exec, but ignored signals and masks do. */
        for (int i = 0; i < TABLE_ROWS(signals); i++)
            signal(signals[i], SIG_DFL);
        sigprocmask(SIG_UNBLOCK, &set, NULL);
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

/* Runs the command to its end a few times. Returns how long the fastest took: one that the host
 * holds up for seconds would make a hundred moments of minutes. */
static double measure(void) {
    double least = 0;
    for (int i = 0; i < MEASURED_RUNS; i++) {
        int status;
        write_old();
        double before = seconds_now();
        ck_assert_int_gt(waitpid(start(), &status, 0), 0);
        ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        double seconds = seconds_now() - before;
        least = i == 0 || seconds < least ? seconds : least;
    }
    for (int i = 0; i < OUTPUTS; i++)
        read_output(outputs[i], &whole[i]);
    return least;
}

/* How a command ended. */
enum ending { BY_ITSELF, BY_SIGNAL, PARTIAL };

static enum ending ending_of(int status, int number) {
    if (WIFSIGNALED(status) && WTERMSIG(status) == number)
        return BY_SIGNAL;
    if (number == SIGINT && WIFEXITED(status) && WEXITSTATUS(status) == CLI_INTERRUPTED)
        return PARTIAL;
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == CLI_OK, "wait status %#x", status);
    return BY_ITSELF;
}

static bool is_whole(int output) {
    const struct content *expected = &whole[output];
    return got.size == expected->size && memcmp(got.bytes, expected->bytes, got.size) == 0;
}

static bool is_old(void) {
    return got.size == 4 && memcmp(got.bytes, "old\n", 4) == 0;
}

static bool is_partial(void) {
    static const char first[] = "partial  ";
    return got.size > sizeof first && memcmp(got.bytes, first, sizeof first - 1) == 0 &&
           got.bytes[got.size - 1] == '\n';
}

static bool is_allowed(int output, enum ending ending) {
    if (ending == BY_ITSELF)
        return is_whole(output);
    if (ending == BY_SIGNAL)
        return is_whole(output) || is_old();
    return output == 0 ? is_partial() : is_old();
}

START_TEST(test_random_moments) {
    int number = signals[_i], early = 0, status;
    uint32_t random = 12345U + (uint32_t)number;
    double seconds = measure();
    for (int moment = 0; moment < MOMENTS; moment++) {
        random = random * 1664525U + 1013904223U;
        double wait = seconds * 1.1 * (double)(random >> 8) / (double)(1 << 24);
        time_t whole_seconds = (time_t)wait;
        struct timespec pause = {whole_seconds, (long)((wait - (double)whole_seconds) * 1e9)};
        write_old();
        pid_t child = start();
        nanosleep(&pause, NULL);
        kill(child, number);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        enum ending ending = ending_of(status, number);
        early += ending != BY_ITSELF;
        ck_assert_int_eq(count_files(), OUTPUTS);
        for (int i = 0; i < OUTPUTS; i++) {
            read_output(outputs[i], &got);
            ck_assert_msg(is_allowed(i, ending), "%s after %g s, ending %d", outputs[i], wait,
                          ending);
        }
    }
    ck_assert_int_gt(early, MOMENTS / 4);
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
    tcase_set_timeout(tests, 1200);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, test_random_moments, 0, TABLE_ROWS(signals));
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
