/* Accesses of warps: the load/store unit and L1. Times are those of the small machine. */
#include "machine.h"
#include "memory/core/sectors.h"
#include "suite.h"
#include "traffic.h"

enum {
    ISSUE = 4 + 1, /* and a wavefront */
    REQUEST = 30,
    SLICE = 3, /* four sectors at 0.75, or two lookups */
    LOOKUP = 15,
    RESPONSE = 20,
    GPC_PORT = 2, /* four sectors at two a cycle */
    SM_PORT = 4,  /* four sectors at one a cycle */
    FILL = 3,
    HIT = ISSUE + 6,
    L2_HIT = ISSUE + REQUEST + SLICE + LOOKUP + GPC_PORT + RESPONSE + SM_PORT + FILL,
    DRAM = 30 + 3 * 6 + 4 + 100, /* tRCD, four bursts tCCD_L apart, and access */
    PARTITION = 25,
    ACROSS = PARTITION + SLICE + LOOKUP + PARTITION,
    WRITE_FLITS = 4,
    WRITTEN = ISSUE + REQUEST + WRITE_FLITS + RESPONSE,
    LINE_SECTORS = TMA_ALL_SECTORS,
    LONG_AFTER = 2000,
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
    ck_assert(tma_memory_drain(memory));
    ck_assert(tma_memory_is_conserved(memory, UINT32_MAX));
    tma_memory_free(memory);
}

static void recreate(void) {
    tear_down();
    create();
}

/* Line number `row` of those whose home is next to SM 0. */
static uint64_t near_line(uint32_t row) {
    uint64_t line = 0;
    for (uint32_t i = 0, next = 0; i <= row; i++, next++) {
        next = (uint32_t)row_at_home(&machine, &map, 0, next);
        line = line_of_row(&map, next);
    }
    return line;
}

static struct tma_access access_of(uint64_t cycle, enum tma_access_kind kind, uint64_t line,
                                   uint32_t sectors) {
    return (struct tma_access){.cycle = cycle,
                               .kind = kind,
                               .wavefronts = 1,
                               .line_count = 1,
                               .lines = {{.line = line, .sectors = (uint8_t)sectors}}};
}

/* Runs accesses, and puts the cycles from the first one's until each is done into cycles[]. */
static void run(struct tma_access *accesses, uint32_t count, uint64_t *cycles) {
    struct tma_access_completion done;
    for (uint32_t i = 0; i < count; i++) {
        accesses[i].tag = i;
        ck_assert(tma_memory_advance(memory, accesses[i].cycle));
        ck_assert(tma_memory_access(memory, &accesses[i]));
    }
    ck_assert(tma_memory_drain(memory));
    for (uint32_t i = 0; i < count; i++) {
        ck_assert(tma_memory_take_access(memory, &done));
        cycles[done.tag] = done.cycle - accesses[0].cycle;
    }
    ck_assert(!tma_memory_take_access(memory, &done));
}

static uint64_t latency(struct tma_access access) {
    uint64_t cycles;
    access.cycle = tma_memory_now(memory) + LONG_AFTER;
    run(&access, 1, &cycles);
    return cycles;
}

static uint64_t load(uint64_t line, uint32_t sectors, enum tma_caching caching) {
    struct tma_access access = access_of(0, TMA_ACCESS_LOAD, line, sectors);
    access.caching = caching;
    return latency(access);
}

/* A load of a line after others of it. */
static const struct {
    enum tma_caching before, caching;
    uint32_t sectors_before, sectors;
    uint64_t expected;
} loads[] = {
    {TMA_CACHING_ALL, TMA_CACHING_ALL, 15, 15, HIT},
    {TMA_CACHING_ALL, TMA_CACHING_ALL, 15, 2, HIT},
    {TMA_CACHING_ALL, TMA_CACHING_ALL, 1, 1, HIT},
    {TMA_CACHING_ALL, TMA_CACHING_L2, 15, 15, L2_HIT},
    {TMA_CACHING_L2, TMA_CACHING_ALL, 15, 15, L2_HIT},
    {TMA_CACHING_NO_ALLOCATE, TMA_CACHING_ALL, 15, 15, L2_HIT},
    {TMA_CACHING_ALL, TMA_CACHING_NO_ALLOCATE, 15, 15, HIT},
    {TMA_CACHING_EVICT_FIRST, TMA_CACHING_ALL, 15, 15, HIT},
    {TMA_CACHING_EVICT_LAST, TMA_CACHING_EVICT_FIRST, 15, 15, HIT},
};

