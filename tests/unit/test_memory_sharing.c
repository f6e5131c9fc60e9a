/* What SMs share of a line that several read: requests, the GPC's port, copies between partitions;
 * and the count of sectors that nobody asked for.
 * Times are those of the small machine. */
#include "memory/l2/tags.h"
#include "small_memory.h"
#include "suite.h"

enum { SECTOR_ELEMENTS = TMA_SECTOR_BYTES / 2 };

/* An SM reads some sectors of the line, so many cycles after the first read. */
struct reading {
    uint32_t sm, first, count;
    uint64_t cycle;
};

/* The boxes of such readings, by their size; the line is row `y` of the matrix. */
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

/* In cycles: two sectors at a slice, in the ports, and what comes before and after them. */
enum {
    READ = 8 + 1, /* 8 for the request, half a cycle for each sector */
    GPC_PORT = 1,
    SM_PORT = 2,
    BEFORE = 10 + 30,
    AFTER = 15 + 20 + SM_PORT + 5,
    FULL = BEFORE + READ + GPC_PORT + AFTER
};

/* SMs 0 to 2 share a GPC, SM 3 is in another one; all are beside the line's home, which is warm. */
static void set_up_readers(struct boxes *boxes) {
    machine.topology.gpc_size[0] = 3;
    machine.topology.gpc_size[1] = 1;
    machine.topology.gpc_partition[1] = 0;
    machine.l2.request_millicycles = 8000;
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

/* Of the readings, the last one's completion is looked at. */
enum { WINDOW = READ + 15 + GPC_PORT }; /* until the first one's answer has passed the port */

static const struct {
    const char *what;
    struct reading readings[4];
    uint32_t count;
    uint64_t completed;
    uint64_t requests; /* that L2 sees */
} coalesced[] = {
    {"alone", {{0, 0, 2, 0}}, 1, FULL, 1},
    {"together", {{0, 0, 2, 0}, {1, 0, 2, 0}}, 2, FULL, 1},
    {"of one SM", {{0, 0, 2, 0}, {0, 0, 2, 0}}, 2, FULL + SM_PORT, 1},
    {"just in time", {{0, 0, 2, 0}, {1, 0, 2, WINDOW - 1}}, 2, FULL, 1},
    {"just in time, of one SM", {{0, 0, 2, 0}, {0, 0, 2, WINDOW - 1}}, 2, FULL + SM_PORT, 1},
    {"a cycle too late", {{0, 0, 2, 0}, {1, 0, 2, WINDOW}}, 2, WINDOW + FULL, 2},
    {"of two GPCs", {{0, 0, 2, 0}, {3, 0, 2, 0}}, 2, READ + FULL, 2},
    {"the third of two", {{0, 0, 2, 0}, {1, 0, 2, 0}, {2, 0, 2, 0}}, 3, READ + FULL, 2},
    {"the fourth goes with the third",
     {{0, 0, 2, 0}, {1, 0, 2, 0}, {2, 0, 2, 0}, {1, 0, 2, 4}},
     4,
     READ + FULL,
     2},
    {"other sectors", {{0, 0, 2, 0}, {1, 2, 2, 0}}, 2, READ + FULL, 2},
    {"some of the sectors", {{0, 0, 2, 0}, {1, 0, 1, 0}}, 2, READ + FULL - 1, 2},
    {"other sectors don't come between", {{0, 0, 2, 0}, {1, 2, 2, 0}, {2, 0, 2, 1}}, 3, FULL, 2},
};

START_TEST(test_coalescing) {
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
END_TEST

/* Prefetches and multicast loads are not answered with others. */
START_TEST(test_not_coalesced) {
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
END_TEST

/* As long as the line is on its way from DRAM, its answer has not come. */
START_TEST(test_joins_what_is_missing) {
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
END_TEST

/* What is answered with another one takes the slice some time all the same. */
START_TEST(test_joining_takes_time) {
    enum { JOIN = 6 };
    struct boxes boxes;
    struct tma_completion done[3];
    machine.crossbar.coalesced_requests = 4;
    machine.l2.join_millicycles = JOIN * 1000;
    set_up_readers(&boxes);
    const struct reading readings[] = {{0, 0, 2, 0}, {1, 0, 2, 0}, {3, 2, 2, 1}};
    run_readings(&boxes, readings, 3, done);
    ck_assert_uint_eq(done[1].cycle, FULL);
    ck_assert_uint_eq(done[2].cycle, READ + JOIN + FULL);
}
END_TEST

/* A slice takes longer for lines that stand for what is out of bounds. */
START_TEST(test_fill_lines) {
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
END_TEST

/* Three ask the near slice for a far line, which takes them at long intervals. The copy is there
 * before the third one's turn: that one is answered after its own look-up all the same. */
START_TEST(test_look_up_behind_the_copy) {
    enum { LONG = 200, LOOKUP = 15, LINE_PORTS = 2 + 4 };
    machine.l2.interval_millicycles = LONG * 1000;
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
END_TEST

/* A far line is copied in pieces as large as a fill from DRAM would be, once each. */
static const struct {
    enum tma_l2_promotion promotion;
    uint32_t sectors;
} pieces[] = {{TMA_L2_NONE, 2}, {TMA_L2_64B, 2}, {TMA_L2_128B, 4}, {TMA_L2_256B, 4}};

START_TEST(test_copied_pieces) {
    uint32_t size = pieces[_i].sectors;
    for (uint32_t first = 0; first < TMA_SECTORS; first++)
        for (uint32_t second = 0; second < TMA_SECTORS; second++) {
            recreate();
            struct boxes boxes = make_boxes(1, pieces[_i].promotion);
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
END_TEST

/* Sectors that were fetched and not asked for by anybody: the home's SMs are 2 and 3, and 0 and 1
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
    {"through the copy that is on its way", {{0, 0, 1, 0}, {0, 1, 1, 0}, {1, 3, 1, 20}}, 3, 1},
    {"at the home, then through the copy",
     {{2, 0, 4, 0}, {0, 0, 1, LATER}, {0, 1, 1, 2 * LATER}},
     3,
     0},
    {"through the copy, then at the home",
     {{0, 0, 1, 0}, {1, 1, 2, LATER}, {2, 0, 3, 2 * LATER}},
     3,
     1},
    {"by turns",
     {{0, 0, 1, 0}, {2, 1, 1, LATER}, {0, 1, 2, 2 * LATER}, {2, 2, 1, 3 * LATER}},
     4,
     1},
};

START_TEST(test_unused_sectors) {
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
END_TEST

int main(void) {
    Suite *suite = suite_create("shared lines");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, test_coalescing, 0, sizeof coalesced / sizeof *coalesced);
    tcase_add_loop_test(tests, test_not_coalesced, 0, 2);
    tcase_add_loop_test(tests, test_joins_what_is_missing, 0, 2);
    tcase_add_test(tests, test_joining_takes_time);
    tcase_add_test(tests, test_fill_lines);
    tcase_add_test(tests, test_look_up_behind_the_copy);
    tcase_add_loop_test(tests, test_copied_pieces, 0, sizeof pieces / sizeof *pieces);
    tcase_add_loop_test(tests, test_unused_sectors, 0, sizeof uses / sizeof *uses);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
