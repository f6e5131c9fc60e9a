/* What the machines say against public figures of the GPUs: the peaks of NVIDIA's data sheets, and
 * published measurements of a B200. */
#include <math.h>
#include <string.h>

#include "../hardware/gpus.h"
#include "engine.h"
#include "engine/roles/kernel_run.h"
#include "kernel.h"
#include "memory/machine_parameter.h"
#include "report/figures.h"
#include "scenario/kernel_program.h"
#include "scenario/scenario.h"
#include "shipped_machine.h"

/* Dense peaks of the H200, and of rates that no table derives. Those of tensor cores in half
 * precision and below are at the clock that the GPU holds with them, those of single and double
 * precision at the boost clock. */
static const struct {
    const char *machine, *path;
    double teraflops;
    uint32_t clock_mhz;
} peaks[] = {
    {"h200", "sm.mma_half", 989.5, 1830},  {"h200", "sm.mma_tf32", 494.7, 1830},
    {"h200", "sm.mma_byte", 1979, 1830},   {"h200", "sm.mma_fp64", 66.9, 1980},
    {"h200", "core.fma", 66.9, 1980},      {"h100_sxm", "core.fma", 66.9, 1980},
    {"b200", "core.fma", 75, 1965},        {"gb200", "core.fma", 80, 2062},
    {"rtx_5090", "core.fma", 104.8, 2407}, {"rtx_5080", "core.fma", 56.3, 2617},
};

/* A multiply-add is two operations. */
TEST_ROWS(rates_give_the_public_peak, TABLE_ROWS(peaks)) {
    struct tma_machine machine = shipped_machine(peaks[_i].machine);
    const struct tma_machine_parameter *rate = tma_machine_parameter_find(peaks[_i].path);
    ck_assert_ptr_nonnull(rate);
    double each = *tma_machine_value(&machine, rate);
    if (rate->quantity == TMA_QUANTITY_TIME)
        each =
            4 * 32 / each; /* the interval of a warp's instructions, in each of four schedulers */
    double teraflops = 2 * each * machine.sm_count * peaks[_i].clock_mhz / 1e6;
    ck_assert_msg(fabs(teraflops / peaks[_i].teraflops - 1) < 0.01, "%s of %s: %g TFLOP/s",
                  peaks[_i].path, peaks[_i].machine, teraflops);
}

#define TABLE "scripts/public-figures.tsv"

static const char *figure(const struct tma_tsv *table, const char *machine, const char *name) {
    for (size_t row = 0; row < table->rows; row++)
        if (strcmp(tma_tsv_cell(table, row, "machine"), machine) == 0 &&
            strcmp(tma_tsv_cell(table, row, "figure"), name) == 0)
            return tma_tsv_cell(table, row, "value");
    return "0";
}

/* The rates, clocks and sizes of machines that scripts/derive-machines wrote give the public
 * figures of its table. Rates are powers of two: of the H20's, which its data sheet rounds, the one
 * of double precision differs by a quarter. */
TEST(machines_give_the_public_figures) {
    static const struct {
        const char *kind, *path;
    } rates[] = {{"tflops_half", "sm.mma_half"},
                 {"tflops_tf32", "sm.mma_tf32"},
                 {"tflops_byte", "sm.mma_byte"},
                 {"tflops_nibble", "sm.mma_nibble"},
                 {"tflops_fp64", "sm.mma_fp64"}};
    struct tma_tsv table;
    size_t machines = 0;
    read_records(TABLE, &table);
    for (size_t row = 0; row < table.rows; row++) {
        const char *name = tma_tsv_cell(&table, row, "machine");
        ck_assert_msg(tma_tsv_cell(&table, row, "source")[0] != '\0', "row %zu", row);
        if (strcmp(tma_tsv_cell(&table, row, "figure"), "name") != 0)
            continue;
        struct tma_machine machine = shipped_machine(name);
        machines++;
        ck_assert_uint_eq(machine.sm_count, strtoul(figure(&table, name, "sms"), NULL, 10));
        ck_assert_uint_eq(machine.sm_clock_mhz,
                          strtoul(figure(&table, name, "boost_mhz"), NULL, 10));
        ck_assert(machine.trust.validated == (strcmp(name, "h100_sxm") == 0));
        ck_assert(machine.trust.public_data != machine.trust.validated);
        double gigabytes = machine.dram.bus_bits / 8.0 * 2 * machine.dram.clock_mhz / 1000;
        ck_assert_double_eq_tol(gigabytes, strtod(figure(&table, name, "dram_gbps"), NULL),
                                0.001 * gigabytes);
        for (int i = 0; i < TABLE_ROWS(rates); i++) {
            bool fp64 = strcmp(rates[i].kind, "tflops_fp64") == 0;
            double clock = strtod(figure(&table, name, fp64 ? "boost_mhz" : "tensor_mhz"), NULL),
                   published = strtod(figure(&table, name, rates[i].kind), NULL),
                   rate = *tma_machine_value(&machine, tma_machine_parameter_find(rates[i].path)),
                   teraflops = 2 * rate * machine.sm_count * clock / 1e6,
                   most = !fp64                        ? 0.02
                          : strcmp(name, "h20") == 0   ? 0.25
                          : strcmp(name, "gb300") == 0 ? 0.11
                                                       : 0.02;
            if (published == 0)
                ck_assert_msg(rate == 0, "%s of %s", rates[i].path, name);
            else
                ck_assert_msg(fabs(teraflops / published - 1) < most, "%s of %s: %g TFLOP/s",
                              rates[i].path, name, teraflops);
        }
    }
    ck_assert_uint_ge(machines, 9);
    tma_tsv_free(&table);
}

