/* Promotion to 256 bytes: which accesses fetch the second line of their block, and what is counted.
 * In the small machine, SMs 0 and 1 are next to partition 0, SMs 2 and 3 to partition 1. */
#include "memory/l2/promotion.h"
#include "small_memory.h"
#include "suite.h"

enum { SECTOR_ELEMENTS = TMA_SECTOR_BYTES / 2, NOTHING = 0, FIRST = 1, SECOND = 2, BOTH = 3 };

static struct tma_tensor_map sector_map(void) {
    struct tma_tensor_map map = line_map(1);
    map.box_dim[0] = SECTOR_ELEMENTS;
    map.l2_promotion = TMA_L2_256B;
    return map;
}

/* Warms some of a block's two lines (bit mask) at their home, without copies. */
static void leave_lines(const struct tma_tensor_map *map, uint32_t home, int32_t y,
                        uint32_t lines) {
    struct tma_tensor_map single = *map;
    single.l2_promotion = TMA_L2_128B;
    for (int32_t i = 0; i < 2; i++)
        if ((lines & 1u << i) != 0)
            warm_load(memory, &(struct load){.map = &single, .sm = 2 * home, .y = y + i});
}

/* SM 0 reads one sector of a block. */
static const struct {
    const char *what;
    enum tma_direction direction;
    uint32_t home, line, sector;
    uint32_t there; /* lines of the block that are present before: bit mask */
    uint64_t requests, sectors, fills, miss_sectors, lookup_miss_sectors, partition_sectors;
} blocks[] = {
    {"near", TMA_LOAD, 0, 0, 0, NOTHING, 2, 5, 2, 5, 8, 0},
    {"near, not the first sector", TMA_LOAD, 0, 0, 1, NOTHING, 1, 1, 1, 1, 4, 0},
    {"near, the last sector", TMA_LOAD, 0, 0, 3, NOTHING, 1, 1, 1, 1, 4, 0},
    {"near, a sector of the second line", TMA_LOAD, 0, 1, 0, NOTHING, 1, 1, 1, 1, 4, 0},
    {"near, a hit", TMA_LOAD, 0, 0, 0, FIRST, 1, 1, 0, 0, 0, 0},
    {"near, the second line is present", TMA_LOAD, 0, 0, 0, SECOND, 1, 1, 1, 1, 4, 0},
    {"far", TMA_LOAD, 1, 0, 0, NOTHING, 1, 1, 2, 1, 4, 4},
    {"far, not the first sector", TMA_LOAD, 1, 0, 1, NOTHING, 1, 1, 1, 1, 4, 4},
    {"far, a sector of the second line", TMA_LOAD, 1, 1, 0, NOTHING, 1, 1, 1, 1, 4, 4},
    {"far, a hit at the home", TMA_LOAD, 1, 0, 0, FIRST, 1, 1, 0, 0, 4, 4},
    {"far, the second line is present", TMA_LOAD, 1, 0, 0, SECOND, 1, 1, 1, 1, 4, 4},
    /* A prefetch's promotion is a request also for a line that is present. */
    {"prefetch, near", TMA_PREFETCH, 0, 0, 0, NOTHING, 2, 5, 2, 5, 8, 0},
    {"prefetch, near, not the first sector", TMA_PREFETCH, 0, 0, 1, NOTHING, 1, 1, 1, 1, 4, 0},
    {"prefetch, near, a hit", TMA_PREFETCH, 0, 0, 0, BOTH, 1, 1, 0, 0, 0, 0},
    {"prefetch, near, the second line is present", TMA_PREFETCH, 0, 0, 0, SECOND, 2, 5, 1, 1, 4, 0},
    /* A prefetch makes no copy in the near partition, which counts all that it asked for. */
    {"prefetch, far", TMA_PREFETCH, 1, 0, 0, NOTHING, 2, 5, 2, 1, 5, 0},
    {"prefetch, far, not the first sector", TMA_PREFETCH, 1, 0, 1, NOTHING, 1, 1, 1, 1, 1, 0},
    {"prefetch, far, a sector of the second line", TMA_PREFETCH, 1, 1, 0, NOTHING, 1, 1, 1, 1, 1,
     0},
    {"prefetch, far, a hit at the home", TMA_PREFETCH, 1, 0, 0, BOTH, 2, 5, 0, 0, 5, 0},
};

