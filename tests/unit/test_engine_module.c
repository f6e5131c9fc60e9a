/* Where the engine's module is found, and what a run says that does not find it. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/module.h"
#include "engine/slots/run.h"
#include "kernel.h"
#include "machine.h"
#include "suite.h"

static const char module_name[] = "libtmasim-engine.so";

/* Without Check's assertions: also run outside of tests. */
static enum tma_error_code run_kernel(const struct tma_event_sink *sink, struct tma_error *error) {
    struct tma_machine machine = small_machine();
    struct tma_workload workload = make_workload(&(struct kernel){"", 2, 2, 2, 1, 1, true, 0});
    struct tma_result result;
    return tma_run(&machine, &workload, sink, &result, error);
}

START_TEST(test_missing_module_is_an_error) {
    struct tma_error error;
    setenv("TMASIM_ENGINE", "/nowhere/engine.so", 1);
    ck_assert_int_eq(run_kernel(NULL, &error), TMA_ERROR_FILE);
    ck_assert_int_eq(error.code, TMA_ERROR_FILE);
    ck_assert_ptr_nonnull(strstr(error.text, "TMASIM_ENGINE"));
    ck_assert_ptr_nonnull(strstr(error.text, "/nowhere/engine.so"));
    unsetenv("TMASIM_ENGINE");
    ck_assert_int_eq(run_kernel(NULL, NULL), TMA_OK);
}
END_TEST

/* A library that is not the module. */
START_TEST(test_another_library_is_an_error) {
    struct tma_error error;
    setenv("TMASIM_ENGINE", "libc.so.6", 1);
    ck_assert_int_eq(run_kernel(NULL, &error), TMA_ERROR_FILE);
    ck_assert_ptr_nonnull(strstr(error.text, "version"));
}
END_TEST

static void run_again(void *context, const struct tma_event *event) {
    struct tma_error error;
    (void)event;
    ck_assert_int_eq(run_kernel(NULL, &error), TMA_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(error.text, "one at a time"));
    ++*(int *)context;
}

/* A run from an event sink is refused; the run that is watched, and the next one, know nothing of
 * that. */
START_TEST(test_two_runs_at_once) {
    int refused = 0;
    struct tma_event_sink sink = {run_again, &refused};
    ck_assert_int_eq(run_kernel(&sink, NULL), TMA_OK);
    ck_assert_int_gt(refused, 10);
    ck_assert_int_eq(run_kernel(NULL, NULL), TMA_OK);
}
END_TEST

static void own_handler(int number) {
    (void)number;
}

/* Signals belong to the program: a run leaves its handlers, and it has none where there were none.
 * (SIGSEGV has one of the address sanitizer.) */
START_TEST(test_signals_are_left_alone) {
    static const int signals[] = {SIGINT, SIGSEGV, SIGBUS, SIGABRT, SIGTERM};
    enum { SIGNALS = sizeof signals / sizeof signals[0] };
    struct sigaction before[SIGNALS], after, own = {.sa_handler = own_handler};
    sigaction(SIGTERM, &own, NULL);
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], NULL, &before[i]);
    ck_assert_int_eq(run_kernel(NULL, NULL), TMA_OK);
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], NULL, &after);
        ck_assert_msg(after.sa_handler == before[i].sa_handler, "signal %d", signals[i]);
    }
}
END_TEST

static void copy_file(const char *from, const char *to) {
    char bytes[1 << 16];
    size_t count;
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    ck_assert_msg(in != NULL && out != NULL, "%s to %s", from, to);
    while ((count = fread(bytes, 1, sizeof bytes, in)) > 0)
        ck_assert_uint_eq(fwrite(bytes, 1, count, out), count);
    fclose(in);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_int_eq(chmod(to, 0755), 0);
}

/* Writes the path of the module that a run of this program loads; false if there is none. */
static bool find_module(char path[PATH_MAX]) {
    const struct tma_engine_module *module;
    Dl_info info;
    return tma_module_load(&module, NULL) == TMA_OK && dladdr(module, &info) != 0 &&
           realpath(info.dli_fname, path) != NULL;
}

/* Where the module lies, from the folder above the program's; NULL: nowhere. */
static const struct {
    const char *folder;
    bool found;
} places[] = {
    {"bin", true}, {"lib", true}, {"lib/tmasim", true}, {"share", false}, {NULL, false},
};

/* What the copy of this program returns if it finds a module in another folder: one is installed
 * where the dynamic linker searches. */
enum { FOUND_ELSEWHERE = 100 };

/* Copies this program to TOP/bin, and runs it there: it does not find the module where it lies for
 * tests. */
START_TEST(test_places) {
    static const char *const folders[] = {"bin", "lib", "lib/tmasim", "share"};
    char top[] = "/tmp/tmasim-module-XXXXXX", self[PATH_MAX], module[PATH_MAX];
    char path[PATH_MAX + 64], program[64];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    ck_assert(length > 0);
    self[length] = '\0';
    ck_assert_ptr_nonnull(mkdtemp(top));
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s/%s", top, folders[i]);
        ck_assert_int_eq(mkdir(path, 0755), 0);
    }
    snprintf(program, sizeof program, "%s/bin/program", top);
    copy_file(self, program);
    if (places[_i].folder != NULL) {
        ck_assert(find_module(module));
        snprintf(path, sizeof path, "%s/%s/%s", top, places[_i].folder, module_name);
        copy_file(module, path);
    }
    snprintf(path, sizeof path, "%s run %s/", program, top);
    int status = system(path);
    snprintf(path, sizeof path, "rm -r %s", top);
    ck_assert_int_eq(system(path), 0);
    ck_assert(WIFEXITED(status));
    status = WEXITSTATUS(status);
    if (places[_i].found)
        ck_assert_int_eq(status, 0);
    else
        ck_assert(status == TMA_ERROR_FILE || status == FOUND_ELSEWHERE);
}
END_TEST

/* What test_places runs in `top`. Returns what a run returns; an error has to name the folder. */
static int run_alone(const char *top) {
    struct tma_error error;
    char path[PATH_MAX];
    enum tma_error_code code = run_kernel(NULL, &error);
    if (code == TMA_ERROR_FILE && strstr(error.text, top) == NULL)
        return EXIT_FAILURE;
    if (code != TMA_OK)
        return (int)code;
    return find_module(path) && strncmp(path, top, strlen(top)) == 0 ? EXIT_SUCCESS
                                                                     : FOUND_ELSEWHERE;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "run") == 0)
        return run_alone(argv[2]);
    unsetenv("TMASIM_ENGINE");
    setenv("CK_FORK", "yes", 1); /* a process keeps the module that it has loaded */
    Suite *suite = suite_create("the engine's module");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 60); /* sanitizers are slow */
    tcase_add_test(tests, test_missing_module_is_an_error);
    tcase_add_test(tests, test_another_library_is_an_error);
    tcase_add_test(tests, test_two_runs_at_once);
    tcase_add_test(tests, test_signals_are_left_alone);
    tcase_add_loop_test(tests, test_places, 0, sizeof places / sizeof *places);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
