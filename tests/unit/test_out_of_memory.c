/* Every allocation of reading a scenario or records fails once, in turn: the library then either
 * gives what is in the file, or says that memory ran out. It never gives something else. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "core/core_run.h"
#include "launch/prepared.h"
#include "records/validate.h"
#include "scenario/describe.h"
#include "scenario/machine_file.h"
#include "scenario/map_file.h"
#include "suite.h"

/* The sanitizers bring allocation functions of their own, which cannot be replaced. */
#if defined(__SANITIZE_ADDRESS__)
#define REPLACES_ALLOCATION 0
#else
#define REPLACES_ALLOCATION 1
#endif

static long until_failure = -1; /* allocations left until one fails; below 0: none fails */

#if REPLACES_ALLOCATION
/* libyaml calls these functions, too. */
#pragma GCC visibility push(default)

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);

static bool fails_now(void) {
    if (until_failure < 0 || until_failure-- > 0)
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t bytes) {
    return fails_now() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
    return fails_now() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes) {
    return fails_now() ? NULL : __libc_realloc(block, bytes);
}

#pragma GCC visibility pop
#endif

static const char text[] =
    "name: small\n"
    "gpu: configs/gpus/h200.yaml\n"
    "tensor_maps:\n"
    "  A: &a {data_type: float16, global_dim: [64, 64], box_dim: [64, 8], swizzle: 128b}\n"
    "  B: *a\n"
    "workload:\n"
    "  ctas: 4\n"
    "  iterations: 8\n"
    "  pipeline: {depth: 2}\n"
    "  operations: [{load: A}, {load: B}]\n"
    "  consumers: [{operation: 0, instruction: ld.shared.b32, lanes: row}]\n";

static const char *const settings[] = {"workload.ctas=7", "gpu.topology.draw=2",
                                       "workload.operations.0.walk.start=[0, 0]"};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

/* The keys and values of a scenario, as one text. */
struct description {
    char text[1 << 15];
    size_t used;
};

static void append(void *context, const char *key, const char *value) {
    struct description *to = context;
    to->used +=
        (size_t)snprintf(to->text + to->used, sizeof to->text - to->used, "%s=%s\n", key, value);
    if (to->used >= sizeof to->text)
        abort(); /* without Check, which allocates */
}

/* Reads the scenario; allocation `failing` fails. Returns true if it succeeds. */
static bool read_scenario(long failing, struct description *description, bool *failed) {
    struct tma_scenario scenario;
    struct tma_diagnostics list = {0};
    description->used = 0;
    until_failure = failing;
    bool good = tma_scenario_read_text(text, "text", settings, SETTINGS, &scenario, &list);
    *failed = until_failure < 0 && failing >= 0;
    until_failure = -1;
    ck_assert(good == (tma_diagnostics_total(&list) == 0));
    ck_assert(good || tma_diagnostics_lack_memory(&list));
    if (good)
        tma_scenario_describe(&scenario, append, description);
    tma_diagnostics_free(&list);
    tma_scenario_free(&scenario);
    return good;
}

START_TEST(scenario_is_whole_or_an_error) {
    static struct description whole, got;
    bool failed = true;
    ck_assert(read_scenario(-1, &whole, &failed));
    long failing = 0;
    for (failed = true; failed; failing++)
        if (read_scenario(failing, &got, &failed))
            ck_assert_str_eq(got.text, whole.text);
    ck_assert_int_gt(failing, 500);
}
END_TEST

START_TEST(maps_are_whole_or_an_error) {
    bool failed = true;
    for (long failing = 0; failed; failing++) {
        struct tma_map_file file;
        struct tma_diagnostics list = {0};
        until_failure = failing;
        bool good = tma_map_file_read(text, strlen(text), "text", settings, SETTINGS, &file, &list);
        failed = until_failure < 0;
        until_failure = -1;
        ck_assert(good == (tma_diagnostics_total(&list) == 0));
        ck_assert(good ? file.scenario->workload.map_count == 2
                       : tma_diagnostics_lack_memory(&list));
        tma_diagnostics_free(&list);
        tma_map_file_free(&file);
    }
}
END_TEST

struct counted {
    unsigned missing;
    struct description description;
};