TEST_ROWS(test_block, TABLE_ROWS(blocks)) {
    struct tma_tensor_map map = sector_map();
    int32_t y = row_at_home(&machine, &map, blocks[_i].home, 0);
    leave_lines(&map, blocks[_i].home, y, blocks[_i].there);
    issue_load(memory, &(struct load){.map = &map,
                                      .direction = blocks[_i].direction,
                                      .x = (int32_t)blocks[_i].sector * SECTOR_ELEMENTS,
                                      .y = y + (int32_t)blocks[_i].line});
    ck_assert(tma_memory_drain(memory));
    struct tma_memory_counters counters = tma_memory_count(memory);
    ck_assert_msg(counters.requests == blocks[_i].requests, "%s: %llu requests", blocks[_i].what,
                  (unsigned long long)counters.requests);
    ck_assert_msg(counters.fills == blocks[_i].fills, "%s: %llu fills", blocks[_i].what,
                  (unsigned long long)counters.fills);
    ck_assert_uint_eq(counters.sectors, blocks[_i].sectors);
    ck_assert_uint_eq(counters.fill_sectors, 4 * blocks[_i].fills);
    ck_assert_uint_eq(counters.miss_sectors, blocks[_i].miss_sectors);
    ck_assert_uint_eq(counters.lookup_miss_sectors, blocks[_i].lookup_miss_sectors);
    ck_assert_uint_eq(counters.partition_sectors, blocks[_i].partition_sectors);
}

/* A request promotes its block if it asks for the first sector. */
static const struct {
    uint32_t first, count; /* sectors */
    uint64_t fills;
} requests[] = {{0, 1, 2}, {0, 2, 2}, {0, 4, 2}, {1, 1, 1}, {1, 3, 1}, {2, 2, 1}, {3, 1, 1}};

TEST_ROWS(test_first_sector, TABLE_ROWS(requests)) {
    struct tma_tensor_map map = sector_map();
    map.box_dim[0] = requests[_i].count * SECTOR_ELEMENTS;
    struct load load = {.map = &map, .x = (int32_t)requests[_i].first * SECTOR_ELEMENTS};
    ck_assert_uint_eq(run_load(memory, &load).fills, requests[_i].fills);
}

/* The kernel before promoted, too: it left the second line of a block whose first sector it loaded,
 * but only if the first line was missing, and no second line with the policy `none`. */
static const struct {
    enum tma_promotion policy;
    enum tma_l2_promotion promotion;
    uint32_t home, sector, there;
    uint64_t fills; /* of a load of the second line */
} earlier[] = {
    {TMA_PROMOTION_first_sector, TMA_L2_256B, 0, 0, NOTHING, 0},
    {TMA_PROMOTION_first_sector, TMA_L2_256B, 1, 0, NOTHING, 0},
    {TMA_PROMOTION_first_sector, TMA_L2_256B, 0, 1, NOTHING, 1},
    {TMA_PROMOTION_first_sector, TMA_L2_128B, 0, 0, NOTHING, 1},
    {TMA_PROMOTION_first_sector, TMA_L2_256B, 0, 0, FIRST, 1},
    {TMA_PROMOTION_first_sector, TMA_L2_256B, 1, 0, FIRST, 1},
    {TMA_PROMOTION_none, TMA_L2_256B, 0, 0, NOTHING, 1},
    {TMA_PROMOTION_none, TMA_L2_256B, 1, 0, NOTHING, 1},
};

TEST_ROWS(test_earlier_kernel, TABLE_ROWS(earlier)) {
    struct tma_tensor_map map = sector_map();
    machine.l2.promotion = earlier[_i].policy;
    recreate();
    int32_t y = row_at_home(&machine, &map, earlier[_i].home, 0);
    leave_lines(&map, earlier[_i].home, y, earlier[_i].there);
    map.l2_promotion = earlier[_i].promotion;
    warm_load(memory, &(struct load){
                          .map = &map, .x = (int32_t)earlier[_i].sector * SECTOR_ELEMENTS, .y = y});
    struct load second = {.map = &map, .sm = 2 * earlier[_i].home, .y = y + 1};
    ck_assert_uint_eq(run_load(memory, &second).fills, earlier[_i].fills);
}

