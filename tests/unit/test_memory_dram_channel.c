/* DRAM channels: the cycle from which the bus moves the data of each request. The times are those
 * of the small machine, whose SM clock has 1000 ps. The bus of a channel moves a sector in 4
 * cycles. */
#include <string.h>

#include "machine.h"
#include "memory/core/random.h"
#include "memory/dram/address.h"
#include "memory/dram/channel.h"
#include "memory/dram/refresh.h"
#include "suite.h"

enum {
    SECTOR = 4,
    ACCESS = 100,
    TRCD = 30,
    TRP = 20,
    TRAS = 50,
    TRTP = 4,
    TWR = 10,
    TRRD = 6,
    TCCD_L = 6, /* of a burst of one sector */
    TRTW = 3,
    TWTR = 5,
    TRFC = 50,
    TREFI = 500,
    NOW = 1000,
};

static struct tma_machine machine;
static struct tma_dram dram;

static void create(void) {
    ck_assert_int_eq(tma_dram_create(&dram, &machine, NULL), TMA_OK);
}

static void set_up(void) {
    machine = small_machine();
    create();
}

static void tear_down(void) {
    tma_dram_free(&dram);
}

static void recreate(void) {
    tma_dram_free(&dram);
    create();
}

static uint32_t bank_of(uint64_t row) {
    return (uint32_t)(row % machine.dram.banks);
}

/* Where a row lies, as seen from row 0. */
enum place { ROW_0, SAME_BANK, SAME_GROUP, OTHER_GROUP };

static uint64_t row_at(enum place place) {
    for (uint64_t row = place == ROW_0 ? 0 : 1;; row++) {
        uint32_t bank = bank_of(row), first = bank_of(0);
        bool group = bank % dram.groups == first % dram.groups;
        enum place found = bank == first ? SAME_BANK : group ? SAME_GROUP : OTHER_GROUP;
        if (place == ROW_0 || found == place)
            return row;
    }
}

static void enqueue_line(uint64_t row, uint16_t line, uint32_t packet, uint32_t sectors,
                         uint64_t cycle) {
    uint32_t bank = bank_of(row);
    struct tma_dram_place place = {.row = row,
                                   .channel = 0,
                                   .bank = (uint16_t)bank,
                                   .group = (uint8_t)(bank % dram.groups),
                                   .line = line};
    ck_assert(tma_dram_enqueue(&dram, &place, packet, packet == TMA_NONE, sectors, cycle));
}

static void enqueue(uint64_t row, uint32_t packet, uint32_t sectors, uint64_t cycle) {
    enqueue_line(row, 0, packet, sectors, cycle);
}

/* From the first data of some sectors on the bus to the last. */
static uint64_t data_cycles(uint32_t sectors) {
    return (sectors - 1) * TCCD_L + SECTOR;
}

/* Serves the next request. Returns when the bus begins with its `sectors` sectors. */
static uint64_t serve(uint32_t sectors, uint32_t *packet) {
    struct tma_dram_served served;
    ck_assert(tma_dram_serve(&dram, &dram.channels[0], UINT64_MAX, &served));
    *packet = served.packet;
    return served.cycle - ACCESS - data_cycles(sectors);
}

/* Requests. Those that come at an earlier cycle than another are served before it. */
enum { MAX_REQUESTS = 3 };

