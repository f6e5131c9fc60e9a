/* What the machines say against public figures of the GPUs: the peaks of NVIDIA's data sheets, and
 * published measurements of a B200. */
#include <math.h>
#include <string.h>

#include "engine.h"
#include "kernel.h"
#include "memory/machine_parameter.h"
#include "shipped_machine.h"

/* Dense peaks. Those of tensor cores in half precision and below are at the clock that the GPU
 * holds with them, those of single and double precision at the boost clock. */
static const struct {
    const char *machine, *path;
    double teraflops;
    uint32_t clock_mhz;
} peaks[] = {
    {"h100_sxm", "sm.mma_half", 989.4, 1830},  {"h100_sxm", "sm.mma_tf32", 494.7, 1830},
    {"h100_sxm", "sm.mma_byte", 1978.9, 1830}, {"h100_sxm", "sm.mma_fp64", 66.9, 1980},
    {"h100_sxm", "core.fma", 66.9, 1980},      {"h200", "sm.mma_half", 989.5, 1830},
    {"h200", "sm.mma_tf32", 494.7, 1830},      {"h200", "sm.mma_byte", 1979, 1830},
    {"h200", "sm.mma_fp64", 66.9, 1980},       {"h200", "core.fma", 66.9, 1980},
    {"b200", "sm.mma_half", 2250, 1850},       {"b200", "sm.mma_tf32", 1125, 1850},
    {"b200", "sm.mma_byte", 4500, 1850},       {"b200", "sm.mma_nibble", 9000, 1850},
    {"b200", "sm.mma_fp64", 37, 1965},         {"b200", "core.fma", 75, 1965},
};

/* A multiply-add is two operations. */
START_TEST(rates_give_the_public_peak) {
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
END_TEST

/* Each rate of products of each machine has its peak above. */
START_TEST(every_rate_has_a_peak) {
    static const char *const machines[] = {"h100_sxm", "h200", "b200"};
    for (size_t i = 0; i < tma_machine_parameter_count; i++) {
        const struct tma_machine_parameter *parameter = &tma_machine_parameters[i];
        if (parameter->relief != TMA_RELIEF_OF_tensor_cores)
            continue;
        for (int m = 0; m < TABLE_ROWS(machines); m++) {
            struct tma_machine machine = shipped_machine(machines[m]);
            bool found = *tma_machine_value(&machine, parameter) == 0;
            for (int p = 0; p < TABLE_ROWS(peaks); p++)
                found |= strcmp(peaks[p].machine, machines[m]) == 0 &&
                         strcmp(peaks[p].path, parameter->path) == 0;
            ck_assert_msg(found, "%s of %s", parameter->path, machines[m]);
        }
    }
}
END_TEST

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

START_TEST(chains_of_a_b200) {
    struct tma_machine machine = shipped_machine("b200");
    double published = (chains[_i].least_cycles + chains[_i].most_cycles) / 2;
    double error = cycles_of_load(&machine, chains[_i].kib) / published - 1;
    ck_assert_msg(fabs(error - chains[_i].error) < 0.001, "%u KiB: %.2f %%", chains[_i].kib,
                  100 * error);
}
END_TEST

/* The bandwidth of the SM's port is what the chains differ by. */
START_TEST(chains_give_the_port) {
    struct tma_machine machine = shipped_machine("b200");
    double published = 48 * 1024 / (chains[2].least_cycles - chains[0].least_cycles);
    double port = machine.crossbar.sm_port_bytes_per_kcycle / 1000.0;
    double model = 48 * 1024 / (cycles_of_load(&machine, 64) - cycles_of_load(&machine, 16));
    ck_assert_double_eq_tol(port, published, 0.01 * published);
    ck_assert_double_eq_tol(model, published, 0.02 * published);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("public figures");
    TCase *tests = tcase_create("all");
    load_engine();
    tcase_add_loop_test(tests, rates_give_the_public_peak, 0, TABLE_ROWS(peaks));
    tcase_add_test(tests, every_rate_has_a_peak);
    tcase_add_loop_test(tests, chains_of_a_b200, 0, TABLE_ROWS(chains));
    tcase_add_test(tests, chains_give_the_port);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
