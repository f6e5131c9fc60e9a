/* Lines that several SMs read: merged requests, the GPC's port, copies of the other partition, and
 * the count of unused sectors. Times are those of the small machine. */
#include "memory/core/sectors.h"
#include "small_memory.h"
#include "suite.h"

enum { SECTOR_ELEMENTS = TMA_SECTOR_BYTES / 2 };

/* An SM reads some sectors of the line. */
struct reading {
    uint32_t sm;
    uint32_t first, count; /* sectors */
    uint64_t cycle;        /* after the first reading */
};

/* The tensor maps of such readings, by the number of sectors. The line is row `y` of the matrix. */
struct boxes {
    struct tma_tensor_map maps[TMA_SECTORS + 1];
    int32_t y;
};

static struct boxes make_boxes(uint32_t home, enum tma_l2_promotion promotion) {
    struct boxes boxes;
    for (uint32_t count = 0; count <= TMA_SECTORS; count++) {
        boxes.maps[count] = line_map(1);
        boxes.maps[count].box_dim[0] = count * SECTOR_ELEMENTS;
        boxes.maps[count].l2_promotion = promotion;
    }
    boxes.y = row_at_home(&machine, &boxes.maps[0], home, 0);
    return boxes;
}

static struct load load_of(const struct boxes *boxes, const struct reading *reading) {
    return (struct load){.map = &boxes->maps[reading->count],
                         .sm = reading->sm,
                         .cycle = reading->cycle,
                         .x = (int32_t)(reading->first * SECTOR_ELEMENTS),
                         .y = boxes->y};
}

/* Cycles of two sectors: in a slice, in the ports, and on the way before and after them. */
enum {
    READ = 9, /* of the tags; the data array is faster */
    GPC_PORT = 1,
    SM_PORT = 2,
    BEFORE = 10 + 30,
    AFTER = 15 + 20 + SM_PORT + 5,
    FULL = BEFORE + READ + GPC_PORT + AFTER
};

/* SMs 0 to 2 share a GPC, SM 3 is in another one. All are next to the line's home, which is warm.
 */
static void set_up_readers(struct boxes *boxes) {
    machine.topology.gpc_size[0] = 3;
    machine.topology.gpc_size[1] = 1;
    machine.topology.gpc_partition[1] = 0;
    machine.l2.request_millicycles = READ * 1000;
    recreate();
    *boxes = make_boxes(0, TMA_L2_NONE);
    struct load whole = load_of(boxes, &(struct reading){.count = TMA_SECTORS});
    warm_load(memory, &whole);
}

static void run_readings(const struct boxes *boxes, const struct reading *readings, uint32_t count,
                         struct tma_completion *done) {
    struct load loads[4];
    for (uint32_t i = 0; i < count; i++) {
        loads[i] = load_of(boxes, &readings[i]);
        loads[i].tag = i;
    }
    run_loads(memory, loads, count, done);
}

/* `completed` is the completion of the last reading. */
enum { WINDOW = READ + 15 + GPC_PORT }; /* until the first response has passed the port */

static const struct {
    const char *what;
    struct reading readings[4];
    uint32_t count;
    uint64_t completed;
    uint64_t requests; /* that L2 sees */
} coalesced[] = {
    {"one load", {{0, 0, 2, 0}}, 1, FULL, 1},
    {"two SMs", {{0, 0, 2, 0}, {1, 0, 2, 0}}, 2, FULL, 1},
    {"two loads of an SM", {{0, 0, 2, 0}, {0, 0, 2, 0}}, 2, FULL + SM_PORT, 1},
    {"at t - 1: the response has not passed the port",
     {{0, 0, 2, 0}, {1, 0, 2, WINDOW - 1}},
     2,
     FULL,
     1},
    {"at t - 1, of one SM", {{0, 0, 2, 0}, {0, 0, 2, WINDOW - 1}}, 2, FULL + SM_PORT, 1},
    {"at t: the response has passed the port",
     {{0, 0, 2, 0}, {1, 0, 2, WINDOW}},
     2,
     WINDOW + FULL,
     2},
    {"two GPCs", {{0, 0, 2, 0}, {3, 0, 2, 0}}, 2, READ + FULL, 2},
    {"one more than may be merged", {{0, 0, 2, 0}, {1, 0, 2, 0}, {2, 0, 2, 0}}, 3, READ + FULL, 2},
    {"the fourth is merged into the third",
     {{0, 0, 2, 0}, {1, 0, 2, 0}, {2, 0, 2, 0}, {1, 0, 2, 4}},
     4,
     READ + FULL,
     2},
    {"other sectors", {{0, 0, 2, 0}, {1, 2, 2, 0}}, 2, READ + FULL, 2},
    {"some of the sectors", {{0, 0, 2, 0}, {1, 0, 1, 0}}, 2, READ + FULL - 1, 2},
    {"other sectors in between", {{0, 0, 2, 0}, {1, 2, 2, 0}, {2, 0, 2, 1}}, 3, 2 * READ + FULL, 3},
};