TEST_ROWS(test_hits, TABLE_ROWS(loads)) {
    uint64_t line = near_line(0);
    ck_assert_uint_eq(
        load(line, LINE_SECTORS,
             loads[_i].before == TMA_CACHING_L2 ? TMA_CACHING_L2 : TMA_CACHING_NO_ALLOCATE),
        L2_HIT + DRAM);
    load(line, loads[_i].sectors_before, loads[_i].before);
    ck_assert_uint_eq(load(line, loads[_i].sectors, loads[_i].caching), loads[_i].expected);
}

/* A line is valid by sectors: a load asks L2 for those that it lacks, alone. */
TEST(test_sectors) {
    uint64_t line = near_line(0);
    load(line, 1, TMA_CACHING_ALL);
    struct tma_memory_counters before = tma_memory_count(memory);
    ck_assert_uint_gt(load(line, 7, TMA_CACHING_ALL), HIT);
    struct tma_memory_counters after = tma_memory_count(memory);
    ck_assert_uint_eq(after.sectors - before.sectors, 2);
    ck_assert_uint_eq(after.l1_hit_sectors - before.l1_hit_sectors, 1);
    ck_assert_uint_eq(after.l1_sectors - before.l1_sectors, 3);
    ck_assert_uint_eq(load(line, 7, TMA_CACHING_ALL), HIT);
}

/* What a fence makes invalid comes from L2 again. */
TEST(test_invalidate) {
    uint64_t line = near_line(0);
    load(line, LINE_SECTORS, TMA_CACHING_ALL);
    ck_assert_uint_eq(latency((struct tma_access){.kind = TMA_ACCESS_INVALIDATE, .wavefronts = 1}),
                      ISSUE);
    ck_assert_uint_eq(load(line, LINE_SECTORS, TMA_CACHING_ALL), L2_HIT);
    ck_assert_uint_eq(load(line, LINE_SECTORS, TMA_CACHING_ALL), HIT);
}

/* The way to the other partition. */
TEST(test_far) {
    uint64_t line = line_of_row(&map, (uint32_t)row_at_home(&machine, &map, 1, 0));
    ck_assert_uint_eq(load(line, LINE_SECTORS, TMA_CACHING_L2), L2_HIT + ACROSS + DRAM);
    ck_assert_uint_eq(load(line, LINE_SECTORS, TMA_CACHING_L2), L2_HIT);
}

/* Loads of what is on its way wait for it, and ask L2 for what nobody has asked for. */
TEST(test_merge) {
    uint64_t line = near_line(0), cycles[3];
    struct tma_access accesses[] = {
        access_of(1000, TMA_ACCESS_LOAD, line, 3),
        access_of(1010, TMA_ACCESS_LOAD, line, 1),
        access_of(1020, TMA_ACCESS_LOAD, line, 6),
    };
    run(accesses, 3, cycles);
    struct tma_memory_counters counters = tma_memory_count(memory);
    ck_assert_uint_eq(counters.requests, 2);
    ck_assert_uint_eq(counters.sectors, 3);
    ck_assert_uint_eq(cycles[0], cycles[1]);
    ck_assert_uint_gt(cycles[2], cycles[1]);
}

/* Wavefronts take the data path that shared memory has, one after the other. */
TEST(test_wavefronts) {
    uint64_t line = near_line(0), cycles[2];
    load(line, LINE_SECTORS, TMA_CACHING_ALL);
    uint64_t start = tma_memory_now(memory) + LONG_AFTER;
    struct tma_access accesses[] = {
        access_of(start, TMA_ACCESS_LOAD, line, LINE_SECTORS),
        access_of(start, TMA_ACCESS_LOAD, line, LINE_SECTORS),
    };
    accesses[0].wavefronts = 4;
    run(accesses, 2, cycles);
    ck_assert_uint_eq(cycles[0], HIT + 3);
    ck_assert_uint_eq(cycles[1], HIT + 4);
    ck_assert_uint_eq(tma_memory_access_shared(memory, 0, start, 1), start + 4 + 5 + 1);
}

