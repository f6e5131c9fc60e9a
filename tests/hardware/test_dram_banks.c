/* Replays dram_banks.tsv, dram_rows.tsv, dram_refresh.tsv and refresh_drift.tsv: where GPUs
 * have lines in DRAM, which rows their channels serve at the same time, which bank refreshes when,
 * and how a load moves that. */
#include <math.h>
#include <stdlib.h>

#include "gpus.h"
#include "memory/core/address_map.h"
#include "memory/core/sectors.h"
#include "memory/dram/address.h"
#include "memory/dram/channel.h"
#include "memory/dram/refresh.h"

static const uint64_t first_line = FIRST_ADDRESS / TMA_LINE_BYTES;

/* Cycles between two refreshes of a bank, on the GPUs that took dram_refresh.tsv and
 * refresh_drift.tsv: others have up to 3888. Pairs of lines of dram_banks.tsv that wait for no
 * refresh, of different banks and rows of one bank, and by how much the latter differ. The cycles
 * by which dram_rows.tsv may differ. */
static const struct {
    double refresh_interval, drift_interval;
    size_t pairs[2];
    double row_cycle_least, row_cycle_most, rows_apart;
} gpus[GPUS] = {
    [H200] = {3813.287, 3805.2, {5028, 161}, 85, 112, 45},
    [H100] = {3813.3335, 3802, {5138, 144}, 93, 120, 50},
};

static struct tma_machine machine;
static struct tma_address_map map;
static struct tma_dram dram;

static void set_up(int gpu, double interval) {
    struct tma_error error;
    read_gpu(gpu, &machine);
    machine.dram.trefi_ps = (uint32_t)lround(interval * 1e6 / machine.sm_clock_mhz);
    machine.dram.refresh_spread_ps = 0; /* no two GPUs have the same */
    map = tma_address_map_of(&machine);
    ck_assert(tma_dram_create(&dram, &machine, &error) == TMA_OK);
}

static void tear_down(void) {
    tma_dram_free(&dram);
}

