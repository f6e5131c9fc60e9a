/* The latency of a single load through the whole memory system, part by part, and of two loads that
 * share a line. Times are those of the small machine. */
#include "machine.h"
#include "memory/core/core.h"
#include "suite.h"
#include "traffic.h"

enum {
    ISSUE = 10,
    REQUEST = 30,
    SLICE = 3, /* a request and four sectors: 1 + 4 * 0.5 */
    LOOKUP = 15,
    RESPONSE = 20,
    GPC_PORT = 2, /* four sectors at two a cycle */
    SM_PORT = 4,  /* four sectors at one a cycle */
    COMPLETE = 5,
    PARTITION = 25,
    DRAM = 30 + 3 * 6 + 4 + 100, /* tRCD, four bursts tCCD_L apart, and access */
    SPREAD = 12,

    BACK = RESPONSE + GPC_PORT + SM_PORT + COMPLETE,
    HIT = ISSUE + REQUEST + SLICE + LOOKUP + BACK,
    ACROSS = PARTITION + SLICE + LOOKUP + PARTITION, /* to the home in the other partition */
};

static struct tma_machine machine;
static struct tma_memory *memory;
static struct tma_tensor_map map;

static void create(void) {
    ck_assert_int_eq(tma_memory_create(&memory, &machine, NULL), TMA_OK);
}

static void set_up(void) {
    machine = small_machine();
    map = line_map(1);
    create();
}

static void tear_down(void) {
    tma_memory_free(memory);
}

static void recreate(void) {
    tma_memory_free(memory);
    create();
}

enum { NO_SM = 99 };

/* SM 0, next to partition 0, loads a line whose home is partition `home`. The line is warm from SM
 * `warmed_by`. */
static const struct {
    const char *what;
    uint32_t home, warmed_by;
    uint64_t latency;
} ways[] = {
    {"hit, near", 0, 0, HIT},
    {"hit, near, read by the other partition", 0, 2, HIT},
    {"hit, far, with a copy", 1, 1, HIT},
    {"hit, far, without a copy", 1, 2, HIT + ACROSS},
    {"miss, near", 0, NO_SM, HIT + DRAM},
    {"miss, far", 1, NO_SM, HIT + ACROSS + DRAM},
};

TEST_ROWS(test_latency, TABLE_ROWS(ways)) {
    struct load load = {.map = &map, .cycle = 1000};
    load.y = row_at_home(&machine, &map, ways[_i].home, 0);
    if (ways[_i].warmed_by != NO_SM)
        warm_load(memory, &(struct load){.map = &map, .sm = ways[_i].warmed_by, .y = load.y});
    ck_assert_msg(run_load(memory, &load).cycle == 1000 + ways[_i].latency, "%s", ways[_i].what);
}

/* The parts of the latency in a completion add up without a gap. */
TEST_ROWS(test_parts_of_the_latency, TABLE_ROWS(ways)) {
    struct load load = {.map = &map, .cycle = 1000};
    load.y = row_at_home(&machine, &map, ways[_i].home, 0);
    if (ways[_i].warmed_by != NO_SM)
        warm_load(memory, &(struct load){.map = &map, .sm = ways[_i].warmed_by, .y = load.y});
    struct tma_completion done = run_load(memory, &load);
    ck_assert_uint_eq(done.issue_cycle, 1000);
    ck_assert_uint_eq(done.sent_cycle, 1000 + ISSUE);
    ck_assert_uint_eq(done.crossbar_cycles, REQUEST + RESPONSE);
    ck_assert_uint_eq(done.crossbar_wait_cycles, GPC_PORT + SM_PORT);
    ck_assert_uint_eq(done.l2_cycles, SLICE + LOOKUP);
    ck_assert_uint_eq(done.dram_cycles, ways[_i].latency - HIT);
    ck_assert_uint_eq(done.arrival_cycle, done.cycle - COMPLETE);
    ck_assert_uint_eq(done.fill_cycle > 0, ways[_i].warmed_by == NO_SM);
}

/* A completion is known once the memory system has advanced to complete_cycles before it. */
TEST(test_completion_is_known_in_time) {
    struct load load = {.map = &map, .y = row_at_home(&machine, &map, 0, 0)};
    struct tma_completion done;
    warm_load(memory, &load);
    issue_load(memory, &load);
    ck_assert(tma_memory_advance(memory, HIT - COMPLETE - SM_PORT - RESPONSE - GPC_PORT));
    ck_assert(!tma_memory_take(memory, &done));
    ck_assert_uint_eq(tma_memory_in_flight(memory), 1);
    ck_assert(tma_memory_advance(memory, HIT - COMPLETE));
    ck_assert(tma_memory_take(memory, &done));
    ck_assert_uint_eq(done.cycle, HIT);
    ck_assert_uint_eq(tma_memory_in_flight(memory), 0);
}