/* Lines are looked up one a cycle. */
TEST(test_look_ups) {
    struct tma_access access = access_of(0, TMA_ACCESS_LOAD, 0, 1);
    access.line_count = 8;
    for (uint32_t i = 0; i < access.line_count; i++)
        access.lines[i] = (struct tma_access_line){.line = near_line(i), .sectors = 1};
    latency(access);
    ck_assert_uint_eq(latency(access), HIT + 7);
}

/* With a carve-out of 56 KiB, 8 KiB are left: 64 lines, 16 in each set. */
static const struct {
    uint32_t lines;              /* consecutive ones, read twice */
    enum tma_caching first, all; /* the first one, and the others */
    bool kept;                   /* whether the first one is there, the third time */
} capacities[] = {
    {64, TMA_CACHING_ALL, TMA_CACHING_ALL, true},
    {68, TMA_CACHING_ALL, TMA_CACHING_ALL, false},
    {68, TMA_CACHING_EVICT_LAST, TMA_CACHING_ALL, true},
    {68, TMA_CACHING_ALL, TMA_CACHING_EVICT_FIRST, true},
    {64, TMA_CACHING_EVICT_FIRST, TMA_CACHING_ALL, true},
};

TEST_ROWS(test_capacity, TABLE_ROWS(capacities)) {
    uint64_t first = line_of_row(&map, 0);
    tma_memory_carve_out(memory, 33 * 1024);
    for (uint32_t i = 0; i < capacities[_i].lines; i++)
        load(first + i, 1, i == 0 ? capacities[_i].first : capacities[_i].all);
    ck_assert_uint_eq(load(first, 1, TMA_CACHING_ALL) == HIT, capacities[_i].kept);
}

/* While 16 requests are on their way, further loads wait; so do those behind them that would hit.
 */
TEST(test_misses) {
    uint64_t hit = near_line(100), cycles[2];
    load(hit, 1, TMA_CACHING_ALL);
    uint64_t start = tma_memory_now(memory) + LONG_AFTER;
    struct tma_access accesses[] = {
        access_of(start, TMA_ACCESS_LOAD, 0, 1),
        access_of(start + 1, TMA_ACCESS_LOAD, hit, 1),
    };
    for (uint32_t count = 16; count <= 17; count++) {
        accesses[0].line_count = count;
        for (uint32_t i = 0; i < count; i++)
            accesses[0].lines[i] =
                (struct tma_access_line){.line = near_line(count * 32 + i), .sectors = 1};
        accesses[0].cycle = tma_memory_now(memory) + LONG_AFTER;
        accesses[1].cycle = accesses[0].cycle + 1;
        run(accesses, 2, cycles);
        if (count == 16)
            ck_assert_uint_eq(cycles[1], HIT + 16);
        else
            ck_assert_uint_gt(cycles[1], L2_HIT);
    }
}

/* A store is done when the SM knows that L2 has it. It leaves L1 as it is. */
TEST(test_stores) {
    uint64_t line = near_line(0);
    ck_assert_uint_eq(latency(access_of(0, TMA_ACCESS_STORE, line, LINE_SECTORS)), WRITTEN);
    ck_assert_uint_eq(load(line, LINE_SECTORS, TMA_CACHING_ALL), L2_HIT);
    ck_assert_uint_eq(latency(access_of(0, TMA_ACCESS_STORE, line, LINE_SECTORS)), WRITTEN);
    ck_assert_uint_eq(load(line, LINE_SECTORS, TMA_CACHING_ALL), HIT);
}

/* 16 flits may be in flight: four whole lines, or three in part. */
TEST(test_write_flits) {
    for (uint32_t partial = 0; partial < 2; partial++) {
        struct tma_access access = access_of(0, TMA_ACCESS_STORE, 0, LINE_SECTORS);
        uint64_t before = 0;
        for (access.line_count = 1; access.line_count <= 5; access.line_count++) {
            uint32_t i = access.line_count - 1;
            access.lines[i] = (struct tma_access_line){
                .line = near_line(i), .sectors = LINE_SECTORS, .partial = partial == 1};
            uint64_t cycles = latency(access);
            bool waits = access.line_count > 4;
            if (i > 0)
                ck_assert_uint_eq(cycles - before > WRITE_FLITS + 2, waits);
            before = cycles;
        }
    }
}

