/* DRAM channels: the cycle at which the sectors of a line arrive at L2. The times are those of the
 * small machine. A channel takes an activation every 6 cycles (tRRD), which opens a row in 40
 * cycles (tRCD). An access takes 100 cycles more. The data bus of a channel moves a sector in 4
 * cycles. */
#include <string.h>

#include "machine.h"
#include "memory/dram/channel.h"
#include "memory/dram/refresh.h"
#include "suite.h"

enum { INTERVAL = 6, ACTIVATE = 40, ACCESS = 100, SECTOR = 4 };

static struct tma_machine machine;
static struct tma_dram dram;

static void set_up(void) {
    machine = small_machine();
    ck_assert_int_eq(tma_dram_create(&dram, &machine, NULL), TMA_OK);
}

static void tear_down(void) {
    tma_dram_free(&dram);
}

static void recreate(void) {
    tma_dram_free(&dram);
    ck_assert_int_eq(tma_dram_create(&dram, &machine, NULL), TMA_OK);
}

enum { ROW_LINES = 4, ROWS = 64 };

static uint32_t bank_of_row(uint64_t row) {
    return (uint32_t)((row + tma_mix64(row / machine.dram.banks)) % machine.dram.banks);
}

/* Line `index` of row `row` in the channel of the first slice. */
static struct tma_line_location line_of(uint64_t row, uint32_t index) {
    return (struct tma_line_location){.group = row * ROW_LINES + index};
}

/* The first row after `row` that is in the same bank, or (`same` is false) in another bank. */
static uint64_t row_after(uint64_t row, bool same) {
    uint64_t other = row + 1;
    while ((bank_of_row(other) == bank_of_row(row)) != same)
        other++;
    return other;
}

static uint64_t read_line(struct tma_line_location location, uint32_t sectors, uint64_t cycle) {
    return tma_dram_read(&dram, &location, sectors, cycle);
}

static const uint64_t opened =
    INTERVAL + ACTIVATE; /* from a request to a closed row until it is open */

START_TEST(test_row_miss_then_hit) {
    ck_assert_uint_eq(read_line(line_of(0, 0), 4, 1000), 1000 + opened + ACCESS);
    /* A second request to the row waits until it is open. Later ones only take the bus. */
    ck_assert_uint_eq(read_line(line_of(0, 1), 4, 1000 + opened - 20), 1000 + opened + ACCESS);
    ck_assert_uint_eq(read_line(line_of(0, 2), 4, 2000), 2000 + 4 * SECTOR + ACCESS);
    ck_assert_uint_eq(read_line(line_of(0, 3), 1, 3000), 3000 + SECTOR + ACCESS);
    ck_assert_uint_eq(dram.read_sectors, 13);
}
END_TEST

START_TEST(test_another_row_of_the_bank_closes_the_row) {
    uint64_t other = row_after(0, true);
    read_line(line_of(0, 0), 1, 1000);
    ck_assert_uint_eq(read_line(line_of(other, 0), 1, 2000), 2000 + opened + ACCESS);
    ck_assert_uint_eq(read_line(line_of(0, 1), 1, 3000), 3000 + opened + ACCESS);
}
END_TEST

START_TEST(test_another_bank_leaves_the_row_open) {
    uint64_t other = row_after(0, false);
    read_line(line_of(0, 0), 1, 1000);
    ck_assert_uint_eq(read_line(line_of(other, 0), 1, 2000), 2000 + opened + ACCESS);
    ck_assert_uint_eq(read_line(line_of(0, 1), 1, 3000), 3000 + SECTOR + ACCESS);
}
END_TEST

/* Consecutive rows are in different banks: as many rows stay open as there are banks. */
START_TEST(test_consecutive_rows_stay_open) {
    for (uint64_t row = 0; row < machine.dram.banks; row++)
        read_line(line_of(row, 0), 1, 1000 * (row + 1));
    for (uint64_t row = 0; row < machine.dram.banks; row++) {
        uint64_t cycle = 1000 * (machine.dram.banks + row + 1);
        ck_assert_uint_eq(read_line(line_of(row, 1), 1, cycle), cycle + SECTOR + ACCESS);
    }
}
END_TEST

/* A bank opens one row at a time. */
START_TEST(test_activations_of_a_bank_wait) {
    uint64_t other = row_after(0, true);
    uint64_t first = read_line(line_of(0, 0), 1, 1000);
    ck_assert_uint_eq(read_line(line_of(other, 0), 1, 1000), first + ACTIVATE);
}
END_TEST

