/* Fetches of tensor maps (descriptors): the caches of SMs and GPCs, the waits of TMA units, and
 * what is counted. Times are those of the small machine with one partition. The cache of an SM
 * holds two maps, that of a GPC four. */
#include "memory/core/sectors.h"
#include "small_memory.h"
#include "suite.h"

enum {
    ISSUE = 10,
    FETCH = 6,                                     /* from the GPC's cache */
    GPC_PORT = 2,                                  /* of a line */
    L2 = 30 + 18 + 20 + GPC_PORT,                  /* a line from L2 to the GPC */
    DRAM = L2 + 30 + 3 * 6 + 4 + 100,              /* tRCD, four bursts tCCD_L apart, and access */
    HIT = ISSUE + 30 + 18 + 20 + GPC_PORT + 4 + 5, /* a load of one row that hits L2 */
    DISPATCH = 8,
    LATER = 1000,
    MAPS = 5
};

static struct tma_tensor_map map;

/* The rows of the loads are warm. */
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

/* Runs one load of a row. */
static struct tma_completion load_by(uint32_t sm, uint32_t descriptor, uint64_t cycle) {
    struct load load = {.map = &map, .sm = sm, .cycle = cycle, .descriptor = descriptor};
    return run_load(memory, &load);
}

/* Loads run one after the other. The last one waits for its map for `waited` cycles. */
static const struct {
    const char *what;
    enum start start;
    uint32_t sms[8], descriptors[8]; /* up to the first descriptor 0 */
    uint64_t waited;
} turns[] = {
    {"no map is needed", IN_L2, {0}, {0}, 0},
    {"in the GPC's cache from the start", IN_GPCS, {0}, {5}, FETCH},
    {"the LRU of five maps was replaced", IN_GPCS, {0}, {1}, DRAM},
    {"from L2", IN_L2, {0}, {1}, L2},
    {"from DRAM", IN_DRAM, {0}, {1}, DRAM},
    {"a second time", IN_L2, {0, 0}, {1, 1}, 0},
    {"two in turn", IN_L2, {0, 0, 0, 0}, {1, 2, 1, 2}, 0},
    {"three in turn", IN_L2, {0, 0, 0, 0}, {1, 2, 3, 1}, FETCH},
    {"of three, the last used one stays", IN_L2, {0, 0, 0, 0, 0}, {1, 2, 1, 3, 1}, 0},
    {"of three, the LRU one is replaced", IN_L2, {0, 0, 0, 0, 0}, {1, 2, 1, 3, 2}, FETCH},
    {"another SM of the GPC", IN_L2, {0, 1}, {1, 1}, FETCH},
    {"an SM of another GPC", IN_L2, {0, 2}, {1, 1}, L2},
    {"an SM of another GPC, after DRAM", IN_DRAM, {0, 2}, {1, 1}, L2},
    {"four in the GPC", IN_L2, {0, 0, 0, 0, 1}, {1, 2, 3, 4, 1}, FETCH},
    {"five in the GPC", IN_L2, {0, 0, 0, 0, 0, 1}, {1, 2, 3, 4, 5, 1}, L2},
    {"of five, the LRU one of the GPC", IN_L2, {0, 0, 0, 0, 1, 0, 1}, {1, 2, 3, 4, 1, 5, 2}, L2},
    {"a hit in the SM does not touch the GPC",
     IN_L2,
     {0, 0, 1, 1, 0, 1, 1},
     {1, 2, 3, 4, 1, 5, 1},
     L2},
};