/* A reduction is done at L2, an atomic when its result is in registers; neither leaves its sectors
 * in L1. DRAM brings what L2 lacks. */
TEST_ROWS(test_atomics, 2) {
    enum tma_access_kind kind = _i == 0 ? TMA_ACCESS_REDUCE : TMA_ACCESS_ATOMIC;
    uint64_t line = near_line(0);
    uint64_t cold = latency(access_of(0, kind, line, 1));
    ck_assert_uint_gt(cold, DRAM);
    ck_assert_uint_gt(cold, latency(access_of(0, kind, line, 1)) + 100);
    load(line, 3, TMA_CACHING_ALL);
    ck_assert_uint_eq(load(line, 3, TMA_CACHING_ALL), HIT);
    uint64_t done = latency(access_of(0, kind, line, 1));
    ck_assert_uint_eq(done, kind == TMA_ACCESS_REDUCE ? 57 : 62);
    ck_assert_uint_eq(load(line, 2, TMA_CACHING_ALL), HIT);
    ck_assert_uint_gt(load(line, 1, TMA_CACHING_ALL), HIT);
}

enum { RANDOM_ACCESSES = 4000, RANDOM_SMS = 4 };

/* Random accesses of all SMs, beside loads of their TMA units. The hash of the completions. */
static uint64_t run_randomly(uint32_t seed, uint64_t window) {
    uint64_t hash = 0, cycle = 0, random = seed;
    uint32_t taken = 0;
    struct tma_access_completion done;
    struct tma_completion loaded;
    for (uint32_t i = 0; i < RANDOM_ACCESSES; i++) {
        random = tma_mix64(random + i);
        cycle += random % 8;
        struct tma_access access = {.cycle = cycle,
                                    .tag = i,
                                    .sm = (uint32_t)(random >> 8) % RANDOM_SMS,
                                    .kind = i % 500 == 0 ? TMA_ACCESS_INVALIDATE
                                            : (random >> 12) % 8 < 4
                                                ? TMA_ACCESS_LOAD
                                                : (enum tma_access_kind)((random >> 16) % 4),
                                    .caching = (enum tma_caching)((random >> 20) % 5),
                                    .wavefronts = 1 + (random >> 24) % 4,
                                    .line_count = 1 + (random >> 28) % TMA_MAX_ACCESS_LINES};
        if (access.kind == TMA_ACCESS_INVALIDATE)
            access.line_count = 0;
        for (uint32_t line = 0; line < access.line_count; line++)
            access.lines[line] = (struct tma_access_line){
                .line = line_of_row(&map, 0) + (random >> 32) % 997 + line * (1 + random % 3),
                .sectors = (uint8_t)(1 + (random >> 36) % TMA_ALL_SECTORS),
                .partial = (random >> 40) % 2 == 0};
        ck_assert(tma_memory_advance(memory, cycle - cycle % window));
        ck_assert(tma_memory_access(memory, &access));
        if (i % 16 == 0)
            issue_load(memory, &(struct load){.map = &map,
                                              .sm = access.sm,
                                              .cycle = cycle,
                                              .y = (int32_t)((random >> 44) % 997)});
    }
    ck_assert(tma_memory_drain(memory));
    while (tma_memory_take_access(memory, &done)) {
        hash += tma_mix64(done.tag << 32 ^ done.cycle);
        taken++;
    }
    while (tma_memory_take(memory, &loaded))
        hash += tma_mix64(loaded.cycle);
    ck_assert_uint_eq(taken, RANDOM_ACCESSES);
    return hash;
}

/* All accesses end, and nothing is left behind. When they end does not depend on how far the caller
 * lets the memory system run ahead of them. */
TEST_ROWS(test_random, 4) {
    uint64_t first = run_randomly((uint32_t)_i, 1);
    for (uint32_t window = 1; window <= 16; window *= 4) {
        recreate();
        ck_assert_uint_eq(run_randomly((uint32_t)_i, window), first);
    }
}

TEST_SUITE("accesses of warps", .set_up = set_up, .tear_down = tear_down);