/* A channel takes an activation every 6 cycles. Other channels do not wait for it. */
START_TEST(test_activation_interval) {
    uint64_t other = row_after(0, false);
    uint64_t first = read_line(line_of(0, 0), 1, 1000);
    ck_assert_uint_eq(read_line(line_of(other, 0), 1, 1000), first + INTERVAL);
    struct tma_line_location elsewhere = {.home = 1, .slice = 1};
    ck_assert_uint_eq(read_line(elsewhere, 1, 1000), first);
}
END_TEST

/* While the row is open, only the bus takes time: it moves the sectors of all requests end to end.
 */
START_TEST(test_bus_bandwidth) {
    read_line(line_of(0, 0), 1, 0);
    for (uint64_t i = 1; i <= 100; i++) {
        uint32_t sectors = (uint32_t)(i % 4) + 1;
        uint64_t before = dram.channels[0].bus.busy_ticks / TMA_TICKS - SECTOR;
        ck_assert_uint_eq(read_line(line_of(0, i % ROW_LINES), sectors, 1000),
                          1000 + before + sectors * SECTOR + ACCESS);
    }
}
END_TEST

/* Rows open without delay, so only the bus takes time. It turns around between reads and writes in
 * 3 cycles, and pauses for 5 cycles for each row that is opened. All commands arrive in one cycle.
 * The last one is a read, whose data is at L2 once the bus has moved it. */
enum { TURNAROUND = 3, GAP = 5, MAX_COMMANDS = 6, NEXT = 1000 /* a row */ };

static const struct {
    const char *what;
    struct {
        uint32_t row, sectors; /* 0 sectors: no further command */
        bool writes;
    } commands[MAX_COMMANDS];
    uint64_t bus; /* cycles */
} buses[] = {
    {"one row", {{0, 4, false}}, GAP + 4 * SECTOR},
    {"a row that is open", {{0, 1, false}, {0, 4, false}}, GAP + 5 * SECTOR},
    {"another row of the bank, and back",
     {{0, 1, false}, {NEXT, 1, false}, {0, 1, false}},
     3 * (GAP + SECTOR)},
    {"a write, a read", {{0, 1, true}, {0, 1, false}}, GAP + 2 * (TURNAROUND + SECTOR)},
    {"several writes, a read",
     {{0, 1, true}, {0, 2, true}, {0, 3, true}, {0, 1, false}},
     GAP + 2 * TURNAROUND + 7 * SECTOR},
    {"reads and writes alternate",
     {{0, 1, false}, {0, 1, true}, {0, 1, false}, {0, 1, true}, {0, 1, false}},
     GAP + 4 * TURNAROUND + 5 * SECTOR},
    {"a read, writes, reads",
     {{0, 1, false}, {0, 1, true}, {0, 1, true}, {0, 1, false}, {0, 1, false}},
     GAP + 2 * TURNAROUND + 5 * SECTOR},
    {"a write that opens a row, a read that closes it",
     {{0, 1, false}, {NEXT, 1, true}, {0, 1, false}},
     3 * (GAP + SECTOR) + 2 * TURNAROUND},
};

START_TEST(test_bus_turnarounds_and_gaps) {
    const uint64_t next = row_after(0, true);
    uint64_t there = 0;
    machine.dram.activate_cycles = machine.dram.activate_interval_millicycles = 0;
    machine.dram.row_gap_millicycles = GAP * 1000;
    recreate();
    for (int i = 0; i < MAX_COMMANDS && buses[_i].commands[i].sectors > 0; i++) {
        struct tma_line_location location = line_of(buses[_i].commands[i].row == 0 ? 0 : next, 0);
        if (buses[_i].commands[i].writes)
            tma_dram_write(&dram, &location, buses[_i].commands[i].sectors, 1000);
        else
            there = read_line(location, buses[_i].commands[i].sectors, 1000);
    }
    ck_assert_msg(there == 1000 + buses[_i].bus + ACCESS, "%s: %llu cycles of the bus",
                  buses[_i].what, (unsigned long long)(there - 1000 - ACCESS));
    ck_assert_uint_eq(dram.channels[0].bus.busy_ticks, buses[_i].bus * TMA_TICKS);
}
END_TEST

/* Rows open without delay, but channels refresh for 50 of every 500 cycles. */
static void refresh_alone(void) {
    machine.dram.activate_cycles = 0;
    machine.dram.activate_interval_millicycles = 0;
    machine.dram.refresh_cycles = 50;
    machine.dram.refresh_interval_cycles = 500;
}

/* Cycles that a request at `cycle` waits for its channel. */
static uint64_t refresh_wait(struct tma_line_location location, uint64_t cycle) {
    recreate();
    return read_line(location, 0, cycle) - cycle - ACCESS;
}