static const struct {
    const char *what;
    struct {
        enum place place;
        uint32_t sectors; /* 0: no further request */
        bool write;
        uint64_t cycle; /* after NOW */
    } requests[MAX_REQUESTS];
    uint64_t start; /* of the last request, after NOW */
} timings[] = {
    {"tRCD", {{ROW_0, 4, false, 0}}, TRCD},
    {"a row that was closed", {{ROW_0, 1, false, 0}, {ROW_0, 1, false, 500}}, 500 + TRCD},
    {"another row of its bank", {{ROW_0, 1, false, 0}, {SAME_BANK, 1, false, 500}}, 500 + TRCD},
    {"a row that is open", {{ROW_0, 1, false, 0}, {ROW_0, 1, false, 0}}, TRCD + TCCD_L},
    {"a row that has just closed",
     {{ROW_0, 1, false, 0}, {ROW_0, 1, false, 40}},
     TRAS + TRP + TRCD},
    {"tRAS", {{ROW_0, 1, false, 0}, {SAME_BANK, 1, false, 0}}, TRAS + TRP + TRCD},
    {"tRTP",
     {{ROW_0, 4, false, 0}, {ROW_0, 4, false, 0}, {SAME_BANK, 1, false, 0}},
     TRCD + 4 * TCCD_L + TRTP + TRP + TRCD},
    {"tWR",
     {{ROW_0, 4, true, 0}, {ROW_0, 4, true, 400}, {SAME_BANK, 4, false, 401}},
     400 + TRCD + 4 * SECTOR + TWR + TRP + TRCD},
    {"tRRD", {{ROW_0, 1, false, 0}, {OTHER_GROUP, 1, false, 0}}, TRRD + TRCD},
    {"tRRD twice",
     {{ROW_0, 1, false, 0}, {OTHER_GROUP, 1, false, 0}, {SAME_GROUP, 1, false, 0}},
     2 * TRRD + TRCD},
    {"the bus", {{ROW_0, 4, false, 0}, {OTHER_GROUP, 4, false, 0}}, TRCD + 4 * SECTOR},
    {"tCCD_L, two bursts", {{ROW_0, 2, false, 0}, {ROW_0, 1, false, 0}}, TRCD + 2 * TCCD_L},
    {"tCCD_L, four bursts", {{ROW_0, 4, false, 0}, {SAME_GROUP, 1, false, 0}}, TRCD + 4 * TCCD_L},
    {"a write opens its row when there are no reads",
     {{OTHER_GROUP, 1, false, 0}, {ROW_0, 4, false, 400}, {OTHER_GROUP, 4, true, 400}},
     400 + TRCD + 4 * SECTOR + TRCD},
    {"from writes to reads",
     {{ROW_0, 4, true, 0}, {OTHER_GROUP, 4, false, 1}},
     TRCD + 4 * SECTOR + TWTR},
};

/* Runs a row of the table, at a clock of `scale` GHz. The last request is not ready a cycle before,
 * and ready at its time. */
static void check_timing(int number, uint32_t scale) {
    struct tma_dram_channel *channel = &dram.channels[0];
    struct tma_dram_served served;
    uint64_t start = (NOW + timings[number].start) * scale;
    uint32_t packet = 0;
    int count = 0, served_first = 0;
    for (int i = 0; i < MAX_REQUESTS && timings[number].requests[i].sectors > 0; i++, count++) {
        bool later =
            i > 0 && timings[number].requests[i].cycle > timings[number].requests[i - 1].cycle;
        while (later && served_first < i)
            serve(timings[number].requests[served_first++].sectors, &packet);
        enqueue(row_at(timings[number].requests[i].place),
                timings[number].requests[i].write ? TMA_NONE : 7,
                timings[number].requests[i].sectors,
                (NOW + timings[number].requests[i].cycle) * scale);
    }
    while (served_first < count - 1)
        serve(timings[number].requests[served_first++].sectors, &packet);
    ck_assert_msg(!tma_dram_serve(&dram, channel, start, &served), "%s: too early",
                  timings[number].what);
    ck_assert_msg(served.cycle == start, "%s: %llu", timings[number].what,
                  (unsigned long long)(served.cycle / scale - NOW));
    ck_assert_msg(tma_dram_serve(&dram, channel, start + 1, &served), "%s: too late",
                  timings[number].what);
}

TEST_ROWS(test_timings, TABLE_ROWS(timings)) {
    check_timing(_i, 1);
}

/* Times of DRAM are its own: at twice the SM clock they are twice as many cycles. */
TEST_ROWS(test_timings_at_another_clock, TABLE_ROWS(timings)) {
    machine.sm_clock_mhz = 2000;
    recreate();
    check_timing(_i, 2);
}

/* An activation that waits for its bank's row cycle holds up no other bank's. Two of other banks
 * keep tRRD from it, before it and after it. */
TEST_ROWS(test_activations_go_past_one_that_waits, 5) {
    const uint64_t waits = TRAS + TRP; /* the second activation of row 0's bank */
    static const struct {
        uint64_t cycle, activation;
    } others[] = {{41, 41},
                  {TRAS + TRP - TRRD, TRAS + TRP - TRRD},
                  {TRAS + TRP - TRRD + 1, TRAS + TRP + TRRD},
                  {TRAS + TRP + 1, TRAS + TRP + TRRD},
                  {TRAS + TRP + TRRD, TRAS + TRP + TRRD}};
    uint32_t packet;
    enqueue(row_at(ROW_0), 0, 1, NOW);
    serve(1, &packet);
    enqueue(row_at(SAME_BANK), 1, 1, NOW + 40);
    enqueue(row_at(OTHER_GROUP), 2, 1, NOW + others[_i].cycle);
    bool first = others[_i].activation < waits;
    uint64_t starts[3] = {0};
    for (int i = 0; i < 2; i++) {
        uint64_t start = serve(1, &packet);
        ck_assert_uint_eq(packet, (i == 0) == first ? 2 : 1);
        starts[packet] = start;
    }
    ck_assert_uint_eq(starts[1], NOW + waits + TRCD);
    ck_assert_uint_eq(starts[2], NOW + others[_i].activation + TRCD);
}