TEST_ROWS(test_merged_loads, TABLE_ROWS(coalesced)) {
    struct boxes boxes;
    struct tma_completion done[4];
    uint32_t count = coalesced[_i].count;
    machine.crossbar.coalesced_requests = 2;
    set_up_readers(&boxes);
    run_readings(&boxes, coalesced[_i].readings, count, done);
    ck_assert_msg(done[count - 1].cycle == coalesced[_i].completed, "%s: %llu, not %llu",
                  coalesced[_i].what, (unsigned long long)done[count - 1].cycle,
                  (unsigned long long)coalesced[_i].completed);
    ck_assert_uint_eq(tma_memory_count(memory).requests, coalesced[_i].requests);
    for (uint32_t i = 0; i < count; i++)
        ck_assert_uint_eq(done[i].l2_cycles + done[i].dram_cycles + done[i].crossbar_cycles +
                              done[i].crossbar_wait_cycles,
                          done[i].arrival_cycle - done[i].sent_cycle);
}

/* Prefetches and multicast loads are never merged. */
TEST_ROWS(test_loads_that_are_never_merged, 2) {
    static const uint32_t copies[] = {1};
    machine.crossbar.coalesced_requests = 4;
    struct boxes boxes;
    set_up_readers(&boxes);
    struct load loads[2] = {load_of(&boxes, &(struct reading){0, 0, 2, 0}),
                            load_of(&boxes, &(struct reading){2, 0, 2, 0})};
    struct tma_completion done[3];
    loads[1].tag = 1;
    if (_i == 0)
        loads[1].direction = TMA_PREFETCH;
    else {
        loads[1].copies = copies;
        loads[1].copy_count = 1;
    }
    issue_load(memory, &loads[0]);
    issue_load(memory, &loads[1]);
    ck_assert(tma_memory_drain(memory));
    for (uint32_t i = 0; tma_memory_take(memory, &done[i]); i++)
        ck_assert_uint_lt(i, 3);
    ck_assert_uint_eq(tma_memory_count(memory).requests, 2);
}

/* A load is outstanding also while its line comes from DRAM: mergeable at t - 1, not at t. */
TEST_ROWS(test_merges_during_a_miss, 2) {
    const struct reading first = {0, 0, 2, 0};
    struct boxes boxes = make_boxes(0, TMA_L2_NONE);
    struct load alone = load_of(&boxes, &first);
    uint64_t passed = run_load(memory, &alone).cycle - 20 - SM_PORT - 5;
    struct tma_completion done[2];
    machine.crossbar.coalesced_requests = 4;
    recreate();
    ck_assert_uint_gt(passed, BEFORE + 100);
    const struct reading readings[] = {first, {1, 0, 2, passed - BEFORE - 1 + (uint64_t)_i}};
    run_readings(&boxes, readings, 2, done);
    ck_assert_uint_eq(tma_memory_count(memory).requests, _i == 0 ? 1 : 2);
    ck_assert_uint_eq(tma_memory_count(memory).fills, 1);
}

/* What a slice reads once, in two sectors, two SMs get. It reads the sectors again for a third SM,
 * and for an SM that has got them. */
static const struct {
    uint32_t sms[3], count;
    uint64_t busy;
} merged[] = {
    {{0}, 1, READ}, {{0, 1}, 2, READ}, {{0, 1, 2}, 3, 16}, {{0, 0}, 2, 16}, {{0, 1, 1}, 3, 16},
};

TEST_ROWS(test_merged_loads_occupy_the_slice, TABLE_ROWS(merged)) {
    enum { SECTOR = 4 };
    struct boxes boxes;
    struct reading readings[3];
    struct tma_completion done[3];
    machine.crossbar.coalesced_requests = 4;
    machine.l2.sector_millicycles = SECTOR * 1000;
    set_up_readers(&boxes);
    for (uint32_t i = 0; i < merged[_i].count; i++)
        readings[i] = (struct reading){merged[_i].sms[i], 0, 2, 0};
    run_readings(&boxes, readings, merged[_i].count, done);
    ck_assert_uint_eq(tma_memory_count(memory).requests, 1);
    ck_assert_uint_eq(tma_memory_count(memory).slice_busy, merged[_i].busy);
}

/* A slice takes longer for a fill line, which stands for rows that are out of bounds. */
TEST(test_fill_lines_take_longer) {
    enum { FILL = 35 };
    struct boxes boxes;
    struct tma_completion done[2];
    const struct reading readings[] = {{0, 0, 2, 0}, {3, 0, 2, 0}};
    machine.l2.fill_millicycles = FILL * 1000;
    set_up_readers(&boxes);
    boxes.y = -1;
    struct load warm = load_of(&boxes, &readings[0]);
    warm_load(memory, &warm);
    run_readings(&boxes, readings, 2, done);
    ck_assert_uint_eq(done[0].cycle, FILL - READ + FULL);
    ck_assert_uint_eq(done[1].cycle, 2 * FILL - READ + FULL);
}

