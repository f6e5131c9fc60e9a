/* Kernels that Triton compiled for pointers, and a stream-K GEMM that nvcc compiled, written as
 * kernels of the library: cycles and sectors of an H100 under the profiler, with all caches flushed
 * before. The launch, which the profiler counts, is added to the model's cycles. */
#include <math.h>
#include <string.h>

#include "../unit/engine.h"
#include "engine/roles/kernel_run.h"
#include "gpus.h"
#include "scenario/kernel_program.h"
#include "scenario/scenario.h"

enum { MOST_SETTINGS = 8 };

static struct tma_tsv records;
static uint64_t launch_cycles;

static double error_of(uint64_t predicted, uint32_t measured) {
    return 100 * ((double)predicted / measured - 1);
}

/* Runs a kernel of the library with the settings of a record. */
static struct tma_result *run(size_t row) {
    static struct tma_scenario scenario;
    static struct tma_result result;
    struct tma_diagnostics list = {0};
    struct tma_error error = {.text = ""};
    const char *settings[MOST_SETTINGS];
    char path[100], text[200], clock[40];
    size_t count = 0;
    snprintf(path, sizeof path, "configs/kernels/%s.yaml", tma_tsv_cell(&records, row, "kernel"));
    snprintf(text, sizeof text, "%s", tma_tsv_cell(&records, row, "settings"));
    snprintf(clock, sizeof clock, "kernel.sm_clock=%u MHz",
             record_number(&records, row, "sm_clock_mhz"));
    for (char *at = strtok(text, " "); at != NULL; at = strtok(NULL, " "))
        settings[count++] = at;
    settings[count++] = clock;
    bool good = tma_scenario_read(path, settings, count, &scenario, &list);
    ck_assert_msg(good, "%s: %s", path, list.count > 0 ? list.items[0].text : "");
    enum tma_error_code code =
        tma_kernel_run(&scenario.machine, &scenario.program->kernel, NULL, &result, NULL, &error);
    ck_assert_msg(code == TMA_OK, "%s: %s", path, error.text);
    launch_cycles = scenario.machine.topology.launch_cycles;
    tma_scenario_free(&scenario);
    return &result;
}

static double cycles_error(const struct tma_result *result, size_t row) {
    return error_of(result->cycles + launch_cycles, record_number(&records, row, "cycles"));
}

TEST(pointer_kernels) {
    double sum = 0;
    read_records("tests/hardware/h100/pointer_kernels.tsv", &records);
    uint32_t reads = 0, sectors = 0, rows = (uint32_t)some_of((int)records.rows);
    for (size_t row = 0; row < rows; row++) {
        const struct tma_result *result = run(row);
        uint64_t asked = result->counters.l2_sectors;
        double cycles = cycles_error(result, row);
        double read = error_of(result->counters.dram_read_sectors,
                               record_number(&records, row, "dram_read_sectors"));
        double l2 = error_of(asked, record_number(&records, row, "l2_sectors"));
        printf("%s %s: cycles %+.1f %%, DRAM reads %+.1f %%, L2 sectors %+.1f %%\n",
               tma_tsv_cell(&records, row, "kernel"), tma_tsv_cell(&records, row, "settings"),
               cycles, read, l2);
        sum += fabs(cycles);
        reads += fabs(read) <= 3;
        sectors += fabs(l2) <= 3;
    }
    ck_assert_msg(sum / rows <= 10, "cycles: %.1f %% on average", sum / rows);
    ck_assert_uint_eq(reads, rows);
    ck_assert_uint_ge(sectors + 1, rows); /* the GEMM's: loads that merge, or not */
}

/* DRAM sectors are no part of it: two visits to the H100 differ by up to 15 %. */
TEST(stream_k) {
    double sum = 0;
    read_records("tests/hardware/h100/stream_k.tsv", &records);
    uint32_t rows = (uint32_t)some_of((int)records.rows);
    for (size_t row = 0; row < rows; row++) {
        const struct tma_result *result = run(row);
        double cycles = cycles_error(result, row),
               l2 = error_of(result->counters.l2_sectors,
                             record_number(&records, row, "l2_sectors"));
        printf("%s: cycles %+.1f %%, L2 sectors %+.1f %%\n",
               tma_tsv_cell(&records, row, "settings"), cycles, l2);
        sum += fabs(cycles);
        ck_assert_double_le(fabs(l2), 6);
    }
    ck_assert_msg(sum / rows <= 7, "cycles: %.1f %% on average", sum / rows);
}

static void free_records(void) {
    tma_tsv_free(&records);
}

TEST_SUITE("kernels of the library on an H100", .tear_down = free_records, .timeout = NO_TIMEOUT,
           .prepare = load_engine);
