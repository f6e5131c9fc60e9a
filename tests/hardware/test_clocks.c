/* Replays the loads that build/capture-clocks took: the clock of the SMs under loads of all kinds,
 * in one launch of 31 ms and in launches without a pause, and the power. clocks_loads.tsv has the
 * loads to which the section `power` of the machine was fitted (scripts/fit-power);
 * clocks_drawn.tsv has loads that were drawn, of another visit, with which nothing was fitted. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpus.h"
#include "memory/power.h"

static double number(const struct tma_tsv *records, size_t row, const char *column) {
    return strtod(tma_tsv_cell(records, row, column), NULL);
}

static bool is(const struct tma_tsv *records, size_t row, const char *column, const char *word) {
    return strcmp(tma_tsv_cell(records, row, column), word) == 0;
}

/* What a row did, as if at boost: products go with the clock of the SMs, other loads do not. */
static struct tma_activity activity_of(const struct tma_machine *machine,
                                       const struct tma_tsv *records, size_t row) {
    const double ns = 31e6;
    double mhz = number(records, row, "mhz"), boost = machine->sm_clock_mhz,
           products = number(records, row, "products_per_ns") * ns,
           other = number(records, row, "other_per_ns") * ns;
    struct tma_activity run = {.cycles = ns * mhz / 1000,
                               .sms = record_number(records, row, "sms"),
                               .data = is(records, row, "data", "zeros")   ? TMA_DATA_ZEROS
                                       : is(records, row, "data", "small") ? TMA_DATA_SMALL
                                                                           : TMA_DATA_RANDOM};
    enum tma_mma_type type = is(records, row, "type", "tf32") ? TMA_MMA_TF32
                             : is(records, row, "type", "e4m3") || is(records, row, "type", "s8")
                                 ? TMA_MMA_BYTE
                                 : TMA_MMA_HALF;
    double k = type == TMA_MMA_TF32 ? 8 : type == TMA_MMA_BYTE ? 32 : 16;
    run.macs[type] = products * 64 * number(records, row, "columns") * k;
    run.tensor_busy = run.macs[type] / ((double)tma_mma_rate(machine, type) * run.sms * run.cycles);
    if (is(records, row, "other", "fma") || is(records, row, "other", "alu"))
        run.instructions = other;
    else if (is(records, row, "other", "shared"))
        run.shared_bytes = other;
    else if (!is(records, row, "other", "none"))
        run.l2_bytes = other;
    if (is(records, row, "other", "dram") || is(records, row, "other", "copy") ||
        is(records, row, "other", "write"))
        run.dram_bytes = other;
    run.memory_share = products > 0 ? 0 : 1;
    if (run.memory_share > 0)
        run.cycles = ns * boost / 1000;
    return run;
}

struct comparison {
    const char *machine, *path, *how;
    enum tma_sm_clock clock;
    double most_mean; /* of the clock, as a fraction */
    size_t rows;
};

/* Rows with long pauses between products are left out: their clock is that of tensor cores for some
 * time, and boost for the rest. */
enum { MOST_PAUSE_CYCLES = 4500 };

static void compare(const struct comparison *comparison) {
    struct tma_machine machine = shipped_machine(comparison->machine);
    const char *how = comparison->how;
    enum tma_sm_clock clock = comparison->clock;
    struct tma_tsv records;
    double sum = 0, watts = 0;
    size_t count = 0;
    read_records(comparison->path, &records);
    for (size_t row = 0; row < records.rows; row++) {
        double mhz = number(&records, row, "mhz");
        if (!is(&records, row, "how", how) || number(&records, row, "pause") > MOST_PAUSE_CYCLES ||
            (is(&records, row, "type", "none") && is(&records, row, "other", "none")))
            continue;
        struct tma_activity run = activity_of(&machine, &records, row);
        struct tma_clocks clocks = tma_clocks_of(&machine, &run);
        double error = clocks.at[clock].mhz / mhz - 1;
        if (getenv("TMASIM_TEST_ROWS") != NULL)
            printf("%s %s %s %g sms %s: %.0f MHz, predicted %.0f (%+.1f %%), %.0f W, measured %s\n",
                   how, tma_tsv_cell(&records, row, "type"), tma_tsv_cell(&records, row, "data"),
                   number(&records, row, "sms"), tma_tsv_cell(&records, row, "other"), mhz,
                   clocks.at[clock].mhz, 100 * error, clocks.at[clock].watts,
                   tma_tsv_cell(&records, row, "watts"));
        sum += fabs(error);
        if (clock == TMA_SM_SUSTAINED)
            watts += fabs(clocks.at[clock].watts / number(&records, row, "watts") - 1);
        count++;
    }
    printf("%s, %s: %zu rows, clock %.2f %% off", comparison->path, how, count,
           100 * sum / (double)count);
    if (clock == TMA_SM_SUSTAINED)
        printf(", power %.1f %%", 100 * watts / (double)count);
    printf("\n");
    ck_assert_uint_eq(count, comparison->rows);
    ck_assert_msg(sum / (double)count <= comparison->most_mean, "%s: %.2f %% off on average", how,
                  100 * sum / (double)count);
    tma_tsv_free(&records);
}

#define H100 "tests/hardware/h100/"
#define H200 "tests/hardware/h200/"
static const struct comparison comparisons[] = {
    {"h100_sxm", H100 "clocks_loads.tsv", "single", TMA_SM_SINGLE, 0.02, 80},
    {"h100_sxm", H100 "clocks_loads.tsv", "sustained", TMA_SM_SUSTAINED, 0.04, 52},
    {"h100_sxm", H100 "clocks_drawn.tsv", "single", TMA_SM_SINGLE, 0.02, 48},
    {"h100_sxm", H100 "clocks_drawn.tsv", "sustained", TMA_SM_SUSTAINED, 0.04, 48},
    {"h200", H200 "clocks_loads.tsv", "single", TMA_SM_SINGLE, 0.02, 80},
    {"h200", H200 "clocks_loads.tsv", "sustained", TMA_SM_SUSTAINED, 0.04, 52},
};

TEST_ROWS(test_clocks_are_those_of_the_gpu, TABLE_ROWS(comparisons)) {
    compare(&comparisons[_i]);
}

TEST_SUITE("clocks");
