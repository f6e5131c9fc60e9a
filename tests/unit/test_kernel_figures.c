/* Figures of kernels' reports that depend on the clock, and on where clusters fit. */
#include <math.h>
#include <stdio.h>

#include "engine.h"
#include "engine/roles/kernel_run.h"
#include "report/figures.h"
#include "report/report.h"
#include "scenario/kernel_program.h"
#include "scenario/scenario.h"
#include "suite.h"

static struct tma_scenario scenario;
static struct tma_result result;

static void run(const char *path, const char *const *settings, size_t count) {
    struct tma_diagnostics list = {0};
    struct tma_error error;
    ck_assert_msg(tma_scenario_read(path, settings, count, &scenario, &list), "%s", path);
    ck_assert_msg(tma_kernel_run(&scenario.machine, &scenario.program->kernel, NULL, &result, NULL,
                                 &error) == TMA_OK,
                  "%s", error.text);
    tma_diagnostics_free(&list);
}

static struct tma_report_input input_of(void) {
    return (struct tma_report_input){.scenario = scenario.name,
                                     .machine = &scenario.machine,
                                     .kernel = &scenario.program->kernel,
                                     .result = &result,
                                     .map_names = scenario.map_names};
}

/* Of the H200's 132 SMs, clusters of four fit 120. */
TEST(test_sms_of_clusters) {
    const char *const settings[] = {"kernel.ctas=264"};
    run("configs/scenarios/kernels/cluster_of_4.yaml", settings, 1);
    struct tma_report_input input = input_of();
    struct tma_figures figures = tma_figures_of(&input);
    ck_assert_uint_eq(figures.sms, 120);
    ck_assert_double_eq_tol(figures.limits[TMA_LIMIT_SM_PORT].used, result.busy_sm_port, 1e-3);
    tma_scenario_free(&scenario);
}

/* DRAM and the crossbar keep their clocks: at half the SM clock they move twice as much in a
 * cycle. The port of an SM has the clock of the SM. */
TEST(test_limits_of_clock) {
    const char *const settings[] = {"kernel.sm_clock=990 MHz"};
    struct tma_figures figures[2];
    for (size_t i = 0; i < 2; i++) {
        run("configs/scenarios/kernels/gemm.yaml", settings, i);
        struct tma_report_input input = input_of();
        figures[i] = tma_figures_of(&input);
        ck_assert_uint_eq(figures[i].sm_clock_mhz, i == 0 ? 1980 : 990);
        tma_scenario_free(&scenario);
    }
    const struct tma_limit_figure *fast = figures[0].limits, *slow = figures[1].limits;
    ck_assert_double_eq(slow[TMA_LIMIT_SM_PORT].bytes_per_cycle_per_sm,
                        fast[TMA_LIMIT_SM_PORT].bytes_per_cycle_per_sm);
    ck_assert_double_eq_tol(slow[TMA_LIMIT_GPC_PORTS].bytes_per_cycle_per_sm,
                            2 * fast[TMA_LIMIT_GPC_PORTS].bytes_per_cycle_per_sm, 0.1);
    ck_assert_double_eq_tol(slow[TMA_LIMIT_DRAM].bytes_per_cycle_per_sm,
                            2 * fast[TMA_LIMIT_DRAM].bytes_per_cycle_per_sm, 0.1);
}

/* The time at the chosen clock of a loaded GPU is that of a simulation at this clock, to 1.4 %. */
TEST_ROWS(test_chosen_time_is_simulated, some_of(2)) {
    static const char *const clocks[] = {"single", "sustained"};
    char chosen[64];
    const char *settings[] = {chosen, "gpu=h100_sxm", "K=2048"};
    snprintf(chosen, sizeof chosen, "kernel.sm_clock=%s", clocks[_i]);
    run("configs/kernels/gemm_ws.yaml", settings, 3);
    struct tma_error error;
    ck_assert(tma_kernel_find_memory_share(&scenario.machine, &scenario.program->kernel, NULL,
                                           &result, &error) == TMA_OK);
    ck_assert(result.memory_share != 0);
    struct tma_report_input input = input_of();
    struct tma_clock_figures loaded = tma_figures_of(&input).clock;
    tma_scenario_free(&scenario);
    snprintf(chosen, sizeof chosen, "kernel.sm_clock=%d MHz", (int)(loaded.mhz + 0.5));
    run("configs/kernels/gemm_ws.yaml", settings, 3);
    input = input_of();
    struct tma_clock_figures fixed = tma_figures_of(&input).clock;
    ck_assert(fixed.fixed && loaded.mhz < 1700);
    ck_assert_double_eq_tol(loaded.ns, fixed.ns, 0.014 * fixed.ns);
    tma_scenario_free(&scenario);
}

TEST_SUITE("kernel_figures", .prepare = load_engine, .timeout = 60);