/* Requests that arrive together, and the order in which they are served: the numbers of packets. */
enum { TOGETHER = 9 };

static const struct {
    const char *what;
    enum tma_dram_scheduler scheduler;
    uint32_t bypass;
    enum place places[TOGETHER];
    uint32_t order[TOGETHER];
} orders[] = {
    {"hits bypass another row",
     TMA_DRAM_SCHEDULER_fr_fcfs,
     100,
     {ROW_0, SAME_BANK, ROW_0, ROW_0, ROW_0, ROW_0, ROW_0, ROW_0, ROW_0},
     {0, 2, 3, 4, 5, 6, 7, 8, 1}},
    {"at most four hits bypass another row",
     TMA_DRAM_SCHEDULER_fr_fcfs,
     4,
     {ROW_0, SAME_BANK, ROW_0, ROW_0, ROW_0, ROW_0, ROW_0, ROW_0, ROW_0},
     {0, 2, 3, 4, 5, 1, 6, 7, 8}},
    {"no hit bypasses another row",
     TMA_DRAM_SCHEDULER_fr_fcfs,
     0,
     {ROW_0, SAME_BANK, ROW_0, ROW_0, ROW_0, ROW_0, ROW_0, ROW_0, ROW_0},
     {0, 1, 2, 3, 4, 5, 6, 7, 8}},
    {"other banks bypass always",
     TMA_DRAM_SCHEDULER_fr_fcfs,
     0,
     {ROW_0, SAME_BANK, OTHER_GROUP, OTHER_GROUP, OTHER_GROUP, SAME_GROUP, SAME_GROUP, ROW_0,
      ROW_0},
     {0, 2, 5, 3, 6, 4, 1, 7, 8}},
    {"in order of arrival",
     TMA_DRAM_SCHEDULER_fcfs,
     100,
     {ROW_0, SAME_BANK, OTHER_GROUP, ROW_0, ROW_0, SAME_GROUP, SAME_GROUP, ROW_0, OTHER_GROUP},
     {0, 1, 2, 3, 4, 5, 6, 7, 8}},
};

TEST_ROWS(test_order, TABLE_ROWS(orders)) {
    machine.dram.scheduler = orders[_i].scheduler;
    machine.dram.bypass = orders[_i].bypass;
    recreate();
    for (uint32_t i = 0; i < TOGETHER; i++)
        enqueue(row_at(orders[_i].places[i]), i, 2, NOW);
    for (uint32_t i = 0; i < TOGETHER; i++) {
        uint32_t packet;
        serve(2, &packet);
        ck_assert_msg(packet == orders[_i].order[i], "%s: %u is number %u", orders[_i].what, packet,
                      i);
    }
}

/* Both lines of a block wait. If no other read did meanwhile, one access brings both, when the
 * second one's data are there. Else they come one after the other, in any order. */
static const struct {
    const char *what;
    bool same_block, served_read, waiting_read, together;
} pairs[] = {
    {"alone", true, false, false, true},
    {"lines of two blocks", false, false, false, false},
    {"another read is served before", true, true, false, false},
    {"another read waits", true, false, true, false},
};

TEST_ROWS(test_lines_of_a_block, TABLE_ROWS(pairs)) {
    enum { SEEDS = 64, LINE = 4 * TCCD_L };
    const uint64_t first = NOW + TRCD + data_cycles(4) + ACCESS;
    uint32_t reversed = 0;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        struct tma_dram_served served[2];
        machine.topology.seed = seed;
        recreate();
        if (pairs[_i].served_read)
            enqueue(row_at(OTHER_GROUP), 2, 1, NOW - 2 * TCCD_L);
        enqueue_line(0, 2, 0, 4, NOW);
        enqueue_line(0, pairs[_i].same_block ? 3 : 4, 1, 4, NOW);
        if (pairs[_i].waiting_read)
            enqueue(row_at(SAME_BANK), 2, 1, NOW);
        if (pairs[_i].served_read)
            ck_assert(tma_dram_serve(&dram, &dram.channels[0], UINT64_MAX, &served[0]));
        ck_assert(tma_dram_serve(&dram, &dram.channels[0], UINT64_MAX, &served[0]));
        if (pairs[_i].together) {
            ck_assert_uint_eq(served[0].packet, 0);
            ck_assert_uint_eq(served[0].other_line, 1);
            ck_assert_uint_eq(served[0].cycle, first + LINE);
            continue;
        }
        ck_assert(tma_dram_serve(&dram, &dram.channels[0], UINT64_MAX, &served[1]));
        for (uint64_t i = 0; i < 2; i++) {
            ck_assert_uint_eq(served[i].other_line, TMA_NONE);
            ck_assert_uint_eq(served[i].cycle, first + i * LINE);
        }
        ck_assert_uint_eq(served[0].packet + served[1].packet, 1);
        reversed += served[0].packet == 1;
    }
    if (!pairs[_i].served_read && !pairs[_i].waiting_read)
        ck_assert_uint_eq(reversed, 0);
    else
        ck_assert_msg(reversed > SEEDS / 4 && reversed < SEEDS * 3 / 4, "%u", reversed);
}

