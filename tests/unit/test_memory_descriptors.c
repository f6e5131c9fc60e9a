/* Tensor maps on their way to the TMA units: what an SM's cache and its GPC's hold, who waits for
 * whom, and what is counted. Times are those of the small machine with one partition; an SM's cache
 * holds two maps, a GPC's four. */
#include "memory/l2/tags.h"
#include "small_memory.h"
#include "suite.h"

enum {
    ISSUE = 10,
    FETCH = 6,                                     /* from the GPC's cache */
    GPC_PORT = 2,                                  /* of a line */
    L2 = 30 + 18 + 20 + GPC_PORT,                  /* a line from L2 to the GPC */
    DRAM = L2 + 6 + 40 + 100,                      /* activation taken, row opened, access */
    HIT = ISSUE + 30 + 18 + 20 + GPC_PORT + 4 + 5, /* one row whose line L2 has */
    DISPATCH = 8,
    LATER = 1000,
    MAPS = 5
};

static struct tma_tensor_map map;

/* The rows that are loaded are in L2. */
static void set_up_hits(void) {
    machine = flat_machine();
    machine.tma.descriptor_fetch_cycles = FETCH;
    create();
    map = line_map(1);
    for (int32_t y = 0; y < 64; y++)
        warm_load(memory, &(struct load){.map = &map, .y = y});
}

enum start { IN_GPCS, IN_L2, IN_DRAM };

static void leave(enum start start) {
    for (uint32_t number = 1; number <= MAPS; number++)
        if (start == IN_GPCS)
            tma_memory_leave_descriptor_in_gpcs(memory, number);
        else if (start == IN_L2)
            tma_memory_leave_descriptor_in_l2(memory, number);
}

/* The completion cycle of one load of a row. */
static struct tma_completion load_by(uint32_t sm, uint32_t descriptor, uint64_t cycle) {
    struct load load = {.map = &map, .sm = sm, .cycle = cycle, .descriptor = descriptor};
    return run_load(memory, &load);
}

/* Loads one after the other, and what the last one waits for its map. */
static const struct {
    const char *what;
    enum start start;
    uint32_t sms[8], descriptors[8]; /* up to the first 0 of these */
    uint64_t waited;
} turns[] = {
    {"none is needed", IN_L2, {0}, {0}, 0},
    {"in the GPC's cache from the start", IN_GPCS, {0}, {5}, FETCH},
    {"the first of five left that", IN_GPCS, {0}, {1}, DRAM},
    {"from L2", IN_L2, {0}, {1}, L2},
    {"from DRAM", IN_DRAM, {0}, {1}, DRAM},
    {"a second time", IN_L2, {0, 0}, {1, 1}, 0},
    {"two in turn", IN_L2, {0, 0, 0, 0}, {1, 2, 1, 2}, 0},
    {"three in turn", IN_L2, {0, 0, 0, 0}, {1, 2, 3, 1}, FETCH},
    {"of three, the one used last stays", IN_L2, {0, 0, 0, 0, 0}, {1, 2, 1, 3, 1}, 0},
    {"and the other leaves", IN_L2, {0, 0, 0, 0, 0}, {1, 2, 1, 3, 2}, FETCH},
    {"another SM of the GPC", IN_L2, {0, 1}, {1, 1}, FETCH},
    {"an SM of another GPC", IN_L2, {0, 2}, {1, 1}, L2},
    {"one of another GPC, of DRAM", IN_DRAM, {0, 2}, {1, 1}, L2},
    {"four in the GPC", IN_L2, {0, 0, 0, 0, 1}, {1, 2, 3, 4, 1}, FETCH},
    {"five in the GPC", IN_L2, {0, 0, 0, 0, 0, 1}, {1, 2, 3, 4, 5, 1}, L2},
    {"of five, one that another SM used", IN_L2, {0, 0, 0, 0, 1, 0, 1}, {1, 2, 3, 4, 1, 5, 2}, L2},
    {"a hit in the SM is none of the GPC", IN_L2, {0, 0, 1, 1, 0, 1, 1}, {1, 2, 3, 4, 1, 5, 1}, L2},
};

START_TEST(test_turns) {
    struct tma_completion done = {0};
    uint64_t fetched = 0;
    leave(turns[_i].start);
    for (uint32_t i = 0; i < 8 && (i == 0 || turns[_i].descriptors[i] != 0); i++) {
        uint64_t cycle = i * LATER;
        done = load_by(turns[_i].sms[i], turns[_i].descriptors[i], cycle);
        fetched += done.descriptor_cycles;
        ck_assert_uint_eq(done.cycle, cycle + HIT + done.descriptor_cycles);
        ck_assert_uint_eq(done.start_cycle, cycle + ISSUE + done.descriptor_cycles);
    }
    ck_assert_msg(done.descriptor_cycles == turns[_i].waited, "%s: %u, not %u", turns[_i].what,
                  done.descriptor_cycles, (unsigned)turns[_i].waited);
    ck_assert_uint_eq(tma_memory_count(memory).descriptor_cycles, fetched);
}
END_TEST