static struct tma_dram_place place_of(uint64_t line) {
    struct tma_line_location location = tma_locate(&map, line);
    return tma_dram_place_of(&dram, tma_home_slice_number(&map, location.server),
                             tma_block_of(&map, line));
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
TEST_ROWS(test_lines_have_their_banks, GPUS) {
    const double in_time = 40;
    struct tma_tsv records;
    size_t pairs[2] = {0}, late[2] = {0};
    set_up(_i, gpus[_i].refresh_interval);
    read_gpu_records(_i, "dram_banks.tsv", &records);
    for (size_t row = 0; row < records.rows; row++) {
        double first = number(&records, row, "late_b"), second = number(&records, row, "late_a");
        struct tma_dram_place a = recorded_place(&records, row, "line_a");
        struct tma_dram_place b = recorded_place(&records, row, "line_b");
        if (fabs(first) > in_time)
            continue; /* it waited for a refresh */
        bool conflict = a.channel == b.channel && a.bank == b.bank && a.row != b.row;
        double distance = second - first;
        pairs[conflict]++;
        late[conflict] +=
            distance >= gpus[_i].row_cycle_least && distance <= gpus[_i].row_cycle_most;
    }
    tma_tsv_free(&records);
    tear_down();
    ck_assert_uint_eq(pairs[0], gpus[_i].pairs[0]);
    ck_assert_uint_eq(pairs[1], gpus[_i].pairs[1]);
    ck_assert_uint_ge(late[1] * 100, pairs[1] * 93);
    ck_assert_uint_le(late[0] * 100, pairs[0]);
}

/* Enqueues the eight lines of a row. */
static void load_row(const struct tma_dram_place *place) {
    enum { LINES = 8, PACKET = 0 };
    for (int i = 0; i < LINES; i++)
        ck_assert(tma_dram_enqueue(&dram, place, PACKET, false, TMA_SECTORS, 0));
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
TEST_ROWS(test_rows_share_the_channel, GPUS) {
    struct tma_tsv records;
    read_gpu_records(_i, "dram_rows.tsv", &records);
    ck_assert_uint_eq(records.rows, 32);
    for (size_t row = 0; row < records.rows; row++) {
        struct tma_dram_place place = {.row = 1}, other = {.row = 2};
        set_up(_i, gpus[_i].refresh_interval);
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
        ck_assert_msg(fabs(cycles - measured) <= gpus[_i].rows_apart,
                      "row %zu: %g cycles, measured %g", row + 1, cycles, measured);
        tear_down();
    }
    tma_tsv_free(&records);
}

/* Phases of refreshes. Their concentration is 1 if all are the same, and about 0 if they are
 * random.
 */
struct phases {
    double x, y, count;
};

static void add_phase(struct phases *phases, double cycle, double interval) {
    double phase = 2 * acos(-1) * cycle / interval;
    phases->x += cos(phase);
    phases->y += sin(phase);
    phases->count++;
}

static double concentration(const struct phases *phases) {
    return hypot(phases->x, phases->y) / phases->count;
}

/* The first refresh from `cycle` on of the bank that has the line of a record. */
static double refresh_end(const struct tma_tsv *records, size_t row, double cycle) {
    struct tma_dram_place place = recorded_place(records, row, "line");
    struct tma_refresh refresh = dram.refresh->next(&dram, &dram.channels[place.channel],
                                                    place.bank, (uint64_t)cycle * TMA_TICKS);
    return (double)refresh.end_ticks / TMA_TICKS;
}

/* Single lines that waited for a refresh tell when it ended. Less the model's order of banks and
 * partitions, all of them have the same phase. */
TEST_ROWS(test_banks_refresh_in_order, GPUS) {
    struct tma_tsv records;
    struct phases phases = {0};
    set_up(_i, gpus[_i].refresh_interval);
    read_gpu_records(_i, "dram_refresh.tsv", &records);
    for (size_t row = 0; row < records.rows; row++)
        add_phase(&phases, number(&records, row, "end_cycle") - refresh_end(&records, row, 0),
                  gpus[_i].refresh_interval);
    ck_assert_uint_eq(records.rows, 4000);
    tma_tsv_free(&records);
    tear_down();
    ck_assert_double_ge(concentration(&phases), 0.96);
}

/* Launches right after a load, and launches after DRAM was idle. Less the model's order, refreshes
 * of the latter have about the same phase, and those of the former are further apart, on average by
 * as much as the model moves them. (`end_cycle` counts from the first load of a launch.) */
TEST_ROWS(test_load_moves_refreshes, GPUS) {
    enum { LAUNCHES = 24, LOADS = 2, SEEDS = 100 };
    const double until = 40000; /* cycles: most launches halt later */
    struct tma_tsv records;
    struct phases measured[LAUNCHES] = {{0}};
    double mean[LOADS] = {0}, model = 0;
    set_up(_i, gpus[_i].drift_interval);
    read_gpu_records(_i, "refresh_drift.tsv", &records);
    for (size_t row = 0; row < records.rows; row++) {
        size_t launch = (size_t)number(&records, row, "launch");
        ck_assert_uint_lt(launch, LAUNCHES);
        ck_assert_uint_eq((size_t)number(&records, row, "load"), launch % LOADS);
        if (number(&records, row, "end_cycle") < until)
            add_phase(&measured[launch],
                      number(&records, row, "end_cycle") - refresh_end(&records, row, 0),
                      gpus[_i].drift_interval);
    }
    for (size_t launch = 0; launch < LAUNCHES; launch++)
        mean[launch % LOADS] += concentration(&measured[launch]) * LOADS / LAUNCHES;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        struct phases moved = {0};
        tear_down();
        machine.topology.seed = seed;
        ck_assert_int_eq(tma_dram_create(&dram, &machine, NULL), TMA_OK);
        const struct tma_dram idle = dram;
        tma_refresh_follow_load(&dram);
        const struct tma_dram loaded = dram;
        for (size_t row = 0; row < records.rows; row += 7) {
            double cycle = number(&records, row, "end_cycle");
            if (cycle >= until)
                continue;
            dram = loaded;
            double end = refresh_end(&records, row, cycle);
            dram = idle;
            add_phase(&moved, end - refresh_end(&records, row, cycle), gpus[_i].drift_interval);
        }
        model += concentration(&moved) / SEEDS;
    }
    tma_tsv_free(&records);
    tear_down();
    ck_assert_double_ge(mean[0], 0.8);
    ck_assert_double_le(mean[1], 0.95 * mean[0]);
    ck_assert_double_eq_tol(mean[1] / mean[0], model, 0.06);
}

TEST_SUITE("DRAM banks");