/* Published chains of loads of a B200, each of which begins when the one before is there, from L2:
 * cycles of a load. The model has the latencies of an H200, some 30 cycles more. */
static const struct {
    uint32_t kib;
    double least_cycles, most_cycles;
    double error; /* of the model, against their mean */
} chains[] = {{16, 530, 530, 0.056}, {32, 654, 663, 0.047}, {64, 925, 925, 0.028}};

static double cycles_of_load(const struct tma_machine *machine, uint32_t kib) {
    enum { LOADS = 64, FEWER = 16 };
    uint64_t cycles[2];
    for (int i = 0; i < 2; i++) {
        const uint32_t rows = kib == 16 ? 128 : 256, loads = i == 0 ? FEWER : LOADS;
        struct tma_workload workload =
            make_workload(&(struct kernel){"chain", 1, 1, loads, 1, rows, false, 0});
        workload.operation_count = kib == 64 ? 2 : 1; /* a box has up to 32 KiB of such rows */
        workload.operations[1] = workload.operations[0];
        workload.operations[1].operation.shared_address = rows * TMA_LINE_BYTES;
        workload.operations[1].walk.start[1] = (int32_t)rows;
        workload.stage_bytes *= workload.operation_count;
        workload.expect_bytes *= workload.operation_count;
        struct tma_result result;
        struct tma_error error = {0};
        ck_assert_msg(tma_run(machine, &workload, NULL, &result, &error) == TMA_OK, "%s",
                      error.text);
        cycles[i] = result.cycles;
    }
    return (double)(cycles[1] - cycles[0]) / (LOADS - FEWER);
}

TEST_ROWS(chains_of_a_b200, TABLE_ROWS(chains)) {
    struct tma_machine machine = shipped_machine("b200");
    double published = (chains[_i].least_cycles + chains[_i].most_cycles) / 2;
    double error = cycles_of_load(&machine, chains[_i].kib) / published - 1;
    ck_assert_msg(fabs(error - chains[_i].error) < 0.001, "%u KiB: %.2f %%", chains[_i].kib,
                  100 * error);
}

/* The bandwidth of the SM's port is what the chains differ by. */
TEST(chains_give_the_port) {
    struct tma_machine machine = shipped_machine("b200");
    double published = 48 * 1024 / (chains[2].least_cycles - chains[0].least_cycles);
    double port = machine.crossbar.sm_port_bytes_per_kcycle / 1000.0;
    double model = 48 * 1024 / (cycles_of_load(&machine, 64) - cycles_of_load(&machine, 16));
    ck_assert_double_eq_tol(port, published, 0.01 * published);
    ck_assert_double_eq_tol(model, published, 0.02 * published);
}

/* Published rates of kernels, and the error of the library's: products in TFLOP/s (2048^3 by hand
 * in CUDA on an H100, 24.4 us), copies in GB/s, read and written (more than 6000 from one part of a
 * B200's memory to another). */
static const struct {
    const char *path, *settings[4];
    double published, error;
} kernels[] = {
    {"configs/kernels/gemm_ws.yaml", {"gpu=h100_sxm", "M=2048", "N=2048", "K=2048"}, 704, -0.045},
    {"configs/kernels/copy.yaml", {"gpu=b200", "M=8192", "N=8192", "CTAS=264"}, 6000, 0.0161},
};

TEST_ROWS(published_rates_of_kernels, TABLE_ROWS(kernels)) {
    struct tma_scenario scenario;
    struct tma_diagnostics list = tma_diagnostics_empty();
    struct tma_error error = {0};
    static struct tma_result result;
    ck_assert(tma_scenario_read(kernels[_i].path, kernels[_i].settings, 4, &scenario, &list));
    const struct tma_kernel *kernel = &scenario.program->kernel;
    ck_assert(tma_kernel_run(&scenario.machine, kernel, NULL, &result, NULL, &error) == TMA_OK);
    ck_assert(tma_kernel_find_memory_share(&scenario.machine, kernel, NULL, &result, &error) ==
              TMA_OK);
    struct tma_report_input input = {.scenario = scenario.name,
                                     .machine = &scenario.machine,
                                     .kernel = kernel,
                                     .result = &result,
                                     .map_names = scenario.map_names};
    struct tma_figures figures = tma_figures_of(&input);
    double rate = figures.teraflops > 0 ? figures.teraflops : figures.gigabytes_per_second,
           off = rate / kernels[_i].published - 1;
    ck_assert_msg(fabs(off - kernels[_i].error) < 0.002, "%s: %g, %.2f %%", kernels[_i].path, rate,
                  100 * off);
    tma_scenario_free(&scenario);
    tma_diagnostics_free(&list);
}

TEST_SUITE("public figures", .prepare = load_engine, .timeout = 60);
