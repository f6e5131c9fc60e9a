/* The coalescer, packet by packet: which loads are merged into an outstanding one, and when the
 * response serves them. In the small machine SMs 0 and 1 are in GPC 0, SMs 2 and 3 in GPC
 * 1, each next to a partition of its own; a GPC's port passes two sectors in a cycle. */
#include "coalesced_load.h"
#include "machine.h"
#include "memory/gpc/gpcs.h"
#include "suite.h"

enum { REQUEST = 30, LINE = 1000, FIRST_SECTORS = 3, MOST = 4 /* loads in one response */ };

static struct tma_machine machine;
static struct tma_core core;
static struct tma_gpcs gpcs;

static void create(void) {
    ck_assert_int_eq(tma_core_create(&core, &machine, NULL), TMA_OK);
    ck_assert_int_eq(tma_gpcs_create(&gpcs, &core, NULL), TMA_OK);
}

static void tear_down(void) {
    tma_gpcs_free(&gpcs);
    tma_core_free(&core);
}

static void set_up(void) {
    machine = small_machine();
    machine.crossbar.coalesced_requests = MOST;
    create();
}

/* Both GPCs are next to the same partition. */
static void share_a_partition(void) {
    tear_down();
    machine.topology.gpc_partition[1] = 0;
    create();
}

static uint32_t new_load(uint32_t sm, uint64_t line, uint32_t sectors, uint64_t cycle) {
    return new_coalesced_load(&core, sm, line, sectors, cycle - REQUEST);
}

static void expect_handover(struct tma_handover handover, enum tma_destination destination,
                            uint32_t packet, uint64_t cycle) {
    ck_assert_int_eq(handover.destination, destination);
    ck_assert_uint_eq(handover.packet, packet);
    ck_assert_uint_eq(handover.cycle, cycle);
}

/* A load arrives at the coalescer, which sends it on to L2. */
static uint32_t goes_to_l2(uint32_t sm, uint64_t line, uint32_t sectors, uint64_t cycle) {
    uint32_t id = new_load(sm, line, sectors, cycle);
    expect_handover(tma_gpc_receive_load(&core, &gpcs, id, cycle), TMA_TO_SLICE, id, cycle);
    ck_assert_uint_eq(core.handover_count, 0);
    return id;
}

/* A load arrives at the coalescer, which merges it: the slice only learns that it was merged. */
static uint32_t merges(uint32_t sm, uint64_t line, uint32_t sectors, uint64_t cycle) {
    uint32_t id = new_load(sm, line, sectors, cycle);
    struct tma_handover next = tma_gpc_receive_load(&core, &gpcs, id, cycle);
    ck_assert_int_eq(next.destination, TMA_TO_NOWHERE);
    ck_assert_uint_eq(core.handover_count, 1);
    expect_handover(core.handovers[0], TMA_TO_SLICE_MERGED, id, cycle);
    core.handover_count = 0;
    return id;
}

/* The response to a load that no other load was merged into has passed the port at `passed`. */
static void responds(uint32_t id, uint64_t cycle, uint64_t passed) {
    expect_handover(tma_gpc_receive_response(&core, &gpcs, id, cycle), TMA_TO_SM, id, passed);
    ck_assert_uint_eq(core.handover_count, 0);
}

TEST_RANGE(test_up_to_the_limit, 1, TMA_MAX_COALESCED + 1) {
    machine.crossbar.coalesced_requests = (uint32_t)_i;
    uint32_t first = goes_to_l2(0, LINE, FIRST_SECTORS, 100), newest = TMA_NONE;
    for (uint32_t i = 1; i < (uint32_t)_i; i++) {
        newest = merges(i % 2, LINE, FIRST_SECTORS, 100 + i);
        ck_assert_uint_eq(tma_packet_at(&core, first)->merged, newest);
    }
    /* One more begins a new MSHR entry, which takes merged loads of its own. */
    first = goes_to_l2(1, LINE, FIRST_SECTORS, 200);
    if (_i > 1)
        newest = merges(0, LINE, FIRST_SECTORS, 201);
    ck_assert_uint_eq(tma_packet_at(&core, first)->merged, _i > 1 ? newest : TMA_NONE);
}

/* What does not match an outstanding load of SM 0, of two sectors of a line. */
static const struct {
    const char *what;
    uint32_t sm;
    uint64_t line;
    uint32_t sectors;
} others[] = {
    {"another line", 0, LINE + 1, FIRST_SECTORS},
    {"another line, other sectors", 0, LINE + 1, 12},
    {"another GPC", 2, LINE, FIRST_SECTORS},
    {"another line, other sectors, another GPC", 2, LINE + 1, 12},
};