/* FCFS has one request at a time at its bank: the next one opens its row when the bus moves the
 * data of the one before. FR-FCFS overlaps them. */
TEST(test_fcfs_overlaps_nothing) {
    uint32_t packet;
    for (int i = 0; i < TMA_DRAM_SCHEDULER_COUNT; i++) {
        machine.dram.scheduler = (enum tma_dram_scheduler)i;
        recreate();
        enqueue(0, 1, 1, NOW);
        enqueue(row_at(OTHER_GROUP), 2, 1, NOW);
        ck_assert_uint_eq(serve(1, &packet), NOW + TRCD);
        ck_assert_uint_eq(serve(1, &packet),
                          i == TMA_DRAM_SCHEDULER_fcfs ? NOW + 2 * TRCD : NOW + TRCD + TRRD);
    }
}

/* A scheduler chooses among the first 16 requests. One that comes later bypasses none of them. */
TEST(test_queue_is_limited) {
    uint32_t packet;
    machine.dram.bypass = 1000;
    machine.dram.queue = 4;
    recreate();
    for (uint32_t i = 0; i < 4; i++)
        enqueue(row_at(i == 0 ? ROW_0 : SAME_BANK), i, 1, NOW);
    enqueue(row_at(ROW_0), 4, 1, NOW);
    for (uint32_t i = 0; i < 5; i++) {
        serve(1, &packet);
        ck_assert_uint_eq(packet, i);
    }
}

/* Writes wait for the high watermark while there are reads, and are served down to the low one, as
 * long as their rows are open. */
TEST_ROWS(test_write_watermarks, 12) {
    enum { HIGH = 8, LOW = 2, READS = 40 };
    uint32_t packet, writes = 0, turns = 0;
    bool writing = false;
    machine.dram.tccd_long_ps = 12000; /* longer than it takes to turn */
    recreate();
    for (uint32_t i = 0; i < READS; i++)
        enqueue(0, i, 1, NOW);
    for (uint32_t i = 0; i < (uint32_t)_i; i++)
        enqueue(0, TMA_NONE, 1, NOW);
    for (uint32_t i = 0; i < READS; i++) {
        do {
            serve(1, &packet);
            writes += packet == TMA_NONE;
            turns += writing != (packet == TMA_NONE);
            writing = packet == TMA_NONE;
        } while (writing);
    }
    ck_assert_uint_eq(writes, _i < HIGH ? 0u : (uint32_t)_i - LOW);
    ck_assert_uint_eq(turns, _i < HIGH ? 0u : 2u);
    for (uint32_t i = writes; i < (uint32_t)_i; i++) { /* no reads are left */
        serve(1, &packet);
        ck_assert_uint_eq(packet, TMA_NONE);
    }
    ck_assert_uint_eq(tma_dram_next_cycle(&dram, &dram.channels[0]), UINT64_MAX);
    ck_assert_uint_eq(dram.written_sectors, (uint32_t)_i);
}

/* As long as reads keep the bus busy, or make it wait for less time than it takes to turn, writes
 * whose rows must open first wait, however many they are. */
TEST(test_reads_go_on_while_a_row_opens) {
    enum { HIGH = 8, READS = 20 };
    uint32_t packet;
    machine.dram.trtw_ps = TCCD_L * 1000;
    recreate();
    for (uint32_t i = 0; i < READS; i++)
        enqueue(0, i, 1, NOW);
    for (uint32_t i = 0; i < HIGH; i++)
        enqueue(row_at(OTHER_GROUP), TMA_NONE, 1, NOW);
    for (uint32_t i = 0; i < READS; i++) {
        ck_assert_uint_eq(serve(1, &packet), NOW + TRCD + i * TCCD_L);
        ck_assert_uint_eq(packet, i);
    }
    for (uint32_t i = 0; i < HIGH; i++) {
        serve(1, &packet);
        ck_assert_uint_eq(packet, TMA_NONE);
    }
}

/* Where the reads' bank group makes the bus wait for longer than it takes to turn, a write whose
 * row is open goes first. */
