/* Replays dram_banks.tsv, dram_rows.tsv and dram_refresh.tsv: where an H200 has lines in DRAM,
 * which rows its channels serve at the same time, and which bank refreshes when. */
#include <math.h>
#include <stdlib.h>

#include "h200.h"
#include "memory/core/address_map.h"
#include "memory/core/sectors.h"
#include "memory/dram/address.h"
#include "memory/dram/channel.h"
#include "memory/dram/refresh.h"

static const uint64_t first_line = UINT64_C(0x7f0000000000) / TMA_LINE_BYTES;

/* Between two refreshes of a bank, on the GPU that took the records. Others have up to 3888 cycles.
 */
static const double interval = 3813.287;

static struct tma_machine machine;
static struct tma_address_map map;
static struct tma_dram dram;

static void set_up(void) {
    struct tma_error error;
    read_h200(&machine);
    machine.dram.trefi_ps = (uint32_t)lround(interval * 1e6 / machine.sm_clock_mhz);
    machine.dram.refresh_spread_ps = 0; /* no two GPUs have the same */
    map = tma_address_map_of(&machine);
    ck_assert(tma_dram_create(&dram, &machine, &error) == TMA_OK);
    dram.refresh_slack_ticks = 0;
}

static void tear_down(void) {
    tma_dram_free(&dram);
}

static struct tma_dram_place place_of(uint64_t line) {
    struct tma_line_location location = tma_locate(&map, line);
    return tma_dram_place_of(&dram, location.home * map.slices + location.server,
                             map.block(line, location.group));
}

static double number(const struct tma_tsv *records, size_t row, const char *column) {
    return strtod(tma_tsv_cell(records, row, column), NULL);
}

static struct tma_dram_place recorded_place(const struct tma_tsv *records, size_t row,
                                            const char *column) {
    return place_of(first_line + (uint64_t)number(records, row, column));
}

/* Of two lines that are loaded at the same time, the second one is a row cycle late if it is in
 * another row of the bank of the first. Refreshes that it waits for may look like that, or hide it.
 */
START_TEST(test_lines_have_the_banks_of_an_h200) {
    const double in_time = 40, row_cycle_least = 85, row_cycle_most = 112;
    struct tma_tsv records;
    size_t pairs[2] = {0}, late[2] = {0};
    set_up();
    read_records(FOLDER "dram_banks.tsv", &records);
    for (size_t row = 0; row < records.rows; row++) {
        double first = number(&records, row, "late_b"), second = number(&records, row, "late_a");
        struct tma_dram_place a = recorded_place(&records, row, "line_a");
        struct tma_dram_place b = recorded_place(&records, row, "line_b");
        if (fabs(first) > in_time)
            continue; /* it waited for a refresh */
        bool conflict = a.channel == b.channel && a.bank == b.bank && a.row != b.row;
        double distance = second - first;
        pairs[conflict]++;
        late[conflict] += distance >= row_cycle_least && distance <= row_cycle_most;
    }
    tma_tsv_free(&records);
    tear_down();
    ck_assert_uint_eq(pairs[0], 5028);
    ck_assert_uint_eq(pairs[1], 161);
    ck_assert_uint_ge(late[1] * 100, pairs[1] * 93);
    ck_assert_uint_le(late[0] * 100, pairs[0]);
}
END_TEST

/* Enqueues the eight lines of a row. */
static void load_row(const struct tma_dram_place *place) {
    enum { LINES = 8, PACKET = 0 };
    for (int i = 0; i < LINES; i++)
        ck_assert(tma_dram_enqueue(&dram, place, PACKET, TMA_SECTORS, 0));
}

/* When channels `first` and the next one have served all that was enqueued. */
static uint64_t last_cycle(uint32_t first) {
    struct tma_dram_served served;
    uint64_t last = 0;
    for (uint32_t channel = first; channel < first + 2; channel++)
        while (tma_dram_serve(&dram, &dram.channels[channel], UINT64_MAX, &served))
            last = served.cycle > last ? served.cycle : last;
    return last;
}

/* Eight lines of each of two rows: rows of different ranks, or of one bank group, take as long as
 * one after the other, others at the same time. `cycles` are counted from when a single line would
 * be there. */
START_TEST(test_rows_share_the_channel_as_in_an_h200) {
    const double most_apart = 45;
    struct tma_tsv records;
    read_records(FOLDER "dram_rows.tsv", &records);
    ck_assert_uint_eq(records.rows, 32);
    for (size_t row = 0; row < records.rows; row++) {
        struct tma_dram_place place = {.row = 1}, other = {.row = 2};
        set_up();
        dram.refresh = tma_refresh_policy(TMA_REFRESH_none);
        dram.access_spread_ticks = 0;
        uint64_t single =
            tma_ticks_to_cycle(dram.trcd_ticks + dram.data_ticks[TMA_SECTORS] + dram.access_ticks);
        uint32_t rank = (uint32_t)number(&records, row, "rank");
        uint32_t group = (uint32_t)number(&records, row, "group");
        other.channel = (uint32_t)number(&records, row, "channel");
        other.group = (uint8_t)(rank * dram.rank_groups + group);
        other.bank = (uint16_t)(number(&records, row, "bank") * dram.groups + other.group);
        load_row(&place);
        if (number(&records, row, "rows") > 1)
            load_row(&other);
        double cycles = (double)(last_cycle(0) - single);
        double measured = number(&records, row, "cycles");
        ck_assert_msg(fabs(cycles - measured) <= most_apart, "row %zu: %g cycles, measured %g",
                      row + 1, cycles, measured);
        tear_down();
    }
    tma_tsv_free(&records);
}
END_TEST

/* Single lines that waited for a refresh tell when it ended. Less the model's order of banks and
 * partitions, all of them have the same phase. */
START_TEST(test_banks_refresh_in_the_order_of_an_h200) {
    const double least_concentration = 0.96;
    struct tma_tsv records;
    double x = 0, y = 0;
    set_up();
    read_records(FOLDER "dram_refresh.tsv", &records);
    for (size_t row = 0; row < records.rows; row++) {
        struct tma_dram_place place = recorded_place(&records, row, "line");
        struct tma_refresh refresh =
            dram.refresh->next(&dram, &dram.channels[place.channel], place.bank, 0);
        double predicted = (double)refresh.end_ticks / TMA_TICKS;
        double phase = 2 * acos(-1) * (number(&records, row, "end_cycle") - predicted) / interval;
        x += cos(phase);
        y += sin(phase);
    }
    double concentration = hypot(x, y) / (double)records.rows;
    ck_assert_uint_eq(records.rows, 4000);
    tma_tsv_free(&records);
    tear_down();
    ck_assert_msg(concentration >= least_concentration, "concentration %g", concentration);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("DRAM banks");
    TCase *tests = tcase_create("records");
    tcase_add_test(tests, test_lines_have_the_banks_of_an_h200);
    tcase_add_test(tests, test_rows_share_the_channel_as_in_an_h200);
    tcase_add_test(tests, test_banks_refresh_in_the_order_of_an_h200);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