/* DRAM brings the second line of a block first: the first line arrives after its four bursts, which
 * are tCCD_L apart. */
static const struct {
    const char *what;
    uint32_t home, line, there;
    uint64_t later;
} orders[] = {
    {"near", 0, 0, NOTHING, 4 * 6},        {"far", 1, 0, NOTHING, 4 * 6},
    {"the second line", 0, 1, NOTHING, 0}, {"near, the second line is present", 0, 0, SECOND, 0},
    {"near, a hit", 0, 0, FIRST, 0},
};

TEST_ROWS(test_second_line_comes_first, TABLE_ROWS(orders)) {
    uint64_t cycles[2];
    for (int i = 0; i < 2; i++) {
        struct tma_tensor_map map = line_map(1);
        int32_t y = row_at_home(&machine, &map, orders[_i].home, 0);
        recreate();
        leave_lines(&map, orders[_i].home, y, orders[_i].there);
        map.l2_promotion = i == 0 ? TMA_L2_128B : TMA_L2_256B;
        struct load load = {.map = &map, .y = y + (int32_t)orders[_i].line};
        cycles[i] = run_load(memory, &load).cycle;
    }
    ck_assert_msg(cycles[1] - cycles[0] == orders[_i].later, "%s: %llu cycles", orders[_i].what,
                  (unsigned long long)(cycles[1] - cycles[0]));
}

/* What DRAM and the other partition bring occupies the slices that it goes to. */
static const struct {
    uint32_t home;
    uint64_t slices; /* that take the line's four sectors */
} taken[] = {{0, 1}, {1, 2}};

TEST_ROWS(test_fills_occupy_their_slices, TABLE_ROWS(taken)) {
    uint64_t busy[2];
    struct tma_tensor_map map = line_map(1);
    int32_t y = row_at_home(&machine, &map, taken[_i].home, 0);
    map.l2_promotion = TMA_L2_128B;
    for (uint32_t cycles = 0; cycles < 2; cycles++) {
        machine.l2.fill_sector_millicycles = 1000 * cycles;
        machine.l2.sector_millicycles = 0; /* the tags are busier than the data array */
        recreate();
        run_load(memory, &(struct load){.map = &map, .y = y});
        ck_assert(tma_memory_drain(memory));
        busy[cycles] = tma_memory_count(memory).slice_busy;
    }
    ck_assert_uint_eq(busy[1] - busy[0], TMA_SECTORS * taken[_i].slices);
}

/* What DRAM brings passes the slice's port from there, sector by sector. */
TEST(test_fills_pass_the_port_from_dram) {
    enum { CYCLES = 5 };
    uint64_t cycles[2];
    struct tma_tensor_map map = line_map(1);
    int32_t y = row_at_home(&machine, &map, 0, 0);
    map.l2_promotion = TMA_L2_128B;
    for (uint32_t i = 0; i < 2; i++) {
        machine.l2.fill_flit_millicycles = 1000 * CYCLES * i;
        recreate();
        cycles[i] = run_load(memory, &(struct load){.map = &map, .y = y}).cycle;
    }
    ck_assert_uint_eq(cycles[1] - cycles[0], CYCLES * TMA_SECTORS);
}

/* A read that promotes to 256 bytes looks up both lines of its block, also where L2 has them. */
static const struct {
    enum tma_l2_promotion promotion;
    enum tma_promotion policy;
    uint64_t pairs; /* that the slice looks up */
} looked_up[] = {
    {TMA_L2_256B, TMA_PROMOTION_first_sector, 1},
    {TMA_L2_128B, TMA_PROMOTION_first_sector, 0},
    {TMA_L2_256B, TMA_PROMOTION_none, 0},
};

TEST_ROWS(test_pair_occupies_its_slice, TABLE_ROWS(looked_up)) {
    enum { CYCLES = 3 };
    struct tma_tensor_map map = sector_map();
    int32_t y = row_at_home(&machine, &map, 0, 0);
    map.l2_promotion = looked_up[_i].promotion;
    machine.l2.promotion = looked_up[_i].policy;
    machine.l2.request_millicycles = 1000 * CYCLES;
    recreate();
    leave_lines(&map, 0, y, BOTH);
    run_load(memory, &(struct load){.map = &map, .y = y});
    ck_assert_uint_eq(tma_memory_count(memory).slice_busy, CYCLES * (1 + looked_up[_i].pairs));
}