TEST(test_write_goes_into_a_gap) {
    enum { HIGH = 8 };
    uint32_t packet;
    machine.dram.tccd_long_ps = 12000;
    recreate();
    for (uint32_t i = 0; i < 2; i++)
        enqueue(0, i, 1, NOW);
    for (uint32_t i = 0; i < HIGH; i++)
        enqueue(row_at(OTHER_GROUP), TMA_NONE, 1, NOW);
    ck_assert_uint_eq(serve(1, &packet), NOW + TRCD);
    ck_assert_uint_eq(packet, 0);
    ck_assert_uint_eq(serve(1, &packet), NOW + TRCD + SECTOR + TRTW);
    ck_assert_uint_eq(packet, TMA_NONE);
}

static const enum tma_refresh_kind refreshing[] = {TMA_REFRESH_per_bank, TMA_REFRESH_all_banks};

static void use_refresh(enum tma_refresh_kind kind) {
    machine.dram.refresh_policy = kind;
    machine.topology.seed = 1;
    recreate();
}

static struct tma_refresh refresh_after(uint64_t ticks, uint32_t bank) {
    return dram.refresh->next(&dram, &dram.channels[0], bank, ticks);
}

/* Refreshes of a bank take tRFC and come every tREFI. Under per_bank, banks take turns at even
 * distances, those of a group one after the other; under all_banks, they refresh together. */
TEST_ROWS(test_refresh_windows, TABLE_ROWS(refreshing)) {
    use_refresh(refreshing[_i]);
    for (uint32_t bank = 0; bank < machine.dram.banks; bank++) {
        struct tma_refresh first = refresh_after(NOW * TMA_TICKS, bank);
        struct tma_refresh second = refresh_after(first.end_ticks, bank);
        ck_assert_uint_eq(first.end_ticks - first.start_ticks, TRFC * TMA_TICKS);
        ck_assert_uint_eq(second.start_ticks - first.start_ticks, TREFI * TMA_TICKS);
        ck_assert_uint_eq(refresh_after(first.end_ticks - 1, bank).start_ticks, first.start_ticks);
        uint64_t later =
            refresh_after(NOW * TMA_TICKS, 0).start_ticks - first.start_ticks + TREFI * TMA_TICKS;
        static const uint64_t places[] = {0, 2, 1, 3}; /* banks 0 and 2 are a group */
        ck_assert_uint_eq(machine.dram.banks, TABLE_ROWS(places));
        uint64_t turn = _i == 0 ? places[bank] * TREFI * TMA_TICKS / machine.dram.banks : 0;
        ck_assert_uint_eq((later + turn) % (TREFI * TMA_TICKS), 0);
    }
}

/* A request during a refresh of its bank waits for the end, and opens its row again. One whose data
 * would not be moved before the refresh waits too. The others do not. */
TEST_ROWS(test_refresh_delays, TABLE_ROWS(refreshing)) {
    uint32_t packet;
    use_refresh(refreshing[_i]);
    uint64_t before = TRCD + data_cycles(4), start = 0;
    for (uint64_t cycle = NOW; cycle < NOW + 2 * TREFI; cycle++) {
        recreate();
        struct tma_refresh refresh = refresh_after(cycle * TMA_TICKS, bank_of(0));
        enqueue(0, 1, 4, cycle);
        start = serve(4, &packet);
        if ((cycle + before) * TMA_TICKS <= refresh.start_ticks)
            ck_assert_uint_eq(start, cycle + TRCD);
        else
            ck_assert_uint_eq(start, tma_ticks_to_cycle(refresh.end_ticks) + TRCD);
    }
}

/* A refresh closes the row of its bank. */
TEST_ROWS(test_refresh_closes_rows, TABLE_ROWS(refreshing)) {
    uint32_t packet;
    use_refresh(refreshing[_i]);
    uint64_t end = tma_ticks_to_cycle(refresh_after(NOW * TMA_TICKS, bank_of(0)).end_ticks);
    enqueue(0, 1, 1, end);
    ck_assert_uint_eq(serve(1, &packet), end + TRCD);
    enqueue(0, 1, 1, end + TREFI - TRFC - TRCD);
    ck_assert_uint_eq(serve(1, &packet), end + TREFI + TRCD);
    enqueue(0, 1, 1, end + 2 * TREFI);
    ck_assert_uint_eq(serve(1, &packet), end + 2 * TREFI + TRCD);
}

/* Reads that keep the bus busy, all rows open: a channel whose banks all refresh at once loses tRFC
 * of each tREFI, and so does one whose reads are all for one bank. */
static uint64_t stream_cycles(enum tma_refresh_kind kind, uint32_t rows) {
    enum { READS = 4000 };
    uint32_t packet;
    uint64_t start = 0;
    use_refresh(kind);
    for (uint32_t i = 0; i < READS; i++)
        enqueue(i % rows, i, 1, NOW);
    for (uint32_t i = 0; i < READS; i++)
        start = serve(1, &packet);
    ck_assert_uint_eq(dram.channels[0].bus.busy_ticks, READS * SECTOR * TMA_TICKS);
    return start - NOW;
}