/* A row that is out of bounds reads a fill line, which all such rows share: the first one misses.
 * Its home is partition 1. */
static const struct {
    uint32_t sm;
    uint32_t asked_by; /* SM that loaded another box out of bounds before */
    uint64_t latency;
} fills[] = {
    {2, NO_SM, HIT + DRAM},
    {0, NO_SM, HIT + ACROSS + DRAM},
    {2, 3, HIT},
    {2, 0, HIT},
    {0, 2, HIT + ACROSS},
    {0, 1, HIT},
};

TEST_ROWS(test_out_of_bounds, TABLE_ROWS(fills)) {
    struct load load = {.map = &map, .sm = fills[_i].sm, .cycle = 1000, .y = -1};
    struct tma_address_map address_map = tma_address_map_of(&machine);
    ck_assert_uint_eq(tma_locate(&address_map, tma_fill_line(0)).server.home, 1);
    if (fills[_i].asked_by != NO_SM)
        run_load(memory,
                 &(struct load){.map = &map, .sm = fills[_i].asked_by, .y = MATRIX_ROWS + 7});
    struct tma_completion done = run_load(memory, &load);
    ck_assert_uint_eq(done.cycle, 1000 + fills[_i].latency);
    ck_assert_uint_eq(done.tensor_bytes, 0);
    ck_assert_uint_eq(done.bytes, TMA_LINE_BYTES);
}

/* A warm start brings in the fill line too. */
TEST(test_warm_out_of_bounds) {
    struct load load = {.map = &map, .y = -1};
    warm_load(memory, &load);
    ck_assert_uint_eq(run_load(memory, &load).cycle, HIT);
}

/* The nearest slice of a GPC adds nothing to the latency, the furthest adds the whole spread. */
TEST_ROWS(test_distances_of_slices, 4) {
    machine.crossbar.spread_cycles = SPREAD;
    uint64_t least = UINT64_MAX, most = 0;
    for (int32_t y = 0; y < 32; y++) {
        struct load load = {.map = &map, .sm = (uint32_t)_i, .y = y};
        recreate();
        warm_load(memory, &load);
        uint64_t cycle = run_load(memory, &load).cycle;
        least = cycle < least ? cycle : least;
        most = cycle > most ? cycle : most;
    }
    ck_assert_uint_eq(least, HIT);
    ck_assert_uint_eq(most, HIT + SPREAD);
}

/* To the other partition and back, from the nearest and from the furthest group of slices: which
 * has both of the small machine. */
TEST(test_distance_of_the_other_partition) {
    machine.crossbar.partition_spread_cycles = SPREAD;
    machine.topology.partition_distance_count = 1;
    for (uint32_t percent = 0; percent <= 100; percent += 50) {
        machine.topology.partition_distances[0] = percent;
        recreate();
        struct load load = {.map = &map, .y = row_at_home(&machine, &map, 1, 0)};
        warm_load(memory, &(struct load){.map = &map, .sm = 2, .y = load.y});
        ck_assert_uint_eq(run_load(memory, &load).cycle,
                          HIT + ACROSS + 2 * (SPREAD * percent / 100));
    }
}

/* Slices whose distance is not known are evenly spread. */
TEST(test_spread_of_the_other_partition) {
    struct tma_core core;
    machine.crossbar.partition_spread_cycles = SPREAD;
    ck_assert_int_eq(tma_core_create(&core, &machine, NULL), TMA_OK);
    for (uint16_t slice = 0; slice < 2; slice++)
        ck_assert_uint_eq(tma_crossing_cycles(&core, (struct tma_line_server){.slice = slice}),
                          PARTITION + (uint32_t)slice * SPREAD);
    tma_core_free(&core);
}

/* The small machine has one group of slices in each partition: SMs 0 and 1 lie half as far from
 * theirs as the furthest, SMs 2 and 3 as far. */