TEST_ROWS(test_only_the_same_line_of_one_gpc, TABLE_ROWS(others)) {
    uint32_t first = goes_to_l2(0, LINE, FIRST_SECTORS, 100);
    goes_to_l2(others[_i].sm, others[_i].line, others[_i].sectors, 101);
    ck_assert_msg(tma_packet_at(&core, first)->merged == TMA_NONE, "%s", others[_i].what);
    /* The first load is still outstanding. */
    uint32_t second = merges(1, LINE, FIRST_SECTORS, 102);
    ck_assert_uint_eq(tma_packet_at(&core, first)->merged, second);
}

/* Loads of one line that follow each other, by their sectors: a digit is a sector, a and b are the
 * halves of the line, f is the whole line. `requests`: how many of them L2 sees. An H200 counts the
 * same (docs/mechanisms/coalescer.md). */
static const struct {
    const char *sectors;
    uint32_t requests;
} sequences[] = {
    {"0", 1},    {"00", 1},   {"000", 1},      {"0000", 1},     {"00000", 2},    {"01", 2},
    {"010", 3},  {"0101", 4}, {"0011", 3},     {"0110", 4},     {"0100", 3},     {"00100", 3},
    {"0123", 4}, {"0202", 4}, {"00001111", 2}, {"00110011", 7}, {"01100110", 8}, {"01010101", 8},
    {"ab", 2},   {"aba", 3},  {"aabb", 3},     {"abba", 4},     {"a0", 2},       {"0a0", 3},
    {"a00", 3},  {"0aa", 3},  {"f0f", 3},      {"ffff", 1},     {"fff0f", 3},    {"aaaabbbb", 2},
};

static uint32_t sectors_named(char name) {
    switch (name) {
    case 'a':
        return 3;
    case 'b':
        return 12;
    case 'f':
        return TMA_ALL_SECTORS;
    default:
        return 1u << (name - '0');
    }
}

TEST_ROWS(test_sequences_of_sectors, TABLE_ROWS(sequences)) {
    uint32_t requests = 0;
    for (const char *name = sequences[_i].sectors; *name != 0; name++) {
        uint32_t id = new_load(0, LINE, sectors_named(*name), 100);
        requests += tma_gpc_receive_load(&core, &gpcs, id, 100).destination == TMA_TO_SLICE;
        core.handover_count = 0;
    }
    ck_assert_msg(requests == sequences[_i].requests, "%s: %u requests", sequences[_i].sectors,
                  requests);
}

/* The response passes the port once for all SMs, and once more for each further load of the same
 * SM. */
TEST(test_one_response_serves_all) {
    uint32_t first = goes_to_l2(0, LINE, TMA_ALL_SECTORS, 100);
    uint32_t same_sm = merges(0, LINE, TMA_ALL_SECTORS, 101);
    uint32_t other_sm = merges(1, LINE, TMA_ALL_SECTORS, 102);
    struct tma_handover next = tma_gpc_receive_response(&core, &gpcs, first, 300);
    ck_assert_int_eq(next.destination, TMA_TO_NOWHERE);
    ck_assert_uint_eq(core.handover_count, 3);
    expect_handover(core.handovers[0], TMA_TO_SM, first, 302);
    expect_handover(core.handovers[1], TMA_TO_SM, other_sm, 302);
    expect_handover(core.handovers[2], TMA_TO_SM, same_sm, 304);
    ck_assert_uint_eq(tma_gpcs_busy_cycles(&gpcs), 4);
}

/* A load merges while the response is at the port, up to the cycle before it has passed:
 * outstanding at t - 1, done at t. */
TEST(test_outstanding_until_the_response_has_passed) {
    const uint64_t passed = 302;
    uint32_t first = goes_to_l2(0, LINE, TMA_ALL_SECTORS, 100);
    responds(first, 300, passed);
    uint32_t late = new_load(1, LINE, TMA_ALL_SECTORS, passed - 1);
    expect_handover(tma_gpc_receive_load(&core, &gpcs, late, passed - 1), TMA_TO_SM, late, passed);
    ck_assert_uint_eq(core.handover_count, 1);
    expect_handover(core.handovers[0], TMA_TO_SLICE_MERGED, late, passed - 1);
    ck_assert_uint_eq(tma_packet_at(&core, late)->known_cycles, REQUEST);
    core.handover_count = 0;
    goes_to_l2(1, LINE, TMA_ALL_SECTORS, passed);
}

/* Merged loads that come after the response count towards the limit. */
TEST(test_limit_holds_after_the_response) {
    machine.crossbar.coalesced_requests = 2;
    uint32_t first = goes_to_l2(0, LINE, TMA_ALL_SECTORS, 100);
    responds(first, 300, 302);
    uint32_t late = new_load(1, LINE, TMA_ALL_SECTORS, 301);
    expect_handover(tma_gpc_receive_load(&core, &gpcs, late, 301), TMA_TO_SM, late, 302);
    core.handover_count = 0;
    goes_to_l2(1, LINE, TMA_ALL_SECTORS, 301);
}