TEST(test_refresh_costs_its_share) {
    const double share = (double)TRFC / TREFI;
    machine.dram.bypass = 1000000;
    machine.dram.tccd_long_ps = 0;
    double none = (double)stream_cycles(TMA_REFRESH_none, 4);
    double all_banks = (double)stream_cycles(TMA_REFRESH_all_banks, 4);
    double per_bank = (double)stream_cycles(TMA_REFRESH_per_bank, 4);
    double one_bank = (double)stream_cycles(TMA_REFRESH_per_bank, 1);
    /* a refresh also costs the time to open rows again */
    ck_assert_double_ge(all_banks, none / (1 - share));
    ck_assert_double_le(all_banks, none / (1 - share - (double)(TRCD + TRRD) / TREFI) * 1.02);
    ck_assert_double_ge(one_bank, none / (1 - share));
    /* one bank of four refreshes: a queue of 16 has enough requests for the others, one of 4 has
     * not */
    ck_assert_double_eq(per_bank, none);
    machine.dram.queue = 4;
    per_bank = (double)stream_cycles(TMA_REFRESH_per_bank, 4);
    ck_assert_double_gt(per_bank, none * 1.1);
    ck_assert_double_lt(per_bank, none / (1 - 4 * (share + (double)(TRCD + TRP) / TREFI)));
}

/* Random requests under each scheduler and refresh policy: each is served once, the bus moves one
 * at a time and is never busy for longer than it takes, and no data is moved while its bank
 * refreshes. */
TEST_ROWS(test_conservation, TMA_DRAM_SCHEDULER_COUNT *TMA_REFRESH_COUNT) {
    enum { REQUESTS = 3000, EACH = 50 };
    static uint8_t served_times[REQUESTS];
    static uint32_t rows[REQUESTS], sectors[REQUESTS];
    memset(served_times, 0, sizeof served_times);
    machine.dram.scheduler = (enum tma_dram_scheduler)(_i % TMA_DRAM_SCHEDULER_COUNT);
    use_refresh((enum tma_refresh_kind)(_i / TMA_DRAM_SCHEDULER_COUNT));
    struct tma_dram_channel *channel = &dram.channels[0];
    uint64_t random = 1, now = NOW, free_cycle = 0, moved[2] = {0, 0}, asked[2] = {0, 0};
    struct tma_dram_served served;
    uint32_t writes = 0;
    for (uint32_t i = 0; i < REQUESTS; now += 40) {
        for (uint32_t end = i + (uint32_t)(random % EACH); i < REQUESTS && i < end; i++) {
            random = tma_mix64(random + i);
            bool write = random % 4 == 0;
            rows[i] = (uint32_t)(random >> 8) % 30;
            sectors[i] = 1 + (uint32_t)(random >> 16) % 4;
            asked[write] += sectors[i];
            writes += write;
            served_times[i] = write;
            enqueue(rows[i], write ? TMA_NONE : i, sectors[i], now);
        }
        random = tma_mix64(random);
        while (tma_dram_serve(&dram, channel, i < REQUESTS ? now : UINT64_MAX, &served)) {
            ck_assert_uint_ge(channel->bus.free_ticks, free_cycle);
            if (served.packet == TMA_NONE) {
                writes--;
            } else {
                uint32_t id = served.packet;
                uint64_t end = channel->bus.free_ticks,
                         begin = end - sectors[id] * SECTOR * TMA_TICKS;
                ck_assert_uint_eq(served_times[id]++, 0);
                ck_assert_uint_ge(begin, free_cycle);
                ck_assert_uint_ge(refresh_after(begin, bank_of(rows[id])).start_ticks, end);
            }
            free_cycle = channel->bus.free_ticks;
        }
    }
    for (uint32_t i = 0; i < REQUESTS; i++)
        ck_assert_uint_eq(served_times[i], 1);
    moved[0] = dram.read_sectors;
    moved[1] = dram.written_sectors;
    ck_assert_uint_eq(writes, 0);
    ck_assert_uint_eq(moved[0], asked[0]);
    ck_assert_uint_eq(moved[1], asked[1]);
    ck_assert_uint_eq(channel->bus.busy_ticks, (moved[0] + moved[1]) * SECTOR * TMA_TICKS);
    ck_assert_uint_le(channel->bus.busy_ticks, channel->bus.free_ticks);
}

/* Slices of a partition begin to refresh within dram.refresh_spread, and the last partition first.
 * The seed changes when. */