static void append_or_count(void *context, const char *key, const char *value) {
    struct counted *counted = context;
    counted->missing += value == NULL;
    if (value != NULL)
        append(&counted->description, key, value);
}

/* A value that there is no memory for is not left out: trace headers would lack it. */
START_TEST(missing_value_is_visible) {
    static struct counted whole, got;
    struct tma_scenario scenario;
    struct tma_diagnostics list = {0};
    ck_assert(tma_scenario_read_text(text, "text", NULL, 0, &scenario, &list));
    tma_scenario_describe(&scenario, append_or_count, &whole);
    ck_assert_uint_eq(whole.missing, 0);
    bool failed = true;
    unsigned missing = 0;
    for (long failing = 0; failed; failing++) {
        got = (struct counted){.missing = 0};
        until_failure = failing;
        tma_scenario_describe(&scenario, append_or_count, &got);
        failed = until_failure < 0;
        until_failure = -1;
        if (got.missing == 0)
            ck_assert_str_eq(got.description.text, whole.description.text);
        missing += got.missing;
    }
    ck_assert_uint_gt(missing, 100);
    tma_scenario_free(&scenario);
}
END_TEST

/* A record that there is no memory for does not count as one that differs. */
START_TEST(validation_is_whole_or_an_error) {
    bool failed = true;
    for (long failing = 0; failed; failing++) {
        struct tma_validation validation;
        struct tma_error error = {0};
        until_failure = failing;
        enum tma_error_code code =
            tma_validate_file("tests/unit/records/store.tsv", NULL, &validation, &error);
        failed = until_failure < 0;
        until_failure = -1;
        ck_assert(code == TMA_OK ? validation.agree == 1 : error.text[0] != '\0');
        if (code == TMA_OK)
            tma_validation_free(&validation);
    }
}
END_TEST

/* Runs a launch of one CTA that is checked for races, in time or without; allocation `failing`
 * fails. */
static bool run_launch(long failing, bool timed, const struct tma_machine *machine,
                       uint64_t *instructions, bool *failed) {
    static const char *const one_cta[] = {"grid=[1]"};
    static const struct tma_ptx_options checked = {.sanitize_ctas = 1};
    static const char launch_text[] =
        "ptx: copy.ptx\n"
        "grid: 4\n"
        "dynamic_shared: 8 KiB\n"
        "buffers:\n"
        "  a: {bytes: 32 KiB, data_type: float16, contents: {seed: 1}}\n"
        "  b: {bytes: 32 KiB, data_type: float16, contents: {values: [1, 2]}}\n"
        "parameters:\n"
        "  - {map: {data_type: float16, global_dim: [64, 256], box_dim: [64, 64], swizzle: 128b}, "
        "buffer: a}\n"
        "  - {map: {data_type: float16, global_dim: [64, 256], box_dim: [64, 64], swizzle: 128b}, "
        "buffer: b}\n";
    struct tma_launch launch;
    struct tma_prepared prepared = {0};
    struct tma_ptx_result result = {0};
    struct tma_diagnostics list = {0};
    struct tma_error error = {0};
    until_failure = failing;
    bool good = tma_launch_read(launch_text, strlen(launch_text), "examples/launches/copy.yaml",
                                one_cta, 1, &launch, &list) &&
                tma_launch_prepare(&launch, machine, true, &prepared, &list);
    struct tma_core_result timing = {0};
    enum tma_error_code code =
        !good   ? TMA_OK
        : timed ? tma_core_run(machine, &prepared.execution, &checked, &result, &timing, &error)
                : tma_ptx_execute(&prepared.execution, &checked, &result, &error);
    if (code != TMA_OK) {
        tma_diagnose(&list, error.code, launch.at, "%s", error.text);
        good = false;
    }
    *failed = until_failure < 0 && failing >= 0;
    until_failure = -1;
    ck_assert(good == (tma_diagnostics_total(&list) == 0));
    ck_assert_msg(good || tma_diagnostics_lack_memory(&list), "%ld", failing);
    ck_assert_msg(result.finding_count == 0, "%ld %s", failing, result.findings[0].text);
    ck_assert_int_eq(result.failure, TMA_PTX_COMPLETED);
    ck_assert_uint_eq(result.finding_count, 0);
    *instructions = result.instructions + timing.cycles;
    tma_core_result_free(&timing);
    tma_ptx_result_free(&result);
    tma_diagnostics_free(&list);
    tma_prepared_free(&prepared);
    tma_launch_free(&launch);
    return good;
}

