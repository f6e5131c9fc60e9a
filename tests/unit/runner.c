/* The program of an area: runs the test files that are linked into it, or those that its arguments
 * name, such as `build/release/tests/unit/memory test_memory_port`. `--list` prints the names. */
#include <stdio.h>
#include <string.h>

#include "suite.h"

static struct test_file *files; /* in the order of their names */

void test_file_add(struct test_file *file) {
    struct test_file **place = &files;
    while (*place != NULL && strcmp((*place)->path, file->path) < 0)
        place = &(*place)->next;
    file->next = *place;
    *place = file;
}

int run_tests(const struct suite_options *options, const struct test *tests) {
    Suite *suite = suite_create(options->name);
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, options->set_up, options->tear_down);
    tcase_add_unchecked_fixture(all, options->set_up_once, options->tear_down_once);
    if (options->timeout != 0)
        tcase_set_timeout(all, options->timeout == NO_TIMEOUT ? 0 : options->timeout);
    if (options->prepare != NULL)
        options->prepare();
    for (; tests != NULL; tests = tests->next)
        tcase_add_loop_test(all, tests->check, tests->first, tests->end());
    suite_add_tcase(suite, all);
    return run_suite(suite);
}

/* The name of a file without its folder and its ending. */
static void name_of(const struct test_file *file, char name[static 128]) {
    const char *start = strrchr(file->path, '/') + 1;
    snprintf(name, 128, "%.*s", (int)strcspn(start, "."), start);
}

static struct test_file *find(const char *wanted) {
    char name[128];
    for (struct test_file *file = files; file != NULL; file = file->next) {
        name_of(file, name);
        if (strcmp(name, wanted) == 0)
            return file;
    }
    fprintf(stderr, "no test file here is named %s: --list prints the names\n", wanted);
    exit(2);
}

int main(int count, char **arguments) {
    int status = EXIT_SUCCESS;
    if (count == 2 && strcmp(arguments[1], "--list") == 0) {
        char name[128];
        for (const struct test_file *file = files; file != NULL; file = file->next) {
            name_of(file, name);
            puts(name);
        }
    } else if (count > 1) {
        for (int i = 1; i < count; i++)
            status |= find(arguments[i])->run();
    } else {
        for (const struct test_file *file = files; file != NULL; file = file->next)
            status |= file->run();
    }
    return status;
}