/* Two loads of the same or of two SMs, the second one `apart` cycles later; what each waits for its
 * map when it could begin, and when the second one begins: behind the first one, which waits
 * itself, if of the same SM. Its map comes meanwhile. */
static const struct {
    const char *what;
    enum start start;
    uint32_t sms[2], descriptors[2];
    uint64_t apart;
    uint64_t waits[2], begins; /* after the unit could have */
} pairs[] = {
    {"a hit behind a miss waits", IN_L2, {0, 0}, {1, 1}, 1, {L2, 0}, L2 + DISPATCH},
    {"a miss behind a miss", IN_L2, {0, 0}, {1, 2}, 1, {L2, 0}, L2 + DISPATCH},
    {"late behind a miss", IN_L2, {0, 0}, {1, 2}, 50, {L2, 50 - DISPATCH}, 50 + L2},
    {"behind one from the GPC", IN_GPCS, {0, 0}, {5, 4}, 1, {FETCH, 0}, FETCH + DISPATCH},
    {"two SMs of a GPC: one fetch", IN_L2, {0, 1}, {1, 1}, 0, {L2, L2}, L2},
    {"the second one joins", IN_L2, {0, 1}, {1, 1}, 10, {L2, L2 - 10}, L2},
    {"at least the way from the GPC", IN_L2, {0, 1}, {1, 1}, L2 - 3, {L2, FETCH}, L2 - 3 + FETCH},
    {"just there", IN_L2, {0, 1}, {1, 1}, L2, {L2, FETCH}, L2 + FETCH},
    {"two maps of a GPC", IN_L2, {0, 1}, {1, 2}, 20, {L2, L2}, 20 + L2},
    {"two GPCs", IN_L2, {0, 2}, {1, 1}, 20, {L2, L2}, 20 + L2},
    {"two GPCs wait for the same DRAM", IN_DRAM, {0, 2}, {1, 1}, 20, {DRAM, DRAM - 20}, DRAM},
};

START_TEST(test_pairs) {
    struct load loads[2];
    struct tma_completion done[2];
    leave(pairs[_i].start);
    for (uint32_t i = 0; i < 2; i++)
        loads[i] = (struct load){.map = &map,
                                 .sm = pairs[_i].sms[i],
                                 .descriptor = pairs[_i].descriptors[i],
                                 .cycle = i * pairs[_i].apart,
                                 .y = (int32_t)i,
                                 .tag = i};
    run_loads(memory, loads, 2, done);
    for (uint32_t i = 0; i < 2; i++)
        ck_assert_msg(done[i].descriptor_cycles == pairs[_i].waits[i], "%s: load %u waits %u",
                      pairs[_i].what, i, done[i].descriptor_cycles);
    ck_assert_msg(done[1].start_cycle == ISSUE + pairs[_i].begins, "%s: starts at %u",
                  pairs[_i].what, (unsigned)done[1].start_cycle);
}
END_TEST

/* Loads of new maps one behind the other wait by twos: the next one's map is fetched along. */
START_TEST(test_row_of_maps) {
    struct load loads[4];
    struct tma_completion done[4];
    leave(IN_L2);
    for (uint32_t i = 0; i < 4; i++)
        loads[i] =
            (struct load){.map = &map, .descriptor = 1 + i, .cycle = i, .y = (int32_t)i, .tag = i};
    run_loads(memory, loads, 4, done);
    ck_assert_uint_eq(done[0].start_cycle, ISSUE + L2);
    ck_assert_uint_eq(done[1].start_cycle, done[0].start_cycle + DISPATCH);
    ck_assert_uint_eq(done[2].start_cycle, done[1].start_cycle + DISPATCH + L2);
    ck_assert_uint_eq(done[3].start_cycle, done[2].start_cycle + DISPATCH);
}
END_TEST

/* Until a map is there, the unit makes no request; from that cycle on it does. */
START_TEST(test_ready_at) {
    leave(IN_DRAM);
    struct load load = {.map = &map, .descriptor = 1};
    issue_load(memory, &load);
    ck_assert(tma_memory_advance(memory, ISSUE + DRAM));
    ck_assert(!tma_memory_take(memory, &(struct tma_completion){0}));
    ck_assert_uint_eq(tma_memory_count(memory).tma_busy, 0);
    ck_assert(tma_memory_advance(memory, ISSUE + DRAM + 1));
    ck_assert_uint_eq(tma_memory_count(memory).tma_busy, 2);
}
END_TEST

/* Stores and loads of an SM have one cache. A store whose map is missing, which the unit sees after
 * the row that it is at, holds up those behind it and not the one before it. */
