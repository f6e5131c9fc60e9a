/* Stores and reductions: what reading their requests from shared memory takes the TMA unit, what
 * writing them takes L2; and letting what nobody waits for run out. Times are of the small machine,
 * in which a store's sector is read in 1 cycle, and part of one in 2 more; a reduction's request in
 * 1 cycle, and each sector in 1.5 more. */
#include "machine.h"
#include "suite.h"
#include "tensormap/types.h"
#include "traffic.h"

enum { ISSUE = 10, ROWS = 8, STORED = 6, REDUCED = 9 };

static struct tma_machine machine;
static struct tma_memory *memory;

static void set_up(void) {
    machine = small_machine();
    machine.tma.write_requests = 64; /* no request waits for another to be written */
    machine.l2.reduce_sector_millicycles = 2000;
    ck_assert_int_eq(tma_memory_create(&memory, &machine, NULL), TMA_OK);
}

static void tear_down(void) {
    tma_memory_free(memory);
}

static void recreate(void) {
    tma_memory_free(memory);
    ck_assert_int_eq(tma_memory_create(&memory, &machine, NULL), TMA_OK);
}

/* Boxes of 8 rows of `bytes` bytes from `offset` in a line on, end to end in shared memory; cycles
 * of all rows: halves in the TMA unit, whole ones in the slices. */
static const struct {
    const char *what;
    enum tma_direction direction;
    enum tma_data_type type;
    uint32_t bytes, offset, requests, sectors;
    uint64_t read_halves, slice_cycles;
} boxes[] = {
    /* Slices: 1 cycle for a request, 1 for a sector, 3 more for part of one. */
    {"a line", TMA_STORE, TMA_FLOAT16, 128, 0, 8, 32, 64, 40},
    {"a sector", TMA_STORE, TMA_FLOAT16, 32, 0, 8, 8, 16, 16},
    {"two sectors", TMA_STORE, TMA_FLOAT16, 64, 32, 8, 16, 32, 24},
    {"half a sector", TMA_STORE, TMA_FLOAT16, 16, 0, 8, 8, 48, 40},
    {"its other half", TMA_STORE, TMA_FLOAT16, 16, 16, 8, 8, 48, 40},
    {"halves of two sectors", TMA_STORE, TMA_FLOAT16, 32, 16, 8, 16, 64, 48},
    {"two lines", TMA_STORE, TMA_FLOAT16, 256, 0, 16, 64, 128, 80},
    /* Lines of shared memory part every other row: 6 cycles, and 4 and 5. */
    {"two halves, two sectors between", TMA_STORE, TMA_FLOAT16, 96, 16, 12, 36, 120, 84},
    /* They part two rows: into a sector and half a one, and into two that begin or end in one. */
    {"a sector and a half", TMA_STORE, TMA_FLOAT16, 48, 0, 10, 17, 70, 54},
    /* 2 cycles for a request, 2 for a sector, half of that for 16 bytes of some types. */
    {"a line", TMA_REDUCE, TMA_FLOAT16, 128, 0, 8, 32, 112, 80},
    {"a sector", TMA_REDUCE, TMA_FLOAT16, 32, 0, 8, 8, 40, 32},
    {"half of float16", TMA_REDUCE, TMA_FLOAT16, 16, 0, 8, 8, 16, 24},
    {"half of bfloat16", TMA_REDUCE, TMA_BFLOAT16, 16, 16, 8, 8, 16, 24},
    {"half of float32", TMA_REDUCE, TMA_FLOAT32, 16, 0, 8, 8, 16, 24},
    {"half of int32", TMA_REDUCE, TMA_INT32, 16, 0, 8, 8, 40, 32},
    {"half of uint64", TMA_REDUCE, TMA_UINT64, 16, 0, 8, 8, 40, 32},
    {"parts of two sectors", TMA_REDUCE, TMA_FLOAT16, 32, 16, 8, 16, 64, 48},
};

START_TEST(test_times) {
    struct tma_tensor_map map = line_map(ROWS);
    const uint32_t element = tma_type_info(boxes[_i].type)->global_bits / 8;
    map.data_type = boxes[_i].type;
    map.global_strides[0] = 512;
    map.global_dim[0] = 512 / element;
    map.box_dim[0] = boxes[_i].bytes / element;
    struct load load = {
        .map = &map, .direction = boxes[_i].direction, .x = (int32_t)(boxes[_i].offset / element)};
    warm_load(memory, &load);
    struct tma_completion done = run_load(memory, &load);
    struct tma_memory_counters counters = tma_memory_count(memory);
    const uint64_t read = ISSUE + (boxes[_i].read_halves + 1) / 2;
    ck_assert_msg(done.requests == boxes[_i].requests, "%s: %u requests", boxes[_i].what,
                  done.requests);
    ck_assert_msg(done.rows_cycle == read, "%s: read at %llu, not %llu", boxes[_i].what,
                  (unsigned long long)done.rows_cycle, (unsigned long long)read);
    ck_assert_uint_eq(done.cycle, read + (load.direction == TMA_STORE ? STORED : REDUCED));
    ck_assert_uint_eq(counters.write_sectors, boxes[_i].sectors);
    ck_assert_msg(counters.slice_busy == boxes[_i].slice_cycles, "%s: slices %llu", boxes[_i].what,
                  (unsigned long long)counters.slice_busy);
}
END_TEST