/* The times of a merged load: it waits for what the first load waits for, but only from the cycle
 * at which it was merged. The first load was looked up 45 cycles after it was sent, and the data
 * was there 155 cycles later. */
static const struct {
    uint64_t merged;
    uint32_t known_cycles, dram_cycles;
} times[] = {
    {100, 45, 155},                 /* together with the first load */
    {110, 35, 155},                 /* sent at 80; looked up at 115, as the first load */
    {115, 30, 155}, {120, 30, 150}, /* after the look-up: from cycle 120 until the data is there, at
                                       270 */
    {269, 30, 1},   {270, 30, 0},   {280, 30, 0},
};

TEST_ROWS(test_times_of_a_merged_load, TABLE_ROWS(times)) {
    uint32_t first = goes_to_l2(0, LINE, TMA_ALL_SECTORS, 100);
    tma_packet_at(&core, first)->known_cycles = 45;
    tma_packet_at(&core, first)->dram_cycles = 155;
    uint32_t id = merges(1, LINE, TMA_ALL_SECTORS, times[_i].merged);
    tma_gpc_receive_response(&core, &gpcs, first, 300);
    ck_assert_uint_eq(tma_packet_at(&core, id)->known_cycles, times[_i].known_cycles);
    ck_assert_uint_eq(tma_packet_at(&core, id)->dram_cycles, times[_i].dram_cycles);
}

/* The first line from LINE on, but not LINE, whose loads use the same MSHR. */
static uint64_t line_of_same_mshr(void) {
    uint32_t row = tma_mshr_row(LINE);
    uint64_t line = LINE + 1;
    while (tma_mshr_row(line) != row)
        line++;
    return line;
}

/* MSHRs are a direct-mapped table: a load of another line takes over the entry. The response to the
 * first load is none to the second one. */
TEST(test_another_line_takes_over_the_mshr) {
    const uint64_t other = line_of_same_mshr();
    uint32_t first = goes_to_l2(0, LINE, TMA_ALL_SECTORS, 100);
    uint32_t second = goes_to_l2(0, other, TMA_ALL_SECTORS, 101);
    responds(first, 300, 302);
    uint32_t third = merges(1, other, TMA_ALL_SECTORS, 400);
    ck_assert_uint_eq(tma_packet_at(&core, second)->merged, third);
    goes_to_l2(1, LINE, TMA_ALL_SECTORS, 401);
    goes_to_l2(1, other, TMA_ALL_SECTORS, 402);
}

/* A load of other sectors closes the MSHRs of all GPCs next to the partition, and is in none
 * itself: the next load of each GPC opens its MSHR anew. */
TEST(test_another_gpc_closes_the_mshr) {
    share_a_partition();
    goes_to_l2(0, LINE, FIRST_SECTORS, 100);
    goes_to_l2(2, LINE, 12, 101);
    uint32_t first = goes_to_l2(1, LINE, FIRST_SECTORS, 102);
    uint32_t merged = merges(0, LINE, FIRST_SECTORS, 103);
    ck_assert_uint_eq(tma_packet_at(&core, first)->merged, merged);
    goes_to_l2(2, LINE, 12, 104);
    first = goes_to_l2(3, LINE, 12, 105);
    merged = merges(2, LINE, 12, 106);
    ck_assert_uint_eq(tma_packet_at(&core, first)->merged, merged);
}

/* The same where the GPCs are next to different partitions, which have coalescers of their own. */
TEST(test_partitions_close_their_own_mshrs) {
    uint32_t first[2] = {goes_to_l2(0, LINE, FIRST_SECTORS, 100), goes_to_l2(2, LINE, 12, 101)};
    uint32_t merged[2] = {merges(1, LINE, FIRST_SECTORS, 102), merges(3, LINE, 12, 103)};
    for (size_t i = 0; i < 2; i++)
        ck_assert_uint_eq(tma_packet_at(&core, first[i])->merged, merged[i]);
}

/* What is outstanding no longer, or serves as many loads as it can, is closed by nothing: a load of
 * other sectors opens its MSHR. */
TEST(test_nothing_to_close) {
    share_a_partition();
    uint32_t first = goes_to_l2(0, LINE, FIRST_SECTORS, 100);
    responds(first, 200, 201);
    for (uint32_t i = 0; i < MOST; i++)
        if (i == 0)
            goes_to_l2(2, LINE, FIRST_SECTORS, 300);
        else
            merges(2, LINE, FIRST_SECTORS, 300 + i);
    first = goes_to_l2(1, LINE, 12, 310);
    uint32_t merged = merges(0, LINE, 12, 311);
    ck_assert_uint_eq(tma_packet_at(&core, first)->merged, merged);
}

TEST_SUITE("coalescer", .set_up = set_up, .tear_down = tear_down);