TEST_ROWS(test_waits_of_single_loads, TABLE_ROWS(turns)) {
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

/* Two loads of one SM or of two, the second one `apart` cycles later. Each waits for its map from
 * the cycle at which it could begin. In one SM the second load begins behind the first one, and its
 * map is fetched meanwhile. */
static const struct {
    const char *what;
    enum start start;
    uint32_t sms[2], descriptors[2];
    uint64_t apart;
    uint64_t waits[2]; /* cycles */
    uint64_t begins;   /* the second load, without the issue */
} pairs[] = {
    {"a hit behind a miss waits", IN_L2, {0, 0}, {1, 1}, 1, {L2, 0}, L2 + DISPATCH},
    {"a miss behind a miss", IN_L2, {0, 0}, {1, 2}, 1, {L2, 0}, L2 + DISPATCH},
    {"later behind a miss", IN_L2, {0, 0}, {1, 2}, 50, {L2, 50 - DISPATCH}, 50 + L2},
    {"behind a hit in the GPC", IN_GPCS, {0, 0}, {5, 4}, 1, {FETCH, 0}, FETCH + DISPATCH},
    {"two SMs of a GPC: one fetch", IN_L2, {0, 1}, {1, 1}, 0, {L2, L2}, L2},
    {"the second SM is merged into the fetch", IN_L2, {0, 1}, {1, 1}, 10, {L2, L2 - 10}, L2},
    {"at t - 3: merged, and at least the way from the GPC",
     IN_L2,
     {0, 1},
     {1, 1},
     L2 - 3,
     {L2, FETCH},
     L2 - 3 + FETCH},
    {"at t: the map is in the GPC's cache", IN_L2, {0, 1}, {1, 1}, L2, {L2, FETCH}, L2 + FETCH},
    {"two maps of a GPC", IN_L2, {0, 1}, {1, 2}, 20, {L2, L2}, 20 + L2},
    {"two GPCs", IN_L2, {0, 2}, {1, 1}, 20, {L2, L2}, 20 + L2},
    {"two GPCs wait for the same DRAM", IN_DRAM, {0, 2}, {1, 1}, 20, {DRAM, DRAM - 20}, DRAM},
};

TEST_ROWS(test_waits_of_two_loads, TABLE_ROWS(pairs)) {
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

/* The unit fetches the map of the next load ahead of time: loads of new maps wait two at a time. */
TEST(test_maps_are_fetched_ahead) {
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

/* The map is not ready at t - 1 and ready at t: only then the unit makes its first request. */
TEST(test_map_ready_at_the_fetch) {
    leave(IN_DRAM);
    struct load load = {.map = &map, .descriptor = 1};
    issue_load(memory, &load);
    ck_assert(tma_memory_advance(memory, ISSUE + DRAM));
    ck_assert(!tma_memory_take(memory, &(struct tma_completion){0}));
    ck_assert_uint_eq(tma_memory_count(memory).tma_busy, 0);
    ck_assert(tma_memory_advance(memory, ISSUE + DRAM + 1));
    ck_assert_uint_eq(tma_memory_count(memory).tma_busy, 2);
}

/* The stores and loads of an SM share one cache. A store whose map is missing delays the stores
 * behind it, but not the one before it. The unit sees that the map is missing after its current
 * row. */
TEST(test_stores_behind_a_missing_map) {
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
    ck_assert_uint_ge(done[3].descriptor_cycles, L2); /* the rows of the store keep slices busy */
    ck_assert_uint_eq(done[3].start_cycle, begins + ROW + done[3].descriptor_cycles);
    ck_assert_uint_ge(done[4].start_cycle, done[3].start_cycle);
    ck_assert_uint_eq(done[4].descriptor_cycles, 0);
    ck_assert_uint_eq(tma_memory_count(memory).descriptor_fetches, 2);
}

/* A load and a store of an SM lack the same map, which is fetched once and takes one cache entry:
 * the store comes behind the load, and finds it. */
TEST(test_both_units_wait) {
    struct load loads[] = {{.map = &map, .descriptor = 1, .tag = 0},
                           {.map = &map, .descriptor = 1, .tag = 1, .y = 1, .direction = TMA_STORE},
                           {.map = &map, .descriptor = 2, .tag = 2, .cycle = LATER},
                           {.map = &map, .descriptor = 1, .tag = 3, .cycle = 2 * LATER}};
    struct tma_completion done[4];
    leave(IN_L2);
    run_loads(memory, loads, 4, done);
    ck_assert_uint_eq(done[0].descriptor_cycles, L2);
    ck_assert_uint_eq(done[1].descriptor_cycles, 0);
    ck_assert_uint_eq(done[3].descriptor_cycles, 0);
    ck_assert_uint_eq(tma_memory_count(memory).descriptor_l2_fetches, 2);
}

/* Fetches do not count as requests of the SMs to L2. Their fills from DRAM count. */
TEST(test_counters) {
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

/* All SMs of a multicast get the tile once the issuing SM has the map. Prefetches need a map too.
 */
TEST(test_multicast_and_prefetch) {
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

TEST_SUITE("descriptors", .set_up = set_up_hits, .tear_down = tear_down);
