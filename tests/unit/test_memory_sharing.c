/* What SMs share of a line that several read: a slice's reads, the GPC's port, copies between
 * partitions, and the count of sectors that nobody asked for. Times are those of the small machine.
 */
#include "memory/l2.h"
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
    INTERVAL = 4,
    SHARE = 20,
    READ = 8 + 1, /* 8 for the request, half a cycle for each sector */
    GPC_PORT = 1,
    SM_PORT = 2,
    BEFORE = 10 + 30,
    AFTER = 15 + 20 + SM_PORT + 5,
    FULL = BEFORE + READ + GPC_PORT + AFTER,
    SHARED = BEFORE + INTERVAL + AFTER,                /* read by another of the GPC */
    READ_BEFORE = BEFORE + INTERVAL + GPC_PORT + AFTER /* by one of another GPC */
};

/* SMs 0 to 2 share a GPC, SM 3 is in another one; all are beside the line's home. Of the readings,
 * the last one's completion is looked at. */
static const struct {
    const char *what;
    struct reading readings[3];
    uint32_t count;
    uint64_t completed;
} shares[] = {
    {"alone", {{0, 0, 2, 0}}, 1, FULL},
    {"together: behind the first one's read", {{0, 0, 2, 0}, {1, 0, 2, 0}}, 2, READ + SHARED},
    {"together, of two GPCs", {{0, 0, 2, 0}, {3, 0, 2, 0}}, 2, READ + READ_BEFORE},
    {"just in time", {{0, 0, 2, 0}, {1, 0, 2, SHARE}}, 2, SHARE + SHARED},
    {"just in time, of two GPCs", {{0, 0, 2, 0}, {3, 0, 2, SHARE}}, 2, SHARE + READ_BEFORE},
    {"a cycle too late", {{0, 0, 2, 0}, {1, 0, 2, SHARE + 1}}, 2, SHARE + 1 + FULL},
    {"each reader keeps it for the next",
     {{0, 0, 2, 0}, {1, 0, 2, SHARE}, {2, 0, 2, 2 * SHARE}},
     3,
     2 * SHARE + SHARED},
    {"of another GPC too",
     {{0, 0, 2, 0}, {3, 0, 2, SHARE}, {1, 0, 2, 2 * SHARE}},
     3,
     2 * SHARE + SHARED},
    {"anew, and not for those of before",
     {{0, 0, 2, 0}, {3, 0, 2, 2 * SHARE}, {1, 0, 2, 3 * SHARE}},
     3,
     3 * SHARE + READ_BEFORE},
    {"other sectors", {{0, 0, 2, 0}, {1, 2, 2, SHARE}}, 2, SHARE + FULL},
};

START_TEST(test_shared_reads) {
    machine.topology.gpc_size[0] = 3;
    machine.topology.gpc_size[1] = 1;
    machine.topology.gpc_partition[1] = 0;
    machine.l2.interval_millicycles = INTERVAL * 1000;
    machine.l2.request_millicycles = 8000;
    machine.l2.share_cycles = SHARE;
    recreate();
    struct boxes boxes = make_boxes(0, TMA_L2_NONE);
    struct tma_completion done[3];
    struct load loads[3], whole = load_of(&boxes, &(struct reading){.count = TMA_SECTORS});
    warm_load(memory, &whole);
    for (uint32_t i = 0; i < shares[_i].count; i++) {
        loads[i] = load_of(&boxes, &shares[_i].readings[i]);
        loads[i].tag = i;
    }
    run_loads(memory, loads, shares[_i].count, done);
    uint64_t cycle = done[shares[_i].count - 1].cycle;
    ck_assert_msg(cycle == shares[_i].completed, "%s: %llu, not %llu", shares[_i].what,
                  (unsigned long long)cycle, (unsigned long long)shares[_i].completed);
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
    tcase_add_loop_test(tests, test_shared_reads, 0, sizeof shares / sizeof *shares);
    tcase_add_test(tests, test_look_up_behind_the_copy);
    tcase_add_loop_test(tests, test_copied_pieces, 0, sizeof pieces / sizeof *pieces);
    tcase_add_loop_test(tests, test_unused_sectors, 0, sizeof uses / sizeof *uses);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