/* A write whose line has its home in the other partition passes a slice of the SM's own: rows of
 * 512 bytes, of which 4 KiB have one home. */
START_TEST(test_other_partition) {
    struct tma_tensor_map map = line_map(2 * ROWS);
    const enum tma_direction direction = _i == 0 ? TMA_STORE : TMA_REDUCE;
    uint64_t busy[2], sectors[2];
    map.global_strides[0] = 512;
    map.box_dim[1] = ROWS;
    for (int32_t far = 0; far < 2; far++) {
        struct load load = {.map = &map, .direction = direction, .y = far * ROWS};
        recreate();
        warm_load(memory, &load);
        run_load(memory, &load);
        ck_assert(tma_memory_drain(memory));
        busy[far] = tma_memory_count(memory).slice_busy;
        sectors[far] = tma_memory_count(memory).write_sectors;
    }
    ck_assert_uint_gt(busy[0], 0);
    ck_assert_uint_eq(busy[1], 2 * busy[0]);
    ck_assert_uint_eq(sectors[1], sectors[0]);
}
END_TEST

/* Operations whose last requests are still on their way when they complete: they are in flight
 * until then, and all that they do has been done after draining. */
static const struct {
    enum tma_direction direction;
    bool waits; /* it completes when its last data is there */
} directions[] = {{TMA_LOAD, true}, {TMA_STORE, false}, {TMA_REDUCE, false}, {TMA_PREFETCH, false}};

/* Three stores of 8 lines at once: when each has been read, by how many operations take turns. */
static const struct {
    uint32_t operations;
    uint64_t read[3];
} turns[] = {{1, {32, 64, 96}}, {2, {64, 64, 96}}, {3, {96, 96, 96}}, {9, {96, 96, 96}}};

START_TEST(test_turns) {
    struct tma_tensor_map map = line_map(ROWS);
    struct tma_completion done;
    machine.tma.store_operations = turns[_i].operations;
    recreate();
    for (uint32_t i = 0; i < 3; i++)
        issue_load(memory, &(struct load){.map = &map, .direction = TMA_STORE, .tag = i});
    ck_assert(tma_memory_drain(memory));
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert(tma_memory_take(memory, &done));
        ck_assert_uint_eq(done.tag, i);
        ck_assert_uint_eq(done.rows_cycle, ISSUE + turns[_i].read[i]);
    }
}
END_TEST

START_TEST(test_drain) {
    struct tma_tensor_map map = line_map(ROWS);
    struct tma_completion done;
    issue_load(memory, &(struct load){.map = &map, .direction = directions[_i].direction});
    while (!tma_memory_take(memory, &done))
        ck_assert(tma_memory_advance(memory, tma_memory_now(memory) + 1));
    const uint64_t known = tma_memory_now(memory);
    ck_assert_uint_eq(tma_memory_in_flight(memory), directions[_i].waits ? 0 : 1);
    ck_assert_int_eq(tma_memory_count(memory).requests == ROWS, directions[_i].waits);
    ck_assert(tma_memory_drain(memory));
    ck_assert_uint_eq(tma_memory_in_flight(memory), 0);
    ck_assert_uint_eq(tma_memory_count(memory).requests, ROWS);
    ck_assert_int_eq(tma_memory_now(memory) == known, directions[_i].waits);
    ck_assert(!tma_memory_take(memory, &done));
}
END_TEST

/* Where nothing is on its way, no time passes; and what was issued and not begun is worked off. */
START_TEST(test_drain_of_all_or_nothing) {
    struct tma_tensor_map map = line_map(ROWS);
    struct tma_completion done;
    ck_assert(tma_memory_drain(memory));
    ck_assert_uint_eq(tma_memory_now(memory), 0);
    for (uint32_t i = 0; i < 4; i++)
        issue_load(memory, &(struct load){.map = &map, .sm = i, .cycle = 100000 * i, .tag = i});
    ck_assert(tma_memory_drain(memory));
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert(tma_memory_take(memory, &done));
        ck_assert_uint_eq(done.tag, i);
    }
    ck_assert(!tma_memory_take(memory, &done));
    ck_assert_uint_eq(tma_memory_in_flight(memory), 0);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("stores");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, test_turns, 0, sizeof turns / sizeof turns[0]);
    tcase_add_loop_test(tests, test_times, 0, sizeof boxes / sizeof *boxes);
    tcase_add_loop_test(tests, test_other_partition, 0, 2);
    tcase_add_loop_test(tests, test_drain, 0, sizeof directions / sizeof *directions);
    tcase_add_test(tests, test_drain_of_all_or_nothing);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