TEST(test_slices_refresh_at_about_the_same_time) {
    const uint64_t spread = 7 * TMA_TICKS, apart = TREFI / 4 * TMA_TICKS,
                   interval = TREFI * TMA_TICKS;
    machine.dram.refresh_spread_ps = 7000;
    use_refresh(TMA_REFRESH_per_bank);
    uint64_t phases[4];
    for (int i = 0; i < 4; i++)
        phases[i] = dram.channels[i].refresh_phase_ticks;
    uint64_t first = tma_mix64(1) % interval;
    ck_assert_uint_eq(machine.l2.slices, 4);
    ck_assert_uint_eq(machine.l2.partitions, 2);
    for (uint64_t i = 0; i < 4; i++) {
        uint64_t since = (phases[i] + 2 * interval - first - (i < 2 ? apart : 0)) % interval;
        ck_assert_uint_le(since, spread);
    }
    ck_assert_uint_ne(phases[0], phases[1]);
    machine.topology.seed = 2;
    recreate();
    ck_assert_uint_ne(dram.channels[0].refresh_phase_ticks, phases[0]);
}

/* By how many ticks a refresh of a bank comes later than if there had been no load, or earlier. */
static int64_t moved_ticks(const struct tma_dram *unmoved, uint32_t channel, uint32_t bank) {
    const int64_t interval = TREFI * TMA_TICKS;
    uint64_t from = 2 * TREFI * TMA_TICKS;
    struct tma_refresh usual =
        unmoved->refresh->next(unmoved, &unmoved->channels[channel], bank, from);
    struct tma_refresh moved = dram.refresh->next(&dram, &dram.channels[channel], bank, from);
    int64_t ticks = ((int64_t)moved.start_ticks - (int64_t)usual.start_ticks) % interval;
    return ticks > interval / 2    ? ticks - interval
           : ticks < -interval / 2 ? ticks + interval
                                   : ticks;
}

/* A load moves the refreshes of each slice, those of all its banks alike. The variance grows with
 * the time since the last halt. The next halt brings them back. */
TEST(test_load_moves_refreshes) {
    enum { SEEDS = 400, US = 1000 * TMA_TICKS, INTERVAL_US = 100, IDLE_US = 10, DRIFT = 4 };
    uint32_t still = 0, moves = 0;
    double variance = 0;
    machine.dram.refresh_policy = TMA_REFRESH_per_bank;
    machine.dram.halt_interval_ps = INTERVAL_US * 1000000;
    machine.dram.idle_before_ps = IDLE_US * 1000000;
    machine.dram.refresh_drift_ps = DRIFT * 1000;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        machine.topology.seed = seed;
        recreate();
        const struct tma_dram unmoved = dram;
        tma_refresh_follow_load(&dram);
        uint64_t halt = dram.halt_ticks;
        ck_assert_uint_le(halt, (INTERVAL_US - IDLE_US) * US);
        still += halt == 0;
        if (halt < 4 * TREFI * TMA_TICKS)
            continue;
        double loaded_us = INTERVAL_US - IDLE_US - (double)halt / US;
        for (uint32_t channel = 0; channel < machine.l2.slices; channel++) {
            int64_t ticks = moved_ticks(&unmoved, channel, 0);
            ck_assert_int_eq(moved_ticks(&unmoved, channel, 3), ticks);
            variance += (double)(ticks * ticks) / TMA_TICKS / TMA_TICKS / loaded_us;
            moves++;
            struct tma_refresh after = dram.refresh->next(&dram, &dram.channels[channel], 0, halt);
            struct tma_refresh usual =
                unmoved.refresh->next(&unmoved, &unmoved.channels[channel], 0, halt);
            ck_assert_uint_eq(after.start_ticks, usual.start_ticks);
        }
        if (loaded_us > 10)
            ck_assert_int_ne(moved_ticks(&unmoved, 0, 0), moved_ticks(&unmoved, 1, 0));
    }
    ck_assert_uint_gt(still, SEEDS * IDLE_US / INTERVAL_US / 2);
    ck_assert_uint_lt(still, SEEDS * IDLE_US / INTERVAL_US * 3 / 2);
    ck_assert_double_eq_tol(variance / moves, DRIFT * DRIFT, 0.15 * DRIFT * DRIFT);
}

/* Without a seed there is no variation, and DRAM that was idle refreshes as ever. */
TEST(test_refreshes_stay_without_a_seed) {
    machine.dram.halt_interval_ps = 100000000;
    machine.dram.refresh_drift_ps = 4000;
    machine.topology.seed = 0;
    recreate();
    tma_refresh_follow_load(&dram);
    ck_assert_uint_eq(dram.halt_ticks, 0);
}