/* Three loads ask the near slice, which takes a request every LONG cycles, for a line of the other
 * partition. The copy is present before the look-up of the third load, which is served after its
 * own look-up. */
TEST(test_look_up_behind_the_copy) {
    enum { LONG = 200, LOOKUP = 15, LINE_PORTS = 2 + 4 };
    machine.l2.request_millicycles = LONG * 1000;
    recreate();
    struct boxes boxes = make_boxes(1, TMA_L2_NONE);
    const struct reading reading = {.count = TMA_SECTORS};
    struct tma_completion done[3];
    struct load loads[3];
    for (uint32_t i = 0; i < 3; i++) {
        loads[i] = load_of(&boxes, &reading);
        loads[i].sm = i % 2;
        loads[i].tag = i;
    }
    loads[0].sm = 2;
    warm_load(memory, &loads[0]);
    loads[0].sm = 0;
    run_loads(memory, loads, 3, done);
    ck_assert_uint_eq(done[2].cycle, BEFORE + 3 * LONG + LOOKUP + 20 + LINE_PORTS + 5);
}

/* A line of the other partition is copied in blocks as large as a fill from DRAM, once each. */
static const struct {
    enum tma_l2_promotion promotion;
    uint32_t sectors;
} copied[] = {{TMA_L2_NONE, 2}, {TMA_L2_64B, 2}, {TMA_L2_128B, 4}, {TMA_L2_256B, 4}};

TEST_ROWS(test_copied_blocks, TABLE_ROWS(copied)) {
    uint32_t size = copied[_i].sectors;
    for (uint32_t first = 0; first < TMA_SECTORS; first++)
        for (uint32_t second = 0; second < TMA_SECTORS; second++) {
            recreate();
            struct boxes boxes = make_boxes(1, copied[_i].promotion);
            struct load warm = load_of(&boxes, &(struct reading){.sm = 2, .count = TMA_SECTORS});
            struct load loads[2] = {load_of(&boxes, &(struct reading){0, first, 1, 0}),
                                    load_of(&boxes, &(struct reading){1, second, 1, 1000})};
            warm_load(memory, &warm);
            ck_assert_uint_eq(run_load(memory, &loads[0]).miss_sectors, 0);
            ck_assert_uint_eq(tma_memory_count(memory).partition_sectors, size);
            ck_assert_uint_eq(run_load(memory, &loads[1]).miss_sectors, 0);
            ck_assert_uint_eq(tma_memory_count(memory).partition_sectors,
                              first / size == second / size ? size : 2 * size);
        }
}

/* Sectors that were fetched and that no SM asked for. SMs 2 and 3 are next to the home, SMs 0 and 1
 * read copies. Promotion is to 128 bytes. */
enum { LATER = 1000 };

static const struct {
    const char *what;
    struct reading readings[4];
    uint32_t count;
    uint64_t unused;
} uses[] = {
    {"one at the home", {{2, 0, 1, 0}}, 1, 3},
    {"one through a copy", {{0, 0, 1, 0}}, 1, 3},
    {"all at the home", {{2, 0, 1, 0}, {3, 1, 3, LATER}}, 2, 0},
    {"all through the copy", {{0, 0, 1, 0}, {1, 1, 3, LATER}}, 2, 0},
    {"through the copy during its fill", {{0, 0, 1, 0}, {0, 1, 1, 0}, {1, 3, 1, 20}}, 3, 1},
    {"at the home, then through the copy",
     {{2, 0, 4, 0}, {0, 0, 1, LATER}, {0, 1, 1, 2 * LATER}},
     3,
     0},
    {"through the copy, then at the home",
     {{0, 0, 1, 0}, {1, 1, 2, LATER}, {2, 0, 3, 2 * LATER}},
     3,
     1},
    {"home and copy in turn",
     {{0, 0, 1, 0}, {2, 1, 1, LATER}, {0, 1, 2, 2 * LATER}, {2, 2, 1, 3 * LATER}},
     4,
     1},
};

TEST_ROWS(test_unused_sectors, TABLE_ROWS(uses)) {
    struct boxes boxes = make_boxes(1, TMA_L2_128B);
    struct tma_completion done[4];
    struct load loads[4];
    for (uint32_t i = 0; i < uses[_i].count; i++) {
        loads[i] = load_of(&boxes, &uses[_i].readings[i]);
        loads[i].tag = i;
    }
    run_loads(memory, loads, uses[_i].count, done);
    struct tma_memory_counters counters = tma_memory_count(memory);
    ck_assert_uint_eq(counters.fill_sectors, TMA_SECTORS);
    ck_assert_msg(counters.unused_sectors == uses[_i].unused, "%s: %lld, not %lld", uses[_i].what,
                  (long long)counters.unused_sectors, (long long)uses[_i].unused);
}

TEST_SUITE("shared lines", .set_up = set_up, .tear_down = tear_down);
