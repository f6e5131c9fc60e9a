/* What limits a kernel with roles: every relief on kernels whose cycles are known, the experiments
 * of the scenarios that we ship, and following such a run while it lasts. */
#include <stdio.h>
#include <string.h>

#include "engine/roles/kernel_run.h"
#include "experiment/experiment.h"
#include "experiment/improvement.h"
#include "machine.h"
#include "report/verdict.h"
#include "scenario/kernel_program.h"
#include "scenario/scenario.h"
#include "suite.h"

/* Costs of the small machine (machine.h). */
enum { START = 5, SPIN = 1, MMA_ISSUE = 2, MMA_WAIT = 3, MMA_RATE = 64, FASTER_MMA_RATE = 70 };

static struct tma_machine machine;
static struct tma_statement statements[2];
static struct tma_kernel kernel;
static struct tma_result result, again;
static struct tma_experiments experiments;
static struct tma_error error;

/* A CTA with one role that computes once. */
static void compute(enum tma_work work, int64_t m, int64_t n, int64_t k) {
    machine = flat_machine();
    machine.topology.seed = 0;
    statements[0] = (struct tma_statement){
        .kind = TMA_STATEMENT_COMPUTE,
        .end = 1,
        .ring = TMA_NO_RING,
        .work = work,
        .amount = {{.constant = m}, {.constant = n}, {.constant = k}},
    };
    kernel = (struct tma_kernel){.statements = statements,
                                 .statement_count = 1,
                                 .cta_count = 1,
                                 .variable_count = TMA_FIRST_LOOP_VARIABLE,
                                 .roles = {{.name = "r", .warps = 4, .end = 1}},
                                 .role_count = 1};
}

static void find_out(void) {
    const struct tma_experiment_subject subject = {
        .machine = &machine, .kind = &tma_kernel_kind, .workload = &kernel};
    tma_kernel_lay_out(&kernel);
    ck_assert_int_eq(tma_kernel_run(&machine, &kernel, NULL, &result, NULL, &error), TMA_OK);
    ck_assert_int_eq(tma_experiments_run(&subject, &result, 0, &experiments, &error), TMA_OK);
}

static const struct tma_experiment *find(const char *key) {
    for (size_t i = 0; i < experiments.count; i++)
        if (strcmp(experiments.items[i].relief->key, key) == 0)
            return &experiments.items[i];
    return NULL;
}

static const char *limit(void) {
    const struct tma_findings findings = {.experiments = &experiments};
    return tma_verdict_of(&findings, false).key;
}

TEST(cycles_of_the_kernel_are_a_limit) {
    compute(TMA_WORK_CYCLES, 10000, 0, 0);
    find_out();
    ck_assert_uint_eq(find("computing")->before.mean, START + 10000 + SPIN);
    ck_assert_uint_eq(find("computing")->cycles.mean, START + 9000 + SPIN);
    ck_assert_str_eq(limit(), "computing");
    ck_assert_ptr_null(find("tensor_cores"));
    ck_assert_ptr_null(find("sfu"));
    ck_assert_ptr_null(find("shared_memory"));
}

TEST(tensor_cores_are_a_limit) {
    enum { WORK = 256 * 256 * 16 };
    compute(TMA_WORK_MMA, 256, 256, 16);
    find_out();
    ck_assert_uint_eq(find("tensor_cores")->before.mean,
                      START + MMA_ISSUE + WORK / MMA_RATE + MMA_WAIT);
    ck_assert_uint_eq(find("tensor_cores")->cycles.mean,
                      START + MMA_ISSUE + (WORK + FASTER_MMA_RATE - 1) / FASTER_MMA_RATE +
                          MMA_WAIT);
    ck_assert_str_eq(limit(), "tensor_cores");
}

TEST(wavefronts_are_a_limit) {
    compute(TMA_WORK_SHARED, 11000, 0, 0);
    find_out();
    ck_assert_uint_eq(find("shared_memory")->before.mean, START + 11000);
    ck_assert_uint_eq(find("shared_memory")->cycles.mean, START + 10000);
    ck_assert_str_eq(limit(), "shared_memory");
}