START_TEST(test_stores) {
    enum { ROWS = 12, ROW = 4 };
    struct tma_tensor_map box = line_map(ROWS);
    struct load loads[] = {
        {.map = &map, .descriptor = 1, .tag = 0, .direction = TMA_STORE},
        {.map = &map, .descriptor = 1, .tag = 1, .cycle = LATER},
        {.map = &box, .descriptor = 1, .tag = 2, .cycle = 2 * LATER, .direction = TMA_STORE},
        {.map = &map, .descriptor = 2, .tag = 3, .cycle = 2 * LATER + 1, .direction = TMA_REDUCE},
        {.map = &map, .descriptor = 1, .tag = 4, .cycle = 2 * LATER + 2, .direction = TMA_STORE},
    };
    struct tma_completion done[5];
    const uint64_t begins = 2 * LATER + ISSUE;
    leave(IN_L2);
    run_loads(memory, loads, 5, done);
    ck_assert_uint_eq(done[0].descriptor_cycles, L2);
    ck_assert_uint_eq(done[0].start_cycle, ISSUE + L2);
    ck_assert_uint_eq(done[1].descriptor_cycles, 0);
    ck_assert_uint_eq(done[2].start_cycle, begins);
    ck_assert_uint_eq(done[2].rows_cycle, begins + ROWS * ROW);
    ck_assert_uint_ge(done[3].descriptor_cycles, L2); /* slices are busy with the rows */
    ck_assert_uint_eq(done[3].start_cycle, begins + ROW + done[3].descriptor_cycles);
    ck_assert_uint_ge(done[4].start_cycle, done[3].start_cycle);
    ck_assert_uint_eq(done[4].descriptor_cycles, 0);
    ck_assert_uint_eq(tma_memory_count(memory).descriptor_fetches, 2);
}
END_TEST

/* A load and a store of an SM that lack the same map: it is fetched once, and takes one place. */
START_TEST(test_both_units_wait) {
    struct load loads[] = {{.map = &map, .descriptor = 1, .tag = 0},
                           {.map = &map, .descriptor = 1, .tag = 1, .y = 1, .direction = TMA_STORE},
                           {.map = &map, .descriptor = 2, .tag = 2, .cycle = LATER},
                           {.map = &map, .descriptor = 1, .tag = 3, .cycle = 2 * LATER}};
    struct tma_completion done[4];
    leave(IN_L2);
    run_loads(memory, loads, 4, done);
    ck_assert_uint_eq(done[0].descriptor_cycles, L2);
    ck_assert_uint_eq(done[1].descriptor_cycles, L2);
    ck_assert_uint_eq(done[3].descriptor_cycles, 0);
    ck_assert_uint_eq(tma_memory_count(memory).descriptor_l2_fetches, 2);
}
END_TEST

/* Fetches are none of the SMs' requests to L2; what they bring from DRAM counts there. */
START_TEST(test_counters) {
    leave(IN_DRAM);
    map.l2_promotion = TMA_L2_256B;
    struct tma_completion done = load_by(0, 2, 0);
    load_by(1, 2, LATER);
    load_by(2, 2, 2 * LATER);
    struct tma_memory_counters counters = tma_memory_count(memory);
    ck_assert_uint_eq(counters.requests, 3);
    ck_assert_uint_eq(counters.sectors, 3 * TMA_SECTORS);
    ck_assert_uint_eq(counters.hit_sectors, 3 * TMA_SECTORS);
    ck_assert_uint_eq(counters.lookup_miss_sectors, 0);
    ck_assert_uint_eq(counters.response_sectors, 3 * TMA_SECTORS);
    ck_assert_uint_eq(counters.fill_sectors, TMA_SECTORS);
    ck_assert_uint_eq(counters.dram_read_sectors, TMA_SECTORS);
    ck_assert_uint_eq(counters.unused_sectors, 0);
    ck_assert_uint_eq(counters.descriptor_fetches, 3);
    ck_assert_uint_eq(counters.descriptor_l2_fetches, 2);
    ck_assert_uint_eq(counters.descriptor_dram_fetches, 1);
    ck_assert_uint_eq(done.miss_sectors, 0);
    ck_assert_uint_eq(done.fills, 1);
}
END_TEST

/* All SMs of a multicast get the tile when the issuer has the map; prefetches need one too. */
START_TEST(test_multicast_and_prefetch) {
    static const uint32_t copies[] = {1};
    struct load loads[] = {
        {.map = &map, .descriptor = 1, .copies = copies, .copy_count = 1},
        {.map = &map, .descriptor = 2, .cycle = LATER, .direction = TMA_PREFETCH}};
    struct tma_completion done;
    leave(IN_L2);
    issue_load(memory, &loads[0]);
    issue_load(memory, &loads[1]);
    ck_assert(tma_memory_drain(memory));
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert(tma_memory_take(memory, &done));
        ck_assert_uint_eq(done.descriptor_cycles, L2);
        ck_assert_uint_eq(done.start_cycle, done.issue_cycle + ISSUE + L2);
    }
    ck_assert_uint_eq(tma_memory_count(memory).descriptor_fetches, 2);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("descriptors");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up_hits, tear_down);
    tcase_add_loop_test(tests, test_turns, 0, sizeof turns / sizeof *turns);
    tcase_add_loop_test(tests, test_pairs, 0, sizeof pairs / sizeof *pairs);
    tcase_add_test(tests, test_row_of_maps);
    tcase_add_test(tests, test_ready_at);
    tcase_add_test(tests, test_stores);
    tcase_add_test(tests, test_both_units_wait);
    tcase_add_test(tests, test_counters);
    tcase_add_test(tests, test_multicast_and_prefetch);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