/* The first row from `row` on whose line is in the same slice as the line of row `as`. */
static int32_t row_of_slice(const struct tma_tensor_map *map, int32_t as, int32_t row) {
    struct tma_address_map address_map = tma_address_map_of(&machine);
    struct tma_line_location location = tma_locate(&address_map, line_of_row(map, (uint32_t)as)),
                             other;
    do
        other = tma_locate(&address_map, line_of_row(map, (uint32_t)row++));
    while (other.server.home != location.server.home || other.slice != location.slice);
    return row - 1;
}

/* The cycle at which a load of a sector ends whose line comes from DRAM behind one of the same
 * slice. `waiting`: a load waits for another sector of the line before. */
static uint64_t end_of_next_line(bool waiting, uint32_t replay_cycles) {
    struct tma_tensor_map map = sector_map();
    struct tma_completion done[3];
    map.l2_promotion = TMA_L2_128B;
    int32_t y = row_at_home(&machine, &map, 0, 0);
    machine.l2.replay_millicycles = 1000 * replay_cycles;
    recreate();
    run_loads(memory,
              (struct load[]){{.map = &map, .y = y, .tag = 0},
                              {.map = &map, .y = row_of_slice(&map, y, y + 1), .tag = 1},
                              {.map = &map, .x = SECTOR_ELEMENTS, .y = y, .tag = 2}},
              waiting ? 3 : 2, done);
    return done[1].cycle;
}

/* A line that a further load waits for takes the slice's port from DRAM longer: the next line comes
 * later. */
TEST(test_replay) {
    enum { LONG = 1000 };
    ck_assert_uint_eq(end_of_next_line(false, LONG), end_of_next_line(false, 0));
    ck_assert_uint_gt(end_of_next_line(true, LONG), end_of_next_line(true, 0) + LONG / 2);
}

/* A promotion from the other partition is dropped if it would wait in the slice of the second line
 * for more than `wait` cycles. A promotion of the own partition is never dropped. A slice takes
 * `look_up` cycles for a line. SM 1 reads the block, for which the slice in its partition looks up
 * two lines. SM 0 reads another line of the slice of the second one, which so is looked up at the
 * home a cycle before the promotion arrives there. */
static const struct {
    uint32_t home, look_up, wait;
    uint64_t fills;
} waits[] = {
    {1, 20, 17, 1}, {1, 20, 18, 2}, {1, 4, 1, 1}, {1, 4, 2, 2}, {0, 1000, 0, 2},
};

TEST_ROWS(test_busy_home, TABLE_ROWS(waits)) {
    machine.l2.request_millicycles = waits[_i].look_up * 1000;
    machine.l2.promotion_wait_cycles = waits[_i].wait;
    recreate();
    struct tma_tensor_map map = sector_map();
    int32_t y = row_at_home(&machine, &map, waits[_i].home, 0);
    struct load loads[2] = {{.map = &map, .sm = 1, .y = y},
                            {.map = &map,
                             .sm = 0,
                             .cycle = waits[_i].look_up - 1,
                             .x = SECTOR_ELEMENTS,
                             .y = row_of_slice(&map, y + 1, y + 2),
                             .tag = 1}};
    struct tma_completion done[2];
    run_loads(memory, loads, 2, done);
    ck_assert_uint_eq(done[0].fills, waits[_i].fills);
}

enum {
    READ = 10 + 30 + 15 + 20 + 5, /* a load of one sector, without the slice and the ports */
    SLICE = 2,                    /* a request and a sector: 1.5 cycles */
    PORTS = 1 + 1,
    HIT = READ + SLICE + PORTS,
    ACROSS = 25 + 15 + 25 + 3 /* the slice reads all four sectors for the copy */
};

/* The latency of a load of SM `sm` after a prefetch of another SM. */
static const struct {
    uint32_t prefetcher, home, sm;
    uint64_t latency;
} prefetched[] = {
    {0, 0, 0, HIT},          {0, 1, 2, HIT},
    {2, 1, 2, HIT},          {0, 1, 0, HIT + ACROSS}, /* there is no copy */
    {2, 1, 0, HIT + ACROSS}, {2, 0, 0, HIT},
};