/* The cycle, 1000 or later, at which the channel of a location begins a refresh. */
static uint64_t refresh_start(struct tma_line_location location) {
    uint64_t start = 1000;
    while (refresh_wait(location, start - 1) != 0 || refresh_wait(location, start) == 0)
        start++;
    ck_assert_uint_lt(start, 1500);
    return start;
}

/* A refresh takes 50 cycles without a break. A request that arrives meanwhile waits for its end. */
START_TEST(test_requests_wait_for_a_refresh) {
    refresh_alone();
    struct tma_line_location location = line_of((uint64_t)_i, 0);
    uint64_t start = refresh_start(location);
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t phase = i % 500;
        ck_assert_uint_eq(refresh_wait(location, start + i), phase < 50 ? 50 - phase : 0);
    }
}
END_TEST

/* The policy `staggered`: a channel is available up to the cycle before a refresh begins, not
 * available a cycle before the refresh ends, and available when it ends. */
START_TEST(test_refresh_staggered) {
    refresh_alone();
    recreate();
    const struct tma_dram_channel *channel = &dram.channels[_i];
    const uint64_t first = 500 - channel->refresh_phase; /* the first refresh after cycle 0 */
    ck_assert_uint_lt(channel->refresh_phase, 500);
    for (uint64_t start = first; start < 10 * 500; start += 500) {
        const uint64_t end = start + 50;
        ck_assert_uint_eq(dram.refresh->available(&dram, channel, start - 1), start - 1);
        ck_assert_uint_eq(dram.refresh->available(&dram, channel, start), end);
        ck_assert_uint_eq(dram.refresh->available(&dram, channel, end - 1), end);
        ck_assert_uint_eq(dram.refresh->available(&dram, channel, end), end);
    }
}
END_TEST

/* `staggered` with an interval of 0, and `none`, never make a channel unavailable. */
static void refresh_never(int how) {
    refresh_alone();
    if (how == 0)
        machine.dram.refresh_interval_cycles = 0;
    else
        machine.dram.refresh_policy = TMA_REFRESH_none;
}

START_TEST(test_refresh_none) {
    refresh_never(_i);
    for (machine.topology.seed = 0; machine.topology.seed < 3; machine.topology.seed++) {
        recreate();
        for (uint32_t i = 0; i < machine.dram.channels; i++)
            for (uint64_t cycle = 0; cycle < 1200; cycle++)
                if (dram.refresh->available(&dram, &dram.channels[i], cycle) != cycle)
                    ck_abort_msg("channel %u at cycle %u", i, (unsigned)cycle);
    }
}
END_TEST

/* No read waits for a refresh: reads of an open row, whose bus is idle, arrive at all cycles. */
START_TEST(test_refresh_none_delays_no_read) {
    refresh_never(_i);
    for (uint64_t cycle = 0; cycle < 1200; cycle++) {
        recreate();
        ck_assert_uint_eq(read_line(line_of(0, 0), 1, cycle), cycle + SECTOR + ACCESS);
    }
}
END_TEST

/* All banks of a channel refresh at once. Each channel has a random phase, which the seed changes.
 */
START_TEST(test_refresh_phases) {
    refresh_alone();
    const struct tma_line_location location = line_of(0, 0), elsewhere = {.home = 1, .slice = 1};
    uint64_t start = refresh_start(location);
    ck_assert_uint_eq(refresh_start(line_of(row_after(0, false), 0)), start);
    ck_assert_uint_ne(refresh_start(elsewhere), start);
    machine.topology.seed = 1;
    ck_assert_uint_ne(refresh_start(location), start);
}
END_TEST

/* The second line of an access arrives behind the first line, also after a wait for a refresh. */
START_TEST(test_second_line_after_the_first) {
    refresh_alone();
    const struct tma_line_location location = line_of(0, 0);
    uint64_t start = refresh_start(location);
    recreate();
    ck_assert_uint_eq(read_line(location, 4, start), start + 50 + ACCESS);
    ck_assert_uint_eq(read_line(location, 4, start), start + 50 + 4 * SECTOR + ACCESS);
}
END_TEST

/* Accesses that wait for a refresh, but for the first ones, are up to 30 cycles late: a random
 * time, which differs from refresh to refresh. Without a seed no access is late. */