TEST_ROWS(test_measured_distances, 4) {
    machine.crossbar.spread_cycles = SPREAD;
    machine.topology.slice_distance_count = 2;
    machine.topology.slice_distances[0] = 50;
    machine.topology.slice_distances[1] = 100;
    for (int32_t y = 0; y < 32; y++) {
        struct load load = {.map = &map, .sm = (uint32_t)_i, .y = y};
        recreate();
        warm_load(memory, &load);
        ck_assert_uint_eq(run_load(memory, &load).cycle, HIT + (_i < 2 ? SPREAD / 2 : SPREAD));
    }
}

/* The way from SMs 2 and 3 to L2 and back is 7 cycles longer. */
TEST_ROWS(test_distances_of_tpcs, 4) {
    struct load load = {.map = &map, .sm = (uint32_t)_i};
    machine.topology.tpc_distance_count = 2;
    machine.topology.tpc_distances[0] = 0;
    machine.topology.tpc_distances[1] = 7;
    recreate();
    warm_load(memory, &load);
    ck_assert_uint_eq(run_load(memory, &load).cycle, HIT + (_i < 2 ? 0 : 7));
}

/* Two SMs load a line that L2 does not hold, the second one `later` cycles after the first. The
 * line comes from DRAM once, and crosses to the other partition once at most. */
static const struct {
    const char *what;
    uint32_t sms[2], home;
    uint64_t later;
    uint64_t completed[2];
    uint64_t across; /* sectors */
} pairs[] = {
    {"together, at the home", {0, 1}, 0, 0, {HIT + DRAM, HIT + DRAM + GPC_PORT}, 0},
    {"during the fill", {0, 1}, 0, 100, {HIT + DRAM, HIT + DRAM + GPC_PORT}, 0},
    {"looked up at the end of the fill", {0, 1}, 0, DRAM, {HIT + DRAM, HIT + DRAM + GPC_PORT}, 0},
    {"a hit behind the first response",
     {0, 1},
     0,
     DRAM + 1,
     {HIT + DRAM, HIT + DRAM + GPC_PORT},
     0},
    {"a hit", {0, 1}, 0, DRAM + 3, {HIT + DRAM, HIT + DRAM + 3}, 0},
    {"together, far from home",
     {0, 1},
     1,
     0,
     {HIT + ACROSS + DRAM, HIT + ACROSS + DRAM + GPC_PORT},
     4},
    {"far, during the fill",
     {0, 1},
     1,
     100,
     {HIT + ACROSS + DRAM, HIT + ACROSS + DRAM + GPC_PORT},
     4},
    /* The far load finds the fill pending: only the way back is left. */
    {"one at the home, one far", {2, 0}, 1, 0, {HIT + DRAM, HIT + DRAM + PARTITION}, 4},
};

TEST_ROWS(test_two_loads_of_a_missing_line, TABLE_ROWS(pairs)) {
    int32_t y = row_at_home(&machine, &map, pairs[_i].home, 0);
    struct load loads[2];
    struct tma_completion done[2];
    for (uint32_t i = 0; i < 2; i++)
        loads[i] = (struct load){
            .map = &map, .sm = pairs[_i].sms[i], .cycle = i * pairs[_i].later, .y = y, .tag = i};
    run_loads(memory, loads, 2, done);
    for (int i = 0; i < 2; i++)
        ck_assert_msg(done[i].cycle == pairs[_i].completed[i], "%s: number %d after %llu",
                      pairs[_i].what, i, (unsigned long long)done[i].cycle);
    struct tma_memory_counters counters = tma_memory_count(memory);
    ck_assert_uint_eq(counters.fills, 1);
    ck_assert_uint_eq(counters.dram_read_sectors, TMA_LINE_BYTES / TMA_SECTOR_BYTES);
    ck_assert_uint_eq(counters.miss_sectors, TMA_LINE_BYTES / TMA_SECTOR_BYTES);
    ck_assert_uint_eq(counters.partition_sectors, pairs[_i].across);
}

/* Loads that wait for a line of the other partition get it in the order of arrival. */
TEST(test_waiters_keep_their_order) {
    int32_t y = row_at_home(&machine, &map, 1, 0);
    struct load loads[6];
    struct tma_completion done[6];
    for (uint32_t i = 0; i < 6; i++)
        loads[i] = (struct load){.map = &map, .sm = i % 2, .cycle = 10 * i, .y = y, .tag = i};
    run_loads(memory, loads, 6, done);
    for (uint32_t i = 0; i < 6; i++)
        ck_assert_uint_eq(done[i].cycle, HIT + ACROSS + DRAM + i * GPC_PORT);
}

TEST_SUITE("load latency", .set_up = set_up, .tear_down = tear_down);