TEST_ROWS(test_prefetch_leaves_no_copy, TABLE_ROWS(prefetched)) {
    struct tma_tensor_map map = sector_map();
    struct load load = {.map = &map,
                        .sm = prefetched[_i].prefetcher,
                        .direction = TMA_PREFETCH,
                        .y = row_at_home(&machine, &map, prefetched[_i].home, 0)};
    run_load(memory, &load);
    load.direction = TMA_LOAD;
    load.cycle = 1000;
    load.sm = prefetched[_i].sm;
    struct tma_completion done = run_load(memory, &load);
    ck_assert_uint_eq(done.cycle, 1000 + prefetched[_i].latency);
    ck_assert_uint_eq(done.miss_sectors, 0);
    ck_assert_uint_eq(tma_memory_count(memory).partition_sectors,
                      prefetched[_i].latency == HIT ? 0 : 4);
}

/* Both lines of a block come from DRAM in one access. A load of the second line that waits gets it
 * right behind the first one: their responses take the GPC's port 2 cycles each. */
TEST(test_block_is_one_access) {
    machine.dram.trcd_ps = 0;
    recreate();
    struct tma_tensor_map map = line_map(1);
    map.l2_promotion = TMA_L2_256B;
    int32_t y = row_at_home(&machine, &map, 0, 0);
    struct load loads[2] = {{.map = &map, .sm = 0, .y = y},
                            {.map = &map, .sm = 1, .cycle = 5, .y = y + 1, .tag = 1}};
    struct tma_completion done[2];
    run_loads(memory, loads, 2, done);
    ck_assert_uint_eq(done[1].cycle - done[0].cycle, 2);
    ck_assert_uint_eq(tma_memory_count(memory).dram_read_sectors, 2 * TMA_SECTORS);
}

/* The policy `first_sector`: an even line whose first sector is among those of the request. The
 * policy `none`: no request. */
TEST_ROWS(test_policies, TMA_PROMOTION_COUNT) {
    const struct tma_promotion_policy *policy = tma_promotion_policy((enum tma_promotion)_i);
    for (uint64_t line = 0; line < 8; line++)
        for (uint32_t sectors = 1; sectors <= TMA_ALL_SECTORS; sectors++) {
            const struct tma_packet packet = {
                .line = line, .sectors = sectors & 15u, .promotion = TMA_L2_256B};
            bool first = line % 2 == 0 && (sectors & 1u) != 0;
            ck_assert_int_eq(tma_promotes(policy, &packet),
                             first && _i == TMA_PROMOTION_first_sector);
        }
}

/* Runs the case of test_block with a number. Returns all that is counted. */
static struct tma_memory_counters count_block(int number, enum tma_l2_promotion promotion) {
    struct tma_tensor_map map = sector_map();
    map.l2_promotion = promotion;
    recreate();
    int32_t y = row_at_home(&machine, &map, blocks[number].home, 0);
    leave_lines(&map, blocks[number].home, y, blocks[number].there);
    issue_load(memory, &(struct load){.map = &map,
                                      .direction = blocks[number].direction,
                                      .x = (int32_t)blocks[number].sector * SECTOR_ELEMENTS,
                                      .y = y + (int32_t)blocks[number].line});
    ck_assert(tma_memory_drain(memory));
    return tma_memory_count(memory);
}

/* With the policy `none` there is no fill for a promotion: promotion to 256 bytes counts as
 * promotion to 128 bytes does. */
TEST_ROWS(test_none_makes_no_promotion_fills, TABLE_ROWS(blocks)) {
    bool present = (blocks[_i].there & 1u << blocks[_i].line) != 0;
    machine.l2.promotion = TMA_PROMOTION_none;
    struct tma_memory_counters none = count_block(_i, TMA_L2_256B);
    struct tma_memory_counters smaller = count_block(_i, TMA_L2_128B);
    ck_assert_uint_eq(none.fills, present ? 0 : 1);
    ck_assert_uint_eq(none.fill_sectors, present ? 0 : TMA_SECTORS);
    ck_assert_uint_eq(none.requests, 1);
    ck_assert_mem_eq(&none, &smaller, sizeof none);
}

TEST_SUITE("promotion", .set_up = set_up, .tear_down = tear_down);