START_TEST(launch_is_whole_or_an_error) {
    static struct tma_machine machine;
    struct tma_diagnostics list = {0};
    uint64_t whole, got;
    bool failed = true, timed = _i == 1;
    ck_assert(tma_machine_read("configs/gpus/h200.yaml", &machine, &list));
    ck_assert(run_launch(-1, timed, &machine, &whole, &failed));
    long failing = 0;
    for (failed = true; failed; failing++)
        if (run_launch(failing, timed, &machine, &got, &failed))
            ck_assert_uint_eq(got, whole);
    ck_assert_int_gt(failing, 200);
}
END_TEST

static long allocations_left;

static bool fails_after_others(void) {
    return allocations_left-- == 0;
}

/* Wherever memory runs out, the list has the error, in an entry or in its reserve. */
START_TEST(no_error_is_lost) {
    bool failed = true;
    for (allocations_left = 0; failed; allocations_left++) {
        struct tma_diagnostics list = {0};
        long left = allocations_left;
        tma_allocation_fails = fails_after_others;
        tma_diagnose(&list, TMA_ERROR_SYNTAX, (struct tma_location){"file", 3, 4}, "%d", 5);
        failed = allocations_left < 0;
        allocations_left = left;
        tma_allocation_fails = NULL;
        ck_assert_uint_eq(tma_diagnostics_total(&list), 1);
        ck_assert_uint_eq(list.count, !failed);
        ck_assert(tma_diagnostics_lack_memory(&list) == failed);
        ck_assert_int_eq(failed ? list.reserve.code : list.items[0].code, TMA_ERROR_SYNTAX);
        ck_assert_str_eq(failed ? list.reserve.text : list.items[0].text, "5");
        ck_assert_uint_eq(failed ? list.reserve.at.line : list.items[0].at.line, 3);
        tma_diagnostics_free(&list);
        ck_assert_int_eq(list.reserve.code, TMA_OK);
    }
}
END_TEST

/* A full list drops errors, but not that memory ran out. */
START_TEST(full_list_keeps_lack_of_memory) {
    struct tma_diagnostics list = {0};
    struct tma_location at = {"file", 1, 1};
    for (int i = 0; i < 101; i++)
        tma_diagnose(&list, TMA_ERROR_SYNTAX, at, "wrong");
    ck_assert(!tma_diagnostics_lack_memory(&list));
    tma_diagnose(&list, TMA_ERROR_MEMORY, at, "out of memory");
    ck_assert(tma_diagnostics_lack_memory(&list));
    ck_assert_str_eq(list.reserve.text, "out of memory");
    tma_diagnostics_free(&list);
}
END_TEST

START_TEST(full_list_counts_what_it_drops) {
    struct tma_diagnostics list = {0};
    for (int i = 0; i < 1000; i++)
        tma_diagnose(&list, TMA_ERROR_SYNTAX, (struct tma_location){"file", 1, 1}, "wrong");
    ck_assert_uint_eq(list.count, 100);
    ck_assert_uint_eq(tma_diagnostics_total(&list), 1000);
    ck_assert(!tma_diagnostics_lack_memory(&list));
    tma_diagnostics_free(&list);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("out of memory");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 60);
    if (REPLACES_ALLOCATION) {
        tcase_add_test(tests, scenario_is_whole_or_an_error);
        tcase_add_test(tests, maps_are_whole_or_an_error);
        tcase_add_test(tests, missing_value_is_visible);
        tcase_add_test(tests, validation_is_whole_or_an_error);
        tcase_add_loop_test(tests, launch_is_whole_or_an_error, 0, 2);
    }
    tcase_add_test(tests, no_error_is_lost);
    tcase_add_test(tests, full_list_keeps_lack_of_memory);
    tcase_add_test(tests, full_list_counts_what_it_drops);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