START_TEST(test_refresh_disorder) {
    enum { MOST = 30, WAITING = 20, IN_ORDER = 3 };
    refresh_alone();
    machine.dram.refresh_in_order = IN_ORDER;
    machine.dram.refresh_disorder_cycles = MOST;
    machine.topology.seed = (uint32_t)_i;
    uint64_t start = refresh_start(line_of(0, 0)), late[2][WAITING], none[WAITING] = {0};
    recreate();
    for (uint64_t round = 0; round < 2; round++, start += 500)
        for (uint32_t i = 0; i < WAITING; i++) {
            late[round][i] = read_line(line_of(i, 0), 0, start) - (start + 50 + ACCESS);
            ck_assert_uint_le(late[round][i], i < IN_ORDER ? 0 : MOST);
        }
    ck_assert((_i == 0) == (memcmp(late[0], none, sizeof none) == 0));
    ck_assert((_i == 0) == (memcmp(late[0], late[1], sizeof none) == 0));
}
END_TEST

/* Back-pressure: a channel accepts writes unless its bus or its activations are behind by more than
 * the queue. */
START_TEST(test_accepts_up_to_the_queue) {
    enum { BEHIND = 20, NOW = 1000, MANY = 10 };
    const struct tma_line_location location = line_of(0, 0);
    const bool rows = _i == 1;
    machine.dram.queue_cycles = BEHIND;
    recreate();
    ck_assert_uint_eq(tma_dram_accepts(&dram, &location), 0);
    for (uint32_t i = 0; i < MANY; i++)
        read_line(line_of(rows ? i : 0, 0), rows ? 1 : 4, NOW);
    ck_assert_uint_eq(tma_dram_accepts(&dram, &location),
                      NOW + MANY * (rows ? INTERVAL : 4 * SECTOR) - BEHIND);
    const struct tma_line_location other = {.group = 0, .server = 1};
    ck_assert_uint_eq(tma_dram_accepts(&dram, &other), 0);
}
END_TEST

/* Writes wait until there is a batch of them. The batch takes the bus at once, after one
 * turnaround.
 */
START_TEST(test_write_batch) {
    enum { TURN = 3, NOW = 1000, BATCH = 3 };
    const struct tma_line_location location = line_of(0, 0);
    machine.dram.write_batch = BATCH;
    recreate();
    read_line(location, 1, 0); /* opens the row */
    const uint64_t before = dram.channels[0].bus.busy_ticks;
    for (uint32_t i = 1; i <= 2 * BATCH; i++) {
        tma_dram_write(&dram, &location, i, NOW);
        const uint64_t busy = (dram.channels[0].bus.busy_ticks - before) / TMA_TICKS;
        ck_assert_uint_eq(busy, i < BATCH       ? 0
                                : i < 2 * BATCH ? (1 + 2 + 3) * SECTOR + TURN
                                                : (1 + 2 + 3 + 4 + 5 + 6) * SECTOR + TURN);
    }
    ck_assert_uint_eq(dram.written_sectors, 1 + 2 + 3 + 4 + 5 + 6);
}
END_TEST

/* Bytes per cycle of the SM clock = bits / 8 * two edges * memory clock / SM clock. */
START_TEST(test_bytes_per_cycle) {
    ck_assert_uint_eq(tma_machine_dram_bytes_per_kcycle(&machine), 32000);
    machine.dram.bus_bits = 6016;
    machine.dram.clock_mhz = 3201;
    machine.sm_clock_mhz = 1980;
    ck_assert_uint_eq(tma_machine_dram_bytes_per_kcycle(&machine),
                      (uint64_t)(6016 / 8 * 2 * 3201.0 / 1980 * 1000));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("DRAM channels");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, test_row_miss_then_hit);
    tcase_add_test(tests, test_another_row_of_the_bank_closes_the_row);
    tcase_add_test(tests, test_another_bank_leaves_the_row_open);
    tcase_add_test(tests, test_consecutive_rows_stay_open);
    tcase_add_test(tests, test_activations_of_a_bank_wait);
    tcase_add_test(tests, test_activation_interval);
    tcase_add_test(tests, test_bus_bandwidth);
    tcase_add_loop_test(tests, test_bus_turnarounds_and_gaps, 0, sizeof buses / sizeof *buses);
    tcase_add_loop_test(tests, test_requests_wait_for_a_refresh, 0, 4);
    tcase_add_loop_test(tests, test_refresh_staggered, 0, 4);
    tcase_add_loop_test(tests, test_refresh_none, 0, 2);
    tcase_add_loop_test(tests, test_refresh_none_delays_no_read, 0, 2);
    tcase_add_test(tests, test_refresh_phases);
    tcase_add_test(tests, test_second_line_after_the_first);
    tcase_add_loop_test(tests, test_refresh_disorder, 0, 4);
    tcase_add_loop_test(tests, test_accepts_up_to_the_queue, 0, 2);
    tcase_add_test(tests, test_write_batch);
    tcase_add_test(tests, test_bytes_per_cycle);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
