/* Scenarios that are strings: tma_scenario_read_text. */
#include <stdio.h>
#include <string.h>

#include "scenario/scenario.h"
#include "suite.h"

#define SCENARIO(gpu)                                                                              \
    "name: small\n"                                                                                \
    "gpu: " gpu "\n"                                                                               \
    "tensor_maps:\n"                                                                               \
    "  A: {data_type: float16, global_dim: [256, 512], box_dim: [64, 128]}\n"                      \
    "workload: {ctas: 4, iterations: 2, operations: [{load: A}]}\n"

/* Tests run in the root of the repository. */
static const struct good_case {
    const char *text, *name;
} good_cases[] = {
    {SCENARIO("configs/gpus/h200.yaml"), "a string"},
    {SCENARIO("../gpus/h200.yaml"), "configs/scenarios/not-a-file"},
    {SCENARIO("h200.yaml"), "configs/gpus/"},
};

TEST_ROWS(test_machine_is_relative_to_the_name, TABLE_ROWS(good_cases)) {
    struct tma_scenario scenario;
    struct tma_diagnostics list = {0};
    bool good =
        tma_scenario_read_text(good_cases[_i].text, good_cases[_i].name, NULL, 0, &scenario, &list);
    ck_assert_msg(good, "%s", list.count > 0 ? list.items[0].text : "no reason");
    ck_assert_uint_eq(list.count, 0);
    ck_assert_str_eq(scenario.name, "small");
    ck_assert_uint_eq(scenario.machine.sm_count, 132);
    ck_assert_uint_eq(scenario.workload.cta_count, 4);
    tma_scenario_free(&scenario);
}

TEST(test_settings_apply) {
    const char *const settings[] = {"gpu=configs/gpus/h200.yaml", "workload.ctas=7"};
    struct tma_scenario scenario;
    struct tma_diagnostics list = {0};
    ck_assert(tma_scenario_read_text(SCENARIO("missing.yaml"), "a string", settings, 2, &scenario,
                                     &list));
    ck_assert_uint_eq(scenario.workload.cta_count, 7);
    tma_scenario_free(&scenario);
}

static const struct bad_case {
    const char *text, *place; /* of the first fault */
} bad_cases[] = {
    {"", "text:0:0"},
    {"- a list\n", "text:1:1"},
    {"name: [unclosed\n", "text:2:1"},
    {SCENARIO("missing.yaml"), "missing.yaml:0:0"},
    {SCENARIO("configs/gpus/h200.yaml") "unknown: 1\n", "text:6:1"},
};

TEST_ROWS(test_faults_are_in_the_name, TABLE_ROWS(bad_cases)) {
    struct tma_scenario scenario;
    struct tma_diagnostics list = {0};
    char place[64];
    ck_assert(!tma_scenario_read_text(bad_cases[_i].text, "text", NULL, 0, &scenario, &list));
    ck_assert_uint_ge(list.count, 1);
    const struct tma_location *at = &list.items[0].at;
    snprintf(place, sizeof place, "%s:%u:%u", at->file, at->line, at->column);
    ck_assert_str_eq(place, bad_cases[_i].place);
    tma_diagnostics_free(&list);
    tma_scenario_free(&scenario);
}

TEST_SUITE("scenarios that are strings");