/* 11 operations in the time of 10. */
TEST(units_are_a_limit) {
    compute(TMA_WORK_INSTRUCTIONS, 32000, 0, 0);
    find_out();
    ck_assert_uint_eq(find("fma")->before.mean, START + 1000);
    ck_assert_uint_eq(find("fma")->cycles.mean, START + 910);
    ck_assert_str_eq(limit(), "fma");
    compute(TMA_WORK_INSTRUCTIONS, 0, 16000, 0);
    find_out();
    ck_assert_uint_eq(find("alu")->cycles.mean, START + 910);
    ck_assert_str_eq(limit(), "alu");
    compute(TMA_WORK_INSTRUCTIONS, 0, 0, 16000);
    find_out();
    ck_assert_uint_eq(find("sfu")->cycles.mean, START + 3637);
    ck_assert_str_eq(limit(), "sfu");
}

/* With room for a second CTA on each SM, all CTAs run at once. */
TEST(occupancy_is_a_limit) {
    compute(TMA_WORK_CYCLES, 1000, 0, 0);
    kernel.cta_count = 2 * machine.sm_count;
    kernel.ctas_per_sm = 1;
    find_out();
    ck_assert_uint_eq(find("occupancy")->cycles.mean, START + 1000 + SPIN);
    ck_assert_str_eq(find("occupancy")->change, "2 CTAs on an SM instead of 1");
    ck_assert_str_eq(limit(), "occupancy");
    /* So too where registers have no room for it. */
    kernel.ctas_per_sm = 0;
    kernel.registers = machine.sm.registers / (32 * 4);
    find_out();
    ck_assert_uint_eq(find("occupancy")->cycles.mean, START + 1000 + SPIN);
    ck_assert_str_eq(find("occupancy")->change,
                     "2 CTAs on an SM instead of 1, for which it has no room,");
}

/* A wave and one CTA take as long as two waves. */
TEST(a_last_wave_is_a_limit) {
    compute(TMA_WORK_CYCLES, 1000, 0, 0);
    kernel.cta_count = machine.sm_count + 1;
    kernel.ctas_per_sm = 1;
    find_out();
    uint64_t wave = START + 1000 + SPIN;
    ck_assert_uint_eq(result.waves.last_ctas, 1);
    ck_assert_uint_eq(find("waves")->cycles.mean,
                      (wave * (machine.sm_count + 1) + machine.sm_count - 1) / machine.sm_count);
}

static const char *const scenarios[] = {
    "attention", "cluster_of_4", "conv_taps",      "dynamic_tiles", "early_exit", "gemm",
    "pingpong",  "split_k",      "store_pipeline", "triton_copy",   "two_depths", "two_readers",
};

static struct tma_scenario scenario;

static void read_scenario(const char *name, const char *const *settings, size_t count) {
    struct tma_diagnostics list = {0};
    char path[100];
    snprintf(path, sizeof path, "configs/scenarios/kernels/%s.yaml", name);
    ck_assert_msg(tma_scenario_read(path, settings, count, &scenario, &list), "%s: %s", name,
                  list.count > 0 ? list.items[0].text : "");
    tma_diagnostics_free(&list);
}

/* Runs the workload of an experiment again, and gives its cycles. */
static uint64_t try_again(const struct tma_experiment *experiment) {
    const struct tma_kernel *plain = &scenario.program->kernel;
    struct tma_relieved relieved = {.machine = scenario.machine,
                                    .workload = tma_kernel_kind.copy(plain),
                                    .before = &result,
                                    .variant = experiment->variant,
                                    .work = 1,
                                    .whole_work = 1};
    ck_assert_msg(tma_relief_apply(experiment->relief, &relieved) &&
                      strcmp(relieved.change, experiment->change) == 0,
                  "%s: %s does not apply again", experiment->relief->key, experiment->change);
    ck_assert_int_eq(tma_kernel_kind.run(&relieved.machine, relieved.workload, &again, &error),
                     TMA_OK);
    tma_kernel_kind.release(relieved.workload);
    return (again.cycles * relieved.whole_work + relieved.work - 1) / relieved.work;
}

