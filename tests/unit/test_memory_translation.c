/* The TLBs. Times are those of the small machine, whose GPCs have one CPC each. */
#include "machine.h"
#include "suite.h"
#include "traffic.h"

enum { MISS = 40, FAR = 10, WALK = 200, INTERVAL = 50, BLOCK_LINES = (1 << 20) / TMA_LINE_BYTES };

static struct tma_machine machine;
static struct tma_memory *memory;

static void set_up(void) {
    machine = small_machine();
    machine.tlb.start = TMA_TRANSLATION_cold;
    ck_assert_int_eq(tma_memory_create(&memory, &machine, NULL), TMA_OK);
}

static void tear_down(void) {
    ck_assert(tma_memory_drain(memory));
    ck_assert(tma_memory_is_conserved(memory, UINT32_MAX));
    tma_memory_free(memory);
}

/* A line of a block whose home is next to SM 0. */
static uint64_t line_in(uint64_t block) {
    struct tma_address_map map = tma_address_map_of(&machine);
    uint64_t line = block * BLOCK_LINES;
    while (tma_locate(&map, line).server.home != 0)
        line++;
    return line;
}

/* An SM accesses a line in each of `count` blocks from `first` on, all at once. Returns how many
 * cycles that takes. */
static uint64_t run(uint32_t sm, enum tma_access_kind kind, uint64_t first, uint32_t count) {
    struct tma_access_completion done;
    struct tma_access access = {.cycle = tma_memory_now(memory) + 2000,
                                .sm = sm,
                                .kind = kind,
                                .caching = TMA_CACHING_L2,
                                .wavefronts = 1,
                                .line_count = count};
    for (uint32_t i = 0; i < count; i++)
        access.lines[i] = (struct tma_access_line){.line = line_in(first + i), .sectors = 1};
    ck_assert(tma_memory_access(memory, &access));
    ck_assert(tma_memory_drain(memory));
    ck_assert(tma_memory_take_access(memory, &done));
    return done.cycle - access.cycle;
}

/* The first access of a block walks; another CPC asks the TLB of the GPU; then both have it. */
TEST(test_levels) {
    static const uint32_t sms[] = {0, 0, 1, 2, 3, 0}, misses[] = {1, 1, 1, 2, 2, 2};
    for (int i = 0; i < 6; i++) {
        run(sms[i], TMA_ACCESS_LOAD, 5, 1);
        ck_assert_uint_eq(tma_memory_count(memory).tlb_misses, misses[i]);
        ck_assert_uint_eq(tma_memory_count(memory).tlb_walks, 1);
    }
}

/* SM 2 lies in a GPC next to partition 1. */
TEST(test_far) {
    run(0, TMA_ACCESS_STORE, 5, 1);
    uint64_t missed = run(2, TMA_ACCESS_STORE, 5, 1), found = run(2, TMA_ACCESS_STORE, 5, 1);
    ck_assert_uint_eq(missed - found, MISS + FAR);
}

/* Walks follow each other; a CPC waits for two translations at once. */
TEST(test_several) {
    uint64_t one = run(0, TMA_ACCESS_STORE, 5, 1), two = run(0, TMA_ACCESS_STORE, 15, 2),
             three = run(0, TMA_ACCESS_STORE, 25, 3);
    ck_assert_uint_eq(two - one, INTERVAL);
    ck_assert_uint_eq(three - one, MISS + WALK);
}

/* Loads of the TMA unit wait too, and those behind them do not. */
TEST(test_tma) {
    struct tma_tensor_map map = line_map(1);
    struct load load = {.map = &map};
    struct tma_completion done[2];
    load.y = row_at_home(&machine, &map, 0, 0);
    warm_load(memory, &load);
    load.cycle = 1000;
    uint64_t first = run_load(memory, &load).cycle - load.cycle;
    struct load loads[2] = {load, load};
    loads[1].tag = 1;
    loads[0].cycle = loads[1].cycle = 3000;
    run_loads(memory, loads, 2, done);
    ck_assert_uint_eq(first - (done[0].cycle - 3000), MISS + WALK);
}

/* Where the TLBs have all, nothing waits. */
TEST(test_warm) {
    uint64_t cold = run(0, TMA_ACCESS_STORE, 5, 1),
             cold_counts = tma_memory_count(memory).tlb_misses;
    tma_memory_free(memory);
    machine.tlb.start = TMA_TRANSLATION_warm;
    ck_assert_int_eq(tma_memory_create(&memory, &machine, NULL), TMA_OK);
    ck_assert_uint_eq(cold - run(0, TMA_ACCESS_STORE, 5, 1), MISS + WALK);
    ck_assert_uint_eq(cold_counts, 1);
    ck_assert_uint_eq(tma_memory_count(memory).tlb_misses, 0);
}

TEST_SUITE("translation", .set_up = set_up, .tear_down = tear_down);