/* While one rank has requests whose rows are open, the other one waits, even where its bank group
 * could use the bus between two bursts. */
TEST(test_ranks_take_turns) {
    enum { REQUESTS = 8 };
    uint32_t packet;
    for (uint32_t ranks = 1; ranks <= 2; ranks++) {
        machine.dram.ranks = ranks;
        machine.dram.bank_groups = 2 / ranks;
        recreate();
        for (uint32_t i = 0; i < REQUESTS; i++)
            enqueue(row_at(i % 2 == 0 ? ROW_0 : OTHER_GROUP), i, 1, NOW);
        for (uint32_t i = 0; i < REQUESTS; i++) {
            static const uint32_t order[][REQUESTS] = {{0, 2, 1, 4, 3, 6, 5, 7},
                                                       {0, 2, 4, 6, 1, 3, 5, 7}};
            serve(1, &packet);
            ck_assert_uint_eq(packet, order[ranks - 1][i]);
        }
    }
}

/* Each 256 bytes of 32 KiB of a slice has a bank of its own, or a column of a row. */
TEST(test_places) {
    enum { BLOCKS = 128, COLUMNS = 4, PLACES = BLOCKS / COLUMNS };
    static uint32_t uses[PLACES];
    static uint64_t rows[PLACES];
    tma_dram_free(&dram);
    machine.dram.channels = 2 * machine.l2.slices;
    machine.dram.banks = 16;
    machine.dram.row_bytes = 1024;
    create();
    for (uint64_t turn = 0; turn < 1000; turn++) {
        memset(uses, 0, sizeof uses);
        for (uint64_t block = turn * BLOCKS; block < (turn + 1) * BLOCKS; block++) {
            struct tma_dram_place place = tma_dram_place_of(&dram, 1, block);
            ck_assert_uint_ge(place.channel, 2);
            ck_assert_uint_le(place.channel, 3);
            ck_assert_uint_lt(place.bank, 16);
            uint32_t i = (place.channel - 2) * 16 + place.bank;
            ck_assert(uses[i] == 0 || rows[i] == place.row);
            rows[i] = place.row;
            uses[i]++;
        }
        for (uint32_t i = 0; i < PLACES; i++)
            ck_assert_uint_eq(uses[i], COLUMNS);
    }
}

/* Accesses take up to dram.access_spread longer, all of that range, in the same way in each run. */
TEST(test_accesses_spread) {
    enum { ACCESSES = 1000, SPREAD = 20, APART = 500 };
    static uint64_t starts[2][ACCESSES];
    machine.dram.access_spread_ps = SPREAD * 1000;
    for (int run = 0; run < 2; run++) {
        uint64_t least = UINT64_MAX, most = 0, sum = 0;
        uint32_t packet;
        recreate();
        for (uint32_t i = 0; i < ACCESSES; i++) {
            enqueue(0, i, 1, NOW + i * APART);
            starts[run][i] = serve(1, &packet) - (NOW + i * APART + TRCD);
            least = starts[run][i] < least ? starts[run][i] : least;
            most = starts[run][i] > most ? starts[run][i] : most;
            sum += starts[run][i];
        }
        ck_assert_uint_le(least, 1);
        ck_assert_uint_ge(most, SPREAD - 1);
        ck_assert_uint_le(most, SPREAD);
        ck_assert_uint_ge(sum, (SPREAD / 2 - 1) * ACCESSES);
        ck_assert_uint_le(sum, (SPREAD / 2 + 1) * ACCESSES);
    }
    ck_assert_mem_eq(starts[0], starts[1], sizeof starts[0]);
}

/* Requests that one opening of a row serves take the same longer. */
TEST(test_spread_of_an_opening) {
    uint32_t packet;
    machine.dram.access_spread_ps = 1000000;
    recreate();
    enqueue(0, 0, 1, NOW);
    enqueue(0, 1, 1, NOW);
    uint64_t first = serve(1, &packet);
    ck_assert_uint_gt(first, NOW + TRCD);
    ck_assert_uint_eq(serve(1, &packet), first + TCCD_L);
}

/* Bytes per cycle of the SM clock = bits / 8 * two edges * memory clock / SM clock. */
TEST(test_bytes_per_cycle) {
    ck_assert_uint_eq(tma_machine_dram_bytes_per_kcycle(&machine), 32000);
    machine.dram.bus_bits = 6016;
    machine.dram.clock_mhz = 3201;
    machine.sm_clock_mhz = 1980;
    ck_assert_uint_eq(tma_machine_dram_bytes_per_kcycle(&machine),
                      (uint64_t)(6016 / 8 * 2 * 3201.0 / 1980 * 1000));
}

TEST_SUITE("DRAM channels", .set_up = set_up, .tear_down = tear_down);