/* Every experiment can be repeated, and none changes the kernel that it copies. */
TEST_ROWS(experiments_of_scenarios_are_true, TABLE_ROWS(scenarios)) {
    static const char *const settings[] = {"gpu.topology.draw=0"};
    read_scenario(scenarios[_i], settings, 1);
    const struct tma_kernel *plain = &scenario.program->kernel;
    struct tma_kernel before = *plain;
    struct tma_statement copy[200];
    ck_assert_uint_le(plain->statement_count, TABLE_ROWS(copy));
    memcpy(copy, plain->statements, plain->statement_count * sizeof copy[0]);
    const struct tma_experiment_subject subject = {
        .machine = &scenario.machine, .kind = &tma_kernel_kind, .workload = plain};
    ck_assert_int_eq(tma_kernel_run(&scenario.machine, plain, NULL, &result, NULL, &error), TMA_OK);
    ck_assert_int_eq(tma_experiments_run(&subject, &result, 0, &experiments, &error), TMA_OK);
    ck_assert_uint_ge(experiments.count, 8);
    for (size_t i = 0; i < experiments.count; i++) {
        const struct tma_experiment *item = &experiments.items[i];
        ck_assert_int_eq(item->helps, item->saved >= TMA_LEAST_SAVING);
        ck_assert_uint_eq(item->cycles.mean, try_again(item));
    }
    ck_assert(memcmp(&before, plain, sizeof before) == 0);
    ck_assert(memcmp(copy, plain->statements, plain->statement_count * sizeof copy[0]) == 0);
    tma_scenario_free(&scenario);
}

/* What the watch has seen, and when it ends the run. */
struct seen {
    uint64_t looks, last_cycle, last_operations, total;
    uint64_t end_after; /* looks; 0: never */
};

static bool look(void *context, const struct tma_run_state *state) {
    struct seen *seen = context;
    ck_assert_uint_ge(state->cycle, seen->last_cycle);
    ck_assert_uint_ge(state->operations, seen->last_operations);
    ck_assert_uint_le(state->operations, state->total_operations);
    *seen = (struct seen){seen->looks + 1, state->cycle, state->operations, state->total_operations,
                          seen->end_after};
    return seen->looks != seen->end_after;
}

static enum tma_error_code watch_run(struct seen *seen, struct tma_result *into) {
    const struct tma_watch watch = {.look = look, .context = seen};
    return tma_kernel_run_watched(&scenario.machine, &scenario.program->kernel, NULL, &watch, into,
                                  NULL, &error);
}

TEST_ROWS(a_watch_follows_a_kernel, TABLE_ROWS(scenarios)) {
    struct seen seen = {0};
    read_scenario(scenarios[_i], NULL, 0);
    ck_assert_int_eq(watch_run(&seen, &again), TMA_OK);
    ck_assert_int_eq(
        tma_kernel_run(&scenario.machine, &scenario.program->kernel, NULL, &result, NULL, &error),
        TMA_OK);
    ck_assert(memcmp(&result, &again, sizeof result) == 0);
    ck_assert_uint_gt(seen.looks, 2);
    /* The part of a run has less, and no share of it is above 1. */
    seen = (struct seen){.end_after = seen.looks / 2};
    ck_assert_int_eq(watch_run(&seen, &again), TMA_ERROR_INTERRUPTED);
    ck_assert_uint_ge(again.cycles, seen.last_cycle);
    ck_assert_uint_eq(again.counters.operations, seen.last_operations);
    ck_assert_uint_lt(again.counters.operations, result.counters.operations);
    ck_assert_uint_eq(again.waves.count, 0);
    ck_assert(again.busy_tensor <= 1 && again.busy_fma <= 1 && again.busy_alu <= 1 &&
              again.busy_sfu <= 1 && again.busy_shared <= 1);
    tma_scenario_free(&scenario);
}

TEST_SUITE("kernel_experiments", .timeout = 120);
